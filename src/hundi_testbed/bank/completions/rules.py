"""How a hold ends: captured whole or in part, or voided, once; pure."""

from dataclasses import dataclass, replace  # noqa: TID251 (no structs here)
from datetime import datetime

from hundi_testbed.bank.completions.messages import CompletionAnswer
from hundi_testbed.bank.rules import Status
from hundi_testbed.bank.states import BankPayment


@dataclass(frozen=True, slots=True)
class HoldCompletion:
    """A requested completion. paise: the amount to capture, 0 for a void."""

    status: Status
    kind: str
    paise: int
    message: str


VOID = HoldCompletion(Status.VOIDED, "void", 0, "Given back")


def capture_of(paise: int) -> HoldCompletion:
    """Return the capture of an amount."""
    return HoldCompletion(Status.PAID, "capture", paise, "Captured")


def standing_answer(payment: BankPayment, completion: HoldCompletion) -> CompletionAnswer | None:
    """Return the answer to a repeated or refused completion, None for one that ends the hold."""
    ended_as = "capture" if payment.captured_paise else ""
    ended_as = "void" if payment.status is Status.VOIDED else ended_as
    if ended_as == completion.kind and completion.paise in {0, payment.captured_paise}:
        return answer_of(payment, completion)
    if payment.status is not Status.AUTHORISED:
        return CompletionAnswer(
            "declined", "12", f"This hold is {ended_as or payment.status} already"
        )
    if completion.paise > payment.amount_paise:
        return CompletionAnswer("declined", "61", "More than was authorised")
    return None


def completed(
    payment: BankPayment, completion: HoldCompletion, rrn: str, now: datetime
) -> BankPayment:
    """Return a hold that was captured or voided. rrn: of that movement."""
    return replace(
        payment,
        status=completion.status,
        captured_paise=completion.paise or None,
        ended_rrn=rrn,
        at=now,
    )


def answer_of(payment: BankPayment, completion: HoldCompletion) -> CompletionAnswer:
    """Return the answer to a completion that ended a hold."""
    c = completion
    return CompletionAnswer(c.status, "00", c.message, payment.ended_rrn, c.paise, payment.currency)
