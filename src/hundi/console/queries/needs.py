"""Rows of what waits for people: by keys of given merchants, each read bounded in time."""

from collections.abc import Collection
from datetime import datetime

from asyncpg import Record

from hundi.console.queries.bounded import look
from hundi.console.queries.complaints import select_waiting
from hundi.infra.postgres.database import Database, Queries
from hundi.kernel.ids import first_id

SELECT_DISPUTES = """
SELECT d.merchant_id, d.dispute_id, d.phase::text AS phase, d.amount_paise, d.currency, d.respond_by
FROM dispute_stages d WHERE d.merchant_id = ANY ($1::bigint[]) AND d.state = 'open'
ORDER BY d.respond_by LIMIT $2
"""
SELECT_APPROVALS = """
SELECT merchant_id, approval_id, kind, title, made_by, maker, made_at, ends_at FROM approvals
WHERE merchant_id = ANY ($1::bigint[]) AND state = 'waiting' AND ends_at > $2
ORDER BY ends_at LIMIT $3
"""
SELECT_GIVEN_UP = """
SELECT merchant_id, count(*) AS number FROM deliveries
WHERE merchant_id = ANY ($1::bigint[]) AND state = 'exhausted' AND created_at >= $2
GROUP BY merchant_id ORDER BY number DESC
"""
SELECT_FAILING = """
SELECT merchant_id, 0 AS endpoint_no, '' AS name, since, problem FROM failing_endpoints
WHERE merchant_id = ANY ($1::bigint[])
UNION ALL SELECT merchant_id, endpoint_no, name, failing_since, problem FROM webhook_endpoints
WHERE merchant_id = ANY ($1::bigint[]) AND state = 'enabled' AND failing_since IS NOT NULL
ORDER BY since
"""
SELECT_RETURNED = """
SELECT p.merchant_id, p.payout_id, p.amount_paise, p.state::text AS state FROM payouts p
WHERE p.merchant_id = ANY ($1::bigint[]) AND p.payout_id >= $2
    AND p.state IN ('refused', 'returned', 'reversed', 'paid_twice')
    AND NOT EXISTS (SELECT FROM payouts later WHERE later.merchant_id = ANY ($1::bigint[])
        AND later.merchant_id = p.merchant_id AND later.share_id = p.share_id
        AND later.try_no > p.try_no)
ORDER BY p.payout_id DESC LIMIT $3
"""
SELECT_TO_RELEASE = """
SELECT merchant_id, count(*) AS number, sum(amount_paise)::bigint AS paise FROM payouts
WHERE merchant_id = ANY ($1::bigint[]) AND state IN ('prepared', 'proposed')
GROUP BY merchant_id ORDER BY paise DESC
"""
SELECT_UNKNOWN = """
SELECT merchant_id, sum(number)::bigint AS number, min(hour) AS since FROM hour_tallies
WHERE merchant_id = ANY ($1::bigint[]) AND hour >= $2 AND what = 'payment' AND state = 'unknown'
GROUP BY merchant_id ORDER BY number DESC
"""
SELECT_ENDING_KEYS = """
SELECT merchant_id, name, expires_at FROM bearer_keys
WHERE merchant_id = ANY ($1::bigint[]) AND ended_at IS NULL AND expires_at > $2 AND expires_at < $3
ORDER BY expires_at LIMIT $4
"""
SELECT_ENDING_ASSISTANT_KEYS = """
SELECT merchant_id, name, ends_at FROM assistant_keys
WHERE merchant_id = ANY ($1::bigint[]) AND ended_at IS NULL AND ends_at > $2 AND ends_at < $3
ORDER BY ends_at LIMIT $4
"""
SELECT_STEPS = """
SELECT EXISTS (SELECT FROM bank_accounts WHERE merchant_id = $1 AND state = 'verified'
        AND replaced_at IS NULL) AS account,
    EXISTS (SELECT FROM fee_plans WHERE merchant_id = $1) AS plan,
    EXISTS (SELECT FROM access_tokens WHERE merchant_id = $1) AS token,
    EXISTS (SELECT FROM payments WHERE merchant_id = $1) AS payment,
    EXISTS (SELECT FROM attempts WHERE merchant_id = $1
        AND state IN ('paid', 'authorised')) AS paid
"""


async def disputes(db: Database, merchants: Collection[int], limit: int) -> list[Record]:
    """Return open phases of disputes, the earliest deadline first."""
    return await look(db, SELECT_DISPUTES, list(merchants), limit) or []


async def complaints(
    db: Database, merchants: Collection[int], before: datetime | None, limit: int
) -> list[Record]:
    """Return complaints that wait, the earliest deadline first.

    before: only those whose deadline is earlier, None for all.
    """
    return await select_waiting(db, merchants, before, limit) or []


async def approvals(
    db: Database, places: Collection[int], now: datetime, limit: int
) -> list[Record]:
    """Return requests that wait for a second person, those that end first on top."""
    return await look(db, SELECT_APPROVALS, list(places), now, limit) or []


async def given_up(db: Database, merchants: Collection[int], since: datetime) -> list[Record]:
    """Return how many notifications of each merchant were given up since a time."""
    return await look(db, SELECT_GIVEN_UP, list(merchants), since) or []


async def failing(db: Database, merchants: Collection[int]) -> list[Record]:
    """Return the notification addresses that fail now, the longest first; 0: the settings' own."""
    return await look(db, SELECT_FAILING, list(merchants)) or []


async def returned(
    db: Database, merchants: Collection[int], since: datetime, limit: int
) -> list[Record]:
    """Return payouts since a time that did not arrive and were not tried again, newest first."""
    return await look(db, SELECT_RETURNED, list(merchants), first_id(since), limit) or []


async def to_release(db: Database, merchants: Collection[int]) -> list[Record]:
    """Return number and amount of each merchant's payouts that wait for a person."""
    return await look(db, SELECT_TO_RELEASE, list(merchants)) or []


async def unknown(db: Database, merchants: Collection[int], since: datetime) -> list[Record]:
    """Return how many payments of each merchant since a time the bank says nothing about."""
    return await look(db, SELECT_UNKNOWN, list(merchants), since) or []


async def ending_keys(
    db: Database, merchants: Collection[int], now: datetime, until: datetime, limit: int
) -> list[Record]:
    """Return bearer keys that end before a time, the first to end on top."""
    return await look(db, SELECT_ENDING_KEYS, list(merchants), now, until, limit) or []


async def ending_assistant_keys(
    db: Database, places: Collection[int], now: datetime, until: datetime, limit: int
) -> list[Record]:
    """Return keys of assistants that end before a time, the first to end on top."""
    return await look(db, SELECT_ENDING_ASSISTANT_KEYS, list(places), now, until, limit) or []


async def steps(source: Queries, merchant_id: int) -> Record:
    """Return which of the first steps a merchant has done."""
    row = await source.fetchrow(SELECT_STEPS, merchant_id)
    assert row is not None
    return row
