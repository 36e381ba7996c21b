"""Audits and lists read from a replica, and from the primary when it is behind or away."""

import asyncio
import inspect
import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path

import psutil

from hundi.cli import _COMMANDS
from hundi.infra.embedded.server import running_url
from hundi.infra.monitoring.replica import ReplicaWatch
from hundi.infra.postgres.database import open_database
from hundi.infra.postgres.roles import DATABASE, DatabaseRole
from hundi.verbs.table import all_verbs
from tests.conftest import NewFolder
from tests.patience import PATIENCE_S
from tests.system.machine import clean_environment
from tests.system.running import HUNDI
from tests.system.test_failover import database_server, free_place, hundi

NOT_YET = {
    ("bank-account", "papers", "list"): "No records found",
    ("payout", "plan", "show"): "there is no such plan of payouts",
    ("route", "show"): "there is no routing plan",
}
"""What the commands say that have nothing to show in a new gateway, by their first words."""
OPERATOR, AUDIT = DatabaseRole.OPERATOR, DatabaseRole.AUDIT


def listing_commands(merchant_id: int) -> list[tuple[str, ...]]:
    """Return every command that only reads and needs at most a merchant's number."""
    given = {
        "merchant_id": (str(merchant_id),),
        "recipient": (str(merchant_id),),
        "merchant": ("--merchant", str(merchant_id)),
    }
    found: list[tuple[str, ...]] = []
    for verb in all_verbs():
        needed = {each.name for each in verb.parameters if each.is_required}
        if verb.reads and not verb.primary and not verb.alone and needed <= given.keys():
            words = (word for name in sorted(needed) for word in given[name])
            found.append((verb.noun, *verb.name.split(" "), *words))
    for noun, (module, _) in _COMMANDS.items():
        app = getattr(import_module(f"hundi.cli.{module}"), "app", None)
        for each in app.registered_commands if app else ():
            assert each.callback is not None
            needed = {
                one.name
                for one in inspect.signature(each.callback).parameters.values()
                if one.default is one.empty
            }
            if "reading=True" in inspect.getsource(each.callback) and needed <= given.keys():
                verb = each.name or each.callback.__name__.replace("_", "-")
                found.append(
                    (noun, verb, *(word for name in sorted(needed) for word in given[name]))
                )
    assert len(found) > 20, "else there is no such word in their source any more"
    return found


def asked(
    *arguments: str,
    folder: Path,
    replica: str,
    as_json: bool = True,
    checked: bool = True,
    lag_s: int = int(PATIENCE_S),
) -> subprocess.CompletedProcess[str]:
    """Run a command on the primary's data directory, with a replica to read from.

    checked: whether it must succeed. lag_s: the replica has so long to catch up.
    """
    settings = {"HUNDI_READ_DATABASE_URL": replica, "HUNDI_READ_LAG_SECONDS": str(lag_s)}
    done = subprocess.run(
        [str(HUNDI), *arguments, *(["--json"] if as_json else []), "--data-dir", str(folder)],
        env=clean_environment() | settings,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )
    assert not checked or done.returncode == 0, done.stderr
    return done


def found_at(folder: Path, address: str) -> set[str]:
    """Return the codes of the doctor's findings where the gateway's address is another."""
    done = subprocess.run(
        [str(HUNDI), "doctor", "--json", "--data-dir", str(folder)],
        env=clean_environment() | {"HUNDI_DATABASE_URL": address},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return {each["code"] for each in json.loads(done.stdout)["findings"]}


def replaying(data_dir: Path) -> psutil.Process:
    """Return the process that replays the primary's log on a standby."""
    postmaster = psutil.Process(
        int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])
    )
    (found,) = (each for each in postmaster.children() if "startup" in " ".join(each.cmdline()))
    return found


def watched_lags(primary: Path, replica: str) -> Iterator[float]:
    """Yield what the metrics say of a replica at looks that are 10 seconds apart."""
    watch, url = ReplicaWatch(replica), running_url(primary, DATABASE, OPERATOR)
    assert url is not None

    async def look(at_s: float) -> float:
        async with await open_database(url, pool_size=1) as db:
            return await watch.lag_s(db, at_s)

    for looks in count():
        yield asyncio.run(look(looks * 10.0))


