"""The JSON messages of refunds."""

from datetime import datetime

import msgspec

from hundi_testbed.bank.messages import CallbackBody
from hundi_testbed.bank.refunds.rules import CAME_BACK, BankRefund


class BankRefundRequest(msgspec.Struct, frozen=True):
    """Refund an amount. reference: of the refund; original: of the payment; amount in paise.

    settled_paise: the amount in rupees at the rate of the charge; 0 for an amount in rupees.
    """

    reference: str
    original: str
    amount_paise: int
    currency: str
    settled_paise: int = 0


class RefundQuestion(msgspec.Struct, frozen=True):
    """Ask for the status of a refund."""

    reference: str


class BankRefundAnswer(msgspec.Struct, frozen=True):
    """The bank's answer about a refund.

    status: done, declined, pending (not decided yet) or not_found.
    """

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int = 0
    currency: str = ""

    @classmethod
    def of(cls, refund: BankRefund, now: datetime) -> "BankRefundAnswer":
        """Return the answer about a refund at this time."""
        if refund.told_from is not None and now < refund.told_from:
            return _WORKED_ON
        amount = (refund.rrn, refund.amount_paise, refund.currency)
        if refund.status == "reversed":
            return cls(*CAME_BACK, *amount)
        return cls(refund.status, refund.code, refund.message, *amount)


_WORKED_ON = BankRefundAnswer("pending", "RP", "The refund is being worked on")


def refund_news(
    event_id: str, reference: str, method: str, answer: BankRefundAnswer, at: datetime
) -> CallbackBody:
    """Return the callback about a refund. method: of its payment."""
    return CallbackBody(
        event_id=event_id,
        reference=reference,
        method=method,
        kind="refund",
        payer_vpa="",
        trans_status="",
        at=at.isoformat(timespec="milliseconds"),
        **msgspec.structs.asdict(answer),
    )
