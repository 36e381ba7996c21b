"""`hundi serve`: ready means ready, what dies comes back, and nothing stays behind."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.patience import PATIENCE_S
from tests.places import databases_folder
from tests.system.machine import free_port


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory outside pytest's own, whose parents pytest closes for other users."""
    path = Path(tempfile.mkdtemp(prefix="hundi-test-", dir=databases_folder()))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def serve(
    folder: Path, *options: str, stderr: int | None = subprocess.STDOUT, cwd: Path | None = None
) -> subprocess.Popen[bytes]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    }
    command = [sys.executable, "-m", "hundi.cli", "serve", "--data-dir", str(folder), *options]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=stderr, cwd=cwd
    )


def wait_for(what: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=10).status_code == 200
    except httpx.HTTPError:
        return False


def everything(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def child(process: subprocess.Popen[bytes], word: str) -> psutil.Process | None:
    for found in psutil.Process(process.pid).children():
        with contextlib.suppress(psutil.Error):  # it has just ended
            if word in " ".join(found.cmdline()):
                return found
    return None


def gone(processes: list[psutil.Process]) -> Callable[[], bool]:
    return lambda: (
        not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in processes)
    )


@dataclass(frozen=True)
class Served:
    """A gateway with its demo, and the line that it printed when it was ready."""

    process: subprocess.Popen[bytes]
    told: dict[str, Any]
    folder: Path
    ports: tuple[int, int]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """The gateway of the first tests, whose folder is given as a relative path.

    The last of them ends it.
    """
    ports = port, simbank_port = free_port(), free_port()
    with tempfile.TemporaryDirectory(prefix="hundi-test-", dir=databases_folder()) as name:
        options = ("--demo", "--json", "--port", str(port), "--simbank-port", str(simbank_port))
        process = serve(Path(Path(name).name), *options, stderr=None, cwd=Path(name).parent)
        try:
            assert process.stdout is not None
            yield Served(process, json.loads(process.stdout.readline()), Path(name), ports)
            process.terminate()
            process.wait(PATIENCE_S)
        finally:
            process.kill()
            process.communicate()


def test_scripts_read_where_everything_is(served: Served) -> None:
    port, simbank_port = served.ports
    assert served.told["base_url"] == f"http://127.0.0.1:{port}"
    assert served.told["simbank_url"] == f"http://127.0.0.1:{simbank_port}"
    assert Path(served.told["demo_file"]).exists()
    assert 0 < served.told["ready_after_s"] < PATIENCE_S
    assert answers(served.told["base_url"] + "/health/ready")


@pytest.mark.parametrize("by_option", [True, False])
@pytest.mark.parametrize(
    "command", [("merchant", "list", "--json"), ("audit",), ("register", "people", "--json")]
)
def test_a_relative_data_directory_means_the_same_to_every_command(
    served: Served, command: tuple[str, ...], *, by_option: bool
) -> None:
    # A sibling folder as the current one: both the server and this command count from where they
    # were started.
    written = f"../{served.folder.name}"
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    }
    options = ("--data-dir", written) if by_option else ()
    if not by_option:
        environment["HUNDI_DATA_DIR"] = written
    with tempfile.TemporaryDirectory(dir=served.folder.parent) as elsewhere:
        run = [sys.executable, "-m", "hundi.cli", *command, *options]
        ended = subprocess.run(
            run,
            env=environment,
            cwd=elsewhere,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert list(Path(elsewhere).iterdir()) == [], (
            "nothing was made beside the folder that was meant"
        )
    assert ended.returncode == 0, ended.stderr
    if command[0] == "merchant":
        facts = json.loads((served.folder / "demo.json").read_text())
        assert facts["merchants"][0]["merchant_id"] in ended.stdout


def test_the_whole_life(served: Served) -> None:
    process, folder, (port, _) = served.process, served.folder, served.ports
    assert (folder / "demo.json").stat().st_mode & 0o777 == 0o600
    # Names, addresses and failing rows stand in these: nobody else on the machine reads them.
    assert {
        path.name for path in folder.iterdir() if path.is_file() and path.stat().st_mode & 0o077
    } == set()
    facts = json.loads((folder / "demo.json").read_text())
    assert facts["base_url"] == f"http://127.0.0.1:{port}"
    assert sum(merchant["mode"] == "live" for merchant in facts["merchants"]) >= 2
    assert answers(facts["base_url"] + "/health/ready")
    assert answers(facts["simbank_url"] + "/books")

    again = serve(folder, "--port", str(port))
    output, _ = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 2
    assert b"cannot listen" in output
    other_port = free_port()
    again = serve(folder, "--port", str(other_port))
    output, _ = again.communicate(timeout=PATIENCE_S)
    assert again.returncode == 2
    assert b"in use by another process" in output

    # A part of its own on the same data directory finds the database that runs there.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    }
    command = [sys.executable, "-m", "hundi.cli", "api", "--data-dir", str(folder)]
    beside = subprocess.Popen(command, env=environment | {"HUNDI_PORT": str(other_port)})
    try:
        wait_for(lambda: answers(f"http://127.0.0.1:{other_port}/health/ready"))
    finally:
        beside.terminate()
        beside.wait(PATIENCE_S)

    worker = child(process, "worker")
    assert worker is not None
    worker.kill()
    wait_for(lambda: child(process, "worker") not in {None, worker})

    postgres = child(process, "postgres")
    assert postgres is not None
    postgres.kill()
    wait_for(lambda: child(process, "postgres") not in {None, postgres})
    wait_for(lambda: answers(facts["base_url"] + "/health/ready"))

    left = everything(process)
    process.terminate()
    assert process.wait(PATIENCE_S) == 0
    assert gone(left)()


def test_an_acquirer_that_cannot_be_opened_stops_the_start(folder: Path) -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    }
    acquirers = {"HUNDI_ACQUIRERS": '{"north": {"kind": "nobody"}}', "HUNDI_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "hundi.cli", "prepare"]
    done = subprocess.run(
        command, env=environment | acquirers, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 2
    assert "acquirers.north: kind nobody is not installed; installed are: " in done.stderr


def test_killed_outright_it_takes_everything_along(folder: Path) -> None:
    port = free_port()
    process = serve(folder, "--port", str(port), "--workers", "2")
    try:
        wait_for(lambda: answers(f"http://127.0.0.1:{port}/health/ready"))
        assert process.stdout is not None
        assert any(
            b"no acquirer is configured, so nobody can pay" in line for line in process.stdout
        )
        assert (
            f"http://127.0.0.1:{port} is reached without TLS".encode() in process.stdout.readline()
        )
        left = everything(process)
        names = " ".join(" ".join(each.cmdline()) for each in left)
        assert all(word in names for word in ("api", "worker", "postgres"))
        process.kill()
        process.wait()
        wait_for(gone(left))
    finally:
        process.kill()
        process.communicate()


def test_a_stop_while_starting(folder: Path) -> None:
    port = free_port()
    process = serve(folder, "--port", str(port))
    try:
        wait_for(lambda: child(process, "prepare"))
        left = everything(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
        assert gone(left)()
    finally:
        process.kill()
        process.communicate()
