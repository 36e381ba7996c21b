"""The counters of all processes of this machine, in the text form of Prometheus.

Each process counts in files of one folder (the client library's multiprocess mode), so any process
can answer for all. Without the folder, in a part that was started alone, a process answers for
itself alone.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import psutil
from prometheus_client import REGISTRY, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from hundi.infra.monitoring.counters import PARTS
from hundi.infra.monitoring.folder import VARIABLE, lives
from hundi.infra.monitoring.readings import MetricReading

_LOCK = "ended.lock"
_LOCK_FLAGS = os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW
_ENDED = 0
"""In place of a process number: the sums of ended processes."""
_SUMMED = ("counter", "histogram")


def started(part: str) -> None:
    """Set this process's part of the gateway, and add up the counters of ended processes."""
    folder = os.environ.get(VARIABLE)
    if folder is not None:
        _add_up_ended(Path(folder))
    PARTS.labels(part).set_to_current_time()


def exposition(readings: Iterable[MetricReading]) -> bytes:
    """Return all metrics as text.

    readings: what was read for this look.
    """
    folder = os.environ.get(VARIABLE)
    counted = REGISTRY if folder is None else CollectorRegistry()
    if folder is not None:
        counted.register(_Machine(Path(folder)))
    read = CollectorRegistry()
    read.register(_Fixed([_family(each) for each in readings]))
    return generate_latest(counted) + generate_latest(read)


class _Fixed(Collector):
    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


class _Machine(Collector):
    """The counters in a folder, and the resources that its living processes use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        _add_up_ended(self._folder)
        counted: Sequence[Metric] = list(MultiProcessCollector(None, str(self._folder)).collect())
        yield from counted
        yield from _used(counted)


def _add_up_ended(folder: Path) -> None:
    """Add the counters of ended processes into one file per kind, so that no counter goes back."""
    files = [
        file
        for file in folder.glob("*.db")
        if _number(file) != _ENDED and not lives(folder, _number(file))
    ]
    if not files:
        return
    # Open for reading alone: it may be another user's, of another container.
    with os.fdopen(os.open(folder / _LOCK, _LOCK_FLAGS, 0o640)) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # another process is doing it
        for kind in _SUMMED:
            _add_up(
                [file for file in files if file.name.startswith(kind + "_") and file.exists()],
                kind,
                folder,
            )
        for file in files:
            file.unlink(missing_ok=True)


def _add_up(sources: Sequence[Path], kind: str, folder: Path) -> None:
    """Write the sum of some files to a new file, and replace the last sum with it."""
    if not sources:
        return
    sums, fresh = folder / f"{kind}_{_ENDED}.db", folder / f"{kind}.new"
    fresh.unlink(missing_ok=True)
    written = MmapedDict(str(fresh))
    files = [str(file) for file in (*sources, sums) if file.exists()]
    for metric in MultiProcessCollector.merge(files, accumulate=False):
        for sample in metric.samples:
            names, values = list(sample.labels), list(sample.labels.values())
            key = mmap_key(metric.name, sample.name, names, values, metric.documentation)
            written.write_value(key, sample.value, sample.timestamp or 0.0)
    written.close()
    fresh.rename(sums)


def _number(file: Path) -> int:
    return int(file.stem.rpartition("_")[2])


def _used(counted: Iterable[Metric]) -> tuple[Metric, Metric]:
    """Return processor time and memory of the living processes, by their part."""
    labels = ("part", "pid")
    cpu = CounterMetricFamily(
        "hundi_process_cpu_seconds", "Processor time of a living process.", labels=labels
    )
    memory = GaugeMetricFamily(
        "hundi_process_resident_bytes", "Memory of a living process.", labels=labels
    )
    name = PARTS._name  # noqa: SLF001 (the library has no other way to ask for a name)
    for sample in (each for metric in counted if metric.name == name for each in metric.samples):
        try:
            process = psutil.Process(int(sample.labels["pid"]))
            times, resident = process.cpu_times(), process.memory_info().rss
        except psutil.Error:
            continue  # ended meanwhile, or hidden from this process
        part_labels = [sample.labels["part"], sample.labels["pid"]]
        cpu.add_metric(part_labels, times.user + times.system)
        memory.add_metric(part_labels, resident)
    return cpu, memory


def _family(reading: MetricReading) -> Metric:
    labels = [reading.label] if reading.label else []
    metric = GaugeMetricFamily(reading.name, reading.documentation, labels=labels)
    for value, number in reading.values:
        metric.add_metric([value][: len(labels)], number)
    return metric
