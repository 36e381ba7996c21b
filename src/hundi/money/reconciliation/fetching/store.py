"""All SQL of fetching: the earlier files of a day, and each acquirer's next run."""

from datetime import date, datetime

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Queries
from hundi.money.reconciliation.fetching.rules import LineIdentity, ReportRun

RUN = Table(ReportRun, {})
_CHANGED = RUN.but("connector")

SELECT_FILES = """
SELECT file_id, lines, merchants FROM statement_files
WHERE connector = $1 AND first_day <= $3 AND last_day >= $2 ORDER BY file_id
"""
SELECT_KEPT = """
SELECT kind, is_credit, gross_paise, net_paise, reference, rrn, utr, day FROM statement_lines
WHERE merchant_id = $1 AND line_id BETWEEN $2 AND $3
"""

ADD_RUN = (
    "INSERT INTO report_fetches (connector, wanted_at, due_at) VALUES ($1, $2, $2) ON CONFLICT DO"
    " NOTHING"
)
SELECT_RUNS = f"SELECT {RUN.listed()} FROM report_fetches ORDER BY due_at, connector"
CLAIM = f"""
UPDATE report_fetches SET due_at = $3 WHERE connector = $1 AND due_at <= $2 RETURNING {RUN.listed()}
"""
# The lease identifies the run: one whose lease is over changes nothing.
END = f"""
UPDATE report_fetches SET ({_CHANGED.listed()}) = ROW({_CHANGED.numbered(3)}) WHERE connector = $1
    AND due_at = $2
"""


async def runs(db: Queries) -> list[ReportRun]:
    """Return each acquirer's next run, the most overdue first."""
    return [RUN.read(row) for row in await db.fetch(SELECT_RUNS)]


async def add_run(db: Queries, connector: str, now: datetime) -> None:
    """Start fetching an acquirer's reports."""
    await db.execute(ADD_RUN, connector, now)


async def claim(
    db: Queries, connector: str, now: datetime, lease_until: datetime
) -> ReportRun | None:
    """Claim the run of an acquirer; None if it is not due any more."""
    row = await db.fetchrow(CLAIM, connector, now, lease_until)
    return RUN.read(row) if row else None


async def end(db: Queries, claimed: ReportRun, after: ReportRun) -> None:
    """Write how a run ended, unless its lease is over."""
    await db.execute(END, claimed.connector, claimed.due_at, *_CHANGED.values(after))


async def covers(db: Queries, connector: str, day: date) -> bool:
    """Return whether an acquirer has a file that covers a day."""
    return bool(await db.fetch(SELECT_FILES, connector, day, day))


async def kept(db: Queries, connector: str, first: date, last: date) -> list[LineIdentity]:
    """Return the lines of an acquirer's files of some days."""
    identities: list[LineIdentity] = []
    for file in await db.fetch(SELECT_FILES, connector, first, last):
        for merchant_id in file["merchants"]:
            rows = await db.fetch(
                SELECT_KEPT, merchant_id, file["file_id"], file["file_id"] + file["lines"]
            )
            identities += [LineIdentity(**dict(row)) for row in rows]
    return identities
