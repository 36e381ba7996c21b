"""All SQL of reports as files."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.reports.files.rules import (
    WAITING_MAX,
    FileState,
    ReportFile,
    ReportFormat,
    ReportKind,
)

FILE = Table(
    ReportFile,
    {"kind": choice(ReportKind), "form": choice(ReportFormat), "state": choice(FileState)},
)
_CHANGED = FILE.only("state", "due_at", "problem", "made_at", "line_count", "size_bytes", "digest")
INSERT = (
    f"INSERT INTO report_files ({FILE.listed()}) VALUES ({FILE.numbered(1)}) ON CONFLICT DO NOTHING"
)
_ONE = f"SELECT {FILE.listed()} FROM report_files"
SELECT = f"{_ONE} WHERE merchant_id = $1 AND report_id = $2"
SELECT_PAGE = f"""
{_ONE} WHERE merchant_id = $1 AND ($2::bigint = 0 OR report_id < $2)
ORDER BY report_id DESC LIMIT $3
"""
COUNT_WAITING = "SELECT count(*) FROM report_files WHERE merchant_id = $1 AND state = 'waiting'"
SELECT_DUE = """
SELECT merchant_id, report_id::bigint, '' AS peer, due_at FROM report_files WHERE due_at <= $1
ORDER BY due_at LIMIT $2
"""
"""Across merchants: the files to make or to remove now."""
CLAIM = f"""
UPDATE report_files SET due_at = $4, tries = tries + 1
WHERE merchant_id = $1 AND report_id = ANY ($2::bigint[]) AND due_at <= $3
RETURNING {FILE.listed()}
"""
RELEASE = """
UPDATE report_files SET due_at = $4, tries = tries - 1
WHERE merchant_id = $1 AND report_id = $2 AND due_at = $3
"""
# The lease identifies the claim: one whose lease is over changes nothing.
END = f"""
UPDATE report_files SET ({_CHANGED.listed()}) = ROW({_CHANGED.numbered(4)})
WHERE merchant_id = $1 AND report_id = $2 AND due_at = $3 RETURNING report_id
"""
IS_CLAIMED = """
SELECT 1 FROM report_files WHERE merchant_id = $1 AND report_id = $2 AND due_at = $3 FOR SHARE
"""
WRITE_PART = """
INSERT INTO report_parts (merchant_id, report_id, part_no, content) VALUES ($1, $2, $3, $4)
ON CONFLICT (merchant_id, report_id, part_no) DO UPDATE SET content = excluded.content
"""
SELECT_PART = """
SELECT content FROM report_parts WHERE merchant_id = $1 AND report_id = $2 AND part_no = $3
"""
DELETE_PARTS = """
DELETE FROM report_parts WHERE merchant_id = $1 AND report_id = $2 AND part_no > $3
"""


async def insert(conn: Queries, file: ReportFile) -> None:
    """Write a file to make; one with the same id stays as it is."""
    await conn.execute(INSERT, *FILE.values(file))


async def select(db: Queries, merchant_id: int, report_id: int) -> ReportFile | None:
    """Return a file."""
    row = await db.fetchrow(SELECT, merchant_id, report_id)
    return FILE.read(row) if row else None


async def page_of(db: Queries, merchant_id: int, before: int, limit: int) -> list[ReportFile]:
    """Return a merchant's files, newest first. before: an id, 0 for none."""
    return [FILE.read(row) for row in await db.fetch(SELECT_PAGE, merchant_id, before, limit)]


async def is_crowded(db: Queries, merchant_id: int) -> bool:
    """Return whether as many files wait as may."""
    return await db.fetchval(COUNT_WAITING, merchant_id) >= WAITING_MAX


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the files to make or to remove now or soon, the most overdue first."""
    return [Due(*row) for row in await look(db, SELECT_DUE, query.until, query.limit)]


async def claim(
    db: Database, merchant_id: int, keys: Sequence[int], now: datetime, until: datetime
) -> list[ReportFile]:
    """Claim a merchant's files that are still due, until the end of a lease."""
    rows = await db.fetch(CLAIM, merchant_id, list(keys), now, until)
    return [FILE.read(row) for row in rows]


async def release(db: Database, file: ReportFile, due_at: datetime) -> None:
    """Undo a claim."""
    await db.execute(RELEASE, file.merchant_id, file.report_id, file.due_at, due_at)


async def end(conn: Queries, claimed: ReportFile, after: ReportFile) -> bool:
    """Write what became of a file; return False if its lease is over."""
    whose = claimed.merchant_id, claimed.report_id, claimed.due_at
    return await conn.fetchval(END, *whose, *_CHANGED.values(after)) is not None


async def is_claimed(conn: Connection, file: ReportFile) -> bool:
    """Return whether the lease of a claimed file still holds; it does until the commit."""
    whose = file.merchant_id, file.report_id, file.due_at
    return await conn.fetchval(IS_CLAIMED, *whose) is not None


async def write_part(conn: Connection, file: ReportFile, part_no: int, content: bytes) -> None:
    """Write a part of the content of a file, also over one of an earlier try."""
    await conn.execute(WRITE_PART, file.merchant_id, file.report_id, part_no, content)


async def remove_parts(conn: Connection, file: ReportFile, after: int = 0) -> None:
    """Remove the content of a file. after: the number of the last part that stays."""
    await conn.execute(DELETE_PARTS, file.merchant_id, file.report_id, after)


async def parts(db: Database, file: ReportFile) -> AsyncIterator[bytes]:
    """Yield the content of a file, one part at a time."""
    part_no = 1
    while part := await db.fetchval(SELECT_PART, file.merchant_id, file.report_id, part_no):
        yield part
        part_no += 1
