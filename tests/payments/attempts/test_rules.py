"""What each word of the bank does, in tables and under random orders of events."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.merchants.directory.rules import ATTEMPTS_AN_HOUR
from hundi.payments.attempts import rules
from hundi.payments.attempts.answers.rules import after_answer
from hundi.payments.attempts.rules import may_start
from hundi.payments.orders.endings.rules import close_session, leave_page
from hundi.payments.orders.rules import PaymentView, view_after
from tests.payments.attempts.tried import (
    AMOUNT,
    HELD,
    KEEP,
    LATER,
    NO,
    NOBODY,
    NOW,
    PAID,
    REFUND,
    SCHEDULE,
    WAIT,
    attempt,
    view,
)


# fmt: off
@pytest.mark.parametrize(
    ("payment", "tried", "answer", "becomes", "attempt_becomes", "told"),
    [
        (P.OPEN,       A.OFFERED,        PAID,   P.PAID,        A.PAID,           "paid"),
        (P.OPEN,       A.OFFERED,        NO,     P.OPEN,        A.FAILED,         "attempt_failed"),
        (P.OPEN,       A.OFFERED,        NOBODY, P.OPEN,        A.NOT_REGISTERED, "attempt_failed"),
        (P.OPEN,       A.OFFERED,        WAIT,   P.IN_PROCESS,  A.PENDING,        None),
        (P.IN_PROCESS, A.PENDING,        PAID,   P.PAID,        A.PAID,           "paid"),
        (P.IN_PROCESS, A.PENDING,        NO,     P.OPEN,        A.FAILED,         "attempt_failed"),
        (P.IN_PROCESS, A.AUTHORISING,    PAID,   P.PAID,        A.PAID,           "paid"),
        (P.IN_PROCESS, A.AUTHORISING,    HELD,   P.AUTHORISED,  A.AUTHORISED,     "authorised"),
        (P.IN_PROCESS, A.AUTHORISING,    WAIT,   P.IN_PROCESS,  A.PENDING,        None),
        (P.IN_PROCESS, A.AUTHENTICATING, NO,     P.OPEN,        A.FAILED,         "attempt_failed"),
        (P.OPEN,       A.FAILED,         PAID,   P.PAID,        A.PAID,           "paid"),
        (P.FAILED,     A.FAILED,         PAID,   P.PAID,        A.PAID,           "late_success"),
        (P.EXPIRED,    A.EXPIRED,        PAID,   P.PAID,        A.PAID,           "late_success"),
        (P.ABANDONED,  A.OFFERED,        PAID,   P.PAID,        A.PAID,           "late_success"),
        (P.UNKNOWN,    A.UNKNOWN,        PAID,   P.PAID,        A.PAID,           "late_success"),
        (P.FAILED,     A.OFFERED,        PAID,   P.PAID,        A.PAID,           "late_success"),
    ],
)
def test_each_word_of_the_bank(
    payment: P,
    tried: A,
    answer: Approved | Declined | Unknown,
    becomes: P,
    attempt_becomes: A,
    told: str | None,
) -> None:
    tried_one = attempt(state=tried)
    step = after_answer(view(tried_one, state=payment), tried_one, answer, KEEP, NOW)
    assert step is not None
    assert step.attempt is not None
    assert (step.payment.state, step.attempt.state) == (becomes, attempt_becomes)
    assert step.announce == told
    assert [each.kind for each in step.postings] == (["payment"] if becomes is P.PAID else [])


# fmt: on
@pytest.mark.parametrize("tried", [A.OFFERED, A.PENDING, A.AUTHORISING, A.UNKNOWN])
def test_a_yes_in_another_currency_is_no_answer(tried: A) -> None:
    tried_one = attempt(state=tried)
    dollars = replace(PAID, amount=Money(AMOUNT, "USD"))
    step = after_answer(view(tried_one, state=P.IN_PROCESS), tried_one, dollars, KEEP, NOW)
    if step is not None:
        assert (step.postings, step.announce) == ((), None)
        assert step.attempt is not None
        assert step.attempt.state is A.PENDING
        assert step.attempt.bank_message == f"the bank speaks of {AMOUNT} USD"
    assert (step is None) == (tried in {A.PENDING, A.UNKNOWN})


# fmt: off
@pytest.mark.parametrize(("payment", "tried", "answer", "becomes", "told"), [
        (P.OPEN,       A.OFFERED,        NO,             P.FAILED,         "failed"),
        (P.OPEN,       A.OFFERED,        NOBODY,         P.NOT_REGISTERED, "failed"),
        (P.OPEN,       A.OFFERED,        NothingThere(), P.EXPIRED,        "expired"),
        (P.IN_PROCESS, A.PENDING,        NO,             P.FAILED,         "failed"),
        (P.IN_PROCESS, A.AUTHENTICATING, NothingThere(), P.ABANDONED,      "failed"),
        (P.UNKNOWN,    A.UNKNOWN,        NO,             P.FAILED,         "failed"),
        (P.UNKNOWN,    A.UNKNOWN,        NOBODY,         P.NOT_REGISTERED, "failed"),
        (P.FAILED,     A.OFFERED,        NothingThere(), P.FAILED,         None),
        (P.PAID,       A.OFFERED,        NothingThere(), P.PAID,           None),
])
def test_an_order_fails_only_when_nothing_can_be_paid_any_more(
    payment: P, tried: A, answer: Declined | NothingThere, becomes: P, told: str | None
) -> None:
    method = "upi_qr" if tried is A.OFFERED else "card"
    tried_one = attempt(state=tried, method=method)
    step = after_answer(view(tried_one, state=payment), tried_one, answer, KEEP, LATER)
    assert step is not None
    assert (step.payment.state, step.announce) == (becomes, told)
# fmt: on


@pytest.mark.parametrize("other", [A.OFFERED, A.PENDING])
def test_an_order_does_not_fail_while_another_attempt_may_pay(other: A) -> None:
    declined, may_pay = attempt(1, A.PENDING, "card"), attempt(2, other)
    step = after_answer(view(declined, may_pay, state=P.IN_PROCESS), declined, NO, KEEP, LATER)
    assert step is not None
    assert step.payment.state is (P.OPEN if other is A.OFFERED else P.IN_PROCESS)
    assert step.announce == "attempt_failed"


def test_an_order_does_not_fail_while_the_qr_of_a_declined_payer_can_still_be_scanned() -> None:
    scanned = replace(
        attempt(state=A.PENDING), bank_code="01", expires_at=LATER + timedelta(minutes=5)
    )
    waiting = view(scanned, state=P.IN_PROCESS)
    step = after_answer(waiting, scanned, NO, KEEP, LATER)
    assert step is not None
    assert (step.payment.state, step.announce) == (P.OPEN, "attempt_failed")
    declined = view_after(waiting, step)
    assert close_session(declined, LATER) is None
    ended = close_session(declined, LATER + timedelta(minutes=6))
    assert ended is not None
    assert (ended.payment.state, ended.announce) == (P.FAILED, "failed")


def test_a_customer_who_goes_back_after_a_decline_ends_the_payment() -> None:
    declined = view(attempt(1, A.FAILED, "card"), attempt(2))
    left = leave_page(declined, NOW)
    assert left is not None
    assert (left.payment.state, left.payment.expires_at, left.announce) == (P.FAILED, NOW, "failed")
    late = view_after(declined, left)
    paid = after_answer(late, late.attempts[1], PAID, KEEP, LATER)
    assert paid is not None
    assert (paid.payment.state, paid.announce) == (P.PAID, "late_success")


@pytest.mark.parametrize("nothing_tried", [view(), view(attempt()), view(attempt(1, A.EXPIRED))])
def test_a_customer_who_tried_nothing_and_goes_back_ends_nothing(
    nothing_tried: PaymentView,
) -> None:
    assert leave_page(nothing_tried, NOW) is None
    assert leave_page(view(attempt(1, A.PENDING), state=P.IN_PROCESS), NOW) is None


@pytest.mark.parametrize("state", [A.PAID, A.OVERPAID, A.AUTHORISED])
@pytest.mark.parametrize("answer", [PAID, NO, WAIT, NothingThere()])
def test_a_settled_attempt_is_moved_by_nothing(
    state: A, answer: Approved | Declined | Unknown | NothingThere
) -> None:
    settled = attempt(state=state)
    assert after_answer(view(settled, state=P.PAID), settled, answer, KEEP, LATER) is None


def test_a_second_success_is_owed_back() -> None:
    second = attempt(2)
    step = after_answer(view(attempt(1, A.PAID), second, state=P.PAID), second, PAID, KEEP, NOW)
    assert step is not None
    assert step.attempt is not None
    assert (step.kind, step.payment.state, step.attempt.state) == (
        "excess_payment",
        P.PAID,
        A.OVERPAID,
    )
    assert [(each.kind, each.credit) for each in step.postings] == [("overpaid", "owed_back")]


def test_another_amount_is_owed_back_and_pays_nothing() -> None:
    tried = attempt()
    step = after_answer(view(tried), tried, replace(PAID, amount=Money(100)), KEEP, NOW)
    assert step is not None
    assert (step.kind, step.payment.state) == ("excess_payment", P.OPEN)
    assert [each.amount.paise for each in step.postings] == [100]


def test_a_late_success_is_owed_back_where_the_merchant_wants_that() -> None:
    failed = attempt(state=A.FAILED)
    step = after_answer(view(failed, state=P.FAILED), failed, PAID, REFUND, LATER)
    assert step is not None
    assert [each.kind for each in step.postings] == ["payment", "late_refund_due"]
    assert step.payment.state is P.PAID


@pytest.mark.parametrize("silence", [Unknown(), WAIT])
def test_silence_ends_as_unknown_after_days_and_never_as_failed(silence: Unknown) -> None:
    asked = replace(attempt(state=A.PENDING, method="upi_collect"), inquiries=len(SCHEDULE.gaps_s))
    waiting = view(asked, state=P.IN_PROCESS)
    assert (
        after_answer(waiting, asked, silence, KEEP, NOW + rules.LATER_MAX - rules.LATER_GAP) is None
    )
    step = after_answer(waiting, asked, silence, KEEP, NOW + rules.LATER_MAX)
    assert step is not None
    assert step.attempt is not None
    assert (step.payment.state, step.attempt.inquire_at, step.announce) == (
        P.UNKNOWN,
        None,
        "unknown",
    )


def test_a_qr_that_nobody_used_ends_as_expired_though_the_bank_is_silent() -> None:
    offered = replace(attempt(), inquiries=len(SCHEDULE.gaps_s))
    step = after_answer(view(offered), offered, Unknown(), KEEP, LATER)
    assert step is not None
    assert step.attempt is not None
    assert (step.payment.state, step.attempt.state, step.announce) == (
        P.EXPIRED,
        A.UNKNOWN,
        "expired",
    )
    assert step.attempt.inquire_at == LATER + rules.LATER_GAP


def test_a_call_that_was_never_sent_lets_the_customer_try_again() -> None:
    sent = attempt(state=A.SENT, method="card")
    step = after_answer(view(sent, state=P.IN_PROCESS), sent, Unknown(sent=False), KEEP, NOW)
    assert step is not None
    assert step.payment.state is P.OPEN
    assert step.payment.bank_message == rules.NEVER_SENT
    assert (
        may_start(view_after(view(sent, state=P.IN_PROCESS), step), "pg", ATTEMPTS_AN_HOUR, NOW)
        is None
    )


def test_a_qr_about_to_end_is_not_worth_scanning() -> None:
    offered = view(attempt())
    ends = offered.attempts[0].expires_at
    assert rules.scannable(offered, NOW) is offered.attempts[0]
    assert rules.scannable(offered, ends - rules.QR_LIFE_LEFT_MIN) is None


def test_an_offered_qr_is_given_up_only_after_its_end() -> None:
    offered = attempt()
    assert (
        after_answer(view(offered), offered, NothingThere(), KEEP, NOW + timedelta(seconds=479))
        is None
    )
    lapsed = after_answer(
        view(offered), offered, NothingThere(), KEEP, NOW + timedelta(seconds=480)
    )
    assert lapsed is not None
    assert lapsed.payment.state is P.OPEN
    over = after_answer(view(offered), offered, NothingThere(), KEEP, LATER)
    assert over is not None
    assert over.payment.state is P.EXPIRED


def test_a_challenge_that_was_left_bounces_once_the_bank_confirms() -> None:
    left = attempt(state=A.AUTHENTICATING, method="card")
    step = after_answer(view(left, state=P.IN_PROCESS), left, NothingThere(), KEEP, LATER)
    assert step is not None
    assert (step.payment.state, step.announce) == (P.ABANDONED, "failed")


def test_a_late_no_beside_an_open_attempt_of_an_unanswered_payment_is_written() -> None:
    given_up, scanned = attempt(1, A.UNKNOWN, "card"), attempt(2, A.PENDING)
    step = after_answer(view(given_up, scanned, state=P.UNKNOWN), given_up, NO, KEEP, LATER)
    assert step is not None
    assert step.attempt is not None
    assert (step.attempt.state, step.payment.state, step.announce) == (A.FAILED, P.UNKNOWN, None)


def test_a_session_ends_only_when_nothing_can_come_of_it() -> None:
    assert close_session(view(attempt()), LATER) is None
    assert close_session(view(attempt(state=A.EXPIRED)), NOW) is None
    step = close_session(view(attempt(state=A.EXPIRED)), LATER)
    assert step is not None
    assert step.payment.state is P.EXPIRED


@pytest.mark.parametrize(
    ("state", "live", "refusal"),
    [
        (P.OPEN, A.OFFERED, None),
        (P.OPEN, A.FAILED, None),
        (P.FAILED, A.FAILED, RefusalCode.STATE_FORBIDS),
        (P.IN_PROCESS, A.PENDING, RefusalCode.STATE_FORBIDS),
        (P.PAID, A.PAID, RefusalCode.ORDER_ALREADY_PAID),
        (P.EXPIRED, A.EXPIRED, RefusalCode.STATE_FORBIDS),
    ],
)
def test_when_an_attempt_may_begin(state: P, live: A, refusal: RefusalCode | None) -> None:
    found = may_start(view(attempt(state=live), state=state), "upi", ATTEMPTS_AN_HOUR, NOW)
    assert (found.code if found else None) is refusal


@pytest.mark.parametrize("state", [A.SENT, A.PENDING])
def test_a_card_whose_challenge_waits_at_the_acquirer_for_nobody_is_tried_again(state: A) -> None:
    """Its address was lost on its way to us.

    A question that was lost before, too, does not make it wait for longer.
    """
    asked = attempt(state=state, method="card_direct")
    before = view(asked, state=P.IN_PROCESS)
    word = Unknown(awaiting_customer=True)
    assert (
        after_answer(before, asked, word, KEEP, NOW + rules.CHALLENGE_LOST - timedelta(seconds=1))
        is None
    )
    step = after_answer(before, asked, word, KEEP, NOW + rules.CHALLENGE_LOST)
    assert step is not None
    assert step.attempt is not None
    assert (step.attempt.state, step.payment.state) == (A.EXPIRED, P.OPEN)
    shown = replace(attempt(state=A.PENDING, method="card_direct"), authentication_id="auth-1")
    assert (
        after_answer(view(shown, state=P.IN_PROCESS), shown, word, KEEP, NOW + rules.CHALLENGE_LOST)
        is None
    )


@pytest.mark.parametrize(
    "word",
    [Unknown(awaiting_customer=True), Unknown(authenticated=True), Unknown(), WAIT, NothingThere()],
)
def test_a_challenge_that_nobody_was_sent_to_lets_the_customer_try_again(
    word: Unknown | NothingThere,
) -> None:
    sent = attempt(state=A.SENT, method="card")
    before = view(sent, state=P.IN_PROCESS)
    assert (
        after_answer(before, sent, word, KEEP, NOW + rules.CHALLENGE_LOST - timedelta(seconds=1))
        is None
    )
    step = after_answer(before, sent, word, KEEP, NOW + rules.CHALLENGE_LOST)
    assert step is not None
    assert step.attempt is not None
    assert (step.attempt.state, step.attempt.inquire_at, step.payment.state) == (
        A.EXPIRED,
        None,
        P.OPEN,
    )
    assert (
        may_start(view_after(before, step), "pg", ATTEMPTS_AN_HOUR, NOW + timedelta(seconds=20))
        is None
    )
