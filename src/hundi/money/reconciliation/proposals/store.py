"""All SQL of proposals: open items and the decisions of people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed posting. owner_id: the merchant of the item that it closes, 0 for none."""

    merchant_id: int
    proposal_id: int
    owner_id: int
    item_id: int
    debit: str
    credit: str
    amount_paise: int
    reason: str
    proposed_by: str
    proposed_at: datetime


PROPOSAL = Table(Proposal, {})

LISTED_MAX = 500

COUNT_MATCHES = """
SELECT class, count(*) AS lines FROM statement_matches WHERE class IN ('matched', 'late')
    GROUP BY class
"""
COUNT_ITEMS = (
    "SELECT class, state, count(*) AS items FROM reconciliation_items GROUP BY class, state"
)
SELECT_ITEMS = """
SELECT i.merchant_id, i.item_id, i.class, i.connector, i.cause_id, i.ours_paise, i.theirs_paise,
    i.opened_at, l.reference, l.rrn, l.utr, l.day, l.is_credit, l.net_paise, l.fee_paise, l.kind
FROM reconciliation_items i LEFT JOIN statement_lines l ON l.merchant_id = i.merchant_id
    AND l.line_id = i.item_id
WHERE i.state = 'open' ORDER BY i.opened_at, i.merchant_id, i.item_id LIMIT $1
"""
SELECT_WAITING = """
SELECT merchant_id, owner_id, item_id, proposal_id, debit, credit, amount_paise, reason,
    proposed_by, proposed_at
FROM reconciliation_proposals WHERE decision IS NULL ORDER BY proposed_at LIMIT $1
"""
_UNEXPLAINED = """NOT EXISTS (SELECT FROM statement_handovers h WHERE h.utr = a.utr)
    AND NOT EXISTS (SELECT FROM settlement_totals t WHERE t.utr = a.utr)"""
COUNT_UNEXPLAINED = f"SELECT count(*) FROM account_lines a WHERE {_UNEXPLAINED}"
SELECT_UNEXPLAINED = f"""
SELECT a.line_id, a.account, a.day, a.utr, a.net_paise, f.name AS file, f.imported_at
FROM account_lines a JOIN statement_files f ON a.line_id > f.file_id
    AND a.line_id <= f.file_id + f.lines
WHERE {_UNEXPLAINED} ORDER BY a.day DESC, a.line_id DESC LIMIT $1
"""
"""Lines of our bank account that match no hand-over of an acquirer, newest first."""

SELECT_ITEM = """
SELECT i.merchant_id, i.item_id, i.class, i.connector, i.state, i.ours_paise, i.theirs_paise,
    l.is_credit, l.net_paise, l.fee_paise
FROM reconciliation_items i LEFT JOIN statement_lines l ON l.merchant_id = $1
    AND l.line_id = i.item_id
WHERE i.merchant_id = $1 AND i.item_id = $2
"""
INSERT = (
    f"INSERT INTO reconciliation_proposals ({PROPOSAL.listed()}) VALUES ({PROPOSAL.numbered(1)})"
)
SELECT_ONE = "SELECT * FROM reconciliation_proposals WHERE merchant_id = $1 AND proposal_id = $2"
DECIDE = """
UPDATE reconciliation_proposals SET decision = $3, decided_by = $4, decided_at = $5
WHERE merchant_id = $1 AND proposal_id = $2 AND decision IS NULL
"""
CLOSE_ITEM = """
UPDATE reconciliation_items SET state = 'resolved', resolution = $3, resolved_at = $4
WHERE merchant_id = $1 AND item_id = $2 AND state = 'open'
"""
INSERT_CORRECTION = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
VALUES ($1, $2, 'correction', $3, $4, $5, 'INR', $6)
"""


async def count_matches(db: Database) -> Sequence[Record]:
    """Return how many lines agree, by class."""
    return await look(db, COUNT_MATCHES)


async def count_items(db: Database) -> Sequence[Record]:
    """Return how many items there are, by class and state."""
    return await look(db, COUNT_ITEMS)


async def open_items(db: Database, limit: int) -> Sequence[Record]:
    """Return open items with their lines, oldest first."""
    return await look(db, SELECT_ITEMS, limit)


async def waiting(db: Database, limit: int) -> Sequence[Record]:
    """Return the proposals that wait for a decision, oldest first."""
    return await look(db, SELECT_WAITING, limit)


async def count_unexplained(db: Queries) -> int:
    """Return how many lines of our own bank account match no hand-over of an acquirer."""
    return await db.fetchval(COUNT_UNEXPLAINED)


async def unexplained(db: Queries, limit: int) -> Sequence[Record]:
    """Return lines of our own bank account that match no hand-over of an acquirer, newest first."""
    return await db.fetch(SELECT_UNEXPLAINED, limit)


async def find_item(db: Queries, owner_id: int, item_id: int) -> Record | None:
    """Return an item with its line, or None."""
    return await db.fetchrow(SELECT_ITEM, owner_id, item_id)


async def insert(conn: Connection, proposal: Proposal) -> None:
    """Write a proposal."""
    await conn.execute(INSERT, *PROPOSAL.values(proposal))


async def select(source: Queries, merchant_id: int, proposal_id: int) -> Record | None:
    """Return a proposal, or None."""
    return await source.fetchrow(SELECT_ONE, merchant_id, proposal_id)


async def decide(
    conn: Connection, merchant_id: int, proposal_id: int, decision: str, by: str, now: datetime
) -> bool:
    """Write the decision on a proposal; return False if it is decided already."""
    done = await conn.execute(DECIDE, merchant_id, proposal_id, decision, by, now)
    return not done.endswith(" 0")


async def close_item(conn: Connection, proposal: Record, now: datetime) -> bool:
    """Resolve the item of a proposal; return False if it is resolved already."""
    resolution = f"correction {proposal['proposal_id']}"
    done = await conn.execute(
        CLOSE_ITEM, proposal["owner_id"], proposal["item_id"], resolution, now
    )
    return not done.endswith(" 0")


async def insert_correction(conn: Connection, proposal: Record, now: datetime) -> None:
    """Write the posting of an approved proposal."""
    await conn.execute(
        INSERT_CORRECTION,
        proposal["merchant_id"],
        proposal["proposal_id"],
        proposal["debit"],
        proposal["credit"],
        proposal["amount_paise"],
        now,
    )
