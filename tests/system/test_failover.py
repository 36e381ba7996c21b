"""The recipe of docs/database.md#a-standby.

The primary is killed under load, the standby takes its place, nothing is lost.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from hundi.infra.postgres.roles import DatabaseRole
from tests.conftest import NewFolder
from tests.patience import PATIENCE_S
from tests.system.acknowledged import Facts, told_paid, verified
from tests.system.conftest import open_shop
from tests.system.crowd import BY_UPI, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.machine import clean_environment, free_port
from tests.system.running import HUNDI, RunningGateway, until
from tests.system.shop import Shop

ALLOW = ("--allow", "127.0.0.1/32")
SERVES_AGAIN_S = 30.0
"""From the kill to the answers about every acknowledged order, promotion by hand included.

About 2 s alone.
"""
ACKNOWLEDGED_MIN = 10


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
            crowd = customers(shop, 40, (BY_UPI,))
            acknowledged: dict[str, Facts] = {}

            def lose_the_primary(shop: Shop = shop) -> None:
                order_ids = [each.order_id for each in crowd]
                until(
                    lambda: len(told_paid(shop, order_ids)) >= ACKNOWLEDGED_MIN,
                    "some orders to be paid",
                )
                acknowledged.update(verified(shop, told_paid(shop, order_ids)))
                began = time.monotonic()
                _kill(first, primary)
                hundi("database", "promote", "--data-dir", str(second))
                until(gateway.is_ready, "the gateway to be back", within_s=SERVES_AGAIN_S)
                assert verified(shop, acknowledged) == acknowledged
                served_s = time.monotonic() - began
                assert served_s < SERVES_AGAIN_S
                (again,) = customers(shop, 1, (BY_UPI,))
                again.pay()
                again.ends()
                with capsys.disabled():
                    sys.stdout.write(
                        f"\n{len(acknowledged)} orders acknowledged before the primary was killed; "
                    )
                    sys.stdout.write(
                        f"served {served_s:.1f} s later, paid {time.monotonic() - began:.1f} s"
                        " later\n"
                    )

            at_once(crowd, lose_the_primary, width=6)
            for each in crowd:
                each.ends()
        monkeypatch.setenv("HUNDI_DATABASE_URL", address[DatabaseRole.AUDIT])
        gateway.audit()
