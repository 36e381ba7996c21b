"""Approvals, notices, debits and their tries, with a bank whose answers a test decides."""

import asyncio
from datetime import datetime, timedelta

import msgspec
import pytest
from asyncpg import UniqueViolationError

from hundi.acquirers.port.answers import Approved, Declined, NothingThere
from hundi.kernel.clock import INDIA
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, PaymentState, SubscriptionPeriod, SubscriptionState
from hundi.kernel.states import DebitState as D
from hundi.merchants.directory import actions as merchants
from hundi.money.audit import actions as audit
from hundi.payments.attempts import actions as attempts
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.subscriptions import actions, jobs, store
from hundi.payments.subscriptions.debits import jobs as debit_jobs
from hundi.payments.subscriptions.jobs import LEASE
from hundi.payments.subscriptions.rules import APPROVAL_LIFE, DEBIT_AT
from tests.payments.subscriptions.conftest import TERMS, Approve, Plan, ordered
from tests.payments.subscriptions.days import DEBIT_DAY, NOTICE_AT
from tests.recording import RECORDED
from tests.shop import NOW, Shop, inquire_due


async def test_an_order_becomes_an_active_subscription_when_it_is_paid(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    found = (await plan.view()).subscription
    assert found.state is SubscriptionState.ACTIVE
    assert found.payer == "asha@hundi"
    assert found.due_at == NOTICE_AT
    assert await shop.told() == ["mandate_approved"]


async def test_a_mandate_that_nobody_approves_fails_after_three_days(shop: Shop) -> None:
    view = await ordered(shop)
    plan = Plan(shop, view.payment.payment_id, NOW)
    await plan.work(NOW + timedelta(hours=72))
    assert (await plan.view()).subscription.state is SubscriptionState.CREATED
    await plan.work(NOW + APPROVAL_LIFE)
    assert (await plan.view()).subscription.state is SubscriptionState.FAILED
    assert await shop.told() == ["mandate_failed"]


async def test_a_notice_comes_a_day_before_and_the_debit_in_the_window(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT - timedelta(seconds=1))
    assert shop.bank.notices == []
    await plan.work(NOTICE_AT)
    assert [(each.period_no, each.amount, each.debit_at) for each in shop.bank.notices] == [
        (1, TERMS.amount, DEBIT_DAY)
    ]
    assert await plan.states() == [D.ANNOUNCED]
    await plan.work(DEBIT_DAY - timedelta(seconds=1))
    assert shop.bank.debited == {}
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.DONE]
    order = await plan.order(1)
    assert order.payment.state is PaymentState.PAID
    assert order.payment.order_id == f"{plan.subscription_id}-1"
    assert order.payment.amount == TERMS.amount
    assert order.payment.buyer.email == "asha@example.in"
    assert [debit.mandate for debit in shop.bank.debited.values()] == [
        (await plan.view()).subscription.mandate_reference
    ]
    assert await shop.told() == ["mandate_approved", "debit_announced", "paid"]


