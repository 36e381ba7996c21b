"""Debits and their tries, with a bank whose answers a test decides."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.kernel import clock
from hundi.kernel.clock import INDIA
from hundi.kernel.states import Actor, PaymentState, SubscriptionState
from hundi.kernel.states import DebitState as D
from hundi.payments.attempts import actions as attempts
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.subscriptions import actions
from hundi.payments.subscriptions.debits import jobs as debit_jobs
from hundi.payments.subscriptions.jobs import LEASE
from tests.payments.subscriptions.conftest import TERMS, Approve, Plan
from tests.payments.subscriptions.days import DEBIT_DAY, NOTICE_AT
from tests.payments.subscriptions.test_jobs import KilledError
from tests.shop import Shop, inquire_due


async def test_a_declined_debit_is_tried_again_a_day_later_and_then_fails(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=1)
    shop.bank.debits.extend([Declined("Z9")] * 3)
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.RETRYING]
    await plan.work(DEBIT_DAY + timedelta(days=1))
    assert await plan.states() == [D.RETRYING]
    await plan.work(DEBIT_DAY + timedelta(days=2))
    assert await plan.states() == [D.FAILED]
    order = await plan.order(1)
    assert [each.state for each in order.attempts] == ["failed"] * 3
    assert (await plan.view()).subscription.state is SubscriptionState.COMPLETED
    assert (await shop.told()).count("debit_failed") == 1


async def test_the_day_before_a_debit_counts_from_the_answer_to_its_notice(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=1)
    late = timedelta(hours=2)
    shop.bank.before_answer = lambda: clock.set_ahead(late)
    try:
        await plan.work(NOTICE_AT)
    finally:
        clock.set_ahead(timedelta())
    (debit,) = await plan.debits()
    assert debit.noticed_at is not None
    assert debit.noticed_at - NOTICE_AT >= late
    assert debit.planned_at - debit.noticed_at >= timedelta(days=1)
    assert debit.planned_at > DEBIT_DAY


async def test_a_second_try_that_is_paid_pays_the_same_order(shop: Shop, approve: Approve) -> None:
    plan = await approve(debits_max=1)
    shop.bank.debits.append(Declined("Z9"))
    await plan.work(NOTICE_AT)
    await plan.live(DEBIT_DAY + timedelta(days=2))
    assert await plan.states() == [D.DONE]
    order = await plan.order(1)
    assert [each.state for each in order.attempts] == ["failed", "paid"]
    assert order.payment.state is PaymentState.PAID


async def test_a_silent_bank_is_asked_and_the_debit_follows(shop: Shop, approve: Approve) -> None:
    plan = await approve(debits_max=1)
    shop.bank.debits.append(Unknown("01"))
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.SENT]
    attempt = (await plan.order(1)).attempts[-1]
    shop.bank.inquiries.clear()
    shop.bank.inquiries.append(Approved(attempt.amount, "632512342222"))
    await inquire_due(shop.context, DEBIT_DAY + timedelta(seconds=30))
    await plan.work(DEBIT_DAY + timedelta(minutes=2))
    assert await plan.states() == [D.DONE]
    assert shop.bank.count("debit_mandate") == 1


async def test_a_debit_cancelled_after_its_notice_is_not_made(shop: Shop, approve: Approve) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    await actions.cancel(shop.db, *plan.key, Actor.MERCHANT, NOTICE_AT + timedelta(hours=1))
    await plan.live(DEBIT_DAY + timedelta(days=60))
    assert await plan.states() == [D.SKIPPED]
    assert shop.bank.count("debit_mandate") == 0
    assert shop.bank.count("end_mandate") == 1
    assert (await plan.view()).subscription.due_at is None
    assert await shop.told() == [
        "mandate_approved",
        "debit_announced",
        "mandate_cancelled",
        "debit_skipped",
    ]


async def test_a_noticed_debit_that_nobody_made_in_its_period_is_missed(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    await plan.work(datetime(2027, 2, 3, 7, 0, tzinfo=INDIA))
    assert (await plan.states())[0] is D.MISSED
    assert shop.bank.debited == {}


@pytest.mark.parametrize("stop", [actions.pause, actions.cancel], ids=["paused", "cancelled"])
@pytest.mark.parametrize("call", ["lost", "arrived"])
async def test_a_call_that_may_be_lost_is_not_repeated_once_the_subscription_is_stopped(
    shop: Shop, approve: Approve, stop: Any, call: str
) -> None:
    plan = await approve(debits_max=2)
    await plan.work(NOTICE_AT)

    def die() -> None:
        shop.bank.before_answer = None
        raise KilledError

    shop.bank.before_answer = die
    with pytest.raises(KilledError):
        await debit_jobs.debits(shop.context).once(DEBIT_DAY)
    await stop(shop.db, *plan.key, Actor.MERCHANT, DEBIT_DAY)
    assert await plan.states() == [D.SENT]
    arrived = call == "arrived"
    if arrived:
        shop.bank.inquiries[0] = Approved(TERMS.amount, "632512341111")
    await inquire_due(shop.context, DEBIT_DAY + timedelta(minutes=2))
    await plan.work(DEBIT_DAY + timedelta(minutes=3))
    assert shop.bank.count("debit_mandate") == 1
    assert await plan.states() == [D.DONE if arrived else D.FAILED]
    assert (await plan.order(1)).payment.state is (
        PaymentState.PAID if arrived else PaymentState.ABANDONED
    )
    assert ("paid" if arrived else "debit_failed") in await shop.told()


async def test_a_bank_that_cannot_be_reached_uses_up_no_try(shop: Shop, approve: Approve) -> None:
    plan = await approve(debits_max=1, retries_max=0)
    await plan.work(NOTICE_AT)
    shop.bank.debits.append(Unknown(sent=False))
    await debit_jobs.debits(shop.context).once(DEBIT_DAY)
    assert await plan.states() == [D.SENT]
    await plan.work(DEBIT_DAY + LEASE)
    assert await plan.states() == [D.DONE]


async def test_a_debit_refused_because_the_mandate_is_over_fails_and_ends_it(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    shop.bank.debits.append(Declined("M1", mandate_over=True))
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.FAILED]
    assert (await plan.view()).subscription.state is SubscriptionState.CANCELLED
    assert shop.bank.count("end_mandate") == 1


async def test_a_failed_debit_that_the_bank_pays_late_is_done(shop: Shop, approve: Approve) -> None:
    plan = await approve(debits_max=1, retries_max=0)
    shop.bank.debits.append(Declined("Z9"))
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.FAILED]
    order = await plan.order(1)
    late = Approved(order.payment.amount, "632512343333")
    await attempts.settle(
        PaymentCase(shop.context, shop.merchant, order, DEBIT_DAY + timedelta(minutes=5)),
        order.attempts[0],
        late,
    )
    await plan.work(DEBIT_DAY + timedelta(hours=80))
    assert await plan.states() == [D.DONE]


async def paid_between_tries(shop: Shop, approve: Approve) -> Plan:
    """Return a plan whose declined debit is to be tried again when the bank says yes after all."""
    plan = await approve(debits_max=1)
    shop.bank.debits.append(Declined("Z9"))
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.RETRYING]
    order = await plan.order(1)
    late = Approved(order.payment.amount, "632512343333")
    await attempts.settle(
        PaymentCase(shop.context, shop.merchant, order, DEBIT_DAY + timedelta(minutes=5)),
        order.attempts[0],
        late,
    )
    return plan


async def test_a_debit_that_the_bank_pays_between_two_tries_is_done_and_not_tried_again(
    shop: Shop, approve: Approve
) -> None:
    plan = await paid_between_tries(shop, approve)
    await plan.work(DEBIT_DAY + timedelta(days=1))
    assert await plan.states() == [D.DONE]
    assert len((await plan.order(1)).attempts) == 1
    assert (await plan.view()).subscription.state is SubscriptionState.COMPLETED


@pytest.mark.parametrize("act", [actions.cancel, actions.pause])
async def test_a_paid_debit_is_not_told_failed_when_its_subscription_is_stopped(
    shop: Shop, approve: Approve, act: Any
) -> None:
    plan = await paid_between_tries(shop, approve)
    await act(shop.db, *plan.key, Actor.MERCHANT, DEBIT_DAY + timedelta(hours=1))
    assert await plan.states() == [D.DONE]
    assert "debit_failed" not in await shop.told()


async def test_a_debit_given_up_by_a_cancel_is_done_when_the_bank_pays_it_later(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=1)
    shop.bank.debits.append(Declined("Z9"))
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    await actions.cancel(shop.db, *plan.key, Actor.MERCHANT, DEBIT_DAY + timedelta(hours=1))
    assert await plan.states() == [D.FAILED]
    order = await plan.order(1)
    late = Approved(order.payment.amount, "632512343333")
    await attempts.settle(
        PaymentCase(shop.context, shop.merchant, order, DEBIT_DAY + timedelta(hours=2)),
        order.attempts[0],
        late,
    )
    await plan.work(DEBIT_DAY + timedelta(hours=80))
    assert await plan.states() == [D.DONE]
