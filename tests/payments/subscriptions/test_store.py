"""What a look at subscriptions sees, and who is woken for one."""

from datetime import datetime

from hundi.infra.background.due_rows import DueQuery
from hundi.kernel.clock import INDIA
from hundi.payments.orders.actions import FOLLOWED_CHANNEL
from hundi.payments.subscriptions import store
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
