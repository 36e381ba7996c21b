"""The books in PostgreSQL: postings, and balances as checkpoint plus tail. A payment's step appends.

A posting carries the transaction that wrote it (`xact`). Every transaction before a snapshot's xmin has ended, so what
a roll-up counts below that mark can never be joined by a posting that was still in flight.
"""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.database import Connection, Database
from hundi.kernel.money import Money
from hundi.money.ledger.rules import Balance, Posting, PostingKind

_POSTINGS = """
    SELECT merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at
    FROM ledger_postings
    WHERE merchant_id = $1 AND cause_id = ANY ($2::bigint[])
    ORDER BY at, cause_id, kind DESC
"""

# A dump restored into a new cluster brings marks from that cluster's future; such a roll-up says nothing here.
_BALANCES = """
    WITH roll AS (
        SELECT through FROM ledger_rolls
        WHERE merchant_id = $1 AND through <= pg_snapshot_xmin(pg_current_snapshot())
    ),
    tail AS (
        SELECT debit, credit, currency, sum(amount_paise) AS paise
        FROM ledger_postings
        WHERE merchant_id = $1 AND xact >= coalesce((SELECT through FROM roll), '0')
        GROUP BY debit, credit, currency
    ),
    parts AS (
        SELECT account, currency, debit_paise, credit_paise FROM ledger_checkpoints
        WHERE merchant_id = $1 AND EXISTS (SELECT FROM roll)
        UNION ALL
        SELECT debit, currency, paise, 0 FROM tail
        UNION ALL
        SELECT credit, currency, 0, paise FROM tail
    )
    SELECT account, currency, sum(debit_paise)::text AS debit_paise, sum(credit_paise)::text AS credit_paise
    FROM parts GROUP BY account, currency ORDER BY account, currency
"""

# One step through the index a merchant, however many postings each has.
_NEXT_POSTED = "SELECT merchant_id FROM ledger_postings WHERE merchant_id > $1 ORDER BY merchant_id LIMIT 1"

_IS_UNROLLED = """
    SELECT EXISTS (
        SELECT FROM ledger_postings WHERE merchant_id = $1
            AND xact >= coalesce((SELECT through FROM ledger_rolls WHERE merchant_id = $1), '0')
    ) OR EXISTS (
        SELECT FROM ledger_rolls WHERE merchant_id = $1 AND through > pg_snapshot_xmin(pg_current_snapshot())
    )
"""

_LOCK_ROLL = """
    INSERT INTO ledger_rolls (merchant_id, through, rolled_at) VALUES ($1, '0', $2)
    ON CONFLICT (merchant_id) DO UPDATE SET rolled_at = $2
"""

# Asked once the lock is held: who waited for it has a snapshot from before, to which the mark just set looks foreign.
_IS_FOREIGN = "SELECT through > pg_snapshot_xmin(pg_current_snapshot()) FROM ledger_rolls WHERE merchant_id = $1"

_FORGET_ROLL = """
    WITH emptied AS (DELETE FROM ledger_checkpoints WHERE merchant_id = $1)
    UPDATE ledger_rolls SET through = '0' WHERE merchant_id = $1
"""

# One statement has one snapshot, so the mark and the postings counted below it belong together.
_ROLL = """
    WITH span AS (
        SELECT through AS old, pg_snapshot_xmin(pg_current_snapshot()) AS new FROM ledger_rolls WHERE merchant_id = $1
    ),
    ended AS (
        SELECT debit, credit, currency, sum(amount_paise) AS paise, count(*) AS postings
        FROM ledger_postings, span
        WHERE merchant_id = $1 AND xact >= span.old AND xact < span.new
        GROUP BY debit, credit, currency
    ),
    sums AS (
        SELECT account, currency, sum(debited) AS debit_paise, sum(credited) AS credit_paise
        FROM (SELECT debit AS account, currency, paise AS debited, 0 AS credited FROM ended
              UNION ALL SELECT credit, currency, 0, paise FROM ended) AS sides
        GROUP BY account, currency
    ),
    written AS (
        INSERT INTO ledger_checkpoints AS c (merchant_id, account, currency, debit_paise, credit_paise)
        SELECT $1, account, currency, debit_paise, credit_paise FROM sums
        ON CONFLICT (merchant_id, account, currency) DO UPDATE
        SET debit_paise = c.debit_paise + excluded.debit_paise, credit_paise = c.credit_paise + excluded.credit_paise
    ),
    marked AS (
        UPDATE ledger_rolls SET through = span.new FROM span WHERE merchant_id = $1
    )
    SELECT coalesce(sum(postings), 0)::bigint FROM ended
"""


async def postings_of(db: Database, merchant_id: int, cause_ids: Sequence[int]) -> tuple[Posting, ...]:
    """Return the postings of some attempts and refunds of a merchant, oldest first."""
    rows = await db.fetch(_POSTINGS, merchant_id, list(cause_ids))
    return tuple(
        Posting(
            row["merchant_id"],
            row["cause_id"],
            PostingKind(row["kind"]),
            row["debit"],
            row["credit"],
            Money(row["amount_paise"], row["currency"]),
            row["at"],
        )
        for row in rows
    )


async def balances(db: Database, merchant_id: int) -> tuple[Balance, ...]:
    """Return every account of a merchant that was ever posted to: checkpoint plus tail, in one snapshot."""
    rows = await db.fetch(_BALANCES, merchant_id)
    return tuple(
        Balance(row["account"], row["currency"], int(row["debit_paise"]), int(row["credit_paise"])) for row in rows
    )


async def merchants_to_roll(db: Database) -> tuple[int, ...]:
    """Return the merchants with postings that no checkpoint covers."""
    found: list[int] = []
    merchant_id: int | None = await db.fetchval(_NEXT_POSTED, 0)
    while merchant_id is not None:
        if await db.fetchval(_IS_UNROLLED, merchant_id):
            found.append(merchant_id)
        merchant_id = await db.fetchval(_NEXT_POSTED, merchant_id)
    return tuple(found)


async def lock_roll(conn: Connection, merchant_id: int, now: datetime) -> None:
    """Lock a merchant's roll-up until the transaction ends.

    A roll-up of a foreign database cluster begins anew.
    """
    await conn.execute(_LOCK_ROLL, merchant_id, now)
    if await conn.fetchval(_IS_FOREIGN, merchant_id):
        await conn.execute(_FORGET_ROLL, merchant_id)


async def roll(conn: Connection, merchant_id: int) -> int:
    """Add new postings to the merchant's checkpoints and return how many were added.

    The caller holds `lock_roll` in the same transaction; without it two roll-ups would count the same postings.
    """
    return await conn.fetchval(_ROLL, merchant_id) or 0
