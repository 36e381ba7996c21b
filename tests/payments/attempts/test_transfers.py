"""Transfers to an order's account.

Any sequence of them, told in any order and again, is recorded once each.
"""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.transfers import Transfer
from hundi.kernel.money import Money
from hundi.kernel.moves import MOVED
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import EventKind
from hundi.kernel.states import PaymentState as P
from hundi.payments.attempts.rules import LATER_GAP, LATER_MAX
from hundi.payments.attempts.transfers.rules import (
    OTHER_NETWORK_CODE,
    after_transfer,
    close_account,
    is_spare,
    next_look,
)
from hundi.payments.orders.endings.rules import close_session
from hundi.payments.orders.rules import PaymentView, view_after
from tests.payments.attempts.tried import AMOUNT, KEEP, LATER, NOW, SCHEDULE, attempt, view

transfers = st.lists(
    st.builds(
        Transfer,
        st.sampled_from([f"SIMBN0000000000{number}" for number in range(6)]),
        st.builds(Money, st.sampled_from([AMOUNT, AMOUNT - 1, AMOUNT + 1, 1])),
        st.sampled_from(["NEFT", "IMPS"]),
    ),
    max_size=12,
)


def account(state: A = A.OFFERED) -> PaymentView:
    return view(
        attempt(state=state, method="virtual_account"),
        state=P.EXPIRED if state is A.EXPIRED else P.OPEN,
    )


def told(
    current: PaymentView, transfer: Transfer, number: int, now: datetime = LATER
) -> PaymentView:
    step = after_transfer(current, current.attempts[0], transfer, KEEP, 1_000 + number, now)
    return current if step is None else view_after(current, step)


@given(transfers, st.sampled_from([A.OFFERED, A.EXPIRED]))
def test_every_transfer_is_recorded_once_and_one_at_most_pays(
    came: list[Transfer], state: A
) -> None:
    current = account(state)
    for number, transfer in enumerate([*came, *reversed(came)]):
        current = told(current, transfer, number)
    first = {each.utr: each.amount.paise for each in reversed(came)}
    recorded = {each.rrn: each.received_paise for each in current.attempts if each.state in MOVED}
    assert recorded == first
    paid = [each for each in current.attempts if each.state is A.PAID]
    assert len(paid) == (AMOUNT in first.values())
    assert (current.payment.state is P.PAID) == bool(paid)
    assert all(each.received_paise == AMOUNT for each in paid)


def test_a_wrong_amount_leaves_the_account_open_and_is_posted_as_owed_back() -> None:
    current = account()
    step = after_transfer(
        current, current.attempts[0], Transfer("U1", Money(1), "NEFT"), KEEP, 77, LATER
    )
    assert step is not None
    assert (step.kind, step.payment, step.new_attempt) == (
        EventKind.EXCESS_PAYMENT,
        current.payment,
        True,
    )
    assert [(each.cause_id, each.credit, each.amount.paise) for each in step.postings] == [
        (77, "owed_back", 1)
    ]
    assert view_after(current, step).awaiting("virtual_account") is not None


@pytest.mark.parametrize("number", ["", "66326000010074"])
def test_only_an_issued_voucher_keeps_its_order_open(number: str) -> None:
    ours = replace(
        attempt(state=A.OFFERED, method="cash_voucher"),
        voucher=number,
        expires_at=NOW + timedelta(days=2),
    )
    current = view(ours)
    over = close_session(current, current.payment.expires_at)
    assert (over and over.payment.state) == (None if number else P.EXPIRED)


def test_an_issued_voucher_is_spare_once_its_order_is_paid_otherwise() -> None:
    ours = replace(attempt(state=A.OFFERED, method="cash_voucher"), voucher="66326000010074")
    other = replace(attempt(2, A.PAID, "card"), received_paise=AMOUNT)
    assert not is_spare(view(ours), ours.attempt_id)
    assert is_spare(view(ours, other, state=P.PAID), ours.attempt_id)
    assert not is_spare(view(replace(ours, voucher=""), other, state=P.PAID), ours.attempt_id)
    assert not is_spare(view(replace(ours, state=A.EXPIRED), other, state=P.PAID), ours.attempt_id)


def test_what_comes_by_another_network_goes_back_and_the_account_stays_open() -> None:
    current = view(attempt(state=A.OFFERED, method="rtgs_account"), state=P.OPEN)
    after = told(current, Transfer("U1", Money(AMOUNT), "NEFT"), 1)
    extra = after.attempts[-1]
    assert (extra.state, extra.bank_code, extra.received_paise) == (
        A.OVERPAID,
        OTHER_NETWORK_CODE,
        AMOUNT,
    )
    assert after.awaiting("rtgs_account") == current.attempts[0]
    paid = told(after, Transfer("U2", Money(AMOUNT), "RTGS"), 2)
    assert (paid.payment.state, paid.success and paid.success.rrn) == (P.PAID, "U2")


def test_an_account_ends_in_time_and_is_asked_about_for_three_days_more() -> None:
    current = account()
    (ours,) = current.attempts
    assert close_account(current, ours, ours.expires_at - timedelta(seconds=1)) is None
    step = close_account(current, ours, ours.expires_at)
    assert step is not None
    assert step.attempt is not None
    assert (step.attempt.state, step.attempt.inquire_at) == (A.EXPIRED, ours.expires_at + LATER_GAP)
    assert next_look(step.attempt, SCHEDULE, ours.expires_at) == ours.expires_at + LATER_GAP
    assert next_look(step.attempt, SCHEDULE, ours.expires_at + LATER_MAX) is None


def test_an_account_on_offer_is_asked_about_on_the_schedule_and_at_its_end() -> None:
    (ours,) = account().attempts
    assert next_look(ours, SCHEDULE, NOW) == NOW + timedelta(seconds=3)
    assert next_look(ours, SCHEDULE, ours.expires_at - timedelta(seconds=1)) == ours.expires_at
