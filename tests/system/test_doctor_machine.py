"""The doctor on a machine of which something is wrong: its clock, its Python, disk or user."""

import ctypes
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.acquirers.gateway.there import settings
from tests.system.conftest import add_merchant
from tests.system.machine import clean_environment
from tests.system.running import HUNDI, RunningGateway
from tests.system.test_doctor import found, look, pytestmark
from tests.system.test_doctor_outside import on_small_disk

__all__ = ("pytestmark",)


def faked(clock: str) -> dict[str, str]:
    """Return the variables by which a program sees another clock, as `faketime` writes them."""
    told = subprocess.run(
        ["faketime", "-f", clock, "env"], capture_output=True, text=True, check=True
    ).stdout
    variables = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
    given = {name: variables[name] for name in ("LD_PRELOAD", "FAKETIME")}
    return given | {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}


@pytest.mark.parametrize(("ahead_s", "code"), [(61, "clock_wrong"), (10, "clock_drifts")])
def test_a_clock_that_is_not_the_databases_is_named(
    gateway: RunningGateway, ahead_s: int, code: str
) -> None:
    finding = found(look(gateway, **faked(f"+{ahead_s}s")), code, "this machine")
    seen = re.fullmatch(r"(\d+) s ahead of the database's clock", finding["seen"])
    assert seen
    # The answer of a busy database takes its time.
    assert abs(int(seen[1]) - ahead_s) <= 5
    assert "follow a time server (NTP)" in finding["do"]


def test_a_clock_that_no_time_server_sets_is_named(tmp_path: Path) -> None:
    """A database on the same machine has the same clock, and cannot tell."""
    unsynchronised = 5
    kernel = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(256))
    by_kernel = "clock_alone" if kernel == unsynchronised else "clock_kept"
    shown = {"HUNDI_DATA_DIR": "/nowhere"}
    ask = f"mount -t tmpfs tmpfs /run && {HUNDI} doctor --json"
    assert found(json.loads(on_small_disk(tmp_path / "a", ask, shown)), by_kernel)
    # As systemd-timesyncd does once it has set the clock.
    told = "mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized"
    ask = f"mount -t tmpfs tmpfs /run && {told} && {HUNDI} doctor --json"
    assert found(json.loads(on_small_disk(tmp_path / "b", ask, shown)), "clock_kept")
    # One that stopped a day ago says nothing of today.
    old = f"{told} && touch -d '1 day ago' /run/systemd/timesync/synchronized"
    ask = f"mount -t tmpfs tmpfs /run && {old} && {HUNDI} doctor --json"
    assert found(json.loads(on_small_disk(tmp_path / "c", ask, shown)), by_kernel)


def test_a_python_without_fixes_is_named(gateway: RunningGateway) -> None:
    """Python has fixes today; a machine whose clock says 2036 has one without."""
    finding = found(look(gateway, **faked("@2036-01-01 00:00:00")), "python_old")
    assert finding["seen"].startswith("CPython 3.")


def test_a_disk_that_gets_full_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    named = {"HUNDI_DATA_DIR": str(folder)}
    printed = on_small_disk(folder, f"{HUNDI} doctor --json", named, size_mb=1_000)
    assert found(json.loads(printed), "disk_low")["seen"].startswith("1,049 of 1,049 MB free")


_AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def test_who_may_not_listen_at_a_low_port_learns_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [*(_AS_NOBODY if os.geteuid() == 0 else ()), str(HUNDI), "doctor", "--json"],
        env={**clean_environment(), "HUNDI_PORT": "81", "HUNDI_DATA_DIR": "/nowhere"},
        cwd="/",
        capture_output=True,
        text=True,
    )
    finding = found(json.loads(done.stdout), "port_forbidden")
    assert finding["about"] == "127.0.0.1:81"


def test_an_acquirer_that_knows_other_keys_is_named(gateway: RunningGateway) -> None:
    account = settings(gateway.base_url, add_merchant(gateway, "With another secret"))
    wrong = account | {"api_secret": "a secret that nobody knows"}
    report = look(gateway, HUNDI_ACQUIRERS=json.dumps({"other": wrong}))
    finding = found(report, "acquirer_answers_otherwise", "other")
    assert finding["do"].startswith("Run `hundi acquirer check NAME`")