@contextmanager
def _migrated(data_dir: Path, place: str) -> Iterator[None]:
    """Run a primary that has the newest schema."""
    with database_server(data_dir, place):
        hundi("migrate", "--data-dir", str(data_dir))
        yield


def reads_from_the_primary_while_it_is_behind(first: Path, second: Path, replica: str) -> None:
    """What it has not replayed within the time that was set is read from the primary."""
    process = replaying(second)
    process.send_signal(signal.SIGSTOP)
    try:
        newer = json.loads(hundi("merchant", "add", "Another", "--json", "--data-dir", str(first)))
        done = asked(
            "payment",
            "list",
            str(newer["merchant_id"]),
            folder=first,
            replica=replica,
            lag_s=1,
        )
        assert "the replica is more than 1 s behind" in done.stderr
        lags = watched_lags(first, replica)
        assert next(lags) == 0
        assert next(lags) == 10
    finally:
        process.send_signal(signal.SIGCONT)
    assert next(each for each in lags if each < 10) == 0
    done = asked("payment", "list", str(newer["merchant_id"]), folder=first, replica=replica)
    assert "reading from the replica" in done.stderr


def test_what_changes_nothing_reads_from_a_replica_that_is_not_behind(
    new_folder: NewFolder,
) -> None:
    folder = new_folder("replica")
    first, second = folder / "first", folder / "second"
    ours, theirs = free_place(), free_place()
    with ExitStack() as stack:
        stack.enter_context(_migrated(first, ours))
        shop = json.loads(hundi("merchant", "add", "The shop", "--json", "--data-dir", str(first)))
        second.mkdir()
        shutil.copytree(first / "roles", second / "roles")
        standby = stack.enter_context(ExitStack())
        standby.enter_context(database_server(second, theirs, "--standby-of", ours))
        by_role = {
            role: hundi(
                "database", "address", role.value, "--servers", theirs, "--data-dir", str(first)
            )
            for role in (OPERATOR, AUDIT)
        }
        listed = "payment", "list", str(shop["merchant_id"])
        assert "database_read_only" in found_at(first, by_role[OPERATOR])

        done = asked("audit", folder=first, replica=by_role[AUDIT])
        assert "reading from the replica" in done.stderr
        assert json.loads(done.stdout)["holds"]
        done = asked(*listed, folder=first, replica=by_role[OPERATOR])
        assert (json.loads(done.stdout), "reading from the replica" in done.stderr) == ([], True)

        done = asked("reconcile", "work", folder=first, replica=by_role[OPERATOR])
        assert (json.loads(done.stdout)["items"], "reading from the replica" in done.stderr) == (
            [],
            True,
        )

        for command in listing_commands(shop["merchant_id"]):
            done = asked(
                *command,
                folder=first,
                replica=by_role[OPERATOR],
                as_json=False,
                checked=False,
            )
            assert "reading from the replica" in done.stderr, command
            if (words := NOT_YET.get(command[:3])) is not None:
                assert words in done.stderr
            else:
                assert done.returncode == 0, done.stderr

        reads_from_the_primary_while_it_is_behind(first, second, by_role[OPERATOR])

        # A standby of somebody else may be further on in a log that is not ours.
        other, third = free_place(), free_place()
        with ExitStack() as elsewhere:
            elsewhere.enter_context(_migrated(folder / "other", other))
            (folder / "third").mkdir()
            shutil.copytree(folder / "other" / "roles", folder / "third" / "roles")
            elsewhere.enter_context(database_server(folder / "third", third, "--standby-of", other))
            of_other = hundi(
                "database",
                "address",
                OPERATOR.value,
                "--servers",
                third,
                "--data-dir",
                str(folder / "other"),
            )
            hundi("merchant", "add", "Elsewhere", "--json", "--data-dir", str(folder / "other"))
            assert "follows another one" in asked(*listed, folder=first, replica=of_other).stderr

        primary = by_role[OPERATOR].replace(theirs, ours)
        assert "names no replica" in asked(*listed, folder=first, replica=primary).stderr
        standby.close()
        assert (
            "the primary is read from"
            in asked(*listed, folder=first, replica=by_role[OPERATOR]).stderr
        )
