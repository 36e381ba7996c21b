"""Refunds: a batch out, and the answer to each of its items, in order.

See docs/spec/payment-interfaces.md#refund.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from hundi.sdk import errors
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import perform
from hundi.wire.merchant import refunds as wire
from hundi.wire.merchant.refunds import MODE, REFUND, RefundItem, RefundRequest


class RefundResult(wire.RefundResult):
    """The gateway's answer to one item (docs/spec/payment-interfaces.md#refund-item)."""

    __slots__ = ()

    @property
    def error(self) -> errors.RefusedError | None:
        """The refusal as an error, to raise or to read `retry` of.

        None when the refund is begun.
        """
        if self.accepted:
            return None
        return errors.refusal({"response_code": self.code, "message": self.message})


def refund(
    calls: Calls, items: Sequence[RefundItem], request_id: str
) -> Steps[tuple[RefundResult, ...]]:
    """Request a batch of refunds; the same request id with the same items never refunds twice."""
    if not request_id:
        raise errors.InvalidRequestError(
            "refund_request_id", "", "an id of your own books: it makes a retry safe"
        )
    request = RefundRequest(mode=MODE, items=tuple(items), request_id=request_id)
    answers = (yield from perform(calls, REFUND, request)).results
    if len(answers) != len(items):
        message = f"the reply to refund does not answer each of {len(items)} items"
        raise errors.UnreadableReplyError(message)
    return tuple(map(_result, items, answers))


def _result(item: RefundItem, answer: wire.RefundResult) -> RefundResult:
    if answer.transaction_id != item.transaction_id.lstrip("0"):
        message = f"an answer of the refund batch is not about {item.transaction_id}"
        raise errors.UnreadableReplyError(message)
    values: dict[str, Any] = {each.name: getattr(answer, each.name) for each in fields(answer)}
    values["transaction_id"] = item.transaction_id
    return RefundResult(**values)
