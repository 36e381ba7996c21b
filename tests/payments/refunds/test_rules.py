"""When a refund may begin, what each word of the bank makes of it, and what its payment keeps."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import InquirySchedule
from hundi.kernel.events import Kind
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import Actor, AttemptState, EventKind, RefundCause
from hundi.kernel.states import PaymentState as P
from hundi.kernel.states import RefundState as R
from hundi.money.ledger.rules import PostingKind
from hundi.payments.orders.rules import Payment
from hundi.payments.refunds.limits.rules import altogether_refusal, refund_refusal
from hundi.payments.refunds.rules import (
    CAME_TO_NOTHING,
    OPEN,
    REFUND_MOVES,
    SENT_GRACE,
    Refund,
    RefundTotals,
    after_answer,
    due_after,
    moved,
    new_refund,
    sends_again,
    step_begun,
    step_ended,
)
from tests.payments.stages import AMOUNT, NOW, attempt, view

SCHEDULE = InquirySchedule((3, 5))
PART = 50_000
DONE = Approved(Money(PART), "632512349999")
Word = Approved | Declined | Unknown | NothingThere


def refund(
    state: R = R.SENT, cause: RefundCause = RefundCause.MERCHANT, paise: int = PART
) -> Refund:
    begun = new_refund(55, attempt(AttemptState.PAID), cause, Money(paise), RefundTotals(), NOW)
    return replace(begun, state=state, sent_at=NOW)


def paid(refunded_paise: int = 0) -> Payment:
    return replace(
        view(P.PAID).payment, refunds=int(refunded_paise > 0), refunded_paise=refunded_paise
    )


# fmt: off
@pytest.mark.parametrize(("state", "refunded", "paise", "several", "code"), [
    (P.PAID,       0,      None,       False, None),
    (P.CAPTURED,   0,      AMOUNT,     False, None),
    (P.PAID,       0,      AMOUNT + 1, False, RefusalCode.MORE_THAN_REMAINS),
    (P.PAID,       PART,   None,       True,  None),
    (P.PAID,       PART,   AMOUNT,     True,  RefusalCode.MORE_THAN_REMAINS),
    (P.PAID,       PART,   1,          False, RefusalCode.REFUND_EXISTS),
    (P.PAID,       AMOUNT, None,       True,  RefusalCode.MORE_THAN_REMAINS),
    (P.AUTHORISED, 0,      None,       True,  RefusalCode.STATE_FORBIDS),
    (P.FAILED,     0,      None,       True,  RefusalCode.STATE_FORBIDS),
])
def test_when_a_refund_may_begin(
    state: P, refunded: int, paise: int | None, several: bool, code: RefusalCode | None  # noqa: FBT001
) -> None:
    payment = replace(view(state).payment, refunds=int(refunded > 0), refunded_paise=refunded)
    refusal = refund_refusal(payment, paise, several=several)
    assert (refusal and refusal.code) == code


@pytest.mark.parametrize(("refunded", "paise", "most", "refused"), [
    (0,        PART, PART,     False),
    (0,        PART, PART - 1, True),
    (PART - 1, 1,    PART,     False),
    (PART,     1,    PART,     True),
    (0,        None, AMOUNT,   False),
    (0,        None, PART,     True),
])
def test_refunds_of_one_payment_count_together(
    refunded: int, paise: int | None, most: int, refused: bool  # noqa: FBT001
) -> None:
    assert (altogether_refusal(paid(refunded), paise, most, "alone") is not None) is refused
# fmt: on


# fmt: off
@pytest.mark.parametrize(("state", "answer", "becomes"), [
    (R.SENT,    DONE,                           R.DONE),
    (R.UNKNOWN, DONE,                           R.DONE),
    (R.SENT,    Approved(Money(PART - 1), "6"), R.UNKNOWN),
    (R.SENT,    Approved(Money(PART, "USD"), "6"),     R.UNKNOWN),
    (R.SENT,    Declined("57"),                 R.FAILED),
    (R.SENT,    Unknown(),                      R.UNKNOWN),
    (R.SENT,    Unknown(sent=False),            R.INITIATED),
    (R.UNKNOWN, Unknown(sent=False),            R.UNKNOWN),
    (R.UNKNOWN, NothingThere(),                 R.UNKNOWN),
    (R.DONE,    Declined("57"),                 R.REVERSED),
    (R.DONE,    DONE,                           R.DONE),
    (R.DONE,    Unknown(),                      R.DONE),
    (R.DONE,    NothingThere(),                 R.DONE),
    (R.FAILED,  DONE,                           R.FAILED),
    (R.REVERSED, DONE,                          R.REVERSED),
    (R.REVERSED, Declined("57"),                R.REVERSED),
])
def test_each_word_of_the_bank(state: R, answer: Word, becomes: R) -> None:
    before = refund(state)
    after = after_answer(before, answer, SCHEDULE, NOW)
    assert after.state is becomes
    if state in CAME_TO_NOTHING:
        assert after == before
    elif state in OPEN:
        assert (after.due_at is None) == (becomes not in OPEN)
# fmt: on


@given(before=st.sampled_from(R), after=st.sampled_from(R))
def test_a_refund_moves_only_as_the_table_says(before: R, after: R) -> None:
    if after is before or after in REFUND_MOVES[before]:
        assert moved(refund(before), after).state is after
    else:
        with pytest.raises(AssertionError, match=f"{before} may not become {after}"):
            moved(refund(before), after)


@given(paise=st.integers(1, AMOUNT), cause=st.sampled_from(RefundCause))
def test_a_refund_that_fails_leaves_its_payment_as_it_was(paise: int, cause: RefundCause) -> None:
    before = paid()
    begun = step_begun(before, refund(cause=cause, paise=paise), Actor.MERCHANT, NOW)
    counted = 0 if cause is RefundCause.OVERPAID else paise
    assert (begun.payment.refunded_paise, begun.payment.refunds) == (counted, int(counted > 0))
    assert begun.payment.remaining.paise == AMOUNT - counted
    failed = step_ended(begun.payment, refund(R.FAILED, cause, paise), NOW)
    assert failed.payment == before
    begun_entry, failed_entry = begun.postings[0], failed.postings[0]
    assert (begun_entry.debit, begun_entry.credit) == (failed_entry.credit, failed_entry.debit)


def test_a_refund_that_is_done_stays_counted_is_posted_and_told() -> None:
    step = step_ended(paid(PART), refund(R.DONE), NOW)
    assert (step.kind, step.announce, step.attempt_id) == (
        EventKind.REFUND_DONE,
        Kind.REFUND_DONE,
        1,
    )
    assert (step.payment.refunded_paise, [each.kind for each in step.postings]) == (
        PART,
        [PostingKind.REFUND_DONE],
    )
    assert step.refund
    assert (step.refund.refund_id, step.refund.amount_paise) == (55, PART)


def test_a_refund_is_sent_again_only_when_the_bank_never_had_it() -> None:
    late = NOW + SENT_GRACE
    assert sends_again(refund(), NothingThere(), late)
    assert not sends_again(refund(), NothingThere(), late - timedelta(seconds=1))
    assert not sends_again(refund(), Unknown(), late)
    assert not sends_again(replace(refund(R.INITIATED), sent_at=None), NothingThere(), late)


def test_questions_never_end() -> None:
    asked = [
        due_after(replace(refund(), inquiries=number), SCHEDULE, NOW) - NOW for number in range(3)
    ]
    assert asked == [timedelta(seconds=3), timedelta(seconds=5), timedelta(minutes=30)]
