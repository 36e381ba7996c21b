"""Refunds of the plain interface: one refund a request."""

from datetime import datetime

from hundi.wire import kinds
from hundi.wire.message import message, sent
from hundi.wire.plain.operation import PlainOperation


@message()
class PlainRefundRequest:
    """A refund; without an amount, of all that remains."""

    transaction_id: str = sent(kinds.TRANSACTION_ID, meaning="Of the payment, as its order has it")
    amount_paise: int | None = sent(
        kinds.AMOUNT, meaning="In the smallest unit of the currency", default=None
    )


@message()
class PlainRefundName:
    """A refund, by the gateway's id of it."""

    refund_id: str = sent(kinds.digits("As its creation names it", "215000000000001"))


@message()
class PlainRefund:
    """A refund in its current state. It went back when its state is `done`.

    state: initiated, sent or unknown while it is under way; done, failed or reversed after that.
    """

    refund_id: str = sent(kinds.NAME)
    transaction_id: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY)
    currency: str = sent(kinds.NAME)
    state: str = sent(kinds.NAME)
    rrn: str = sent(kinds.WORDS)
    bank_code: str = sent(kinds.WORDS)
    bank_message: str = sent(kinds.WORDS)
    created_at: datetime | None = sent(kinds.MOMENT)
    ended_at: datetime | None = sent(kinds.MOMENT)


_SECTION = "payment-interfaces.md#refund"
CREATE = PlainOperation(
    "createRefund",
    "Refund a payment",
    "POST",
    "refunds",
    PlainRefundRequest,
    PlainRefund,
    "refund",
    _SECTION,
    repeating="required",
    status=201,
)
SHOW = PlainOperation(
    "showRefund",
    "Show a refund",
    "GET",
    "refunds/{refund_id}",
    PlainRefundName,
    PlainRefund,
    "read",
    _SECTION,
    live_only=True,
)
