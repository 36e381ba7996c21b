"""The command line itself.

A command loads its own module only, and faults of set-up come without a traceback.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hundi.cli import application


def hundi(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    } | settings
    return subprocess.run(
        [sys.executable, "-m", "hundi.cli", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def loaded_by(module: str) -> set[str]:
    program = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split())


def test_help_names_every_command() -> None:
    done = hundi("--help")
    assert done.returncode == 0
    for name in (
        "serve",
        "merchant",
        "payment",
        "delivery",
        "split",
        "call",
        "keys",
        "audit",
        "envelope",
        "settings",
        "api",
        "worker",
        "simbank",
        "migrate",
    ):
        assert f" {name} " in done.stdout


def test_the_version_is_that_of_the_distribution() -> None:
    done = hundi("--version")
    assert (done.returncode, done.stdout) == (0, f"hundi {version('hundi')}\n")


def test_the_help_of_migrate_names_the_option_that_it_takes() -> None:
    assert "--citus" in hundi("migrate", "--help").stdout


def test_settings_are_masked(tmp_path: Path) -> None:
    done = hundi(
        "settings",
        "--json",
        "--data-dir",
        str(tmp_path),
        HUNDI_ACQUIRER_KEY="canary-canary-canary",
        HUNDI_PORT="9000",
    )
    shown = json.loads(done.stdout)
    assert shown["port"] == 9000
    assert shown["data_dir"] == str(tmp_path)
    assert "canary" not in done.stdout
    assert "9000" in hundi("settings", HUNDI_PORT="9000").stdout


@pytest.mark.parametrize("command", [("settings",), ("api",), ("serve",)])
def test_wrong_settings_are_told_in_words(command: tuple[str, ...]) -> None:
    done = hundi(*command, HUNDI_PORT="eighty")
    assert done.returncode == 2
    assert "HUNDI_PORT" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unreachable_database_is_told_in_words(unused_tcp_port: int) -> None:
    done = hundi(
        "migrate", HUNDI_DATABASE_URL=f"postgresql://user:canary@127.0.0.1:{unused_tcp_port}/hundi"
    )
    assert done.returncode == 2
    assert "cannot be used" in done.stderr
    assert done.stderr.endswith("; start the server, or correct host and port in this address\n")
    assert "canary" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("part", ["api", "worker", "metrics"])
def test_a_part_that_cannot_start_says_why_in_one_sentence(
    part: str, unused_tcp_port_factory: Callable[[], int], tmp_path: Path
) -> None:
    ports = {
        "HUNDI_PORT": str(unused_tcp_port_factory()),
        "HUNDI_METRICS_PORT": str(unused_tcp_port_factory()),
    }
    nowhere = f"postgresql://hundi@127.0.0.1:{unused_tcp_port_factory()}/hundi"
    for address, words in (("", "needs HUNDI_DATABASE_URL"), (nowhere, "; start the server, or")):
        done = hundi(part, HUNDI_DATA_DIR=str(tmp_path), HUNDI_DATABASE_URL=address, **ports)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr


def test_an_unknown_command() -> None:
    assert hundi("pay").returncode == 2


def test_an_argument_that_is_no_text(tmp_path: Path) -> None:
    done = hundi("payment", "show", "10001", "\udcff", "--data-dir", str(tmp_path))
    assert (done.returncode, "is no text in UTF-8" in done.stderr, "Traceback" in done.stderr) == (
        2,
        True,
        False,
    )


def test_the_parts_stay_light() -> None:
    assert not {"typer", "rich", "asyncpg", "litestar", "structlog"} & loaded_by("hundi.cli.parts")


def test_the_supervisor_stays_light() -> None:
    assert not {"rich", "asyncio", "asyncpg", "ssl", "litestar", "structlog"} & loaded_by(
        "hundi.cli.serve"
    )


@pytest.mark.parametrize(
    "options", [("--port", "1"), ("--data-dir",), ("x", "y"), ("--data-dir", "a", "b")]
)
def test_a_part_takes_its_place_and_no_other_option(options: tuple[str, ...]) -> None:
    done = hundi("worker", *options)
    assert (done.returncode, "--data-dir DIR" in done.stderr, "Traceback" in done.stderr) == (
        2,
        True,
        False,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("merchant", "list"),
        ("merchant", "add", "Chandni Books"),
        ("partner", "list"),
        ("partner", "certificate"),
        ("lead", "list"),
        ("pos", "terminals", "10001"),
        ("split", "accounts", "10001"),
        ("payment", "show", "10001", "x"),
        ("delivery", "list", "10001"),
        ("refusal", "list", "10001"),
        ("register", "people"),
        ("card", "issue", "DEMO", "CUST0001"),
        ("audit",),
    ],
)
def test_a_command_makes_no_gateway_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    for name in [each for each in os.environ if each.startswith("HUNDI_")]:
        monkeypatch.delenv(name)
    place = tmp_path / "nothing-here"
    ended = CliRunner().invoke(application(command[0]), [*command, "--data-dir", str(place)])
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert (
        ended.stderr == f"there is no gateway's data in {place}: say where it is with --data-dir\n"
    )
    assert not place.exists()
