"""A refund is begun, sent, booked and told once, whichever call of a process is interrupted."""

from collections import deque
from datetime import timedelta
from itertools import count

import pytest

from hundi.acquirers.port.answers import Declined
from hundi.infra.postgres.database import Database
from hundi.payments.refunds.rules import SENT_GRACE, RequestKey
from tests.payments.interrupted import Start, shop_on, whichever_call_is_interrupted
from tests.payments.refunds.test_actions import ask, holds, paid, refunds_of
from tests.shop import NOW, Shop, refund_due

TIMES = (timedelta(), timedelta(seconds=31), SENT_GRACE + timedelta(minutes=1), timedelta(hours=1))
"""When a worker looks: now, and when the leases and graces of a killed one are over."""


@pytest.mark.parametrize("declined", [False, True], ids=["approved", "declined"])
async def test_a_refund_of_a_merchant(shop: Shop, *, declined: bool) -> None:
    numbers = count(1)

    async def begin() -> Start:
        view = await paid(shop)
        key = RequestKey(f"R-{next(numbers)}", 0, bytes(32))
        shop.bank.calls.clear()
        shop.bank.refunds = deque([Declined("Z9", "no")] * len(TIMES) if declined else [])

        async def asks(db: Database) -> None:
            await ask(shop_on(shop, db), view, 50_000, key)

        async def works(db: Database) -> None:
            for after in TIMES:
                await refund_due(shop_on(shop, db).context, NOW + after)

        async def end() -> object:
            payment = (await shop.again(view)).payment
            refunds = [(each.state, each.amount.paise) for each in await refunds_of(shop, view)]
            references = {called for verb, called in shop.bank.calls if verb == "refund"}
            told = await shop.db.fetch(
                "SELECT kind FROM deliveries WHERE payment_id = $1 ORDER BY event_no",
                payment.payment_id,
            )
            return payment.refunded_paise, refunds, len(references), [row["kind"] for row in told]

        return [asks, works], end

    expected = await whichever_call_is_interrupted(shop.db, begin)
    if declined:
        assert expected == (0, [("failed", 50_000)], 1, ["paid", "refund_failed"])
    else:
        assert expected == (50_000, [("done", 50_000)], 1, ["paid", "refund_done"])
    await holds(shop.db)
