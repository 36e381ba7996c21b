"""The bank's OpenTelemetry spans, below the caller's if it named one (W3C Trace Context)."""

import os

from litestar.types import ASGIApp, Receive, Scope, Send

VARIABLE = "HUNDI_SIMBANK_TRACES_TO"
"""Where spans are sent, by OTLP over HTTP; without it none are."""


def middleware() -> list[type]:
    """Return the application's middleware: none without a collector."""
    collector = os.environ.get(VARIABLE)
    return [_traced(collector)] if collector else []


def _traced(collector: str) -> type:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 (an extra)
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    from opentelemetry.trace import SpanKind  # noqa: PLC0415
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    provider = TracerProvider(resource=Resource.create({"service.name": "simbank"}))
    exporter = OTLPSpanExporter(endpoint=collector.rstrip("/") + "/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=1_000))
    tracer, propagator = provider.get_tracer("simbank"), TraceContextTextMapPropagator()

    class Traced:
        """Reports every request that names a trace."""

        def __init__(self, app: ASGIApp) -> None:
            self._app = app

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            headers = {
                name.decode("latin-1"): value.decode("latin-1")
                for name, value in scope.get("headers", [])
            }
            if scope["type"] != "http" or "traceparent" not in headers:
                await self._app(scope, receive, send)
                return
            name = f"{scope['method']} {scope['path']}"
            with tracer.start_as_current_span(name, propagator.extract(headers), SpanKind.SERVER):
                await self._app(scope, receive, send)

    return Traced
