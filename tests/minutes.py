"""Writes how long each test took, and each of its fixtures, for `make minutes`."""

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

VARIABLE = "HUNDI_TEST_MINUTES"
"""Names the file that the times are written to."""
_TICKS = os.sysconf("SC_CLK_TCK")
_SPENT = slice(11, 15)
"""Where /proc/PID/stat has, after the name, the time of a process and of its ended children."""


def processor_s() -> float:
    """Return the seconds of a core that this process has used, with everything it started."""
    waiting, spent_s = [os.getpid()], 0.0
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            waiting += [
                int(child)
                for task in (process / "task").iterdir()
                for child in (task / "children").read_text().split()
            ]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile, and its parent has its seconds
        spent_s += sum(map(int, fields[_SPENT])) / _TICKS
    return spent_s


class FixtureTimes:
    """Adds to each report the seconds that each fixture took, without the fixtures it asks for."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)
        self._cpu_s = 0.0

    def pytest_collection_finish(self) -> None:
        """Leave out what loading the tests took."""
        self._cpu_s = processor_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        """Measure one fixture, and leave out what it asks for while it is made."""
        before = sum(self._seconds.values())
        began = time.perf_counter()
        try:
            return (yield)
        finally:
            asked_for = sum(self._seconds.values()) - before
            self._seconds[fixturedef.argname] += time.perf_counter() - began - asked_for

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """Hand the seconds since the last report over with this one."""
        report = yield
        cpu_s = processor_s()
        # What a browser leaves behind takes its time with it: less than before is nothing new.
        report.fixtures, report.cpu_s = dict(self._seconds), max(0.0, cpu_s - self._cpu_s)
        self._seconds.clear()
        self._cpu_s = cpu_s
        return report


class Recorder:
    """Collects the times of every test and writes them at the end of the run."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._began = time.time()
        self._phases: list[dict[str, object]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the times of one phase of a test."""
        self._phases.append(
            {
                "test": report.nodeid,
                "phase": report.when,
                "process": getattr(report, "worker_id", "main"),
                "outcome": report.outcome,
                "began": report.start,
                "seconds": report.duration,
                "cpu_s": report.cpu_s,
                "fixtures": report.fixtures,
            }
        )

    def pytest_sessionfinish(self) -> None:
        """Write the times as JSON."""
        run = {"began": self._began, "ended": time.time(), "phases": self._phases}
        self._target.write_text(json.dumps(run), "utf-8")


def register(config: pytest.Config) -> None:
    """Measure this run, where somebody asked for it: each process its tests, the first one all."""
    target = os.environ.get(VARIABLE)
    if not target:
        return
    config.pluginmanager.register(FixtureTimes())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(target)))
