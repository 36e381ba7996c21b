"""A step follows the allowed moves, and a session ends only when it can have no result."""

from datetime import timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.moves import ATTEMPT_MOVES, PAYMENT_MOVES
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, EventKind, RefundState
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentState as P
from hundi.payments.orders.endings.rules import close_session
from hundi.payments.orders.facts.rules import PaymentFacts, facts_of
from hundi.payments.orders.news.rules import RefundFacts
from hundi.payments.orders.rules import Step, view_after
from tests.payments.stages import NOW, attempt, view

LATER = NOW + timedelta(hours=1)


@given(before=st.sampled_from(P), after=st.sampled_from(P))
def test_a_step_moves_a_payment_only_as_the_table_says(before: P, after: P) -> None:
    known = view(before)
    step = Step(EventKind.FAILED, Actor.BANK, replace(known.payment, state=after))
    if after is before or after in PAYMENT_MOVES[before]:
        moved = view_after(known, step).payment
        assert (moved.state, moved.revision) == (after, known.payment.revision + 1)
    else:
        with pytest.raises(AssertionError, match=f"{before} may not become {after}"):
            view_after(known, step)


@given(before=st.sampled_from(A), after=st.sampled_from(A))
def test_a_step_moves_an_attempt_only_as_the_table_says(before: A, after: A) -> None:
    other, tried = attempt(A.FAILED, 1), attempt(before, 2)
    known = view(P.IN_PROCESS, other, tried)
    step = Step(EventKind.FAILED, Actor.BANK, known.payment, replace(tried, state=after))
    if after is before or after in ATTEMPT_MOVES[before]:
        assert [each.state for each in view_after(known, step).attempts] == [A.FAILED, after]
    else:
        with pytest.raises(AssertionError, match=f"{before} may not become {after}"):
            view_after(known, step)


def test_a_new_attempt_may_begin_in_any_state_and_comes_last() -> None:
    known = view(P.OPEN, attempt(A.FAILED, 1))
    step = Step(
        EventKind.QR_OFFERED, Actor.CUSTOMER, known.payment, attempt(A.OFFERED, 2), new_attempt=True
    )
    assert [each.attempt_id for each in view_after(known, step).attempts] == [1, 2]


def test_an_event_is_about_the_attempt_that_changes_or_the_one_that_is_named() -> None:
    payment = view(P.PAID).payment
    assert Step(EventKind.PAID, Actor.BANK, payment, attempt(number=7)).attempt_id == 7
    assert Step(EventKind.REFUND_BEGUN, Actor.MERCHANT, payment, about=8).attempt_id == 8
    assert Step(EventKind.REOPENED, Actor.MERCHANT, payment).attempt_id is None


# fmt: off
@pytest.mark.parametrize(("state", "tried", "becomes"), [
    (P.OPEN,       None,             P.EXPIRED),
    (P.OPEN,       A.FAILED,         P.FAILED),
    (P.OPEN,       A.NOT_REGISTERED, P.NOT_REGISTERED),
    (P.OPEN,       A.EXPIRED,        P.EXPIRED),
    (P.OPEN,       A.UNKNOWN,        P.EXPIRED),
    (P.OPEN,       A.OFFERED,        None),
    (P.OPEN,       A.PENDING,        None),
    (P.OPEN,       A.AUTHENTICATING, None),
    (P.IN_PROCESS, None,             None),
    (P.PAID,       A.PAID,           None),
])
def test_a_session_that_is_over(state: P, tried: A | None, becomes: P | None) -> None:
    step = close_session(view(state, *([attempt(tried)] if tried else [])), LATER)
    assert (step and (step.payment.state, step.kind)) == (becomes and (becomes, EventKind.EXPIRED))
# fmt: on


def test_a_session_that_is_not_over_stays() -> None:
    assert close_session(view(P.OPEN), NOW) is None


def test_facts_are_those_of_the_successful_attempt_and_name_a_refund_that_is_the_news() -> None:
    paid = replace(attempt(A.PAID, 1), rrn="632512345678")
    later = replace(attempt(A.FAILED, 2), rrn="632500000000")
    news = RefundFacts(5, 700, RefundState.DONE)
    facts = facts_of(view(P.PAID, paid, later), news)
    assert (facts.rrn, facts.refund, facts.attempts) == ("632512345678", news, 2)


FIRST_KEPT = {
    "merchant_id": 10001,
    "payment_id": 215000000000001,
    "order_id": "A-1",
    "state": "paid",
    "kind": "sale",
    "method": "upi",
    "amount_paise": 149_950,
    "currency": "INR",
    "buyer": {"email": "asha@example.in"},
    "custom_var": "",
    "bank_code": "00",
    "bank_message": "Approved",
    "created_at": "2026-11-21T06:00:00Z",
    "attempts": 1,
    "card": {},
}
"""What every announcement has kept since the first release, as JSON.

Later fields may be missing.
"""


def test_facts_that_were_kept_by_an_older_release_are_read() -> None:
    """A delivery is sent for days and replayed later: a new field of the facts needs a default."""
    read = msgspec.convert(FIRST_KEPT, PaymentFacts)
    assert (read.order_id, read.buyer.email, read.refund) == ("A-1", "asha@example.in", None)
