"""What is read anew at each look at the metrics: rows, the last backup, certificates, standbys.

Everything here is cheap: it is read each time that Prometheus asks, every 15 seconds or so.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from asyncpg import PostgresError

from hundi.infra.monitoring import store
from hundi.infra.monitoring.certificates import CertificateWatch
from hundi.infra.monitoring.last_backup import last_backup_at
from hundi.infra.monitoring.replica import ReplicaWatch
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.infra.settings import Settings

Values = Sequence[tuple[str, float]]
"""The label's value, "" where there is no label, and the number."""


@dataclass(frozen=True, slots=True)
class MetricReading:
    """One metric as it was read. label: "" for a metric without one."""

    name: str
    documentation: str
    label: str
    values: Values


def overdue(values: Values) -> MetricReading:
    """Return for how long work has been due, by its kind."""
    documentation = (
        "For how long the oldest item of each kind of later work has been due; more than a"
        " minute: nobody works on it."
    )
    return MetricReading("hundi_overdue_seconds", documentation, "work", values)


async def _unanswered(db: Database, now: datetime) -> MetricReading:
    documentation = "Attempts that an acquirer should have answered half an hour ago."
    counts = await store.count_unanswered(db, now)
    return MetricReading("hundi_attempts_unanswered", documentation, "acquirer", counts)


async def _returned(db: Database, _: datetime) -> MetricReading:
    return MetricReading(
        "hundi_payouts_returned",
        "Payouts that the bank refused or sent back, and that wait for another account.",
        "",
        [("", await store.count_returned(db))],
    )


async def _letters_late(db: Database, now: datetime) -> MetricReading:
    documentation = "Letters to people that no mail relay took in half an hour."
    value = await store.count_letters_late(db, now)
    return MetricReading("hundi_letters_late", documentation, "", [("", value)])


async def _awaiting_balance(db: Database, _: datetime) -> MetricReading:
    counts = await store.count_odd_payouts(db)
    documentation = "Approved payouts that wait because the balance of their provider is short."
    value = counts.get("awaiting_balance", 0.0)
    return MetricReading("hundi_payouts_awaiting_balance", documentation, "", [("", value)])


async def _awaiting_provider(db: Database, _: datetime) -> MetricReading:
    counts = await store.count_odd_payouts(db)
    documentation = "Approved payouts that wait because no provider may carry them."
    value = counts.get("awaiting_provider", 0.0)
    return MetricReading("hundi_payouts_awaiting_provider", documentation, "", [("", value)])


async def _paid_twice(db: Database, _: datetime) -> MetricReading:
    counts = await store.count_odd_payouts(db)
    documentation = "Payouts that paid a share twice, and that no settlement has recovered."
    value = counts.get("paid_twice", 0.0)
    return MetricReading("hundi_payouts_paid_twice", documentation, "", [("", value)])


async def _reversals_owed(db: Database, now: datetime) -> MetricReading:
    documentation = "Parts of direct shares that an acquirer has not taken back for a week."
    count = await store.count_reversals_owed(db, now)
    return MetricReading("hundi_share_reversals_owed", documentation, "", [("", count)])


async def _shares_unanswered(db: Database, now: datetime) -> MetricReading:
    documentation = "Direct shares that an acquirer should have answered two days ago."
    count = await store.count_shares_unanswered(db, now)
    return MetricReading("hundi_shares_unanswered", documentation, "", [("", count)])


async def _balances(db: Database, _: datetime) -> MetricReading:
    documentation = "What is left to pay out from, in paise, without what was sent since."
    values = [(name, float(paise)) for name, paise, _ in await store.select_balances(db)]
    return MetricReading("hundi_payout_balance_paise", documentation, "acquirer", values)


async def _balances_read(db: Database, _: datetime) -> MetricReading:
    documentation = "When a provider last told its balance, in seconds since 1970 (UTC)."
    values = [(name, read_s) for name, _, read_s in await store.select_balances(db)]
    return MetricReading("hundi_payout_balance_read_seconds", documentation, "acquirer", values)


async def _disputes(db: Database, now: datetime) -> MetricReading:
    return MetricReading(
        "hundi_disputes_due",
        "Open disputes whose time to answer ends within two days.",
        "acquirer",
        await store.count_disputes_due(db, now),
    )


async def _overdue(db: Database, now: datetime) -> MetricReading:
    return overdue(await store.select_overdue_s(db, now))


async def _standbys(db: Database, _: datetime) -> MetricReading:
    return MetricReading(
        "hundi_standby_follows",
        "Whether a standby of the database follows it; by the name of its slot, or its own.",
        "standby",
        [(each.name, float(each.follows)) for each in await store.select_standbys(db)],
    )


async def _synchronous(db: Database, _: datetime) -> MetricReading:
    standbys = await store.count_synchronous(db)
    return MetricReading(
        "hundi_synchronous_standbys",
        "Connected standbys of those that commits wait for; absent where they wait for none.",
        "",
        [] if standbys is None else [("", float(standbys))],
    )


_OF_ROWS: Sequence[Callable[[Database, datetime], Awaitable[MetricReading]]] = (
    _overdue,
    _unanswered,
    _returned,
    _letters_late,
    _awaiting_balance,
    _awaiting_provider,
    _paid_twice,
    _shares_unanswered,
    _reversals_owed,
    _balances,
    _balances_read,
    _disputes,
    _standbys,
    _synchronous,
)


@dataclass(slots=True)
class MetricReadings:
    """Reads everything of one machine's gateway, and remembers what must not be read each time."""

    _settings: Settings
    _certificates: CertificateWatch
    _replica: ReplicaWatch | None
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def of(cls, settings: Settings) -> "MetricReadings":
        """Return the readings of a gateway with these settings."""
        url = settings.read_database_url
        return cls(
            settings,
            CertificateWatch((settings.base_url, settings.payment_page_url)),
            ReplicaWatch(url) if url else None,
        )

    async def read(self, db: Database, now: datetime) -> list[MetricReading]:
        """Return all that can be read: without the database, its metrics are left out.

        now: of the gateway's rows, by the clock of a demo.
        """
        readings = [await self._backup()]
        async with self._turn:
            readings.append(
                MetricReading(
                    "hundi_certificate_ends_seconds",
                    "When the certificate of a public address ends, in seconds since 1970 (UTC).",
                    "host",
                    await self._certificates.ends(),
                )
            )
            for each in (*_OF_ROWS, *([self._lag] if self._replica else [])):
                try:
                    readings.append(await each(db, now))
                except UNREACHABLE:
                    break
                except PostgresError:
                    continue  # a right that is missing takes none of the others along
        return readings

    async def _lag(self, db: Database, _: datetime) -> MetricReading:
        assert self._replica is not None
        documentation = "How far the read replica is behind the primary."
        lag_s = await self._replica.lag_s(db, time.monotonic())
        return MetricReading("hundi_replica_lag_seconds", documentation, "", [("", lag_s)])

    async def _backup(self) -> MetricReading:
        try:
            # The folder may be on another machine's disk.
            made = await asyncio.to_thread(last_backup_at, self._settings)
        except OSError:
            made = None
        made_at = made.timestamp() if made else 0.0
        return MetricReading(
            "hundi_last_backup_seconds",
            "When the last whole backup was made, in seconds since 1970 (UTC); 0: never.",
            "",
            [("", made_at)],
        )
