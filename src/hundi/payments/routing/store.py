"""All SQL of routing: plans, acquirers' health, and the attempts that a plan is tried on."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.payments.routing.health.rules import Key, Outcomes

SELECT_LIVE = """
SELECT version, document, published_by, published_at FROM routing_plans ORDER BY version DESC
    LIMIT 1
"""
SELECT_VERSION = (
    "SELECT version, document, published_by, published_at FROM routing_plans WHERE version = $1"
)
SELECT_HEADS = """
SELECT version, length(document) AS characters, published_by, published_at FROM routing_plans
ORDER BY version DESC LIMIT $1
"""
LOCK_PLANS = "SELECT pg_advisory_xact_lock(7125530419)"
"""Serialises publications: each publisher sees the plan in force."""
INSERT_PLAN = (
    "INSERT INTO routing_plans (version, document, published_by, published_at) VALUES "
    "($1, $2, $3, $4)"
)
TROUBLED = "(state = 'unknown' OR state IN ('failed', 'expired') AND bank_code = ANY ($2))"
"""The condition for an attempt that failed by no fault of its customer. $2: those codes.

A link that certainly was not requested expires with the code of that.
"""
NOT_SCANNED = (
    "(method IN ('upi_qr', 'upi_link') AND state IN ('expired', 'unknown') AND bank_code = '')"
)
"""The condition for a QR that nobody paid, which says nothing of its acquirer."""
SELECT_OUTCOMES = f"""
SELECT connector, method, bank, count(*) AS ended, count(*) FILTER (WHERE {TROUBLED}) AS troubled
FROM (
    SELECT DISTINCT ON (merchant_id, payment_id, connector, method, bank) connector, method, bank,
        state, bank_code
    FROM (
        SELECT merchant_id, payment_id, attempt_id, connector, method::text AS method, bank,
            state::text AS state, bank_code
        FROM attempts
        WHERE created_at > $1 AND route <> '{{}}'::jsonb
            AND (state IN ('paid', 'authorised', 'overpaid', 'failed') OR {TROUBLED})
                AND NOT {NOT_SCANNED}
        ORDER BY created_at DESC LIMIT $3
    ) AS latest
    ORDER BY merchant_id, payment_id, connector, method, bank, attempt_id DESC
) AS last
GROUP BY connector, method, bank
"""
"""Across merchants: an acquirer that is down is down for all of them.

Of one payment the last attempt counts: nobody makes an outage by trying again and again.
"""
SELECT_MERCHANTS = "SELECT m.merchant_id FROM merchants m LIMIT $1"
SELECT_LATELY = f"""
SELECT connector, method::text AS method, count(*) AS ended,
    count(*) FILTER (WHERE {TROUBLED}) AS troubled
FROM (
    SELECT DISTINCT ON (merchant_id, payment_id, connector, method) connector, method, state,
        bank_code
    FROM attempts WHERE merchant_id = ANY ($1::bigint[]) AND attempt_id >= $3
        AND (state IN ('paid', 'authorised', 'overpaid', 'failed') OR {TROUBLED})
        AND NOT {NOT_SCANNED}
    ORDER BY merchant_id, payment_id, connector, method, attempt_id DESC
) AS last
GROUP BY connector, method
"""
"""The same of given merchants, also attempts with one possible acquirer, which no index over all
has.
"""
SELECT_PAST = """
SELECT a.attempt_id, a.payment_id, a.method::text AS method, a.connector, a.state::text AS state,
    a.bank, a.card ->> 'scheme' AS network, a.amount_paise, a.received_paise, a.created_at AS at,
    p.kind::text AS kind, p.currency::text AS currency, p.restrictions,
    (SELECT count(*) FROM attempts b WHERE b.merchant_id = $1 AND b.payment_id = a.payment_id
        AND b.attempt_id < a.attempt_id) AS tries
FROM attempts a JOIN payments p ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id
WHERE a.merchant_id = $1 AND a.attempt_id > $2 AND a.state <> 'offered'
    AND NOT (a.method IN ('upi_qr', 'upi_link') AND a.state IN ('expired', 'unknown'))
ORDER BY a.attempt_id LIMIT $3
"""
"""The attempts after one, oldest first: ids follow time.

Without the QRs that nobody scanned.
"""


async def select_live(db: Queries) -> Record | None:
    """Return the newest plan, None where there is none."""
    return await db.fetchrow(SELECT_LIVE)


async def select_version(db: Database, version: int) -> Record | None:
    """Return one version of the plan."""
    return await db.fetchrow(SELECT_VERSION, version)


async def select_heads(db: Database, limit: int) -> list[Record]:
    """Return the plan's versions, newest first."""
    return await db.fetch(SELECT_HEADS, limit)


async def lock_live(conn: Connection) -> Record | None:
    """Return the newest plan, locked against another publication until the transaction ends."""
    await conn.execute(LOCK_PLANS)
    return await select_live(conn)


async def insert_plan(
    conn: Connection, version: int, document: str, by: str, now: datetime
) -> None:
    """Write a version of the plan."""
    await conn.execute(INSERT_PLAN, version, document, by, now)


async def outcomes(
    db: Database, since: datetime, troubles: list[str], limit: int
) -> dict[Key, Outcomes]:
    """Return the outcomes of the latest attempts for which an acquirer was chosen."""
    rows = await look(db, SELECT_OUTCOMES, since, troubles, limit)
    return {
        (row["connector"], row["method"], row["bank"]): Outcomes(row["ended"], row["troubled"])
        for row in rows
    }


async def outcomes_of(
    db: Database, merchants: list[int], troubles: list[str], first: int
) -> dict[tuple[str, str], Outcomes]:
    """Return the outcomes of merchants' attempts by acquirer and method.

    first: the lowest id of an attempt.
    """
    rows = await look(db, SELECT_LATELY, merchants, troubles, first)
    return {
        (row["connector"], row["method"]): Outcomes(row["ended"], row["troubled"]) for row in rows
    }


async def select_merchants(db: Database, limit: int) -> list[int]:
    """Return the ids of this many merchants at most."""
    return [row["merchant_id"] for row in await look(db, SELECT_MERCHANTS, limit)]


async def select_past(db: Database, merchant_id: int, after: int, limit: int) -> list[Record]:
    """Return the next attempts of a merchant, oldest first.

    after: the last attempt of the page before.
    """
    return await db.fetch(SELECT_PAST, merchant_id, after, limit)
