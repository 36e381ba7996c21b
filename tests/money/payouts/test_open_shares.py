"""What is to be paid out is found by what is open: history costs nothing."""

import json
from datetime import timedelta
from typing import Any

import pytest

from hundi.kernel.ids import first_id
from hundi.money.audit.rules import Violation
from hundi.money.payouts import actions, store
from tests.money.payouts.till import Till
from tests.shop import NOW

HISTORY = 10_000
"""Shares that were paid out long ago."""
READ_MAX = 40
"""Rows that a look may touch for one open share, whatever is behind it."""
EARLIER = first_id(NOW) - first_id(NOW - timedelta(days=1))
"""What lies between numbers of today and of the day before.

In the second of the test's own numbers one of the history's could be drawn again, and nothing would
be prepared.
"""
PAST = f"""
INSERT INTO settlement_shares (merchant_id, share_id, settlement_id, beneficiary, amount_paise,
    created_at)
SELECT merchant_id, share_id - {EARLIER} - n * 10, settlement_id, beneficiary || n, amount_paise,
    created_at
FROM settlement_shares, generate_series(1, {HISTORY}) AS n WHERE share_id = $1
"""
PAST_PAYOUTS = f"""
INSERT INTO payouts (merchant_id, payout_id, share_id, try_no, beneficiary, account_no,
    amount_paise, source, state, channel, rail, connector, created_at, sent_at, settled_at, utr)
SELECT merchant_id, payout_id - {EARLIER} - n * 10, share_id - {EARLIER} - n * 10, 1, beneficiary,
    account_no, amount_paise, source, 'done', channel, rail, connector, created_at, created_at,
    created_at, 'UTR'
FROM payouts, generate_series(1, {HISTORY}) AS n WHERE share_id = $1
"""


def rows_read(plan: dict[str, Any]) -> float:
    """Return how many rows the nodes of a plan touched, those that they left out with them."""
    own = (
        plan["Actual Rows"]
        + plan.get("Rows Removed by Filter", 0)
        + plan.get("Rows Removed by Join Filter", 0)
    )
    return own * plan["Actual Loops"] + sum(rows_read(each) for each in plan.get("Plans", []))


async def test_a_look_reads_what_is_open_and_no_history(till: Till) -> None:
    payout = await till.prepared()
    async with till.db.transaction() as conn:
        await conn.execute("ALTER TABLE payouts DROP CONSTRAINT payouts_two_people")
        await conn.execute(PAST, payout.share_id)
        await conn.execute(PAST_PAYOUTS, payout.share_id)
    await till.db.execute("ANALYZE")
    open_share = await till.settle(70_000)
    (found,) = await store.to_prepare(till.db, 1_000)
    assert (found.share_id, found.amount_paise, found.tries) == (open_share, 70_000, 0)
    explained = await till.db.fetchval(
        f"EXPLAIN (ANALYZE, FORMAT JSON) {store.SELECT_TO_PREPARE}", 1_000
    )
    assert (
        rows_read(
            json.loads(explained)[0]["Plan"] if isinstance(explained, str) else explained[0]["Plan"]
        )
        < READ_MAX
    )
    assert await actions.prepare(till.context, NOW) == 1
    assert await store.to_prepare(till.db, 1_000) == []


async def test_what_came_to_nothing_is_open_again_for_another_account(till: Till) -> None:
    payout = await till.prepared()
    assert await till.db.fetchval("SELECT count(*) FROM shares_to_pay") == 0
    await till.add_account("60200054321111")
    assert await till.db.fetchrow("SELECT share_id, account_no FROM shares_to_pay") == (
        payout.share_id,
        1,
    )
    assert await store.to_prepare(till.db, 10) == [], "not verified yet"
    await till.check_accounts()
    (found,) = await store.to_prepare(till.db, 10)
    assert (found.share_id, found.account_no, found.tries) == (payout.share_id, 2, 1)


@pytest.mark.parametrize(
    "lie", ["DELETE FROM shares_to_pay", "UPDATE shares_to_pay SET account_no = 1"]
)
async def test_a_share_that_was_forgotten_is_named(till: Till, lie: str) -> None:
    await till.settle()
    assert await till.broken(NOW) == set()
    await till.db.execute(lie)
    assert await till.broken(NOW) == {Violation.PAYOUT_FORGOTTEN}
