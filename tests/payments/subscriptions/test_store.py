"""What a look at subscriptions sees, and who is woken for one."""

from datetime import datetime, timedelta

from hundi.infra.background.due_rows import NOT_SENT_GAP, DueQuery
from hundi.infra.demo_clock import actions as demo_clock
from hundi.infra.demo_clock import store as demo_clock_rows
from hundi.kernel.clock import INDIA
from hundi.payments.orders.actions import FOLLOWED_CHANNEL
from hundi.payments.subscriptions import store
from hundi.payments.subscriptions.jobs import LEASE
from tests.payments.subscriptions.conftest import Approve, ordered, pay
from tests.shop import NOW, Shop
from tests.wakeups import woken

NOTICE_AT = datetime(2026, 12, 30, 5, 0, tzinfo=INDIA)


async def test_the_payment_that_approves_a_mandate_wakes_the_workers(shop: Shop) -> None:
    view = await ordered(shop)
    async with woken(shop.db, FOLLOWED_CHANNEL):
        await pay(shop, view)


async def test_a_look_sees_approvals_first_and_what_falls_due_soon(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve()
    paid = await ordered(shop, order_id="PLAN-2")
    await pay(shop, paid)
    first, *_, last = await store.due(shop.db, DueQuery(NOW, NOTICE_AT, [], 10))
    assert (first.key, first.at, last.key, last.at) == (
        paid.payment.payment_id,
        None,
        plan.key[1],
        NOTICE_AT,
    )
    assert len(await store.due(shop.db, DueQuery(NOW, NOW, [], 10))) == 1


async def test_a_demos_clock_waits_for_what_is_claimed_and_not_for_what_was_put_back(
    shop: Shop, approve: Approve
) -> None:
    merchant_id, plan_id = (await approve()).key
    claimed_at = NOTICE_AT + timedelta(milliseconds=200)

    async def held_up() -> int:
        leases = demo_clock.lease_ends(NOTICE_AT)
        in_order, _ = await demo_clock_rows.count_due(
            shop.db, NOTICE_AT, NOTICE_AT - timedelta(days=1), leases
        )
        return in_order

    assert await held_up() == 1, "due"
    (claimed,) = await store.claim(shop.db, merchant_id, [plan_id], claimed_at, claimed_at + LEASE)
    assert await held_up() == 1, "a worker is at it"
    await store.put_back(shop.db, claimed, claimed_at + NOT_SENT_GAP)
    assert await held_up() == 0, "the bank was not reached"
