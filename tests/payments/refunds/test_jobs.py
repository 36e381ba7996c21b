"""The loop over refunds on a real database.

Woken by news, and going on when the database was away.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hundi.acquirers.port.answers import Approved, BankCallback
from hundi.kernel.money import Money
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.refunds.jobs import PACE, refunds
from tests.databases import END_CLIENTS
from tests.shop import NOW, Shop

PAISE = 149_950


async def paid(shop: Shop) -> PaymentView:
    view = await shop.order(PAISE)
    assert view.offered is not None
    word = BankCallback("cb-1", view.offered.reference, Approved(Money(PAISE), "632512345678"))
    await answers.handle_callback(shop.context, "sandbox", word, NOW)
    return await shop.again(view)


async def ask(shop: Shop, view: PaymentView) -> None:
    await actions.request(
        shop.context, shop.merchant, view.payment.payment_id, [ItemToRefund()], NOW
    )


async def done(shop: Shop, count: int) -> None:
    async with asyncio.timeout(60):
        while await shop.db.fetchval("SELECT count(*) FROM refunds WHERE state = 'done'") != count:
            await asyncio.sleep(0.01)


@asynccontextmanager
async def worker(shop: Shop) -> AsyncIterator[None]:
    stop = asyncio.Event()
    running = asyncio.create_task(refunds(shop.context, clock=lambda: NOW).forever(stop))
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(running, 20)


async def test_a_refund_is_sent_when_it_is_asked_for_and_not_at_the_next_poll(shop: Shop) -> None:
    views = [await paid(shop) for _ in range(4)]
    async with worker(shop):
        await ask(shop, views[0])
        await done(shop, 1)
        began = asyncio.get_running_loop().time()
        for number, view in enumerate(views[1:], 2):
            await ask(shop, view)
            await done(shop, number)
        assert asyncio.get_running_loop().time() - began < 2 * PACE.poll_s


async def test_the_database_goes_away_and_comes_back_and_the_work_goes_on(shop: Shop) -> None:
    views = [await paid(shop) for _ in range(2)]
    async with worker(shop):
        await ask(shop, views[0])
        await done(shop, 1)
        await shop.db.execute(END_CLIENTS)
        await ask(shop, views[1])
        await done(shop, 2)
    assert shop.bank.count("refund") == 2
