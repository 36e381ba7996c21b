"""All SQL of imports, of comparing lines with the books, and of terms.

Functions of the schema compare lines and post hand-overs: for one merchant, on its node.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from asyncpg import Record

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Database, Queries


@dataclass(frozen=True, slots=True)
class StatementFile:
    """The record of an imported statement.

    connector: whose statement, "" for our own bank account's. merchants: of its lines, in order.
    """

    file_id: int
    sha256: bytes
    connector: str
    format: str
    name: str
    account: str
    statement: str
    opening_paise: int | None
    closing_paise: int | None
    lines: int
    net_paise: int
    first_day: date | None
    last_day: date | None
    merchants: Sequence[int]
    imported_by: str
    imported_at: datetime


FILE = Table(StatementFile, {})

STATEMENT_S_MAX = 900
"""The seconds one statement may run; the million lines of one merchant are one statement."""
ROOM = f"""
SET LOCAL statement_timeout = '{STATEMENT_S_MAX}s';
SET LOCAL idle_in_transaction_session_timeout = '{STATEMENT_S_MAX}s'
"""

SELECT_FILE = (
    "SELECT file_id, name, connector, lines, imported_at, imported_by FROM statement_files WHERE"
    " sha256 = $1"
)
SELECT_LAST_ID = "SELECT coalesce(max(file_id + lines), 0) FROM statement_files"
SELECT_ACCOUNT = (
    "SELECT DISTINCT connector FROM statement_files WHERE account = $1 AND account <> ''"
)
SELECT_FIRST_DAY = "SELECT min(first_day) FROM statement_files WHERE connector = $1"
INSERT_FILE = f"INSERT INTO statement_files ({FILE.listed()}) VALUES ({FILE.numbered(1)})"
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
LOCK_STATEMENTS = "SELECT pg_advisory_xact_lock(483920471, hashtext($1))"
"""Of one acquirer or of our own account: an import that must see all earlier lines runs alone."""
LOCK_STATEMENTS_SHARED = "SELECT pg_advisory_xact_lock_shared(483920471, hashtext($1))"
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
    """Return the highest number of a line, 0 if there is none."""
    return await db.fetchval(SELECT_LAST_ID)


async def owners_of_account(db: Queries, account: str) -> set[str]:
    """Return the connectors whose statements an account had; "" for our own account."""
    return {row["connector"] for row in await db.fetch(SELECT_ACCOUNT, account)}


async def insert_file(conn: Connection, file: StatementFile) -> None:
    """Write the record of a file."""
    await conn.execute(INSERT_FILE, *FILE.values(file))


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
    attempts: dict[str, list[tuple[int, int]]] = {}
    for row in await conn.fetch(FIND_BY_RRN, connector, rrns, timeout=STATEMENT_S_MAX):
        attempts.setdefault(row["rrn"], []).append((row["merchant_id"], row["attempt_id"]))
    return {rrn: causes[0] for rrn, causes in attempts.items() if len(causes) == 1}


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


async def first_day(db: Queries, connector: str) -> date:
    """Return the first day of an acquirer's imported statements."""
    return await db.fetchval(SELECT_FIRST_DAY, connector)


async def merchants(db: Queries) -> list[int]:
    """Return every merchant, in the order of their numbers."""
    return [row["merchant_id"] for row in await db.fetch(SELECT_MERCHANTS)]


async def owners_of_items(db: Queries, connector: str) -> list[int]:
    """Return the merchants with open items of an acquirer."""
    return [row["merchant_id"] for row in await db.fetch(SELECT_OWNERS, connector)]


async def count_open(db: Queries, merchant_id: int) -> int:
    """Return how many items of a merchant are open."""
    return await db.fetchval(COUNT_OPEN, merchant_id)


async def find_line(db: Queries, merchant_id: int, line_id: int) -> Record | None:
    """Return a line of a statement, or None."""
    return await db.fetchrow(SELECT_LINE, merchant_id, line_id)


async def handovers(db: Queries) -> list[Record]:
    """Return the hand-overs that acquirers stated and that are not posted yet, in order.

    said: the sum that all acquirers state for a transfer. arrived: its amount in our account.
    """
    return await db.fetch(SELECT_HANDOVERS)


async def is_handed_over(db: Queries, file_id: int, utr: str) -> bool:
    """Return whether a transfer of a file is posted."""
    return await db.fetchval(IS_HANDED_OVER, file_id, utr)


@dataclass(frozen=True, slots=True)
class LineComparison:
    """The terms and the time by which lines of an acquirer are compared.

    fees: as plain lists and dictionaries.
    """

    connector: str
    fees: object
    late_after_days: int
    now: datetime


async def match(db: Database, merchant_id: int, lines: tuple[int, int], by: LineComparison) -> int:
    """Compare a merchant's lines of a file with the books; return how many agree.

    lines: the first and the last number.
    """
    return await _in_room(
        db, MATCH, merchant_id, *lines, by.connector, by.fees, by.late_after_days, by.now
    )


async def resolve(db: Database, merchant_id: int, by: LineComparison) -> list[int]:
    """Close a merchant's items that need no person; return the lines that agree now."""
    return await _in_room(
        db, RESOLVE, merchant_id, by.connector, by.fees, by.late_after_days, by.now
    )


async def find_missing(
    db: Database,
    merchant_id: int,
    connector: str,
    from_id: int,
    days: tuple[date, date],
    now: datetime,
) -> int:
    """Open items for payments without a line of an acquirer; return how many.

    from_id: the first attempt. days: the first and the last day of the payments.
    """
    return await _in_room(db, FIND_MISSING, merchant_id, connector, from_id, *days, now)


async def post_handover(
    db: Database, merchant_id: int, lines: tuple[int, int], utr: str, now: datetime
) -> int:
    """Post a merchant's part of a transfer; return the number of postings.

    lines: the first and the last number.
    """
    return await _in_room(db, POST_HANDOVER, merchant_id, *lines, utr, now)


async def _in_room(db: Database, query: str, *values: object) -> Any:  # noqa: ANN401 (what the function returns)
    """Run one of the schema's functions in a transaction that may take long."""
    async with db.transaction() as conn:
        await make_room(conn)
        return await conn.fetchval(query, *values, timeout=STATEMENT_S_MAX)


async def make_room(conn: Connection) -> None:
    """Allow the statements of a transaction to take long."""
    await conn.execute(ROOM)


async def lock_statements(conn: Connection, connector: str, *, alone: bool) -> None:
    """Wait for an import of a connector's statements that runs alone; if alone, for every one."""
    await conn.execute(LOCK_STATEMENTS if alone else LOCK_STATEMENTS_SHARED, connector)


async def find_again(conn: Connection, file_id: int) -> Record | None:
    """Return line_id, day, utr and net_paise of the first line that an older file has, or None."""
    return await conn.fetchrow(SELECT_AGAIN, file_id)


async def terms(db: Queries, connector: str) -> tuple[int, Any]:
    """Return version and document of an acquirer's newest terms; 0 and None without any."""
    row = await db.fetchrow(SELECT_TERMS, connector)
    return (row["version"], row["document"]) if row else (0, None)


async def insert_terms(
    db: Queries, connector: str, version: int, document: object, by: str, now: datetime
) -> None:
    """Write a new version of an acquirer's terms. document: plain lists and dictionaries."""
    await db.execute(INSERT_TERMS, connector, version, document, by, now)
