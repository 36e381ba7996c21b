"""Refunds: a batch out, and the answer to each of its items, in order.

See docs/spec/payment-interfaces.md#refund.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.outgoing import Payload, amount_text, checked
from hundi.wire.merchant.refunds import MODE, parse_refund
from hundi.wire.strict_json import JsonValue

REFUND_PATH = "/gateway/pay/v4/api/refund/"


@dataclass(frozen=True, slots=True)
class RefundItem:
    """Money to give back. transaction_id: `ap_transactionid`. amount_paise: None for all that remains."""

    transaction_id: str
    amount_paise: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundResult:
    """The gateway's answer to one item (docs/spec/payment-interfaces.md#refund-item).

    accepted: the refund is begun; a notification tells when the money has gone back, or could not.
    refund_id: of this refund; "" when it was refused, and the message names the one that stands in the way.
    amount_paise: of the refund; None where the gateway names none. code: "00", or why not
    (docs/spec/states-and-codes.md#response-codes).
    """

    transaction_id: str
    accepted: bool
    refund_id: str
    amount_paise: int | None
    message: str
    code: str

    @property
    def error(self) -> errors.RefusedError | None:
        """The refusal as an error, to raise or to ask for `retry`; None when the refund is begun."""
        if self.accepted:
            return None
        return errors.refusal({"response_code": self.code, "message": self.message})


def refund(calls: Calls, items: Sequence[RefundItem], request_id: str) -> Steps[tuple[RefundResult, ...]]:
    """Ask for a batch of refunds; the same request id with the same items never refunds twice."""
    envelope = yield from calls.ask(REFUND_PATH, _payload(items, request_id), as_json=True)
    answers = incoming.data(envelope, "refund").get("transactions")
    if not isinstance(answers, list) or len(answers) != len(items):
        message = f"the reply to refund does not answer each of {len(items)} items"
        raise errors.UnreadableReplyError(message)
    return tuple(map(_result, items, answers))


def _payload(items: Sequence[RefundItem], request_id: str) -> Payload:
    if not request_id:
        raise errors.InvalidRequestError("refund_request_id", "", "an id of your own books: it makes a retry safe")
    packed = base64.b64encode(msgspec.json.encode([_written(each) for each in items])).decode()
    payload = {"mode": MODE, "transactions": packed, "refund_request_id": request_id}
    for position, item in enumerate(checked(parse_refund, payload).items):
        if item.problem is not None:
            field = f"transactions[{position}].{item.problem.field}"
            raise errors.InvalidRequestError(field, item.problem.received, item.problem.allowed)
    return payload


def _written(item: RefundItem) -> dict[str, str]:
    written = {"ap_transactionid": item.transaction_id}
    return written if item.amount_paise is None else written | {"amount": amount_text(item.amount_paise)}


def _result(item: RefundItem, answer: JsonValue) -> RefundResult:
    if not isinstance(answer, Mapping) or incoming.text(answer, "ap_transactionid") != item.transaction_id.lstrip("0"):
        message = f"an answer of the refund batch is not about {item.transaction_id}"
        raise errors.UnreadableReplyError(message)
    refund_id = incoming.text(answer, "refund_id")
    amount = incoming.text(answer, "amount")
    return RefundResult(
        transaction_id=item.transaction_id,
        accepted=incoming.demanded(answer, "success").lower() == "true",
        refund_id="" if refund_id == "0" else refund_id,
        amount_paise=incoming.paise(amount, "amount") if amount else None,
        message=incoming.text(answer, "message"),
        code=incoming.text(answer, "response_code"),
    )
