"""How a hold ends: captured whole or in part, or voided, once; pure."""

from dataclasses import dataclass

from hundi_testbed.bank.completions.messages import CompletionAnswer
from hundi_testbed.bank.rules import Status


@dataclass(frozen=True, slots=True)
class Completion:
    """A requested completion. paise: the amount to capture, 0 for a void."""

    status: Status
    kind: str
    paise: int
    message: str


VOID = Completion(Status.VOIDED, "void", 0, "Given back")


@dataclass(frozen=True, slots=True)
class Hold:
    """An authorised card payment, in paise. ended_as: capture, void, or "" before."""

    amount_paise: int
    currency: str
    status: Status
    captured_paise: int
    ended_as: str
    ended_rrn: str


def capture_of(paise: int) -> Completion:
    """Return the capture of an amount."""
    return Completion(Status.PAID, "capture", paise, "Captured")


def standing_answer(hold: Hold, completion: Completion) -> CompletionAnswer | None:
    """Return the answer to a repeated or refused completion, None for one that ends the hold."""
    if hold.ended_as == completion.kind and completion.paise in {0, hold.captured_paise}:
        return answer_of(hold, completion, hold.ended_rrn)
    if hold.status is not Status.AUTHORISED:
        return CompletionAnswer(
            "declined", "12", f"This hold is {hold.ended_as or hold.status} already"
        )
    if completion.paise > hold.amount_paise:
        return CompletionAnswer("declined", "61", "More than was authorised")
    return None


def answer_of(hold: Hold, completion: Completion, rrn: str) -> CompletionAnswer:
    """Return the answer to a completion."""
    c = completion
    return CompletionAnswer(c.status, "00", c.message, rrn, c.paise, hold.currency)
