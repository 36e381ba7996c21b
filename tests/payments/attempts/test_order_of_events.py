"""No order of events pays twice or loses money."""

from datetime import timedelta
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.kernel.money import Money
from hundi.kernel.moves import ATTEMPT_MOVES, PAYMENT_MOVES
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.payments.attempts.answers.rules import after_answer
from hundi.payments.attempts.approvals.rules import Policy
from hundi.payments.orders.rules import PaymentView, Step, view_after
from tests.payments.attempts.tried import KEEP, NO, NOBODY, NOW, PAID, REFUND, WAIT, attempt, view

ANSWERS = st.sampled_from(
    [
        PAID,
        NO,
        NOBODY,
        WAIT,
        Unknown(),
        Unknown(sent=False),
        NothingThere(),
        replace(PAID, amount=Money(1)),
    ]
)


def apply(current: PaymentView, step: Step | None) -> PaymentView:
    """Check a step against the tables and return what it leaves."""
    if step is None:
        return current
    before, after = current.payment.state, step.payment.state
    assert after is before or after in PAYMENT_MOVES[before]
    if step.attempt is not None and not step.new_attempt:
        old = current.attempt(step.attempt.attempt_id)
        assert old is not None
        assert step.attempt.state is old.state or step.attempt.state in ATTEMPT_MOVES[old.state]
    return view_after(current, step)


@given(
    words=st.lists(st.tuples(st.integers(1, 3), ANSWERS, st.integers(0, 7200)), max_size=30),
    policy=st.sampled_from([KEEP, REFUND]),
)
def test_no_order_of_events_pays_twice_or_loses_money(
    words: list[tuple[int, Approved | Declined | Unknown | NothingThere, int]], policy: Policy
) -> None:
    current = view(
        attempt(1),
        attempt(2, A.SENT, "card"),
        attempt(3, A.PENDING, "upi_collect"),
        state=P.IN_PROCESS,
    )
    posted = 0
    moved: dict[int, int] = {}
    for number, answer, seconds in words:
        tried = current.attempt(number)
        assert tried is not None
        step = after_answer(current, tried, answer, policy, NOW + timedelta(seconds=seconds))
        if isinstance(answer, Approved):
            moved.setdefault(number, answer.amount.paise)
        if step is not None:
            posted += sum(
                each.amount.paise for each in step.postings if each.debit == "receivable:sandbox"
            )
        current = apply(current, step)
    assert posted == sum(moved.values())
    assert sum(each.state in {A.PAID, A.AUTHORISED} for each in current.attempts) <= 1
    assert (current.payment.state is P.PAID) == any(
        each.state is A.PAID for each in current.attempts
    )
    assert (current.payment.captured_paise > 0) == (current.payment.state is P.PAID)


def test_every_order_of_the_same_words_ends_alike() -> None:
    words: list[tuple[int, Approved | Declined | Unknown]] = [
        (1, PAID),
        (1, WAIT),
        (1, NO),
        (2, NO),
    ]
    endings: set[tuple[P, A]] = set()
    for order in permutations(words):
        current = view(attempt(1), attempt(2, A.SENT, "card"), state=P.IN_PROCESS)
        for number, answer in order:
            tried = current.attempt(number)
            assert tried is not None
            current = apply(current, after_answer(current, tried, answer, KEEP, NOW))
        first = current.attempt(1)
        assert first is not None
        endings.add((current.payment.state, first.state))
    assert endings == {(P.PAID, A.PAID)}
