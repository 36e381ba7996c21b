"""Tests in several processes: a killed one costs the test it was killed in, and no other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

_HERE = Path(__file__).parents[2]
_ENDED = "def test_ended(): pass\n"
_WHERE = """
import os, pathlib, time
def test_where():
    time.sleep(0.1)
    pathlib.Path(__file__).with_name(os.environ["PYTEST_XDIST_WORKER"]).touch()
"""
_KILLED = "import os, signal\ndef test_killed(): os.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.mark.parametrize("processes", [1, 2])
def test_the_others_run_what_a_killed_process_had_not_begun(tmp_path: Path, processes: int) -> None:
    files = {"a": _ENDED + "def test_too(): pass\n", "b": _ENDED, "c": _KILLED, "d": _ENDED}
    for name, tests in {**files, "e": _KILLED + _ENDED}.items():
        (tmp_path / f"test_{name}.py").write_text(tests)
    told = run_tests(tmp_path, processes)
    assert "2 failed, 5 passed" in told, told


def test_one_process_has_all_that_read_our_code(tmp_path: Path) -> None:
    (tmp_path / "tests/house").mkdir(parents=True)
    for number in range(6):
        (tmp_path / f"tests/house/test_{number}.py").write_text(_WHERE)
        (tmp_path / f"tests/test_{number}.py").write_text(_WHERE)
    assert "12 passed" in run_tests(tmp_path, 2)
    readers = {each.name for each in (tmp_path / "tests/house").glob("gw*")}
    others = {each.name for each in (tmp_path / "tests").glob("gw*")}
    assert len(readers) == 1
    assert readers | others == {"gw0", "gw1"}


def run_tests(folder: Path, processes: int) -> str:
    """Return what a run prints of tests in these processes."""
    distribution = ("-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder")
    plugins = ("-p", "tests.lost_workers", "-W", "ignore", "--import-mode", "importlib")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *distribution, "--rootdir", str(folder)],
        env=os.environ | {"PYTHONPATH": str(_HERE)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    return run.stdout
