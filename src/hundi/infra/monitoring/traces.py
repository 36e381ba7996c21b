"""OpenTelemetry traces: one trace follows one payment, in every process and at the bank.

The number of a trace is made from the merchant and the payment, so no process has to pass it on,
and a payment's trace can be looked up. The root is the span of the request that made the payment;
all others hang below it. Spans are made after their work, from facts noted meanwhile: without a
collector nothing is imported, and each place costs one comparison.
"""

import asyncio
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hundi.infra.errors import OperatorError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

SERVER, CLIENT, WORK = "SERVER", "CLIENT", "CONSUMER"
"""Kinds of spans: a request to us, a call to a bank, later work."""
Value = str | int
_SPAN_BITS = 64
_EXPORT_EVERY_MS = 1_000
_FLUSH_S_MAX = 1.0


@dataclass(frozen=True, slots=True)
class _Place:
    """The payment of the current work.

    span_id: of the span for this work. parent_id: 0 for none.
    """

    merchant_id: int
    payment_id: int
    span_id: int
    parent_id: int

    @property
    def trace_id(self) -> int:
        return self.merchant_id << _SPAN_BITS | self.payment_id


class _Off:
    """The state without a collector."""

    tracer: "Tracer | None" = None


_ON = _Off()
_place: ContextVar[_Place | None] = ContextVar("traced", default=None)
_next_span: ContextVar[int] = ContextVar("next_span", default=0)


def start(collector: str, part: str) -> None:
    """Send spans to a collector from now on.

    collector: its OTLP address over HTTP, "" for none. part: the part of the gateway. Raises
    OperatorError if the extra hundi[traces] is not installed.
    """
    if not collector:
        return
    try:
        from hundi.infra.monitoring import exporting  # noqa: PLC0415 (comes with an extra, and costs 20 MB)
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed: HUNDI_TRACES_TO needs the extra hundi[traces]"
        raise OperatorError(message) from error
    _ON.tracer = exporting.tracer(collector, part, _EXPORT_EVERY_MS, _drawn_span)


async def stop() -> None:
    """Send waiting spans, within the time that an ending process may take."""
    if _ON.tracer is not None:
        from hundi.infra.monitoring import exporting  # noqa: PLC0415 (see above)

        _ON.tracer = None
        await asyncio.to_thread(exporting.flush, _FLUSH_S_MAX)


def _drawn_span() -> int:
    return _next_span.get() or secrets.randbits(_SPAN_BITS - 1) + 1


def note(merchant_id: int, payment_id: int, *, root: bool = False) -> None:
    """Note the payment of the current work. root: this work made the payment."""
    if _ON.tracer is None or merchant_id <= 0:
        return  # a partner's news has no payment
    place = _place.get()
    if place is not None and (place.merchant_id, place.payment_id) == (merchant_id, payment_id):
        return
    span_id = payment_id if root else secrets.randbits(_SPAN_BITS - 1) + 1
    _place.set(_Place(merchant_id, payment_id, span_id, 0 if root else payment_id))


def is_on() -> bool:
    """Return whether there is a collector; without one, spans need no names."""
    return _ON.tracer is not None


def forget() -> None:
    """Start work that has no payment yet."""
    if _ON.tracer is not None:
        _place.set(None)


def tell(name: str, kind: str, began_s: float, **facts: Value) -> None:
    """Make a span of work that has ended, if it has a payment. began_s: by `time.perf_counter`."""
    place = _place.get()
    if _ON.tracer is not None and place is not None:
        _export(place, name, kind, began_s, place.span_id, place.parent_id, facts)


def call_header() -> tuple[int, str]:
    """Return (span number, `traceparent` header) for a call that begins now, or (0, "")."""
    place = _place.get()
    if _ON.tracer is None or place is None:
        return 0, ""
    span_id = _drawn_span()
    return span_id, f"00-{place.trace_id:032x}-{span_id:016x}-01"


def tell_call(span_id: int, name: str, began_s: float, **facts: Value) -> None:
    """Make the span of a call that has ended, with the number from `call_header`."""
    place = _place.get()
    if span_id and place is not None:
        _export(place, name, CLIENT, began_s, span_id, place.span_id, facts)


def _export(
    place: _Place,
    name: str,
    kind: str,
    began_s: float,
    span_id: int,
    parent_id: int,
    facts: dict[str, Value],
) -> None:
    from hundi.infra.monitoring import exporting  # noqa: PLC0415 (see above)

    tracer = _ON.tracer
    assert tracer is not None
    ended_ns = time.time_ns()
    lasted_ns = int((time.perf_counter() - began_s) * 1e9)
    wanted = _next_span.set(span_id)
    try:
        attributes = {
            "hundi.merchant_id": place.merchant_id,
            "hundi.payment_id": place.payment_id,
            **facts,
        }
        exporting.export(
            tracer,
            name,
            kind,
            (ended_ns - lasted_ns, ended_ns),
            (place.trace_id, parent_id),
            attributes,
        )
    finally:
        _next_span.reset(wanted)
