"""Mandates of bank accounts (eNACH): registered later by the bank, debited in a daily batch."""

from datetime import datetime, time, timedelta, timezone
from hashlib import sha256

from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.mandates import store
from hundi_testbed.bank.mandates.store import Mandate
from hundi_testbed.bank.rules import APPROVED, PaymentDecision, PaymentTrigger, Status
from hundi_testbed.bank.settings import Timings

ENACH = "enach"
PROOFS = ("Net banking", "Debit card")
"""Ways for a customer to sign in and approve a mandate."""
PRESENTED_AT = time(10)
"""The Indian time of the daily batch; banks answer by the next one.

Every day is a day of clearing (August 2021).
"""
_IST = timezone(timedelta(hours=5, minutes=30))
_SLOW = timedelta(days=2)
_DIGITS = 15

TRIGGERS = (
    PaymentTrigger("success", "registered after 20 seconds; every debit is paid"),
    PaymentTrigger("slow", "registered after two days; every debit is paid"),
    PaymentTrigger("reject", "not registered, AP08: the name at the bank is another one"),
    PaymentTrigger(
        "nodebit", "registered; each later debit is returned, NACH-04: not enough money"
    ),
    PaymentTrigger(
        "retrydebit", "registered; the first try of each later debit is returned, NACH-04"
    ),
    PaymentTrigger(
        "closed", "registered; each later debit is returned, NACH-01: the account is closed"
    ),
)
_OTHER_NAME = PaymentDecision(Status.DECLINED, "AP08", "Account holder's name mismatch", final=True)
_ABOVE_LIMIT = PaymentDecision(
    Status.DECLINED, "AP10", "Amount exceeds the mandate's limit", final=True
)
_CLOSED = PaymentDecision(Status.DECLINED, "NACH-01", "Account closed")
_SHORT_OF_MONEY = PaymentDecision(Status.DECLINED, "NACH-04", "Balance insufficient")
_EXPIRED = PaymentDecision(Status.DECLINED, "NACH-14", "Mandate expired")
_CANCELLED = PaymentDecision(Status.DECLINED, "NACH-61", "Mandate cancelled")


def asked(customer: str, timings: Timings) -> PaymentDecision:
    """Return the answer of the bank's page after its customer approved.

    The mandate is registered later.
    """
    wait_s = _SLOW.total_seconds() if customer.lower() == "slow" else timings.enach_s
    return PaymentDecision(
        Status.PENDING, "01", "The bank has to register the mandate", judged_after_s=wait_s
    )


def presented(at: datetime) -> PaymentDecision:
    """Return the decision about a debit that waits for the next batch."""
    local = at.astimezone(_IST)
    batch = datetime.combine(
        local.date() + timedelta(days=local.time() >= PRESENTED_AT), PRESENTED_AT, _IST
    )
    wait_s = (batch + timedelta(days=1) - at).total_seconds()
    words = f"Presented in the batch of {batch:%d %b %Y}; the bank answers on the next day"
    return PaymentDecision(Status.PENDING, "01", words, judged_after_s=wait_s)


async def answer(db: BankDatabase, reference: str, now: datetime) -> PaymentDecision | None:
    """Return the customer's bank's answer to a registration or debit, None without a mandate."""
    debit = await store.find_debit(db, reference)
    mandate = await store.find(db, debit.mandate if debit else reference)
    if mandate is None:
        return None
    if debit is None:
        return _registered(mandate)
    tries = await store.tries_before(db, debit.mandate, debit.period_no, reference)
    decision = _returned(mandate, tries, now) or APPROVED
    if decision.status is Status.DECLINED:
        # First, so that the period of a returned debit can be tried again.
        await store.note_return(db, reference)
    return decision


def _registered(mandate: Mandate) -> PaymentDecision:
    if mandate.customer == "reject":
        return _OTHER_NAME
    if mandate.amount_paise > mandate.max_paise:
        return _ABOVE_LIMIT
    return PaymentDecision(
        Status.PAID, "00", "Registered, and the first amount collected", approval_code=umrn(mandate)
    )


def umrn(mandate: Mandate) -> str:
    """Return a mandate's own number (UMRN).

    It is the bank's four letters, 7 for electronic, and 15 digits.
    """
    number = int.from_bytes(sha256(mandate.reference.encode()).digest()[:8]) % 10**_DIGITS
    return f"{mandate.bank_code}7{number:0{_DIGITS}d}"


def _returned(mandate: Mandate, tries_before: int, now: datetime) -> PaymentDecision | None:
    if mandate.ended_at is not None:
        return _CANCELLED
    if now.astimezone(_IST).date() > mandate.valid_until:
        return _EXPIRED
    if mandate.customer == "closed":
        return _CLOSED
    short = mandate.customer == "nodebit" or (
        mandate.customer == "retrydebit" and tries_before == 0
    )
    return _SHORT_OF_MONEY if short else None
