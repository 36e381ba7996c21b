"""Fetches the settlement reports of every acquirer each morning, and retries failed ones."""

import asyncio
from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

import structlog

from hundi.acquirers.port.settlement_reports import SettlementReporter
from hundi.acquirers.registry import Registry
from hundi.infra.background.due import Claimed, Clock, DueLoop, Pace, Peer, Places, Work
from hundi.infra.monitoring.counters import REPORTS_OVERDUE
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.money.reconciliation.fetching import actions, rules, store
from hundi.money.reconciliation.fetching.rules import ReportRun

PACE = Pace(poll_s=15.0, in_flight_max=1, peer_in_flight_max=1)
RUN_S_MAX = 3_000
LEASE = timedelta(hours=1)
"""Longer than any run takes; the run of a killed worker starts again after it."""
_log = structlog.get_logger(__name__)


def reports(db: Database, connectors: Registry, *, clock: Clock = utc_now) -> DueLoop[ReportRun]:
    """Return the loop that fetches reports from every acquirer that has them."""
    return DueLoop(_Reports(db, connectors, clock), clock=clock)


class _Reports(Work[ReportRun]):
    """Due runs, one at a time: a report is long, and comparing it loads the database."""

    name = "settlement_reports"
    pace = PACE

    def __init__(self, db: Database, connectors: Registry, clock: Clock) -> None:
        self._db, self._connectors, self._clock = db, connectors, clock
        self._shown: set[str] = set()

    def peer(self, item: ReportRun) -> Peer:
        return item.connector

    def labels(self, item: ReportRun) -> Mapping[str, object]:
        return {"acquirer": item.connector}

    async def claim(
        self,
        now: datetime,
        places: Places,
        named: Collection[int] | None,  # noqa: ARG002 (no merchant is named)
    ) -> Claimed[ReportRun]:
        names = {
            each.name for each in self._connectors.all() if isinstance(each, SettlementReporter)
        }
        if not names | self._shown:
            return Claimed()
        runs = [each for each in await store.runs(self._db) if each.connector in names]
        for fresh in sorted(names - {each.connector for each in runs}):
            await store.add_run(self._db, fresh, now)
            runs.append(ReportRun(fresh, now, now))
        self._show(runs, now)
        claimed: list[ReportRun] = []
        for each in runs:
            if each.due_at > now or len(claimed) == places.free:
                continue
            # Another worker may have claimed it first.
            run = await store.claim(self._db, each.connector, now, now + LEASE)
            if run is not None:
                claimed.append(run)
        return Claimed(claimed, more=any(each.due_at <= now for each in runs))

    def _show(self, runs: Collection[ReportRun], now: datetime) -> None:
        """Set the metric of overdue reports for each acquirer; a removed one has no value."""
        for gone in self._shown - {each.connector for each in runs}:
            REPORTS_OVERDUE.labels(gone).set(0)
        self._shown = {each.connector for each in runs}
        for each in runs:
            REPORTS_OVERDUE.labels(each.connector).set(
                max((now - each.wanted_at).total_seconds(), 0)
            )

    async def act(self, item: ReportRun, now: datetime) -> None:
        try:
            async with asyncio.timeout(RUN_S_MAX):
                errors = await self._fetched(item, now)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is shown, and the run is made again)
            _log.exception("settlement_reports_failed", acquirer=item.connector)
            errors = {rules.days_of(item, now)[0]: f"the run broke off: {type(error).__name__}"}
        for day, why in errors.items():
            _log.warning(
                "settlement_report_not_fetched", acquirer=item.connector, day=str(day), error=why
            )
        await store.end(self._db, item, rules.after(item, errors, self._clock()))

    async def _fetched(self, item: ReportRun, now: datetime) -> Mapping[date, str]:
        connector = self._connectors.get(item.connector)
        assert isinstance(connector, SettlementReporter), "only such acquirers have runs"
        return await actions.fetch_run(self._db, connector, item, now)
