"""The outcome of a refund: what may go back of a debit, and what the payer's account does; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi_testbed.bank import rates
from hundi_testbed.bank.cash.rules import NO_REFUND_MOBILE

TAKES_NOTHING = frozenset({"norefund@hundi", "norefund", NO_REFUND_MOBILE})
TELLS_LATE = frozenset({"laterefund@hundi", "laterefund"})
SENDS_BACK = frozenset({"closedrefund@hundi", "closedrefund"})
"""The payer's UPI address, user id or mobile number decides the outcome of a refund."""
CAME_BACK = ("declined", "M3", "The account is closed: the refund came back")


@dataclass(frozen=True, slots=True)
class RefundInstruction:
    """A requested refund. reference: of the refund; original: of the payment.

    settled_paise: the amount in rupees. told_after_s: for how long the decision stays unknown.
    """

    reference: str
    original: str
    amount_paise: int
    currency: str
    settled_paise: int
    told_after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class RefundableDebit:
    """A payment, and what went back of it before.

    payer: the address, user id or mobile number. settled_paise: what went back, in rupees.
    disputed_paise: see `held_paise` of disputes.
    """

    is_paid: bool
    amount_paise: int
    currency: str
    at: datetime
    payer: str
    refunded_paise: int
    settled_paise: int
    disputed_paise: int


@dataclass(frozen=True, slots=True)
class BankRefund:
    """A refund, as stored; schema.sql explains the columns."""

    reference: str
    original: str
    amount_paise: int
    currency: str
    status: str
    code: str
    message: str
    rrn: str
    told_from: datetime | None = None
    settled_paise: int = 0
    comes_back_at: datetime | None = None


def decided(
    instruction: RefundInstruction,
    debit: RefundableDebit,
    rrn: str,
    now: datetime,
    pending_s: float,
) -> BankRefund:
    """Return a refund with its outcome, and when that is told and changes."""
    status, code, message = _outcome(instruction, debit)
    done = status == "done"
    late = done and debit.payer in TELLS_LATE
    told_after_s = pending_s if late else instruction.told_after_s
    told_from = now + timedelta(seconds=told_after_s) if told_after_s else None
    comes_back = done and debit.payer in SENDS_BACK
    return BankRefund(
        instruction.reference,
        instruction.original,
        instruction.amount_paise,
        instruction.currency,
        status,
        code,
        message,
        rrn,
        told_from,
        instruction.settled_paise,
        (told_from or now) + timedelta(seconds=pending_s) if comes_back else None,
    )


def _outcome(instruction: RefundInstruction, debit: RefundableDebit) -> tuple[str, str, str]:
    """Return status, DE39 code and words."""
    if not debit.is_paid or debit.currency != instruction.currency:
        return "declined", "12", "There is no debit to give back"
    after = debit.refunded_paise + instruction.amount_paise
    if after > debit.amount_paise:
        return "declined", "61", "More than was debited"
    if after + debit.disputed_paise > debit.amount_paise:
        return "declined", "61", "More than is left beside a dispute"
    rate = rates.rate_micros(debit.currency, debit.at)
    received = rates.settled_paise(debit.amount_paise, rate)
    settled = debit.settled_paise + instruction.settled_paise
    if settled > received or (after == debit.amount_paise and settled != received):
        return "declined", "12", "The rupees do not fit the rate of the charge"
    if debit.payer in TAKES_NOTHING:
        return "declined", "57", "The account takes nothing back"
    return "done", "00", "Given back"
