"""Capture and void of an authorisation, answered by the transaction record.

See docs/spec/payment-interfaces.md#capture.
"""

from hundi.wire import kinds
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation


@message()
class CaptureRequest:
    """An authorisation to capture; without an amount, all of it."""

    transaction_id: str = sent(kinds.TRANSACTION_ID, "ap_transactionid")
    amount_paise: int | None = sent(kinds.AMOUNT_OR_ALL, "amount", default=None)


@message(without={"amount": "nothing: a void is of the whole authorisation"})
class VoidRequest:
    """An authorisation to void."""

    transaction_id: str = sent(kinds.TRANSACTION_ID, "ap_transactionid")


_SECTION = "payment-interfaces.md#capture"
# Not repeated: a second capture is refused, which would hide that the first went through.
CAPTURE = Operation(
    "capture",
    "capture",
    "capture",
    "Capture an authorisation",
    _SECTION,
    ("capture/",),
    CaptureRequest,
    TransactionRecord,
    "page",
    by_hand=True,
    echoes=("ap_transactionid",),
    repeats=False,
)
VOID = Operation(
    "void",
    "void",
    "void",
    "Void an authorisation",
    _SECTION,
    ("void/",),
    VoidRequest,
    TransactionRecord,
    "manage",
    by_hand=True,
    echoes=("ap_transactionid",),
    repeats=False,
)
