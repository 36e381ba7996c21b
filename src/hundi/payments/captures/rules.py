"""Rules of completions: capture or void, and what each answer of the bank changes; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.payments import InquirySchedule
from hundi.kernel.events import Kind
from hundi.kernel.ids import reference
from hundi.kernel.money import Money, rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode, wrong_state
from hundi.kernel.states import Actor, CompletionKind, EventKind, PaymentState
from hundi.kernel.states import CompletionState as C
from hundi.money.ledger.rules import entry_for_capture
from hundi.payments.orders.rules import Payment, Step

COMPLETION_MOVES: Mapping[C, frozenset[C]] = {
    C.SENT: frozenset({C.UNKNOWN, C.DONE, C.FAILED}),
    C.UNKNOWN: frozenset({C.DONE, C.FAILED}),
    C.DONE: frozenset(),
    C.FAILED: frozenset(),
}
ASKED: Mapping[CompletionKind, EventKind] = {
    CompletionKind.CAPTURE: EventKind.CAPTURE_ASKED,
    CompletionKind.VOID: EventKind.VOID_ASKED,
}
FAILED: Mapping[CompletionKind, EventKind] = {
    CompletionKind.CAPTURE: EventKind.CAPTURE_FAILED,
    CompletionKind.VOID: EventKind.VOID_FAILED,
}
OPEN = frozenset({C.SENT, C.UNKNOWN})
SENT_GRACE = timedelta(seconds=60)
"""How long a bank that still holds the amount may yet receive our call.

Then it is sent again under the same key.
"""
LATER_GAP = timedelta(minutes=30)
"""The gap between inquiries after the connector's schedule: money is held, so they never end.

See docs/spec/payment-interfaces.md#capture.
"""
VOID_AGAIN_AFTER = timedelta(hours=1)
"""The delay before the gateway repeats a void that the bank refused.

