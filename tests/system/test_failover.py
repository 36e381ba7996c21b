"""The recipe of docs/database.md#a-standby.

The primary is killed under load, the standby takes its place, nothing is lost.
"""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from hundi.infra.postgres.roles import DatabaseRole
from tests.conftest import NewFolder
from tests.patience import PATIENCE_S
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.losses import lose_under_load
from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway

ALLOW = ("--allow", "127.0.0.1/32")
SERVES_AGAIN_S = 30.0
"""From the kill to the answers about every acknowledged order, promotion by hand included.

About 2 s alone.
"""


def free_place() -> str:
    return f"127.0.0.1:{free_port()}"


@contextmanager
def database_server(data_dir: Path, place: str, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [
        str(HUNDI),
        "database",
        "serve",
        "--data-dir",
        str(data_dir),
        "--listen",
        place,
        *ALLOW,
        *options,
    ]
    process = subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == f"ready on {place}\n"
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()


def hundi(*arguments: str) -> str:
    done = subprocess.run(
        [str(HUNDI), *arguments],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _kill(data_dir: Path, supervisor: subprocess.Popen[str]) -> None:
    """Kill a server outright, as a machine that loses its power does."""
    postmaster = psutil.Process(
        int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])
    )
    everything = [postmaster, *postmaster.children()]
    supervisor.kill()
    for each in everything:
        # One that had its own end in the meantime is as good as killed.
        with suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(everything, PATIENCE_S)


def test_a_standby_takes_the_place_of_a_primary_that_is_killed_under_load(
    new_folder: NewFolder,
    server: MerchantServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = new_folder("pair")
    first, second, place, other = folder / "first", folder / "second", free_place(), free_place()
    with ExitStack() as stack:
        primary = stack.enter_context(database_server(first, place, "--synchronous"))
        second.mkdir()
        shutil.copytree(first / "roles", second / "roles")
        stack.enter_context(database_server(second, other, "--standby-of", place))
        address = {
            role: hundi(
                "database",
                "address",
                role.value,
                "--servers",
                f"{place},{other}",
                "--data-dir",
                str(first),
            )
            for role in (
                DatabaseRole.OWNER,
                DatabaseRole.GATEWAY,
                DatabaseRole.WORKER,
                DatabaseRole.OPERATOR,
                DatabaseRole.AUDIT,
            )
        }
        settings = {
            "HUNDI_DATABASE_URL": address[DatabaseRole.GATEWAY],
            "HUNDI_WORKER_DATABASE_URL": address[DatabaseRole.WORKER],
            "HUNDI_OWNER_DATABASE_URL": address[DatabaseRole.OWNER],
        }
        gateway = stack.enter_context(RunningGateway(folder / "gateway", **settings))
        monkeypatch.setenv("HUNDI_DATABASE_URL", address[DatabaseRole.OPERATOR])
        for shop in open_shop(gateway, server, "steady"):

            def lose_the_primary() -> None:
                _kill(first, primary)
                hundi("database", "promote", "--data-dir", str(second))

            lose_under_load(gateway, shop, lose_the_primary, SERVES_AGAIN_S, capsys)
        monkeypatch.setenv("HUNDI_DATABASE_URL", address[DatabaseRole.AUDIT])
        gateway.audit()
