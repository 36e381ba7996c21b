"""The outcome of a payout, chosen by the last digits of its account number; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

RAILS = ("imps", "neft", "rtgs")
IMPS_MAX_PAISE = 5_00_000_00
RTGS_MIN_PAISE = 2_00_000_00
"""The networks' own limits (docs/spec/domain.md#payout-rails)."""

OTHER_NAME, CLOSED, RETURNS_LATE, SILENT, RETURNS_FIRST, BLOCKED = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
)
SOMEBODY_ELSE = "SOMEBODY ELSE"


@dataclass(frozen=True, slots=True)
class PayoutTrigger:
    """An account number that chooses an outcome, as people read it."""

    given: str
    outcome: str


TRIGGERS = (
    PayoutTrigger(
        f"…{OTHER_NAME}", f"the account is of {SOMEBODY_ELSE}: a check says so, money is taken"
    ),
    PayoutTrigger(f"…{CLOSED}", "closed (AC04): a check and every payout are refused"),
    PayoutTrigger(f"…{RETURNS_LATE}", "a payout is done and comes back later (AC06)"),
    PayoutTrigger(f"…{SILENT}", "a payout is done, and its call gets no answer: an inquiry tells"),
    PayoutTrigger(
        f"…{RETURNS_FIRST}", "a payout is pending and comes back before it is confirmed (AC01)"
    ),
    PayoutTrigger(f"…{BLOCKED}", "a check finds it, and every payout is refused (AC06)"),
)
_DECLINED = {CLOSED: ("AC04", "The account is closed"), BLOCKED: ("AC06", "The account is blocked")}
_RETURNED = {
    RETURNS_LATE: ("AC06", "The account is blocked"),
    RETURNS_FIRST: ("AC01", "There is no such account"),
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
    """The outcome of a payout: pending, done, declined or returned.

    due_at: when that changes by itself.
    """

    status: str
    code: str
    message: str
    due_at: datetime | None = None


def registered_name(account: str, holder: str) -> str:
    """Return an account's holder, "" for an unknown account.

    A simulated bank accepts any holder's name.
    """
    if account.endswith(CLOSED):
        return ""
    return SOMEBODY_ELSE if account.endswith(OTHER_NAME) else holder.upper()


def decide(instruction: PayoutInstruction, now: datetime, pending_s: float) -> PayoutDecision:
    """Return the first outcome of a payout.

    IMPS is done at once, the others with their batch.
    """
    if instruction.rail == "imps" and instruction.amount_paise > IMPS_MAX_PAISE:
        return PayoutDecision("declined", "AM02", "IMPS carries 5,00,000.00 rupees and less")
    if instruction.rail == "rtgs" and instruction.amount_paise < RTGS_MIN_PAISE:
        return PayoutDecision("declined", "AM06", "RTGS carries 2,00,000.00 rupees and more")
    refused = _DECLINED.get(instruction.account[-4:])
    if refused:
        return PayoutDecision("declined", *refused)
    later = now + timedelta(seconds=pending_s)
    if instruction.rail != "imps" or instruction.account.endswith(RETURNS_FIRST):
        return PayoutDecision("pending", "01", "Waiting for the next batch", later)
    return PayoutDecision(
        "done", "00", "Paid", later if instruction.account.endswith(RETURNS_LATE) else None
    )


def go_on(status: str, account: str, now: datetime, pending_s: float) -> PayoutDecision:
    """Return the next outcome of a due payout."""
    returned = _RETURNED.get(account[-4:])
    if status == "pending" and not account.endswith(RETURNS_FIRST):
        later = now + timedelta(seconds=pending_s) if returned else None
        return PayoutDecision("done", "00", "Paid", later)
    code, message = returned or ("MS03", "Returned")
    return PayoutDecision("returned", code, message)


def books_state(status: str) -> str:
    """Return the state of a payout's entry in the books."""
    return "reversed" if status == "returned" else status


def is_silent(account: str) -> bool:
    """Return whether the call that pays out to an account gets no answer."""
    return account.endswith(SILENT)
