"""All SQL about tokens, failed token requests and refused requests."""

from collections.abc import Mapping
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Database
from hundi.kernel.masking import masked, masked_json
from hundi.merchants.access.rules import FailureCount, IssuedToken, TokenScope

INSERT_ACCESS = """
INSERT INTO access_tokens (merchant_id, token_hash, scope, network, issued_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)
"""
SELECT_ACCESS = """
SELECT scope, network, expires_at FROM access_tokens WHERE merchant_id = $1 AND token_hash = $2
"""
SELECT_NEWEST_ISSUE = "SELECT max(issued_at) FROM access_tokens WHERE merchant_id = $1"
SELECT_IS_KNOWN = """
SELECT EXISTS (SELECT FROM access_tokens WHERE merchant_id = $1 AND network = $2 AND issued_at > $3)
"""
DELETE_TOKENS_OF_MERCHANT = "DELETE FROM access_tokens WHERE merchant_id = $1"
SWEEP_TOKENS = "DELETE FROM access_tokens WHERE expires_at < $1"

SELECT_FAILURES = """
SELECT failures, window_from, blocked_until FROM token_failures WHERE merchant_id = $1
    AND address = $2
"""
UPSERT_FAILURES = """
INSERT INTO token_failures (merchant_id, address, failures, window_from, blocked_until)
    VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (merchant_id, address)
DO UPDATE SET failures = $3, window_from = $4, blocked_until = $5
"""
COUNT_FAILURES = """
SELECT coalesce(sum(failures), 0) FROM token_failures WHERE merchant_id = $1 AND window_from > $2
"""
SWEEP_FAILURES = "DELETE FROM token_failures WHERE window_from < $1"

COUNT_REFUSED = """
SELECT count(*) AS every, count(*) FILTER (WHERE address = $2) AS of_address FROM (
    SELECT address FROM refused_requests WHERE merchant_id = $1 AND at > $3 LIMIT $4) AS recent
"""
INSERT_REFUSED = """
INSERT INTO refused_requests (merchant_id, reference, at, operation, code, words, detail, address,
    explained)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (merchant_id, reference) DO NOTHING
"""
SELECT_REFUSED = """
SELECT reference, at, operation, code, words, detail, address, coalesce(explained->'settings',
    '[]') AS settings
FROM refused_requests
WHERE merchant_id = $1 AND ($2 = '' OR reference = $2)
ORDER BY at DESC LIMIT $3
"""
SWEEP_REFUSED = "DELETE FROM refused_requests WHERE at < $1"


async def insert_token(
    db: Database, merchant_id: int, token_hash: bytes, token: IssuedToken, now: datetime
) -> None:
    """Write a token, hashed."""
    await db.execute(
        INSERT_ACCESS, merchant_id, token_hash, token.scope, token.network, now, token.expires_at
    )


async def select_token(db: Database, merchant_id: int, token_hash: bytes) -> IssuedToken | None:
    """Return this merchant's token, or None when it has no such token."""
    row = await db.fetchrow(SELECT_ACCESS, merchant_id, token_hash)
    return (
        None
        if row is None
        else IssuedToken(TokenScope(row["scope"]), row["network"], row["expires_at"])
    )


async def newest_issue(db: Database, merchant_id: int) -> datetime | None:
    """Return when the newest token was issued, None for none within the last day."""
    return await db.fetchval(SELECT_NEWEST_ISSUE, merchant_id)


async def is_known(db: Database, merchant_id: int, network: str, since: datetime) -> bool:
    """Return whether a token was issued to a network for this merchant since a time."""
    return await db.fetchval(SELECT_IS_KNOWN, merchant_id, network, since)


async def delete_tokens(db: Database, merchant_id: int) -> None:
    """Revoke every token of a merchant."""
    await db.execute(DELETE_TOKENS_OF_MERCHANT, merchant_id)


async def select_failures(db: Database, merchant_id: int, address: str) -> FailureCount | None:
    """Return the failures of an address."""
    row = await db.fetchrow(SELECT_FAILURES, merchant_id, address)
    return (
        None
        if row is None
        else FailureCount(row["failures"], row["window_from"], row["blocked_until"])
    )


async def upsert_failures(
    db: Database, merchant_id: int, address: str, count: FailureCount
) -> None:
    """Write the failures of an address.

    Two at the same moment may count as one, which makes the limit slightly higher.
    """
    values = (count.failures, count.window_from, count.blocked_until)
    await db.execute(UPSERT_FAILURES, merchant_id, address, *values)


async def count_failures(db: Database, merchant_id: int, since: datetime) -> int:
    """Return one merchant's failures over all addresses."""
    return await db.fetchval(COUNT_FAILURES, merchant_id, since)


async def count_refused(
    db: Database, merchant_id: int, address: str, since: datetime, count_max: int
) -> tuple[int, int]:
    """Return how many newer refused requests a merchant has.

    All (up to count_max), and one address's.
    """
    row = await db.fetchrow(COUNT_REFUSED, merchant_id, address, since, count_max)
    return (0, 0) if row is None else (row["every"], row["of_address"])


async def insert_refused(  # noqa: PLR0913 (one parameter a column)
    db: Database,
    merchant_id: int,
    reference: str,
    now: datetime,
    operation: str,
    code: str,
    words: str,
    detail: str,
    address: str,
    explained: Mapping[str, object],
) -> None:
    """Write one refused request to the merchant's own log, which may repeat received text."""
    texts = masked(words), masked(detail)
    values = (operation, code, *texts, address, masked_json(explained))
    await db.execute(INSERT_REFUSED, merchant_id, reference, now, *values)


async def select_refused(
    db: Database, merchant_id: int, reference: str, limit: int
) -> list[Record]:
    """Return a merchant's refused requests, newest first; one when a reference is given."""
    return await db.fetch(SELECT_REFUSED, merchant_id, reference, limit)


async def sweep(
    db: Database, *, tokens_before: datetime, failures_before: datetime, refused_before: datetime
) -> None:
    """Delete expired tokens, old failures and old refused requests."""
    await db.execute(SWEEP_TOKENS, tokens_before)
    await db.execute(SWEEP_FAILURES, failures_before)
    await db.execute(SWEEP_REFUSED, refused_before)
