"""The code that needs the OpenTelemetry library; imported only if a collector is configured."""

import threading
from collections.abc import Callable, Mapping

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags, Tracer

_providers: list[TracerProvider] = []
_current_trace = [0]
"""The trace number for the root span that is being made; spans are made one at a time."""


class _Ids(RandomIdGenerator):
    """Takes span numbers from the caller, who has sent them to the bank already."""

    def __init__(self, span_id: Callable[[], int]) -> None:
        self._span_id = span_id

    def generate_span_id(self) -> int:
        return self._span_id()

    def generate_trace_id(self) -> int:
        return _current_trace[0] or super().generate_trace_id()


def tracer(collector: str, part: str, every_ms: int, span_id: Callable[[], int]) -> Tracer:
    """Return the tracer of one part of the gateway; a thread of its own sends the spans."""
    resource = Resource.create({"service.name": f"hundi-{part}"})
    # At the end of a process the library would retry for ten seconds while the collector is away.
    provider = TracerProvider(resource=resource, id_generator=_Ids(span_id), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=collector.rstrip("/") + "/v1/traces", timeout=1)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=every_ms))
    _providers.append(provider)
    return provider.get_tracer("hundi")


def flush(seconds_max: float) -> None:
    """Send waiting spans; drop them if the collector stays away for this long."""
    for provider in _providers:
        sending = threading.Thread(target=provider.force_flush, daemon=True)
        sending.start()
        sending.join(seconds_max)


def export(
    made_by: Tracer,
    name: str,
    kind: str,
    between_ns: tuple[int, int],
    below: tuple[int, int],
    facts: Mapping[str, str | int],
) -> None:
    """Make one span.

    between_ns: since 1970, UTC. below: the numbers of the trace and of the parent span, 0 for none.
    """
    trace_id, parent_id = below
    parent = trace.INVALID_SPAN
    if parent_id:
        flags = TraceFlags(TraceFlags.SAMPLED)
        parent = NonRecordingSpan(
            SpanContext(trace_id, parent_id, is_remote=True, trace_flags=flags)
        )
    _current_trace[0] = trace_id
    span = made_by.start_span(
        name,
        context=trace.set_span_in_context(parent),
        kind=SpanKind[kind],
        attributes=dict(facts),
        start_time=between_ns[0],
    )
    span.end(between_ns[1])
    _current_trace[0] = 0
