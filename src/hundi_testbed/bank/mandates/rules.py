"""When the customer's bank allows a debit by mandate; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.mandates.messages import MandateAnswer
from hundi_testbed.bank.mandates.store import Mandate, Notice
from hundi_testbed.bank.rules import (
    IssuerDecision,
    PaymentDecision,
    Status,
    card_outcome,
    upi_outcome,
)
from hundi_testbed.bank.settings import Timings

NOTICE_BEFORE = timedelta(hours=24)
_IST = timezone(timedelta(hours=5, minutes=30))
_OVER = PaymentDecision(
    Status.DECLINED, "M1", "The customer has no such mandate, or it is over", final=True
)
"""The mandate is not valid: never approved, ended, or over."""
_PAUSED = PaymentDecision(Status.DECLINED, "M5", "The customer has paused the mandate", final=True)
_TOO_MUCH = PaymentDecision(Status.DECLINED, "M3", "More than the customer approved", final=True)
_SHORT_OF_MONEY = PaymentDecision(Status.DECLINED, "Z9", "Insufficient funds", final=True)


@dataclass(frozen=True, slots=True)
class DebitTry:
    """One try of a debit. before: the number of tries of its period under other references.

    notice: the bank's name of its notice.
    """

    amount_paise: int
    before: int
    at: datetime
    notice: str = ""


def notice_refusal(mandate: Mandate | None, amount_paise: int) -> PaymentDecision | None:
    """Return why a customer is not told of a debit, None where they are."""
    if mandate is None or not mandate.approved or mandate.ended_at is not None:
        return _OVER
    if mandate.paused_at is not None:
        return _PAUSED
    return _TOO_MUCH if amount_paise > mandate.max_paise else None


def standing(mandate: Mandate | None, now: datetime) -> MandateAnswer:
    """Return how a mandate stands."""
    if mandate is None:
        return MandateAnswer("not_found")
    if not mandate.approved:
        return MandateAnswer("failed" if mandate.refused else "pending")
    if mandate.ended_at is not None or now.astimezone(_IST).date() > mandate.valid_until:
        return MandateAnswer("ended")
    return MandateAnswer("paused" if mandate.paused_at else "active")


def outcome(
    mandate: Mandate | None, notice: Notice | None, tried: DebitTry, timings: Timings
) -> PaymentDecision:
    """Return the decision of the customer's bank about a debit."""
    refused = _OVER if mandate is None else _refusal(mandate, tried)
    if mandate is None or refused is not None:
        return refused or _OVER
    if mandate.method == clearing.ENACH:
        return clearing.presented(tried.at)
    if (
        notice is None
        or notice.amount_paise != tried.amount_paise
        or notice.name != tried.notice
        or tried.at - notice.given_at < NOTICE_BEFORE
    ):
        return _no("M4", "The customer was not told of this debit a day before")
    return _of_account(mandate, tried.before, timings)


def _refusal(mandate: Mandate, tried: DebitTry) -> PaymentDecision | None:
    """Return why a mandate allows no such debit, None where it does."""
    today = tried.at.astimezone(_IST).date()
    if not mandate.approved or mandate.ended_at is not None or today > mandate.valid_until:
        return _OVER
    if mandate.paused_at is not None:
        return _PAUSED
    if today < mandate.valid_from:
        return _no("M2", "The mandate is not valid yet")
    return _TOO_MUCH if tried.amount_paise > mandate.max_paise else None


def _of_account(mandate: Mandate, tries_before: int, timings: Timings) -> PaymentDecision:
    """Return the account's decision.

    Test addresses and cards of debits first, then as to any payment.
    """
    if mandate.issuer_decision:
        issuer = IssuerDecision(mandate.issuer_decision)
        if issuer is IssuerDecision.NO_DEBITS or (
            issuer is IssuerDecision.LATER_DEBITS and tries_before == 0
        ):
            issuer = IssuerDecision.INSUFFICIENT
        return card_outcome(issuer, timings, capture=True)
    if mandate.payer == "nodebit@hundi" or (
        mandate.payer == "retrydebit@hundi" and tries_before == 0
    ):
        return _SHORT_OF_MONEY
    return upi_outcome(mandate.payer, timings)


def _no(code: str, message: str) -> PaymentDecision:
    return PaymentDecision(Status.DECLINED, code, message, final=True)
