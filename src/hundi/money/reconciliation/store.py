"""All SQL of reconciliation: imports, the classes of lines, and open items.

Functions of the schema compare lines and post hand-overs: for one merchant, on its node.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from hundi.infra.postgres.database import Connection, Database, Queries

STATEMENT_S_MAX = 900
"""The seconds one statement may run; the million lines of one merchant are one statement."""
ROOM = f"""
SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s';
SET LOCAL idle_in_transaction_session_timeout = '{STATEMENT_S_MAX}s'
"""
LISTED_MAX = 500

SELECT_FILE = (
    "SELECT file_id, name, connector, lines, imported_at, imported_by FROM statement_files WHERE"
    " sha256 = $1"
)
SELECT_LAST_ID = "SELECT coalesce(max(file_id + lines), 0) FROM statement_files"
SELECT_ACCOUNT = (
    "SELECT DISTINCT connector FROM statement_files WHERE account = $1 AND account <> ''"
)
SELECT_FIRST_DAY = "SELECT min(first_day) FROM statement_files WHERE connector = $1"
INSERT_FILE = """
INSERT INTO statement_files (file_id, sha256, connector, format, name, account, statement,
    opening_paise, closing_paise, lines, net_paise, first_day, last_day, merchants, imported_by,
    imported_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
"""
INSERT_STEP = (
    "INSERT INTO statement_steps (file_id, step, utr, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO"
    " NOTHING"
)
INSERT_HANDOVER = """
INSERT INTO statement_handovers (connector, utr, file_id, lines, net_paise)
    VALUES ($1, $2, $3, $4, $5)
"""
INSERT_ACCOUNT_LINE = (
    "INSERT INTO account_lines (line_id, account, day, utr, net_paise) VALUES ($1, $2, $3, $4, $5)"
)
LOCK_ACCOUNT = "SELECT pg_advisory_xact_lock(4839204712)"
"""Our own account's statements are imported one by one: each import must see earlier lines."""
SELECT_AGAIN = """
SELECT a.line_id, a.day, a.utr, a.net_paise FROM account_lines a JOIN account_lines b
    ON b.utr = a.utr AND b.account = a.account AND b.day = a.day AND b.net_paise = a.net_paise
WHERE a.line_id > $1 AND b.line_id < $1 AND a.utr <> '' ORDER BY a.line_id LIMIT 1
"""
"""The first line of our account's newest file that an older file has as well."""
LINE_COLUMNS = (
    "merchant_id",
    "line_id",
    "file_id",
    "connector",
    "kind",
    "is_credit",
    "gross_paise",
    "fee_paise",
    "net_paise",
    "cause_id",
    "reference",
    "rrn",
    "utr",
    "day",
)
INSERT_LINE = """
INSERT INTO statement_lines (merchant_id, line_id, file_id, connector, kind, is_credit, gross_paise,
    fee_paise, net_paise, cause_id, reference, rrn, utr, day)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
"""
FIND_BY_RRN = (
    "SELECT rrn, merchant_id, attempt_id FROM attempts WHERE connector = $1 AND rrn = ANY"
    " ($2::text[])"
)

SELECT_UNMATCHED = """
SELECT file_id, connector, lines, merchants, last_day FROM statement_files f
WHERE connector <> '' AND NOT EXISTS (SELECT FROM statement_steps s WHERE s.file_id = f.file_id
    AND s.step = 'matched')
ORDER BY file_id
"""
SELECT_MERCHANTS = "SELECT merchant_id FROM merchants ORDER BY merchant_id"
SELECT_OWNERS = (
    "SELECT DISTINCT merchant_id FROM reconciliation_items WHERE state = 'open' AND connector = $1"
)
COUNT_OPEN = "SELECT count(*) FROM reconciliation_items WHERE merchant_id = $1 AND state = 'open'"
MATCH = "SELECT match_lines($1, $2, $3, $4, $5, $6, $7)"
FIND_MISSING = "SELECT find_missing($1, $2, $3, $4, $5, $6)"
RESOLVE = "SELECT resolve_items($1, $2, $3, $4, $5)"
POST_HANDOVER = "SELECT post_handover($1, $2, $3, $4, $5)"
# A transfer's amount must cover all hand-overs that name it, so two acquirers cannot both claim one
# transfer.
_HANDOVERS = """
SELECT h.connector, h.utr, h.file_id, h.lines AS handed, h.net_paise, f.lines, f.merchants,
    f.last_day,
    (SELECT sum(o.net_paise) FROM statement_handovers o WHERE o.utr = h.utr)::bigint AS said,
    coalesce((SELECT sum(a.net_paise) FROM account_lines a WHERE a.utr = h.utr),
        0)::bigint AS arrived
FROM statement_handovers h JOIN statement_files f ON f.file_id = h.file_id
WHERE NOT EXISTS (SELECT FROM statement_steps s
    WHERE s.file_id = h.file_id AND s.step = 'handed_over' AND s.utr = h.utr)
"""
SELECT_HANDOVERS = f"{_HANDOVERS} ORDER BY h.file_id, h.utr"
IS_HANDED_OVER = """
SELECT EXISTS (SELECT FROM statement_steps WHERE file_id = $1 AND step = 'handed_over' AND utr = $2)
"""
SELECT_LINE = "SELECT * FROM statement_lines WHERE merchant_id = $1 AND line_id = $2"

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
_UNEXPLAINED = "NOT EXISTS (SELECT FROM statement_handovers h WHERE h.utr = a.utr)"
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
INSERT_PROPOSAL = """
INSERT INTO reconciliation_proposals (merchant_id, proposal_id, owner_id, item_id, debit, credit,
    amount_paise, reason, proposed_by, proposed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
"""
SELECT_PROPOSAL = (
    "SELECT * FROM reconciliation_proposals WHERE merchant_id = $1 AND proposal_id = $2"
)
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

SELECT_TERMS = """
SELECT version, document FROM acquirer_terms WHERE connector = $1 ORDER BY version DESC LIMIT 1
"""
INSERT_TERMS = """
INSERT INTO acquirer_terms (connector, version, document, set_by, set_at)
    VALUES ($1, $2, $3, $4, $5)
"""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file whose lines are still to be compared."""

    file_id: int
    connector: str
    lines: int
    merchants: tuple[int, ...]
    last_day: date | None


async def find_file(db: Queries, sha256: bytes) -> Any:  # noqa: ANN401 (a row, or None)
    """Return when and by whom a file of this digest was imported, or None."""
    return await db.fetchrow(SELECT_FILE, sha256)


async def last_id(db: Queries) -> int:
    """Return the highest number of a line, 0 when there is none."""
    return await db.fetchval(SELECT_LAST_ID)


async def owners_of_account(db: Queries, account: str) -> set[str]:
    """Return the connectors whose statements an account had; "" for our own account."""
    return {row["connector"] for row in await db.fetch(SELECT_ACCOUNT, account)}


async def insert_file(conn: Connection, *values: object) -> None:
    """Write the record of a file. The values are in the order of INSERT_FILE."""
    await conn.execute(INSERT_FILE, *values)


async def copy_lines(conn: Connection, rows: Sequence[tuple[object, ...]]) -> None:
    """Copy lines in the form of LINE_COLUMNS in one message."""
    await conn.copy_records_to_table(
        "statement_lines", records=rows, columns=LINE_COLUMNS, timeout=STATEMENT_S_MAX
    )


async def insert_lines(conn: Connection, rows: Iterable[tuple[object, ...]]) -> None:
    """Insert a few lines in the form of LINE_COLUMNS."""
    await conn.executemany(INSERT_LINE, rows, timeout=STATEMENT_S_MAX)


async def insert_account_lines(conn: Connection, rows: Iterable[tuple[object, ...]]) -> None:
    """Write lines of our own bank account: number, account, day, UTR, paise with their sign."""
    await conn.executemany(INSERT_ACCOUNT_LINE, rows, timeout=STATEMENT_S_MAX)


async def insert_handovers(conn: Connection, rows: Iterable[tuple[object, ...]]) -> None:
    """Write the hand-overs in a file: connector, UTR, file, lines, paise."""
    await conn.executemany(INSERT_HANDOVER, rows, timeout=STATEMENT_S_MAX)


async def attempts_by_rrn(
    conn: Connection, connector: str, rrns: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return merchant and attempt of each RRN that exactly one attempt of an acquirer has."""
    found: dict[str, list[tuple[int, int]]] = {}
    for row in await conn.fetch(FIND_BY_RRN, connector, rrns, timeout=STATEMENT_S_MAX):
        found.setdefault(row["rrn"], []).append((row["merchant_id"], row["attempt_id"]))
    return {rrn: causes[0] for rrn, causes in found.items() if len(causes) == 1}


async def insert_step(db: Queries, file_id: int, step: str, utr: str, now: datetime) -> None:
    """Write that a step was done with a file."""
    await db.execute(INSERT_STEP, file_id, step, utr, now)


async def unmatched(db: Queries) -> list[StoredFile]:
    """Return acquirers' files with lines that are not compared yet, oldest first."""
    return [
        StoredFile(
            row["file_id"], row["connector"], row["lines"], tuple(row["merchants"]), row["last_day"]
        )
        for row in await db.fetch(SELECT_UNMATCHED)
    ]


async def in_room(db: Database, query: str, *values: object) -> Any:  # noqa: ANN401 (what the function returns)
    """Run one of the schema's functions in a transaction that may take long."""
    async with db.transaction() as conn:
        await conn.execute(ROOM)
        return await conn.fetchval(query, *values, timeout=STATEMENT_S_MAX)


async def terms(db: Queries, connector: str) -> tuple[int, Any]:
    """Return version and document of an acquirer's newest terms; 0 and None without any."""
    row = await db.fetchrow(SELECT_TERMS, connector)
    return (row["version"], row["document"]) if row else (0, None)