async def test_a_subscription_lives_to_its_last_period_and_the_books_hold(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.live(datetime(2027, 3, 15, tzinfo=INDIA))
    days = [each.planned_at.astimezone(INDIA) for each in await plan.debits()]
    assert [day.date().isoformat() for day in days] == ["2026-12-31", "2027-01-31", "2027-02-28"]
    assert {day.time() for day in days} == {DEBIT_AT}
    assert await plan.states() == [D.DONE] * 3
    assert (await plan.view()).subscription.state is SubscriptionState.COMPLETED
    assert (await shop.told()).count("mandate_completed") == 1
    assert [posting for posting in await shop.postings() if posting[2] == 49_900] == [
        ("payment", "payable", 49_900)
    ] * 3
    assert (await audit.audit(shop.db, [], plan.now)).holds


async def test_what_a_pause_passes_is_left_out(shop: Shop, approve: Approve) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    await actions.pause(shop.db, *plan.key, Actor.CUSTOMER, NOTICE_AT + timedelta(hours=1))
    await plan.live(datetime(2027, 2, 5, tzinfo=INDIA))
    assert await plan.states() == [D.SKIPPED]
    await actions.resume(shop.db, *plan.key, Actor.CUSTOMER, plan.now)
    await plan.live(datetime(2027, 3, 2, tzinfo=INDIA))
    assert [(each.period_no, each.state) for each in await plan.debits()] == [
        (1, D.SKIPPED),
        (3, D.DONE),
    ]
    assert (await plan.view()).subscription.state is SubscriptionState.COMPLETED


async def test_a_clock_that_jumps_debits_no_period_twice_and_misses_those_that_passed(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=12)
    later = datetime(2027, 4, 10, 12, 0, tzinfo=INDIA)
    await plan.work(later)
    assert await plan.states() == [D.MISSED, D.MISSED, D.MISSED, D.ANNOUNCED]
    assert shop.bank.debited == {}
    await plan.live(later + timedelta(days=2))
    assert await plan.states() == [D.MISSED, D.MISSED, D.MISSED, D.DONE]
    assert [each.period_no for each in shop.bank.debited.values()] == [4]
    assert [each.debit_at - later for each in shop.bank.notices] == [timedelta(hours=25)]
    assert (await shop.told()).count("debit_missed") == 3


async def test_many_workers_at_once_make_one_debit_a_period(shop: Shop, approve: Approve) -> None:
    plan = await approve(period=SubscriptionPeriod.DAY, debits_max=5)
    moment = plan.now
    while moment < datetime(2027, 1, 6, tzinfo=INDIA):
        moment += timedelta(hours=6)
        for _ in range(3):
            await asyncio.gather(
                *(jobs.subscriptions(shop.context).once(moment) for _ in range(4)),
                *(debit_jobs.debits(shop.context).once(moment) for _ in range(4)),
            )
    assert await plan.states() == [D.DONE] * 5
    assert sorted(each.period_no for each in shop.bank.debited.values()) == [1, 2, 3, 4, 5]
    assert shop.bank.count("debit_mandate") == 5
    assert (await audit.audit(shop.db, [], moment)).holds


async def test_workers_that_ignore_each_others_claims_still_make_one_debit(
    shop: Shop, approve: Approve
) -> None:
    """The lease only saves work: without it, the lock and the states let one of them begin."""
    plan = await approve(debits_max=1)
    await plan.work(NOTICE_AT)
    debit = (await plan.debits())[0]
    work_on = debit_jobs.debits(shop.context)._work.act  # noqa: SLF001 (what the loop does with a claimed row)
    await asyncio.gather(*(work_on(debit, DEBIT_DAY) for _ in range(6)))
    assert len(shop.bank.debited) == 1
    assert len((await plan.order(1)).attempts) == 1
    assert await plan.states() == [D.DONE]


class KilledError(BaseException):
    """The worker is gone at this line."""


async def test_after_a_killed_worker_the_next_asks_by_the_same_reference(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=1)
    await plan.work(NOTICE_AT)

    def die() -> None:
        shop.bank.before_answer = None
        raise KilledError

    shop.bank.before_answer = die
    with pytest.raises(KilledError):
        await debit_jobs.debits(shop.context).once(DEBIT_DAY)
    assert await plan.states() == [D.SENT]
    await plan.work(DEBIT_DAY + LEASE)
    assert await plan.states() == [D.DONE]
    asked = [reference for verb, reference in shop.bank.calls if verb == "debit_mandate"]
    assert len(asked) == 2
    assert len(set(asked)) == 1
    assert [each.state for each in (await plan.order(1)).attempts] == ["paid"]


async def test_a_mandate_that_the_customer_ended_at_the_bank_ends_the_subscription(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    shop.bank.notice_answers.append(Declined("M1", mandate_over=True))
    await plan.work(NOTICE_AT)
    assert (await plan.view()).subscription.state is SubscriptionState.CANCELLED
    assert await plan.states() == [D.SKIPPED]


async def test_a_merchants_own_order_of_the_debits_name_does_not_stop_it(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=1)
    await shop.order(order_id=f"{plan.subscription_id}-1")
    await plan.work(NOTICE_AT)
    await plan.work(DEBIT_DAY)
    assert await plan.states() == [D.DONE]
    assert (await plan.order(1)).payment.order_id.startswith(f"{plan.subscription_id}-1-")


async def test_late_approval_of_a_merchant_that_keeps_none_ends_the_mandate(shop: Shop) -> None:
    number = shop.merchant.merchant_id
    await merchants.change_settings(
        shop.db,
        number,
        lambda before: msgspec.structs.replace(before, late_success="refund"),
        NOW,
        RECORDED,
    )
    context = replace(shop.context, directory=shop.fresh_directory())
    merchant = await context.directory.get(shop.merchant.merchant_id)
    assert merchant is not None
    view = await ordered(shop)
    offered = view.offered
    assert offered is not None
    shop.bank.inquiries.clear()
    shop.bank.inquiries.append(NothingThere())
    await inquire_due(context, NOW + timedelta(hours=1))
    paid_late = NOW + timedelta(hours=2)
    fresh = await shop.again(view)
    answer = Approved(offered.amount, "632512340000", payer_vpa="asha@hundi")
    await attempts.settle(PaymentCase(context, merchant, fresh, paid_late), offered, answer)
    await jobs.subscriptions(context).once(paid_late)
    found = await actions.find(shop.db, merchant.merchant_id, view.payment.payment_id)
    assert found is not None
    assert found.subscription.state is SubscriptionState.CANCELLED
    await jobs.subscriptions(context).once(paid_late)
    assert shop.bank.count("end_mandate") == 1


async def test_the_database_keeps_a_second_debit_of_a_period_out(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    await plan.work(NOTICE_AT)
    debit = (await plan.debits())[0]
    async with shop.db.transaction() as conn:
        with pytest.raises(UniqueViolationError):
            await store.insert_debit(conn, replace(debit, debit_id=debit.debit_id + 1))
