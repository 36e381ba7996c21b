"""When the customer's bank lets a mandate be debited; pure."""

from datetime import datetime, timedelta, timezone

from simbank.mandates.store import Mandate, Notice
from simbank.rules import Outcome, Status

NOTICE_BEFORE = timedelta(hours=24)
_IST = timezone(timedelta(hours=5, minutes=30))
ENDED_CODE = "M1"
"""The mandate does not stand: never approved, ended, or over."""
_SHORT_OF_MONEY = Outcome(Status.DECLINED, "Z9", "Insufficient funds", final=True)


def refusal(mandate: Mandate | None, notice: Notice | None, amount_paise: int, now: datetime) -> Outcome | None:
    """Return why a debit is not made, None when the account is asked for the money."""
    today = now.astimezone(_IST).date()
    if mandate is None or not mandate.approved or mandate.ended_at is not None or today > mandate.valid_until:
        return _no(ENDED_CODE, "The customer has no such mandate, or it is over")
    if today < mandate.valid_from:
        return _no("M2", "The mandate is not valid yet")
    if amount_paise > mandate.max_paise:
        return _no("M3", "More than the customer approved")
    if notice is None or notice.amount_paise != amount_paise or now - notice.given_at < NOTICE_BEFORE:
        return _no("M4", "The customer was not told of this debit a day before")
    return None


def account_outcome(payer: str, tries_before: int) -> Outcome | None:
    """Return what the test addresses of debits do; None: as any payment of this payer."""
    if payer == "nodebit@hundi" or (payer == "retrydebit@hundi" and tries_before == 0):
        return _SHORT_OF_MONEY
    return None


def _no(code: str, message: str) -> Outcome:
    return Outcome(Status.DECLINED, code, message, final=True)
