"""The refund message: a batch in Base64, of which each item is read and answered on its own.

See docs/spec/payment-interfaces.md#refund and docs/spec/payment-interfaces.md#refund-item.
"""

import base64
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from hundi.wire import fields, strict_json
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.merchant.operations import amount_or_all
from hundi.wire.merchant.values import Values, refuse_page_fields, required, text
from hundi.wire.strict_json import JsonValue

MODE = "refund"
ITEMS_MAX = 1_000
"""Items of one batch (docs/spec/payment-interfaces.md#refund)."""
RESERVED = ("approval-", "console-", "link-")
"""How the gateway's own request ids begin: a refund under one is shown as that of a person, or of a payment link."""
_ITEM_VALUES_MAX = 8
"""Values of one item on average, itself counted: it has three of its own, and some clients send more."""
_OWN_FIELDS = "mode, transactions, refund_request_id"
_ARRAY = 'Base64 of a JSON array like [{"ap_transactionid":"215000000000001","amount":"10.00"}]'
# Some base64 writers break lines; some senders turn + into a space.
_REPAIRS = str.maketrans({" ": "+", "\r": None, "\n": None})


@dataclass(frozen=True, slots=True)
class RefundItem:
    """One refund that is asked for.

    ap_transactionid: 0 when it cannot be read. amount_paise: None means all that remains. request_id: the item's own,
    or the batch's, or "". problem: why this item alone is refused, or None.
    """

    ap_transactionid: int
    amount_paise: int | None = None
    request_id: str = ""
    problem: FieldError | None = None


@dataclass(frozen=True, slots=True)
class RefundRequest:
    """A batch, in the order sent: an item's position is part of what makes a repeated batch harmless."""

    items: tuple[RefundItem, ...]
    mode: str = MODE
    request_id: str = ""


def parse_refund(values: Values) -> RefundRequest:
    """Return the batch. Raises FieldError when none of it can be used; a bad item carries its own problem."""
    refuse_page_fields(values, _OWN_FIELDS)
    mode = fields.one_of(text(values, "mode").lower() or MODE, "mode", (MODE,))
    request_id = _request_id(values)
    listed = _listed(required(values, "transactions"))
    if not 1 <= len(listed) <= ITEMS_MAX:
        raise FieldError("transactions", f"{len(listed)} items", f"1 to {ITEMS_MAX} items")
    return RefundRequest(tuple(_item(each, request_id) for each in listed), mode, request_id)


def _listed(encoded: str) -> list[JsonValue]:
    packed = encoded.translate(_REPAIRS).rstrip("=")
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except ValueError:
        raise FieldError("transactions", encoded, f"{_ARRAY}; this is not Base64") from None
    try:
        return strict_json.parse_array(raw, ITEMS_MAX * _ITEM_VALUES_MAX)
    except strict_json.Unreadable as error:
        shown = raw.decode("utf-8", "backslashreplace")
        raise FieldError("transactions", shown, f"{_ARRAY}; the text inside is not one: {error}") from None


def _item(sent: JsonValue, batch_request_id: str) -> RefundItem:
    if not isinstance(sent, dict):
        problem = FieldError("transactions", strict_json.compact(sent), "an object with ap_transactionid and amount")
        return RefundItem(0, request_id=batch_request_id, problem=problem)
    transaction_id = 0
    try:
        transaction_id = int(fields.digits(required(sent, "ap_transactionid"), "ap_transactionid"))
        refuse_page_fields(sent, "ap_transactionid, amount, refund_request_id")
        return RefundItem(transaction_id, amount_or_all(sent), _request_id(sent) or batch_request_id)
    except FieldError as problem:
        return RefundItem(transaction_id, request_id=batch_request_id, problem=problem)


def _request_id(values: Values) -> str:
    sent = text(values, "refund_request_id")
    if sent.startswith(RESERVED):
        allowed = f"an id of your own: those that begin with {', '.join(RESERVED)} are the gateway's"
        raise FieldError("refund_request_id", sent, allowed)
    return sent and fields.order_id(sent, "refund_request_id")


class RefundResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one item. `success`: "true" when the refund is begun; the money itself follows.

    ap_transactionid, refund_id: JSON numbers. refund_id of a refused item: 0. amount: of
    the refund as begun, or as asked for; "" for an amount nobody named. response_code: ours, beside the message.
    """

    ap_transactionid: int
    amount: str
    success: str
    message: str
    refund_id: int
    mode: str = MODE
    response_code: str = Code.SUCCESS.wire


def accepted(
    ap_transactionid: int, amount_paise: int, refund_id: int, message: str = "Refund accepted"
) -> RefundResult:
    """Return the answer to an item whose refund is begun. amount_paise: of the refund."""
    return RefundResult(
        ap_transactionid=ap_transactionid,
        amount=fields.text_from_paise(amount_paise),
        success="true",
        message=message,
        refund_id=refund_id,
    )


def not_accepted(item: RefundItem, code: Code, message: str) -> RefundResult:
    """Return the answer to a refused item, which has no refund of its own."""
    return RefundResult(
        ap_transactionid=item.ap_transactionid,
        amount="" if item.amount_paise is None else fields.text_from_paise(item.amount_paise),
        success="false",
        message=message,
        refund_id=0,
        response_code=code.wire,
    )


def refund_data(results: Iterable[RefundResult]) -> dict[str, object]:
    """Return `data` of the reply: the answers in the order of the items."""
    return {"transactions": [msgspec.to_builtins(each) for each in results]}
