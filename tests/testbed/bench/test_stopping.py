"""A benchmark that somebody stops: real gateway, real signal."""

import json
import os
import signal
import subprocess
import sys

import pytest

_STARTED_S_MAX = 300


def _run(signal_number: int, step: str, *names: str) -> tuple[int, str, str]:
    """Send a signal in a step; return (exit status, output, progress)."""
    only = [word for name in names for word in ("--only", name)]
    command = [sys.executable, "-m", "hundi_testbed.bench", "--quick", "--json", *only]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said = []
            for line in process.stderr:
                said.append(line)
                if step in line:
                    # A terminal sends it to the whole group.
                    os.killpg(process.pid, signal_number)
                    break
            output, rest = process.communicate(timeout=_STARTED_S_MAX)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output, "".join(said) + rest


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_prints_what_had_ended_after_an_audit(signal_number):
    status, output, said = _run(signal_number, "fixed, run 1", "payments", "fixed")
    assert status == 3, said
    document = json.loads(output)
    assert document["options"]["stopped_in"] == "fixed, run 1 of 1"
    assert document["figures"]["payments_rate"]["median"] > 0
    assert "fixed_rate" not in document["figures"]
    assert document["audit"]["checked"]
    assert not any(each["violations"] for each in document["audit"]["checked"])


def test_a_run_that_is_stopped_before_anything_ended_says_so():
    status, output, said = _run(signal.SIGINT, "opening shops", "payments")
    assert (status, output) == (1, "")
    assert "no figures, because it was stopped in 'opening shops'" in said
