"""A settlement pays the parts that no acquirer settles, and a refused part once it came back."""

from datetime import datetime, timedelta

from hundi.acquirers.port.answers import Declined
from hundi.acquirers.port.splits import PartyStanding, PartyState
from hundi.infra.postgres.database import Database
from hundi.money.settlements import actions as settlements
from tests.payments.direct_shares.market import DYER, PAISE, WEAVER, Market
from tests.payments.direct_shares.splitting import ACTIVE
from tests.shop import NOW

SHARE, REFUSED = 80_000, Declined("BAD_REQUEST_ERROR", "insufficient balance")
OTHER = 5_000
FIRST, SECOND = NOW + timedelta(days=7), NOW + timedelta(days=14)


async def settled(db: Database, merchant_id: int, now: datetime) -> dict[str, int]:
    """Settle a merchant's day, and return the paise of each share of it."""
    result = await settlements.run_one(db, merchant_id, now)
    rows = await db.fetch(
        "SELECT beneficiary, amount_paise FROM settlement_shares WHERE settlement_id = $1",
        result.settlement_id,
    )
    return {row["beneficiary"]: row["amount_paise"] for row in rows}


async def parts(db: Database) -> list[tuple[str, int]]:
    """Return the parts of linked accounts that settlements paid, in order."""
    rows = await db.fetch(
        "SELECT identifier, amount_paise FROM settlement_parts ORDER BY settlement_id, identifier"
    )
    return [tuple(row) for row in rows]


async def test_what_the_acquirer_settles_is_in_no_settlement(market: Market) -> None:
    await market.shared()
    await market.work(NOW)
    shares = await settled(market.db, market.merchant_id, FIRST)
    assert shares == {"primary": PAISE - SHARE - OTHER, DYER: OTHER}
    assert await parts(market.db) == [(DYER, OTHER)]
    assert await market.balance("payable") == 0
    await market.holds()


async def test_a_refused_share_is_settled_by_us_on_the_same_day(market: Market) -> None:
    market.bank.refusals.append(REFUSED)
    await market.shared()
    await market.work(NOW)
    shares = await settled(market.db, market.merchant_id, FIRST)
    assert shares == {"primary": PAISE - SHARE - OTHER, WEAVER: SHARE, DYER: OTHER}
    await market.holds()


async def test_a_share_that_is_refused_after_the_settlement_is_in_the_next_one(
    market: Market,
) -> None:
    market.bank.standing = PartyStanding(PartyState.PENDING)
    await market.shared()
    await market.work(NOW)
    shares = await settled(market.db, market.merchant_id, FIRST)
    assert shares == {"primary": PAISE - SHARE - OTHER, DYER: OTHER}
    market.bank.standing = ACTIVE
    market.bank.refusals.append(REFUSED)
    await market.work(FIRST)
    assert await settled(market.db, market.merchant_id, SECOND) == {WEAVER: SHARE}
    assert await parts(market.db) == [(DYER, OTHER), (WEAVER, SHARE)]
    assert await market.balance("payable") == 0
    await market.holds()


async def test_what_was_taken_back_is_the_merchants(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000, NOW + timedelta(minutes=1))
    await market.work(NOW + timedelta(minutes=1))
    shares = await settled(market.db, market.merchant_id, FIRST)
    dyers = OTHER * 3 // 4
    assert shares == {"primary": 75_000 - 60_000 - dyers, DYER: dyers}
    await market.holds()
