"""The books in PostgreSQL: postings, and balances as a checkpoint and the postings after it.

Payments write their postings themselves, with each step. A posting carries the transaction that
wrote it (`xact`). Every transaction before a snapshot's xmin has ended, so no posting can be added
later below the mark of a roll-up.
"""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import look
from hundi.kernel.money import Money
from hundi.money.ledger.rules import Balance, Posting, PostingKind

_POSTINGS = """
    SELECT merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at
    FROM ledger_postings
    WHERE merchant_id = $1 AND cause_id = ANY ($2::bigint[])
    ORDER BY at, cause_id, kind DESC
"""

# Marks count the transactions of one cluster. After a restore into a new cluster, or a move to
# another node of a Citus cluster, an old roll-up means nothing here.
_BALANCES = """
    WITH roll AS (
        SELECT through FROM ledger_rolls
        WHERE merchant_id = $1 AND through <= pg_snapshot_xmin(pg_current_snapshot())
            AND is_home(cluster, tableoid)
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
        SELECT account, currency, debit_paise, credit_paise FROM archived_sums
        WHERE merchant_id = $1 AND NOT EXISTS (SELECT FROM roll)
        UNION ALL
        SELECT debit, currency, paise, 0 FROM tail
        UNION ALL
        SELECT credit, currency, 0, paise FROM tail
    )
    SELECT account, currency, sum(debit_paise)::text AS debit_paise,
    sum(credit_paise)::text AS credit_paise
    FROM parts GROUP BY account, currency ORDER BY account, currency
"""

# One index step for each merchant, however many postings it has.
_NEXT_POSTED = (
    "SELECT merchant_id FROM ledger_postings WHERE merchant_id > $1 ORDER BY merchant_id LIMIT 1"
)

_IS_UNROLLED = """
    SELECT EXISTS (
        SELECT FROM ledger_postings WHERE merchant_id = $1
            AND xact >= coalesce((SELECT through FROM ledger_rolls WHERE merchant_id = $1), '0')
    ) OR EXISTS (
        SELECT FROM ledger_rolls WHERE merchant_id = $1
            AND (through > pg_snapshot_xmin(pg_current_snapshot())
                OR NOT is_home(cluster, tableoid))
    )
"""

_ROLL_UP = "SELECT roll_up($1, $2)"


async def postings_of(
    db: Database, merchant_id: int, cause_ids: Sequence[int]
) -> tuple[Posting, ...]:
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
    """Return the balance of every account of a merchant that has postings, in one snapshot."""
    rows = await db.fetch(_BALANCES, merchant_id)
    return tuple(
        Balance(row["account"], row["currency"], int(row["debit_paise"]), int(row["credit_paise"]))
        for row in rows
    )


async def merchants_to_roll(db: Database) -> tuple[int, ...]:
    """Return the merchants with postings that no checkpoint covers."""
    merchants: list[int] = []
    last = 0
    while next_one := await look(db, _NEXT_POSTED, last):
        merchant_id = last = next_one[0]["merchant_id"]
        if await db.fetchval(_IS_UNROLLED, merchant_id):
            merchants.append(merchant_id)
    return tuple(merchants)


async def roll_up(db: Database, merchant_id: int, now: datetime) -> int:
    """Add new postings to the merchant's checkpoints, and return how many were added.

    A lock keeps two roll-ups from counting the same postings; checkpoints of another cluster are
    made again.
    """
    return await db.fetchval(_ROLL_UP, merchant_id, now) or 0
