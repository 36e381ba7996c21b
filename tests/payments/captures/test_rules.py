"""What each word of the bank makes of the ending of an authorisation, and of its payment."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.payments import InquirySchedule
from hundi.kernel.events import Kind
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import Actor, CompletionKind, EventKind
from hundi.kernel.states import CompletionState as C
from hundi.kernel.states import PaymentState as P
from hundi.payments.captures.rules import (
    OPEN,
    SENT_GRACE,
    Answer,
    Completion,
    CompletionVerdict,
    after_answer,
    completion_refusal,
    due_after,
    sends_again,
    step_asked,
    step_ended,
)
from tests.payments.stages import AMOUNT, NOW, view

CAPTURE, VOID = CompletionKind.CAPTURE, CompletionKind.VOID
SCHEDULE = InquirySchedule((3, 5))
PART = 100_000
TOOK = Approved(Money(PART), "632512345678")
HOLDS = Approved(Money(AMOUNT), "632512345678", authorised_only=True)


def completion(kind: CompletionKind = CAPTURE, state: C = C.SENT) -> Completion:
    return Completion(
        merchant_id=12345,
        completion_id=70,
        payment_id=900,
        attempt_id=1,
        kind=kind,
        amount=Money(PART if kind is CAPTURE else AMOUNT),
        connector="sandbox",
        state=state,
        actor=Actor.MERCHANT,
        created_at=NOW,
        due_at=NOW,
    )


# fmt: off
@pytest.mark.parametrize(("kind", "state", "answer", "ends", "becomes", "captured"), [
    (CAPTURE, C.SENT,    TOOK,                              C.DONE,    P.CAPTURED, PART),
    (CAPTURE, C.UNKNOWN, TOOK,                              C.DONE,    P.CAPTURED, PART),
    (CAPTURE, C.SENT,    Approved(Money(PART - 1), "6"),    C.UNKNOWN, None,       0),
    (CAPTURE, C.SENT,    Approved(Money(PART, "USD"), "6"),        C.UNKNOWN, None,       0),
    (CAPTURE, C.SENT,    Voided(),                          C.FAILED,  P.VOIDED,   0),
    (CAPTURE, C.SENT,    Declined("57"),                    C.FAILED,  None,       0),
    (CAPTURE, C.SENT,    Unknown(),                         C.UNKNOWN, None,       0),
    (CAPTURE, C.SENT,    Unknown(sent=False),               C.FAILED,  None,       0),
    (CAPTURE, C.UNKNOWN, Unknown(sent=False),               C.UNKNOWN, None,       0),
    (CAPTURE, C.SENT,    HOLDS,                             C.UNKNOWN, None,       0),
    (CAPTURE, C.SENT,    NothingThere(),                    C.UNKNOWN, None,       0),
    (CAPTURE, C.DONE,    Voided(),                          C.DONE,    None,       0),
    (VOID,    C.SENT,    Voided(),                          C.DONE,    P.VOIDED,   0),
    (VOID,    C.UNKNOWN, TOOK,                              C.FAILED,  P.CAPTURED, PART),
    (VOID,    C.SENT,    Declined("57"),                    C.FAILED,  None,       0),
    (VOID,    C.FAILED,  Voided(),                          C.FAILED,  None,       0),
])
def test_each_word_of_the_bank(
    kind: CompletionKind, state: C, answer: Answer, ends: C, becomes: P | None, captured: int
) -> None:
    verdict = after_answer(completion(kind, state), answer, SCHEDULE, NOW)
    assert (verdict.completion.state, verdict.becomes) == (ends, becomes)
    assert verdict.captured_paise == captured
    if state in OPEN:
        assert (verdict.completion.due_at is None) == (ends not in OPEN)
# fmt: on


# fmt: off
@pytest.mark.parametrize(("kind", "answer", "ends", "becomes"), [
    (CAPTURE, TOOK,                           C.DONE,   P.CAPTURED),
    (CAPTURE, Approved(Money(PART - 1), "6"), C.FAILED, P.CAPTURED),
    (CAPTURE, Voided(),                       C.FAILED, P.VOIDED),
    (VOID,    Voided(),                       C.DONE,   P.VOIDED),
    (VOID,    Approved(Money(AMOUNT), "6"),   C.FAILED, P.CAPTURED),
    (CAPTURE, Approved(Money(PART + 1), "6"), C.UNKNOWN, None),
])
def test_after_a_refused_call_the_bank_s_words_about_the_hold_decide(
    kind: CompletionKind, answer: Answer, ends: C, becomes: P | None
) -> None:
    verdict = after_answer(completion(kind), answer, SCHEDULE, NOW, refused=True)
    assert (verdict.completion.state, verdict.becomes) == (ends, becomes)
# fmt: on


# fmt: off
@pytest.mark.parametrize(("state", "kind", "paise", "code"), [
    (P.AUTHORISED, CAPTURE, None,       None),
    (P.AUTHORISED, CAPTURE, AMOUNT,     None),
    (P.AUTHORISED, CAPTURE, AMOUNT + 1, RefusalCode.MORE_THAN_REMAINS),
    (P.AUTHORISED, VOID,    None,       None),
    (P.CAPTURED,   VOID,    None,       RefusalCode.STATE_FORBIDS),
    (P.PAID,       CAPTURE, None,       RefusalCode.STATE_FORBIDS),
])
def test_who_may_capture_or_void(
    state: P, kind: CompletionKind, paise: int | None, code: RefusalCode | None
) -> None:
    refusal = completion_refusal(view(state).payment, kind, paise)
    assert (refusal and refusal.code) == code
# fmt: on


def test_a_call_is_made_again_only_when_the_bank_still_holds_the_amount_after_a_while() -> None:
    late = NOW + SENT_GRACE
    assert sends_again(completion(), HOLDS, late)
    assert not sends_again(completion(), HOLDS, late - timedelta(seconds=1))
    assert not any(
        sends_again(completion(), answer, late)
        for answer in (TOOK, Unknown(), NothingThere(), Voided())
    )


def test_questions_never_end() -> None:
    asked = [
        due_after(replace(completion(), inquiries=number), SCHEDULE, NOW) - NOW
        for number in range(4)
    ]
    assert asked == [
        timedelta(seconds=3),
        timedelta(seconds=5),
        timedelta(minutes=30),
        timedelta(minutes=30),
    ]


def test_a_capture_is_posted_and_told_with_what_the_bank_took() -> None:
    authorised = view(P.AUTHORISED).payment
    asked = step_asked(authorised, completion())
    assert (asked.kind, asked.actor, asked.payment, asked.attempt_id) == (
        EventKind.CAPTURE_ASKED,
        Actor.MERCHANT,
        authorised,
        1,
    )
    step = step_ended(authorised, after_answer(completion(), TOOK, SCHEDULE, NOW), NOW)
    assert (step.kind, step.announce, step.payment.state) == (
        EventKind.CAPTURED,
        Kind.CAPTURED,
        P.CAPTURED,
    )
    assert (step.payment.captured_paise, [each.amount.paise for each in step.postings]) == (
        PART,
        [PART],
    )


@pytest.mark.parametrize(
    ("kind", "event"), [(CAPTURE, EventKind.CAPTURE_FAILED), (VOID, EventKind.VOID_FAILED)]
)
def test_an_ending_that_failed_leaves_the_payment_and_is_not_told(
    kind: CompletionKind, event: EventKind
) -> None:
    authorised = view(P.AUTHORISED).payment
    step = step_ended(authorised, CompletionVerdict(completion(kind, C.FAILED)), NOW)
    assert (step.kind, step.payment, step.postings, step.announce) == (event, authorised, (), None)


def test_a_void_posts_nothing_and_is_told() -> None:
    ended = after_answer(completion(VOID), Voided(), SCHEDULE, NOW)
    step = step_ended(view(P.AUTHORISED).payment, ended, NOW)
    assert (step.kind, step.postings, step.announce) == (EventKind.VOIDED, (), Kind.VOIDED)
