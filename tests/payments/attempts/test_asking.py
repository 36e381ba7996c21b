"""A message about an attempt brings its inquiry forward, and the workers hear of it."""

import pytest

from hundi.payments.attempts.inquiries import actions as asking
from tests.shop import NOW, Shop
from tests.wakeups import woken


@pytest.mark.parametrize("is_proven", [False, True])
async def test_an_inquiry_that_is_brought_forward_wakes_the_workers(
    shop: Shop, *, is_proven: bool
) -> None:
    view = await shop.order()
    ask = asking.ask_now if is_proven else asking.ask_soon
    async with woken(shop.db, asking.DUE_CHANNEL):
        await ask(shop.context, "sandbox", view.attempts[0].reference, NOW)
