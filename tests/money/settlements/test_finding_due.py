"""One query finds the merchants with something to collect or to settle.

An idle one costs nothing more.
"""

from datetime import timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.money.settlements import actions, store
from hundi.money.settlements.rules import SettlementTerms, business_day
from hundi.money.settlements.terms import actions as terms
from tests.money.settlements.books import MERCHANT, NOON, TUESDAY, open_merchant, pay, refund
from tests.recording import BY

DAY = timedelta(days=1)
IDLE = 40


@pytest.fixture(autouse=True)
async def _merchants(db: Database) -> None:
    for number in range(IDLE):
        await open_merchant(db, MERCHANT + number)


async def due(db: Database, at: object = TUESDAY) -> list[int]:
    """Return the merchants that a run at a moment would look at."""
    return await store.merchants_after(db, 0, 100, business_day(at))  # type: ignore[arg-type]


async def settled(db: Database) -> None:
    """Settle, and once more: the second run collects what the settlement itself posted."""
    for _ in range(2):
        await actions.run(db, TUESDAY)


async def test_nobody_is_looked_at_without_a_reason(db: Database) -> None:
    assert await due(db) == []
    await pay(db, 1, 50_000)
    assert await due(db) == [MERCHANT]
    await settled(db)
    assert await due(db) == []
    assert len(await store.merchants_after(db, 0, 100, None)) == IDLE, (
        "who names a day hears of everybody"
    )


async def test_a_new_posting_of_a_settled_merchant_is_a_reason(db: Database) -> None:
    await pay(db, 1, 50_000)
    await settled(db)
    await refund(db, 2, 1, 700, TUESDAY)
    assert await due(db) == [MERCHANT]


async def test_an_item_that_waits_is_a_reason_from_its_day_on(db: Database) -> None:
    await pay(db, 1, 50_000)
    await actions.run(db, NOON)
    await actions.run(db, NOON)
    assert await due(db, NOON) == []
    assert await due(db, TUESDAY) == [MERCHANT]


async def test_a_reserve_is_a_reason_on_its_day(db: Database) -> None:
    await terms.set_terms(
        db, MERCHANT, SettlementTerms(reserve_bps=500, reserve_days=30), BY, NOON - DAY
    )
    await pay(db, 1, 50_000)
    await settled(db)
    assert await due(db, TUESDAY + 20 * DAY) == []
    later = TUESDAY + 40 * DAY
    assert await due(db, later) == [MERCHANT]
    await actions.run(db, later)
    assert (
        await db.fetchval(
            "SELECT reserve_released_paise FROM settlements ORDER BY settlement_no DESC LIMIT 1"
        )
        > 0
    )
    await actions.run(db, later)
    assert await due(db, later) == []


async def test_what_was_carried_is_a_reason_for_a_lower_minimum(db: Database) -> None:
    await terms.set_terms(db, MERCHANT, SettlementTerms(minimum_paise=100_000), BY, NOON - DAY)
    await pay(db, 1, 50_000)
    await settled(db)
    assert await due(db, TUESDAY + DAY) == [MERCHANT]
    await terms.set_terms(db, MERCHANT, SettlementTerms(), BY, TUESDAY)
    await actions.run(db, TUESDAY + DAY)
    assert await db.fetchval("SELECT sum(amount_paise) FROM settlement_shares") == 50_000


async def test_marks_of_another_cluster_are_a_reason(db: Database) -> None:
    await pay(db, 1, 50_000)
    await settled(db)
    here = await db.fetchval("SELECT cluster FROM settlement_marks")
    await db.execute("UPDATE settlement_marks SET cluster = 'another'")
    assert await due(db) == [MERCHANT]
    await db.execute("UPDATE settlement_marks SET cluster = $1, upto_xact = '99999999'", here)
    assert await due(db) == [MERCHANT]