See docs/spec/payment-interfaces.md#capture.
"""

Answer = Approved | Declined | Unknown | NothingThere | Voided


@dataclass(frozen=True, slots=True)
class Completion:
    """One completion of an authorisation. amount: what is captured, or what a void releases.

    actor: merchant, operator or gateway. due_at: the next inquiry, None once it is settled.
    """

    merchant_id: int
    completion_id: int
    payment_id: int
    attempt_id: int
    kind: CompletionKind
    amount: Money
    connector: str
    state: C
    actor: Actor
    created_at: datetime
    rrn: str = ""
    bank_code: str = ""
    bank_message: str = ""
    settled_at: datetime | None = None
    due_at: datetime | None = None
    inquiries: int = 0

    @property
    def original(self) -> str:
        """Return the authorisation's reference: the bank's key, because a hold ends once."""
        return reference(self.merchant_id, self.attempt_id)


@dataclass(frozen=True, slots=True)
class CompletionVerdict:
    """A completion and its payment's state after the bank's answer.

    None: the payment stays authorised.
    """

    completion: Completion
    becomes: PaymentState | None = None
    captured_paise: int = 0


def completion_refusal(payment: Payment, kind: CompletionKind, paise: int | None) -> Refusal | None:
    """Return why an authorisation cannot be completed like this, or None.

    paise: of a capture, None for all.
    """
    if payment.state is not PaymentState.AUTHORISED:
        return wrong_state("payment", payment.state, PaymentState.AUTHORISED)
    if kind is CompletionKind.CAPTURE and paise is not None and paise > payment.amount.paise:
        return Refusal(
            RefusalCode.MORE_THAN_REMAINS,
            field="amount",
            received=rupees(paise),
            allowed=f"up to {rupees(payment.amount.paise)}",
        )
    return None


def due_after(completion: Completion, schedule: InquirySchedule, now: datetime) -> datetime:
    """Return when to ask next."""
    if completion.inquiries < len(schedule.gaps_s):
        return now + timedelta(seconds=schedule.gaps_s[completion.inquiries])
    return now + LATER_GAP


def _moved(
    completion: Completion, state: C, now: datetime, answer: Answer | None = None
) -> Completion:
    if state is not completion.state and state not in COMPLETION_MOVES[completion.state]:
        message = (
            f"completion {completion.completion_id}: {completion.state} may not become {state}"
        )
        raise AssertionError(message)
    if isinstance(answer, Approved | Declined | Voided):
        completion = replace(
            completion, rrn=answer.rrn, bank_code=answer.code, bank_message=answer.message
        )
    if state in OPEN:
        return replace(completion, state=state)
    return replace(completion, state=state, settled_at=now, due_at=None)


def after_answer(
    completion: Completion,
    answer: Answer,
    schedule: InquirySchedule,
    now: datetime,
    *,
    refused: bool = False,
) -> CompletionVerdict:
    """Return the verdict of the bank's answer; a settled completion stays as it is.

    The bank's answer about the hold decides the payment, also when it ended in another way than
    requested. refused: the bank declined our own call, so a hold that ended for another amount is
    another one's doing.
    """
    if completion.state not in OPEN:
        return CompletionVerdict(completion)
    match answer:
        case Voided():
            voids = completion.kind is CompletionKind.VOID
            return CompletionVerdict(
                _moved(completion, C.DONE if voids else C.FAILED, now, answer), PaymentState.VOIDED
            )
        case Approved(authorised_only=False):
            return _collected(completion, answer, schedule, now, refused=refused)
        case Declined():
            return CompletionVerdict(_moved(completion, C.FAILED, now, answer))
        case Unknown(sent=False) if completion.state is C.SENT:
            return CompletionVerdict(
                replace(_moved(completion, C.FAILED, now), bank_message=answer.message)
            )
        case _:
            return CompletionVerdict(_waits(completion, schedule, now))


def _collected(
    completion: Completion,
    answer: Approved,
    schedule: InquirySchedule,
    now: datetime,
    *,
    refused: bool,
) -> CompletionVerdict:
    requested, moved = completion.amount, answer.amount
    captures = completion.kind is CompletionKind.CAPTURE and (not refused or moved == requested)
    least = requested.paise if captures else 1
    if moved.currency != requested.currency or not least <= moved.paise <= requested.paise:
        # An impossible amount: nothing is settled automatically; it stays open for operators.
        words = f"the bank speaks of {moved.paise} {moved.currency}"
        return CompletionVerdict(replace(_waits(completion, schedule, now), bank_message=words))
    ended = _moved(completion, C.DONE if captures else C.FAILED, now, answer)
    return CompletionVerdict(ended, PaymentState.CAPTURED, moved.paise)


def _waits(completion: Completion, schedule: InquirySchedule, now: datetime) -> Completion:
    return replace(_moved(completion, C.UNKNOWN, now), due_at=due_after(completion, schedule, now))


def has_ended(answer: Answer) -> bool:
    """Return whether the bank says that a hold is over: captured or released."""
    return isinstance(answer, Voided) or (
        isinstance(answer, Approved) and not answer.authorised_only
    )


def sends_again(completion: Completion, answer: Answer, now: datetime) -> bool:
    """Return whether to repeat a call: the bank still holds the amount, so our call was lost."""
    return (
        isinstance(answer, Approved)
        and answer.authorised_only
        and now >= completion.created_at + SENT_GRACE
    )


def step_asked(payment: Payment, completion: Completion) -> Step:
    """Return the step that records a completion before the bank is called."""
    return Step(ASKED[completion.kind], completion.actor, payment, about=completion.attempt_id)


def step_ended(payment: Payment, verdict: CompletionVerdict, now: datetime) -> Step:
    """Return what a settled completion does to its payment, the books and the merchant."""
    ended = verdict.completion
    if verdict.becomes is None:
        return Step(FAILED[ended.kind], Actor.BANK, payment, about=ended.attempt_id)
    after = replace(payment, state=verdict.becomes, captured_paise=verdict.captured_paise)
    if verdict.becomes is PaymentState.VOIDED:
        return Step(
            EventKind.VOIDED, Actor.BANK, after, about=ended.attempt_id, announce=Kind.VOIDED
        )
    collected = entry_for_capture(ended, Money(verdict.captured_paise, ended.amount.currency), now)
    return Step(
        EventKind.CAPTURED,
        Actor.BANK,
        after,
        about=ended.attempt_id,
        postings=(collected,),
        announce=Kind.CAPTURED,
    )
