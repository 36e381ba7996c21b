"""What anybody can cause without a credential stays bounded."""

from datetime import UTC, datetime, timedelta

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.merchants.access import actions, rules, store
from tests.shop import open_shop

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
TOKEN_UNKNOWN = Refusal(RefusalCode.TOKEN_UNKNOWN)


async def _kept(db: Database, merchant_id: int) -> int:
    return len(await store.select_refused(db, merchant_id, "", 10_000))


async def test_a_flood_of_refused_requests_leaves_a_bounded_number_of_rows(db: Database) -> None:
    merchant_id = (await open_shop(db)).merchant.merchant_id

    async def flood(address: str, now: datetime, count: int) -> None:
        for number in range(count):
            reference = f"req_{address}_{now:%M}_{number}"
            await actions.keep_refusal(
                db,
                merchant_id,
                reference,
                "verify",
                TOKEN_UNKNOWN,
                "no",
                address,
                now,
                proven=False,
            )

    each = rules.REFUSED_KEPT_PER_ADDRESS_MAX
    await flood("203.0.113.1", NOW, each + 5)
    assert await _kept(db, merchant_id) == each
    await flood("203.0.113.2", NOW, 1)
    assert await _kept(db, merchant_id) == each + 1
    for other in range(3, 9):
        await flood(f"203.0.113.{other}", NOW, each)
    assert await _kept(db, merchant_id) == rules.REFUSED_KEPT_MAX
    await actions.keep_refusal(
        db, merchant_id, "req_own", "verify", TOKEN_UNKNOWN, "no", "203.0.113.1", NOW, proven=True
    )
    assert await _kept(db, merchant_id) == rules.REFUSED_KEPT_MAX + 1
    await flood("203.0.113.1", NOW + timedelta(minutes=2), 1)
    assert await _kept(db, merchant_id) == rules.REFUSED_KEPT_MAX + 2
