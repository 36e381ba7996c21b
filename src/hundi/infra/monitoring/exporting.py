"""Everything that needs the OpenTelemetry library.

Imported only where a collector is configured.
"""

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
"""The trace of a root span that is being made.

Spans are made one after the other, without waiting in between.
"""


class _Ids(RandomIdGenerator):
    """Takes the numbers of spans from their caller, who has named them to the bank already."""

    def __init__(self, span_id: Callable[[], int]) -> None:
        self._span_id = span_id

    def generate_span_id(self) -> int:
        return self._span_id()

    def generate_trace_id(self) -> int:
        return _current_trace[0] or super().generate_trace_id()


def tracer(collector: str, part: str, every_ms: int, span_id: Callable[[], int]) -> Tracer:
    """Return what makes spans of one part of the gateway; they are sent by a thread of its own."""
    resource = Resource.create({"service.name": f"hundi-{part}"})
    # The library's own end of a process tries again for ten seconds while the collector is away.
    provider = TracerProvider(resource=resource, id_generator=_Ids(span_id), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=collector.rstrip("/") + "/v1/traces", timeout=1)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=every_ms))
    _providers.append(provider)
    return provider.get_tracer("hundi")


def flush(seconds_max: float) -> None:
    """Send what waits; give up after a while if the collector is away, and drop the spans."""
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

    between_ns: since 1970, UTC. below: number of the trace, and of the span above, 0 for none.
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
