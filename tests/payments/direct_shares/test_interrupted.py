"""A share is made, and taken back, once, whichever call of a process is interrupted."""

from datetime import timedelta

from hundi.infra.postgres.database import Database
from tests.payments.direct_shares.market import Market
from tests.payments.interrupted import Start, whichever_call_is_interrupted
from tests.shop import NOW

GRACE = timedelta(seconds=60)
TIMES = (timedelta(), timedelta(seconds=31), GRACE + timedelta(minutes=1), timedelta(hours=1))
"""When a worker looks: now, and when the leases and graces of a killed one are over."""


async def test_a_share_of_a_split(market: Market) -> None:
    async def begin() -> Start:
        view = await market.paid()
        market.bank.given.clear()
        request_id = str(view.payment.payment_id)

        async def shares(db: Database) -> None:
            await market.on(db).split(view, request_id=request_id)

        async def works(db: Database) -> None:
            for after in TIMES:
                await market.on(db).work(NOW + after)

        async def end() -> object:
            made = [(each.state, each.sent_paise) for each in await market.shares(view)]
            return made, len(market.bank.given)

        return [shares, works], end

    expected = await whichever_call_is_interrupted(market.db, begin)
    assert expected == ([("done", 80_000)], 1)
    await market.holds()


async def test_a_reversal_after_a_refund(market: Market) -> None:
    async def begin() -> Start:
        view = await market.shared()
        await market.work(NOW)
        market.bank.taken_back.clear()
        await market.refund(view, 25_000)

        async def works(db: Database) -> None:
            for after in TIMES:
                await market.on(db).work(NOW + after)

        async def end() -> object:
            reversals = [(each.state, each.amount_paise) for each in await market.reversals(view)]
            return reversals, len(market.bank.taken_back)

        return [works], end

    expected = await whichever_call_is_interrupted(market.db, begin)
    assert expected == ([("done", 20_000)], 1)
    await market.holds()
