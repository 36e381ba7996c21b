"""Refunds: a batch whose items are read and answered one by one.

See docs/spec/payment-interfaces.md#refund and docs/spec/payment-interfaces.md#refund-item.
"""

from contextlib import suppress

from hundi.wire import fields, kinds
from hundi.wire.batch import Unread, batch
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation
from hundi.wire.parts import FieldKind, text_in

MODE = "refund"
ITEMS_MAX = 1_000
"""Items of one batch (docs/spec/payment-interfaces.md#refund)."""
RESERVED = ("approval-", "console-", "link-")
"""Prefixes of the gateway's own request ids.

A refund under one is shown as that of a person, or of a payment link.
"""


def _request_id(text: str, name: str) -> str:
    if text.startswith(RESERVED):
        allowed = (
            f"an id of your own: those that begin with {', '.join(RESERVED)} are the gateway's"
        )
        raise FieldError(name, text, allowed)
    return fields.order_id(text, name)


REQUEST_ID = kinds.written(
    _request_id,
    "The merchant's own id of a refund, or of a batch",
    rf"^(?!{'|'.join(RESERVED)})[A-Za-z0-9_.-]{{1,64}}$",
    "R-1001",
)
_MODE = FieldKind(
    lambda text, name: fields.one_of(text.lower(), name, (MODE,)),
    lambda mode, _: mode,
    kinds.described(kinds.one_of(MODE), "Always this value; may be missing").schema,
)


@message(kw_only=False)
class RefundItem:
    """One refund, in paise; without an amount, of all that remains."""

    transaction_id: str = sent(kinds.TRANSACTION_ID, "ap_transactionid")
    amount_paise: int | None = sent(kinds.AMOUNT_OR_ALL, "amount", default=None)
    request_id: str = sent(
        REQUEST_ID,
        "refund_request_id",
        "Of this item alone: the same again refunds once",
        default="",
    )


@message()
class RefundRequest:
    """A batch of refunds.

    Their order matters: an item's position is part of what makes a repeated batch harmless.
    """

    mode: str = sent(_MODE, default="")
    request_id: str = sent(
        REQUEST_ID,
        "refund_request_id",
        "Of the whole batch: the same again refunds nothing twice",
        default="",
    )
    items: tuple[RefundItem | Unread, ...] = sent(
        batch(
            RefundItem,
            ITEMS_MAX,
            "Base64 of a JSON array of refunds",
            '{"ap_transactionid":"215000000000001","amount":"10.00"}',
        ),
        "transactions",
    )


def payment_of(item: RefundItem | Unread) -> int:
    """Return the transaction id of an item, 0 where that cannot be read."""
    if isinstance(item, RefundItem):
        return int(item.transaction_id)
    name = "ap_transactionid"
    if isinstance(item.sent, dict):
        with suppress(FieldError):
            return int(kinds.TRANSACTION_ID.read(text_in(item.sent, name), name))
    return 0


def amount_of(item: RefundItem | Unread) -> int | None:
    """Return the paise of an item, None for all that remains."""
    return item.amount_paise if isinstance(item, RefundItem) else None


def request_id_of(item: RefundItem | Unread, batch: RefundRequest) -> str:
    """Return the request id of an item: its own, or the batch's, or ""."""
    return (isinstance(item, RefundItem) and item.request_id) or batch.request_id


@message()
class RefundResult:
    """The gateway's answer to one item.

    accepted: the refund is begun; a notification tells when the money has gone back, or could not.
    refund_id: of this refund; "" when it was refused, and the message names the one that stands in
    the way. amount_paise: of the refund, else the requested amount; None if none was given. code:
    "00", or why not (docs/spec/states-and-codes.md#response-codes).
    """

    transaction_id: str = sent(kinds.NUMBER, "ap_transactionid")
    amount_paise: int | None = sent(kinds.LIMIT, "amount")
    accepted: bool = sent(kinds.YES_OR_NO, "success")
    message: str = sent(kinds.WORDS)
    refund_id: str = sent(kinds.NUMBER)
    mode: str = sent(kinds.WORDS, default=MODE)
    code: str = sent(kinds.WORDS, "response_code", default=Code.SUCCESS.wire)


@message()
class RefundResults:
    """The answers in the order of the items."""

    results: tuple[RefundResult, ...] = sent(kinds.objects(RefundResult), "transactions")


def accepted(
    transaction_id: int, amount_paise: int, refund_id: int, words: str = "Refund accepted"
) -> RefundResult:
    """Return the answer to an item whose refund is begun. amount_paise: of the refund."""
    return RefundResult(
        transaction_id=str(transaction_id),
        amount_paise=amount_paise,
        accepted=True,
        message=words,
        refund_id=str(refund_id),
    )


def not_accepted(
    transaction_id: int, amount_paise: int | None, code: Code, words: str
) -> RefundResult:
    """Return the answer to a refused item, which has no refund of its own."""
    return RefundResult(
        transaction_id=str(transaction_id),
        amount_paise=amount_paise,
        accepted=False,
        message=words,
        refund_id="",
        code=code.wire,
    )


REFUND = Operation(
    "refund",
    "refund",
    "refund",
    "Initiate refunds",
    "payment-interfaces.md#refund",
    ("refund/",),
    RefundRequest,
    RefundResults,
    "refund",
    by_hand=True,
    body="json",
)
