"""The outcomes of payouts: what each kind of account does with one; pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta
from enum import StrEnum

RAILS = ("imps", "neft", "rtgs")
IMPS_MAX_PAISE = 5_00_000_00
RTGS_MIN_PAISE = 2_00_000_00
"""The networks' own limits (docs/spec/domain.md#payout-rails)."""


class Receiver(StrEnum):
    """The account that a payout goes to: the last digits of its number say what it does."""

    ORDINARY = ""
    """It takes every payout."""
    OTHER_NAME = "0001"
    """It belongs to somebody else."""
    CLOSED = "0002"
    """A check and every payout are refused."""
    RETURNS_LATE = "0003"
    """It returns a payout that was done."""
    SILENT = "0004"
    """The call that pays out to it gets no answer."""
    RETURNS_FIRST = "0005"
    """It returns a payout before that was done."""
    BLOCKED = "0006"
    """A check finds it, and every payout is refused."""
    APPROVED_THERE = "0007"
    """A payout to it waits for people at the bank, and is done."""
    QUEUED_THERE = "0008"
    """A payout to it waits in a queue, and is done."""
    DEEMED = "0009"
    """A payout to it is debited at once, and its credit is confirmed later."""
    PAID_LATE = "0010"
    """A payout to it is refused, and paid after all."""
    REFUSED_TWICE = "0011"
    """A payout to it is refused, and then said to have come back."""
    FROZEN = "0012"
    """A check says that it is frozen, and every payout is refused."""


SOMEBODY_ELSE = "SOMEBODY ELSE"


@dataclass(frozen=True, slots=True)
class PayoutTrigger:
    """An account number that chooses an outcome, as people read it."""

    given: str
    outcome: str


_WORDS = {
    Receiver.OTHER_NAME: f"the account is of {SOMEBODY_ELSE}: a check says so, money is taken",
    Receiver.CLOSED: "closed (AC04): a check and every payout are refused",
    Receiver.RETURNS_LATE: "a payout is done and comes back later (AC06)",
    Receiver.SILENT: "a payout is done, and its call gets no answer: an inquiry tells",
    Receiver.RETURNS_FIRST: "a payout is pending and comes back before it is confirmed (AC01)",
    Receiver.BLOCKED: "a check finds it, and every payout is refused (AC06)",
    Receiver.APPROVED_THERE: "a payout waits for people at the bank, and is done",
    Receiver.QUEUED_THERE: "a payout waits in a queue, and is done",
    Receiver.DEEMED: "a payout is debited, and its credit is confirmed later",
    Receiver.PAID_LATE: "a payout is refused (U30), and paid after all",
    Receiver.REFUSED_TWICE: "a payout is refused (U30), and then comes back; it moved nothing",
    Receiver.FROZEN: "frozen: a check says so, and every payout is refused (AC06)",
}
TRIGGERS = tuple(PayoutTrigger(f"…{receiver}", words) for receiver, words in _WORDS.items())
_DECLINED = {
    Receiver.CLOSED: ("AC04", "The account is closed"),
    Receiver.BLOCKED: ("AC06", "The account is blocked"),
    Receiver.FROZEN: ("AC06", "The account is blocked"),
}
_RETURNED = {
    Receiver.RETURNS_LATE: ("AC06", "The account is blocked"),
    Receiver.RETURNS_FIRST: ("AC01", "There is no such account"),
}


@dataclass(frozen=True, slots=True)
class PayoutInstruction:
    """A requested payout. batch: its file, "" for a call."""

    reference: str
    amount_paise: int
    rail: str
    account: str
    ifsc: str
    holder: str
    batch: str = ""

    def __repr__(self) -> str:
        """Hide the account: this value reaches tracebacks."""
        return f"PayoutInstruction({self.reference})"


@dataclass(frozen=True, slots=True)
class PayoutDecision:
    """The state of a payout.

    status: pending, approval, queued, processing, deemed, done, declined or returned. due_at: when
    that changes by itself.
    """

    status: str
    code: str
    message: str
    due_at: datetime | None = None


