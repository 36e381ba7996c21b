"""A killed process of tests costs the test that it was killed in, and no other."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

_HERE = Path(__file__).parents[2]
_ENDED = "def test_ended(): pass\n"
_KILLED = "import os, signal\ndef test_killed(): os.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.mark.parametrize("processes", [1, 2])
def test_the_others_run_what_a_killed_process_had_not_begun(tmp_path: Path, processes: int) -> None:
    files = {"a": _ENDED + "def test_too(): pass\n", "b": _ENDED, "c": _KILLED, "d": _ENDED}
    for name, tests in {**files, "e": _KILLED + _ENDED}.items():
        (tmp_path / f"test_{name}.py").write_text(tests)
    distribution = ("-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder")
    plugins = ("-p", "tests.lost_workers", "-W", "ignore")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *distribution, "--rootdir", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(_HERE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert "2 failed, 5 passed" in run.stdout, run.stdout
