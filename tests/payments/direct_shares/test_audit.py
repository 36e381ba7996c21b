"""What a superuser changes of direct shares, the audit names."""

from datetime import timedelta

import pytest

from hundi.infra.postgres.database import Database
from hundi.money.audit.rules import Violation
from hundi.money.chain import actions as chain
from tests.bent import take_checks_off
from tests.payments.direct_shares.market import Market, open_market
from tests.payments.direct_shares.splitting import CarryingAcquirer
from tests.shop import NOW, VAULT

SOON = NOW + timedelta(minutes=1)
V = Violation
SETTLED_TOO = """
INSERT INTO settlement_parts (merchant_id, settlement_id, payment_id, identifier, amount_paise)
SELECT merchant_id, 1, payment_id, identifier, 1 FROM direct_shares
"""
TABLES = ("direct_shares", "direct_share_events", "share_reversals", "linked_parties")


@pytest.mark.parametrize(
    ("lie", "named"),
    [
        ("UPDATE direct_shares SET party = 'acc_thief'", {V.SEALED_ROW_DIFFERS}),
        ("UPDATE direct_shares SET amount_paise = 80001", {V.DIRECT_SHARE_DIFFERS}),
        ("UPDATE direct_shares SET base_paise = 100001", {V.DIRECT_SHARE_DIFFERS}),
        ("UPDATE direct_shares SET connector = 'other'", {V.DIRECT_SHARE_DIFFERS}),
        ("UPDATE direct_shares SET attempt_id = attempt_id + 1", {V.DIRECT_SHARE_DIFFERS}),
        ("UPDATE direct_shares SET sent_paise = 79999", {V.DIRECT_POSTING_DIFFERS}),
        ("UPDATE direct_shares SET state = 'refused'", {V.DIRECT_POSTING_DIFFERS}),
        ("UPDATE direct_shares SET state = 'unknown'", {V.DIRECT_SHARE_UNEXPLAINED}),
        ("UPDATE direct_shares SET revision = 9", {V.DIRECT_SHARE_UNEXPLAINED}),
        ("UPDATE direct_shares SET transfer_id = 'trf_2'", {V.SEALED_ROW_DIFFERS}),
        ("DELETE FROM direct_shares", {V.DIRECT_POSTING_DIFFERS, V.SEALED_ROW_DIFFERS}),
        ("DELETE FROM direct_share_events", {V.DIRECT_SHARE_UNEXPLAINED}),
        ("UPDATE direct_share_events SET state = 'sent'", {V.DIRECT_SHARE_UNEXPLAINED}),
        ("UPDATE share_reversals SET amount_paise = 1", {V.DIRECT_POSTING_DIFFERS}),
        ("UPDATE share_reversals SET state = 'owed'", {V.DIRECT_POSTING_DIFFERS}),
        ("UPDATE share_reversals SET code = 'x'", {V.SEALED_ROW_DIFFERS}),
        ("DELETE FROM share_reversals", {V.DIRECT_POSTING_DIFFERS}),
        (
            "UPDATE linked_parties SET party = 'acc_thief'",
            {V.DIRECT_SHARE_DIFFERS, V.LINKED_UNTOLD},
        ),
        ("DELETE FROM linked_parties", {V.DIRECT_SHARE_DIFFERS, V.LINKED_UNTOLD}),
        (
            "UPDATE direct_shares SET state = 'refused', late_at = ended_at",
            {V.DIRECT_POSTING_DIFFERS},
        ),
        (SETTLED_TOO, {V.SHARE_SETTLED_TWICE}),
    ],
)
async def test_a_lie_is_named(market: Market, lie: str, named: set[Violation]) -> None:
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    assert named <= await _broken_by(market, lie)


@pytest.mark.parametrize(
    ("lie", "named"),
    [
        (
            "UPDATE share_reversals SET state = 'cancelled'",
            {V.CARRIED_REVERSAL_DIFFERS, V.DIRECT_POSTING_DIFFERS},
        ),
        ("UPDATE refunds SET state = 'failed'", {V.CARRIED_REVERSAL_DIFFERS}),
        (
            "UPDATE share_reversals SET refund_id = refund_id + 1",
            {V.CARRIED_REVERSAL_DIFFERS, V.SEALED_ROW_DIFFERS},
        ),
        ("UPDATE refunds SET amount_paise = 19999", {V.CARRIED_REVERSAL_DIFFERS}),
    ],
)
async def test_a_lie_about_what_a_refund_took_is_named(
    db: Database, lie: str, named: set[Violation]
) -> None:
    market = await open_market(db, CarryingAcquirer())
    view = await market.shared()
    await market.work(NOW)
    await market.refund(view, 25_000, SOON)
    await market.work(SOON)
    assert named <= await _broken_by(market, lie)


async def _broken_by(market: Market, lie: str) -> set[Violation]:
    """Return what the audit names once somebody changed sound and sealed books."""
    await chain.seal(market.db, VAULT, await market.later())
    await market.holds()
    async with market.db.transaction() as conn:
        await take_checks_off(conn)
        for table in (*TABLES, "refunds"):
            await conn.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        await conn.execute(lie)
    return await market.broken()
