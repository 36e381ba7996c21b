"""The counters of all processes of this machine, in the text form that Prometheus reads.

Each process counts in files of one folder (the client library's multiprocess mode), so any of them can answer for all.
Without such a folder, in a part that was started by itself, a process answers for itself alone.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import psutil
from prometheus_client import REGISTRY, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from hundi.infra.monitoring.counters import PARTS
from hundi.infra.monitoring.folder import VARIABLE

ENDED_MAX = 50
"""Processes that ended and are still counted; beyond that the oldest are left out, as after a restart of everything."""


def exposition(overdue: Iterable[tuple[str, float]]) -> bytes:
    """Return all metrics as text. overdue: kinds of work, and for how many seconds the oldest item waits."""
    folder = os.environ.get(VARIABLE)
    counted = REGISTRY if folder is None else CollectorRegistry()
    if folder is not None:
        counted.register(_Machine(Path(folder)))
    late = CollectorRegistry()
    late.register(_Fixed(_overdue(overdue)))
    return generate_latest(counted) + generate_latest(late)


class _Fixed(Collector):
    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> Iterable[Metric]:
        return [self._metric]


class _Machine(Collector):
    """Everything that was counted in a folder, and what its living processes use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        _leave_out_ended(self._folder)
        counted: Sequence[Metric] = list(MultiProcessCollector(None, str(self._folder)).collect())
        yield from counted
        yield from _used(counted)


def _leave_out_ended(folder: Path) -> None:
    """Take the gauges of processes that ended out of the sums, and forget the oldest of many."""
    ended: dict[int, list[Path]] = {}
    for file in folder.glob("*.db"):
        pid = int(file.stem.rpartition("_")[2])
        if not psutil.pid_exists(pid):
            ended.setdefault(pid, []).append(file)
    for pid in ended:
        mark_process_dead(pid, str(folder))
    for files in sorted(ended.values(), key=_newest)[:-ENDED_MAX]:
        for file in files:
            file.unlink(missing_ok=True)


def _newest(files: Sequence[Path]) -> float:
    return max((file.stat().st_mtime for file in files if file.exists()), default=0.0)


def _used(counted: Iterable[Metric]) -> tuple[Metric, Metric]:
    """Return processor time and memory of the processes that said which part they are."""
    labels = ("part", "pid")
    cpu = CounterMetricFamily("hundi_process_cpu_seconds", "Processor time of a living process.", labels=labels)
    memory = GaugeMetricFamily("hundi_process_resident_bytes", "Memory of a living process.", labels=labels)
    for sample in (each for metric in counted if metric.name == PARTS._name for each in metric.samples):  # noqa: SLF001 (the library has no other way to ask for a name)
        try:
            process = psutil.Process(int(sample.labels["pid"]))
            times, resident = process.cpu_times(), process.memory_info().rss
        except psutil.Error:
            continue  # ended while we looked
        named = [sample.labels["part"], sample.labels["pid"]]
        cpu.add_metric(named, times.user + times.system)
        memory.add_metric(named, resident)
    return cpu, memory


def _overdue(overdue: Iterable[tuple[str, float]]) -> Metric:
    metric = GaugeMetricFamily(
        "hundi_overdue_seconds",
        "For how long the oldest item of each kind of later work has been due; more than a minute: nobody works on it.",
        labels=("work",),
    )
    for work, seconds in overdue:
        metric.add_metric((work,), seconds)
    return metric
