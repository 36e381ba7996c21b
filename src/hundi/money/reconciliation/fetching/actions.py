"""Fetches an acquirer's report of a day, and imports its new lines as a statement."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import (
    ReportLine,
    ReportPage,
    ReportsTotals,
    SettlementReporter,
    SettlementTotal,
    TotalsPage,
)
from hundi.infra.monitoring.counters import SETTLEMENTS_MISSING
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day
from hundi.money.reconciliation.actions import Progress, compare, unseen
from hundi.money.reconciliation.fetching import rules, store
from hundi.money.reconciliation.importing.actions import Source, import_within, importing
from hundi.money.reconciliation.rules import LINES_MAX, StatementError
from hundi.money.reconciliation.totals import store as totals

PAGES_MAX = 100_000
BY_WORKER = "worker"
"""The importer's name for files that the worker fetched."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a day.

    lines: of its report, or its totals where the acquirer names no lines. new: imported now.
    waiting: without a transfer.
    """

    day: date
    lines: int
    new: int
    waiting: int


async def fetch(
    db: Database,
    name: str,
    connector: SettlementReporter,
    day: date,
    by: str,
    now: datetime,
    progress: Progress = unseen,
) -> Fetched:
    """Import the report of a day that has ended: every line that no earlier file has, or none.

    A repeated call imports lines that came since; a run that stopped starts again. `compare`
    compares the imported lines. Where the acquirer names no lines, its totals are kept. Raises
    StatementError.
    """
    if day >= business_day(now):
        message = f"{day} has not ended: an acquirer may still hand over"
        raise StatementError(message)
    if isinstance(connector, ReportsTotals):
        listed = await _all_pages(name, connector.settlement_totals, day, progress)
        async with db.transaction() as conn:
            fresh = await totals.insert(conn, name, listed, now)
        return Fetched(day, len(listed), fresh, 0)
    lines = await _all_pages(name, connector.settlement_lines, day, progress)
    ready, waiting = await asyncio.to_thread(rules.with_transfers, lines)
    days = [each.day for each in ready] or [day]
    # Alone, so that a line is new for one of two fetches at once.
    async with importing(db, name, alone=True) as conn:
        earlier = await store.kept(conn, name, min(days), max(days))
        new = await asyncio.to_thread(rules.unseen, ready, earlier)
        # A day without a line is imported as well, so that missing payments can be named.
        if new or not await store.covers(conn, name, day):
            with TemporaryDirectory(prefix="hundi-report-") as folder:
                path = Path(folder) / f"{name}-{day}.csv"
                # In a worker, others must not wait while a long file is made.
                await asyncio.to_thread(lambda: path.write_bytes(rules.file_of(name, day, new)))
                source = Source(path, "csv", name, by, rules.FORMAT)
                await import_within(conn, source, now, progress)
    return Fetched(day, len(lines), len(new), waiting)


async def fetch_run(
    db: Database,
    connector: SettlementReporter,
    run: rules.ReportRun,
    now: datetime,
) -> dict[date, str]:
    """Fetch the days of an acquirer's run, compare them, and return the errors by day.

    A day that cannot be read does not stop the others.
    """
    errors: dict[date, str] = {}
    for day in rules.days_of(run, now):
        try:
            fetched = await fetch(db, run.connector, connector, day, BY_WORKER, now)
        except StatementError as error:
            errors[day] = str(error)
        else:
            if fetched.new:
                _log.info(
                    "settlement_report_fetched",
                    acquirer=run.connector,
                    day=str(day),
                    new=fetched.new,
                )
    compared = await compare(db, now)
    if compared.missing_there:
        SETTLEMENTS_MISSING.labels(run.connector).inc(compared.missing_there)
        _log.warning(
            "settlements_are_missing", acquirer=run.connector, payments=compared.missing_there
        )
    return errors


async def _all_pages(
    name: str,
    ask: Callable[[date, str], Awaitable[ReportPage | TotalsPage | Unknown]],
    day: date,
    progress: Progress,
) -> list[Any]:
    """Return all lines of a report, or all totals. Raises StatementError if it is not whole."""
    entries: list[ReportLine | SettlementTotal] = []
    last: tuple[ReportLine | SettlementTotal, ...] = ()
    after = ""
    for _ in range(PAGES_MAX):
        page = await ask(day, after)
        if isinstance(page, Unknown):
            message = (
                f"{name} does not say what it handed over on {day}:"
                f" {page.message or page.code or 'no answer'}"
            )
            raise StatementError(message)
        found = page.lines if isinstance(page, ReportPage) else page.totals
        if (found and found == last) or (after and page.next == after):
            message = f"{name} repeats a page of its report of {day}: it cannot be read whole"
            raise StatementError(message)
        entries += found
        if len(entries) > LINES_MAX:
            message = f"{name} reports more than {LINES_MAX:,} lines of {day}"
            raise StatementError(message)
        progress("reading the report", len(entries), 0)
        if not page.next:
            return entries
        last, after = found, page.next
    message = f"the report of {name} of {day} does not end"
    raise StatementError(message)
