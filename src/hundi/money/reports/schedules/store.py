"""All SQL of schedules of reports."""

from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Field, Table, choice
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.money.reports.files.rules import ReportFormat, ReportKind
from hundi.money.reports.schedules.rules import ReportSchedule

SCHEDULE = Table(
    ReportSchedule,
    {"kind": choice(ReportKind), "form": choice(ReportFormat), "people": Field(tuple)},
)
NEXT_NO = """
SELECT coalesce(max(schedule_no), 0) + 1 AS next_no,
    count(*) FILTER (WHERE due_at IS NOT NULL) AS standing
FROM report_schedules WHERE merchant_id = $1
"""
INSERT = f"""
INSERT INTO report_schedules ({SCHEDULE.listed()}) VALUES ({SCHEDULE.numbered(1)})
ON CONFLICT DO NOTHING RETURNING schedule_no
"""
_ONE = f"SELECT {SCHEDULE.listed()} FROM report_schedules"
SELECT = f"{_ONE} WHERE merchant_id = $1 AND schedule_no = $2"
SELECT_STANDING = f"{_ONE} WHERE merchant_id = $1 AND due_at IS NOT NULL ORDER BY schedule_no"
LOCK_DUE = f"{SELECT} AND due_at <= $3 FOR UPDATE"
MOVE = "UPDATE report_schedules SET due_at = $3 WHERE merchant_id = $1 AND schedule_no = $2"
END = """
UPDATE report_schedules SET due_at = NULL, ended_at = $3
WHERE merchant_id = $1 AND schedule_no = $2 AND due_at IS NOT NULL RETURNING schedule_no
"""
SELECT_DUE = """
SELECT merchant_id, schedule_no::bigint, '' AS peer, due_at FROM report_schedules
WHERE due_at <= $1 ORDER BY due_at LIMIT $2
"""
"""Across merchants: the schedules that ask for a report now."""


async def next_no(db: Queries, merchant_id: int) -> tuple[int, int]:
    """Return the number of a merchant's next schedule, and how many have not ended."""
    row = await db.fetchrow(NEXT_NO, merchant_id)
    assert row is not None
    return row["next_no"], row["standing"]


async def insert(conn: Queries, schedule: ReportSchedule) -> bool:
    """Write a schedule; return False if another one has just taken its number."""
    return await conn.fetchval(INSERT, *SCHEDULE.values(schedule)) is not None


async def standing(db: Queries, merchant_id: int) -> list[ReportSchedule]:
    """Return a merchant's schedules that have not ended."""
    return [SCHEDULE.read(row) for row in await db.fetch(SELECT_STANDING, merchant_id)]


async def select(db: Queries, merchant_id: int, schedule_no: int) -> ReportSchedule | None:
    """Return a schedule, ended or not."""
    row = await db.fetchrow(SELECT, merchant_id, schedule_no)
    return SCHEDULE.read(row) if row else None


async def lock_due(
    conn: Connection, merchant_id: int, schedule_no: int, now: datetime
) -> ReportSchedule | None:
    """Return a schedule that is due, locked; None if it is not any more."""
    row = await conn.fetchrow(LOCK_DUE, merchant_id, schedule_no, now)
    return SCHEDULE.read(row) if row else None


async def move(conn: Connection, schedule: ReportSchedule, due_at: datetime) -> None:
    """Write when a schedule is due next."""
    await conn.execute(MOVE, schedule.merchant_id, schedule.schedule_no, due_at)


async def end(conn: Connection, merchant_id: int, schedule_no: int, now: datetime) -> bool:
    """End a schedule; return False if there is none that has not ended."""
    return await conn.fetchval(END, merchant_id, schedule_no, now) is not None


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the schedules that are due now or soon, the most overdue first."""
    return [Due(*row) for row in await look(db, SELECT_DUE, query.until, query.limit)]
