"""Writes which tests failed and how the run ended, for whoever runs the failed ones once more."""

import json
import os
from pathlib import Path

import pytest

VARIABLE = "HUNDI_TEST_OUTCOME"
"""Names the file that the outcome is written to."""


class Recorder:
    """Collects the ids of failed tests and writes them at the end of the run."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the id of a test whose setup, call or teardown failed."""
        if report.failed:
            self._failed.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the outcome as JSON: `exit_status`, and `failed`, a sorted list of test ids."""
        outcome = {"exit_status": int(exitstatus), "failed": sorted(self._failed)}
        self._target.write_text(json.dumps(outcome), "utf-8")


def recorder(config: pytest.Config) -> Recorder | None:
    """Return the recorder of this run, None where nobody asked or another process records."""
    target = os.environ.get(VARIABLE)
    return Recorder(Path(target)) if target and not hasattr(config, "workerinput") else None
