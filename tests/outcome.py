"""Writes which tests failed and how the run ended, for whoever runs the failed ones once more."""

import json
import os
from pathlib import Path

import pytest

VARIABLE = "HUNDI_TEST_OUTCOME"
"""Names the file that the outcome is written to."""
_REASON_CHARACTERS = 2000


class Recorder:
    """Collects failed tests, each with the end of its report, and writes them after the run."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._failed: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a test whose setup, call or teardown failed, with what failed first."""
        if report.failed:
            reason = report.longreprtext[-_REASON_CHARACTERS:]
            self._failed.setdefault(report.nodeid, reason)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the outcome as JSON: `exit_status`, and `failed`, the reason of each test id."""
        outcome = {"exit_status": int(exitstatus), "failed": dict(sorted(self._failed.items()))}
        self._target.write_text(json.dumps(outcome), "utf-8")


def recorder(config: pytest.Config) -> Recorder | None:
    """Return the recorder of this run, None where nobody asked or another process records."""
    target = os.environ.get(VARIABLE)
    return Recorder(Path(target)) if target and not hasattr(config, "workerinput") else None
