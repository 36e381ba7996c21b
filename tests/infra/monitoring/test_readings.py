"""What is read at each look: certificates by a handshake, a replica by its place in the log."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hundi.infra.monitoring.certificates import CertificateWatch
from hundi.infra.monitoring.readings import MetricReadings
from hundi.infra.monitoring.replica import ReplicaWatch
from hundi.infra.postgres.database import Database
from hundi.infra.settings import LAST_BACKUP_FILE, Settings
from hundi.kernel.clock import utc_now
from tests.system.machine import free_port
from tests.system.tls import TestAuthority

_LEFT = timedelta(days=-1)
"""The certificate of these tests ended yesterday: then it must be seen most of all."""


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[int]:
    """The port of a server that shows a certificate."""
    trust = TestAuthority(tmp_path).context(ends_in=_LEFT)
    with closing(socket.create_server(("127.0.0.1", free_port()))) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with suppress(OSError), trust.wrap_socket(connection, server_side=True) as it:
                        it.recv(1)

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1]


async def test_the_end_of_a_certificate_is_read_also_when_it_is_over(secured: int) -> None:
    watch = CertificateWatch((f"https://127.0.0.1:{secured}/", "http://127.0.0.1:1"))
    ((host, end),) = await watch.ends()
    assert host == "127.0.0.1"
    assert abs(datetime.fromtimestamp(end, UTC) - datetime.now(UTC) - _LEFT) < timedelta(minutes=1)


async def test_an_address_that_does_not_answer_is_left_out() -> None:
    assert await CertificateWatch((f"https://127.0.0.1:{free_port()}",)).ends() == []


async def test_a_server_that_follows_no_primary_lags_more_and_more(
    db: Database, fresh_url: str
) -> None:
    watch = ReplicaWatch(fresh_url)
    assert [await watch.lag_s(db, at_s) for at_s in (0.0, 15.0, 30.0)] == [0.0, 15.0, 30.0]


async def test_a_replica_that_cannot_be_reached_lags_too(db: Database) -> None:
    watch = ReplicaWatch(f"postgresql://nobody@127.0.0.1:{free_port()}/hundi")
    assert [await watch.lag_s(db, at_s) for at_s in (0.0, 15.0)] == [0.0, 15.0]


async def test_the_last_backup_is_the_time_of_its_file(db: Database, tmp_path: Path) -> None:
    readings = MetricReadings.of(Settings(data_dir=tmp_path))
    assert await _read(readings, db, "hundi_last_backup_seconds") == 0
    (tmp_path / LAST_BACKUP_FILE).touch()
    os.utime(tmp_path / LAST_BACKUP_FILE, (1_764_000_000, 1_764_000_000))
    assert await _read(readings, db, "hundi_last_backup_seconds") == 1_764_000_000
    elsewhere = MetricReadings.of(Settings(data_dir=tmp_path, backup_dir=tmp_path / "copies"))
    assert await _read(elsewhere, db, "hundi_last_backup_seconds") == 0


async def test_without_the_database_the_rest_is_read(db: Database, tmp_path: Path) -> None:
    readings = MetricReadings.of(Settings(data_dir=tmp_path))
    with_rows = {each.name for each in await readings.read(db, utc_now())}
    await db.close()
    without = {each.name for each in await readings.read(db, utc_now())}
    assert with_rows - without == {
        "hundi_overdue_seconds",
        "hundi_attempts_unanswered",
        "hundi_letters_late",
        "hundi_payouts_returned",
        "hundi_payouts_awaiting_balance",
        "hundi_payouts_awaiting_provider",
        "hundi_payouts_paid_twice",
        "hundi_shares_unanswered",
        "hundi_share_reversals_owed",
        "hundi_payout_balance_paise",
        "hundi_payout_balance_read_seconds",
        "hundi_disputes_due",
        "hundi_synchronous_standbys",
        "hundi_standby_follows",
    }


async def _read(readings: MetricReadings, db: Database, name: str) -> float:
    (reading,) = (each for each in await readings.read(db, utc_now()) if each.name == name)
    return reading.values[0][1]
