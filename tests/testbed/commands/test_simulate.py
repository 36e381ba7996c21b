"""`hundi simulate` runs without a gateway, and its exit status says what it found."""

import json
import os
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from hundi.cli import application


def test_a_short_run_is_reported_for_scripts() -> None:
    said = CliRunner().invoke(
        application("simulate"), ["simulate", "--seed", "3", "--hours", "0.1", "--json"]
    )
    assert said.exit_code == 0, said.output
    shown = json.loads(said.stdout)
    assert (shown["seed"], shown["findings"]) == (3, [])
    assert shown["operations"]["verify"] > 0
    assert len(shown["trace"]) == 64


def simulate(*options: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "hundi.cli",
            "simulate",
            "--seed",
            "7",
            "--hours",
            "0.1",
            *map(str, options),
        ],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_seed_is_the_same_run_in_another_process_and_says_where_it_is_not(tmp_path: Path) -> None:
    first, bent, again = (tmp_path / name for name in ("first", "bent", "again"))
    assert simulate("--trace", first, PYTHONHASHSEED="1", TZ="Asia/Kolkata").returncode == 0
    steps = first.read_text().splitlines(keepends=True)
    bent.write_text("".join([*steps[:99], "0.0 another step\n", *steps[100:]]))
    said = simulate("--trace", again, "--expect", bent, PYTHONHASHSEED="2", TZ="America/New_York")
    assert again.read_text() == first.read_text()
    assert said.returncode == 1
    assert 'step 100: expected "0.0 another step", was ' in said.stderr


def test_a_file_of_steps_is_that_of_one_seed(tmp_path: Path) -> None:
    said = CliRunner().invoke(
        application("simulate"),
        ["simulate", "--seed", "3", "--seeds", "2", "--trace", str(tmp_path / "steps")],
    )
    assert said.exit_code == 2
    assert "--seeds" in said.output
