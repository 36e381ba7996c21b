"""A day is settled once and whole, whichever call of a process is interrupted."""

from itertools import count

from hundi.infra.postgres.database import Database
from hundi.money.settlements import actions
from hundi.money.settlements.rules import SettlementTerms
from hundi.money.settlements.terms import actions as terms
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay
from tests.money.settlements.days import DAY
from tests.payments.interrupted import Start, whichever_call_is_interrupted
from tests.recording import BY

PRICED = SettlementTerms(instant_bps=25)


async def test_a_day_and_what_is_settled_at_once(db: Database) -> None:
    numbers = count(1)

    async def begin() -> Start:
        number = next(numbers)
        merchant_id = MERCHANT + number
        await open_merchant(db, merchant_id)
        await terms.set_terms(db, merchant_id, PRICED, BY, NOON - DAY)
        await pay(db, number * 10, 50_000, merchant_id=merchant_id)

        async def settles(process: Database) -> None:
            await actions.run_one(process, merchant_id, TUESDAY)

        async def sells_again(_: Database) -> None:
            if await db.fetchval(
                "SELECT count(*) = 1 FROM payments WHERE merchant_id = $1", merchant_id
            ):
                await pay(db, number * 10 + 1, 80_000, TUESDAY, merchant_id)

        async def settles_at_once(process: Database) -> None:
            await actions.settle_now(process, merchant_id, TUESDAY + DAY / 12)

        async def end() -> object:
            settlements = await db.fetch(
                "SELECT settlement_no, kind, items, net_paise, price_paise FROM settlements"
                " WHERE merchant_id = $1 ORDER BY settlement_no",
                merchant_id,
            )
            postings = await db.fetch(
                "SELECT kind, amount_paise FROM ledger_postings WHERE merchant_id = $1"
                " AND kind IN ('share_due', 'settlement_fee') ORDER BY amount_paise",
                merchant_id,
            )
            return [tuple(row) for row in settlements], [tuple(row) for row in postings]

        return [settles, sells_again, settles_at_once, settles_at_once], end

    assert await whichever_call_is_interrupted(db, begin) == (
        [(1, "daily", 1, 50_000, 0), (2, "instant", 1, 79_764, 200)],
        [("settlement_fee", 200), ("share_due", 50_000), ("share_due", 79_764)],
    )
