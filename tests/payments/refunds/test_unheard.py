"""A connection that is lost between commit and answer: a refund is begun, sent and booked once."""

import pytest
from asyncpg import ConnectionDoesNotExistError

from hundi.kernel.states import RefundState
from hundi.payments.refunds.rules import RequestKey
from tests.payments.refunds.test_actions import LATER, ask, holds, paid, refunds_of
from tests.payments.unheard import COMMIT, not_hearing
from tests.shop import NOW, Shop, refund_due


async def test_a_refund_whose_commit_is_not_heard_of_is_begun_once(shop: Shop) -> None:
    view = await paid(shop)
    key = RequestKey("R-1", 0, bytes(32))
    with pytest.raises(ConnectionDoesNotExistError):
        await ask(not_hearing(shop, COMMIT), view, 50_000, key)
    (refund,) = await refunds_of(shop, view)
    assert (await ask(shop, view, 50_000, key)).refund_id == refund.refund_id
    assert await refund_due(shop.context, NOW) == 1
    assert len(await refunds_of(shop, view)) == shop.bank.count("refund") == 1
    assert (await shop.again(view)).payment.refunded_paise == 50_000
    await holds(shop.db)


async def test_a_refund_whose_end_is_not_heard_of_is_booked_once(shop: Shop) -> None:
    view = await paid(shop)
    await ask(shop, view, 50_000)
    await refund_due(not_hearing(shop, COMMIT).context, NOW)
    await refund_due(shop.context, LATER)
    (refund,) = await refunds_of(shop, view)
    assert refund.state is RefundState.DONE
    assert shop.bank.count("refund") == 1
    await holds(shop.db)