WAITING = PayoutDecision("pending", "01", "Waiting for the next batch")
PAID = PayoutDecision("done", "00", "Paid")


_NO = PayoutDecision("declined", "U30", "The debit failed")
_WORKING = PayoutDecision("processing", "", "With the network")
PATHS: Mapping[Receiver, tuple[PayoutDecision, ...]] = {
    Receiver.APPROVED_THERE: (PayoutDecision("approval", "", "Waits for approval"), _WORKING, PAID),
    Receiver.QUEUED_THERE: (PayoutDecision("queued", "", "The balance is short"), _WORKING, PAID),
    Receiver.DEEMED: (PayoutDecision("deemed", "", "The credit is not confirmed"), PAID),
    Receiver.PAID_LATE: (_NO, PAID),
    Receiver.REFUSED_TWICE: (_NO, PayoutDecision("returned", "U30", "Credited back")),
}
"""The states of a payout to an account that plays them, in order."""
ENOUGH_PAISE = 9_00_00_00_000_00
"""The balance of a bank whose purse nobody set."""
SHORT = PayoutDecision("not_taken", "AM04", "The balance is short")
FAULTS = {Receiver.CLOSED: "closed", Receiver.FROZEN: "frozen"}
"""Why a check finds no holder."""


def receiver_of(account: str) -> Receiver:
    """Return what an account does, by its number."""
    try:
        return Receiver(account[-4:])
    except ValueError:
        return Receiver.ORDINARY


def registered_name(receiver: Receiver, holder: str) -> str:
    """Return an account's holder, "" for an unknown account.

    A simulated bank accepts any holder's name.
    """
    if receiver in FAULTS:
        return ""
    return SOMEBODY_ELSE if receiver is Receiver.OTHER_NAME else holder.upper()


def refusal(instruction: PayoutInstruction, receiver: Receiver) -> PayoutDecision | None:
    """Return why a payout is declined, None for one that leaves."""
    if instruction.rail == "imps" and instruction.amount_paise > IMPS_MAX_PAISE:
        return PayoutDecision("declined", "AM02", "IMPS carries 5,00,000.00 rupees and less")
    if instruction.rail == "rtgs" and instruction.amount_paise < RTGS_MIN_PAISE:
        return PayoutDecision("declined", "AM06", "RTGS carries 2,00,000.00 rupees and more")
    refused = _DECLINED.get(receiver)
    return PayoutDecision("declined", *refused) if refused else None


def decide(
    instruction: PayoutInstruction, receiver: Receiver, now: datetime, pending_s: float
) -> PayoutDecision:
    """Return the first outcome of a payout.

    IMPS is done at once, the others with their batch.
    """
    refused = refusal(instruction, receiver)
    if refused:
        return refused
    if receiver in PATHS:
        return replace(PATHS[receiver][0], due_at=now + timedelta(seconds=pending_s))
    if instruction.rail != "imps" or receiver is Receiver.RETURNS_FIRST:
        return replace(WAITING, due_at=now + timedelta(seconds=pending_s))
    return go_on(WAITING.status, receiver, now, pending_s)


def go_on(status: str, receiver: Receiver, now: datetime, pending_s: float) -> PayoutDecision:
    """Return the next outcome of a due payout."""
    if receiver in PATHS:
        path = PATHS[receiver]
        place = next(number for number, each in enumerate(path) if each.status == status) + 1
        ends = place == len(path) - 1
        return replace(path[place], due_at=None if ends else now + timedelta(seconds=pending_s))
    returned = _RETURNED.get(receiver)
    if status == "pending" and receiver is not Receiver.RETURNS_FIRST:
        return replace(PAID, due_at=now + timedelta(seconds=pending_s)) if returned else PAID
    code, message = returned or ("MS03", "Returned")
    return PayoutDecision("returned", code, message)


def books_state(status: str) -> str:
    """Return the state of a payout's entry in the books."""
    if status in {"approval", "queued", "processing", "deemed"}:
        return "pending"
    return "reversed" if status == "returned" else status
