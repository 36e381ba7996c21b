"""The cost of each component: CPU seconds and memory of its processes, read from /proc."""

import asyncio
import os
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import fmean
from typing import Self

_PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_KIBIBYTE = 1024
YARDSTICK_TURNS = 20_000
YARDSTICK_GAP_S = 0.25
"""Long enough that the yardstick adds little to the load generator's cost."""
CORES = os.cpu_count() or 1


class Component(StrEnum):
    """The user of CPU and memory."""

    GATEWAY = "gateway"
    """The API and payment page: one process for each of `--workers`."""
    WORKER = "worker"
    """Deliveries, inquiries, schedules."""
    SIMBANK = "simbank"
    """The simulated bank network."""
    POSTGRESQL = "PostgreSQL"
    """The server with all its backends, for the gateway's database and the bank's."""
    SUPERVISOR = "supervisor"
    """The parent that starts and watches the others."""
    LOAD_GENERATOR = "load generator"
    """This process, with the merchants' server, wrk and pgbench."""


_PARTS = {"api": Component.GATEWAY, "worker": Component.WORKER, "simbank": Component.SIMBANK}
HUNDI = (Component.GATEWAY, Component.WORKER, Component.SIMBANK, Component.SUPERVISOR)
"""The components of Hundi's memory."""


@dataclass(frozen=True, slots=True)
class MeasuredProcess:
    """One process. cpu_s: its own and that of its children that have ended."""

    pid: int
    parent: int
    command: str
    cpu_s: float


@dataclass(frozen=True, slots=True)
class MeterReading:
    """Costs so far. cpu_s: by component. busy_s: of all cores, other programs included."""

    at: float
    cpu_s: Mapping[Component, float]
    busy_s: float


@dataclass(frozen=True, slots=True)
class WorkCost:
    """The cost of one unit of work, and the conditions.

    cpu_ms: CPU milliseconds per unit, by component. others: cores used by other programs. load: the
    load average. yardstick_ms: the cost of a fixed task meanwhile; when that was high, all costs
    were.
    """

    cpu_ms: Mapping[Component, float]
    others: float
    load: float
    yardstick_ms: float


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory of one component in bytes.

    rss: resident. pss: shared pages divided among the processes that share them.
    """

    rss: int
    pss: int


def parse_stat(text: str) -> tuple[int, int, float]:
    """Return (process id, parent, CPU seconds) of a line of /proc/<pid>/stat.

    Ended children are included.
    """
    pid, _, rest = text.partition(" (")
    # The command may itself hold brackets, so the last one ends it.
    fields = rest.rpartition(")")[2].split()
    user, system, children_user, children_system = map(int, fields[11:15])
    return (
        int(pid),
        int(fields[1]),
        (user + system + children_user + children_system) / _TICKS_PER_S,
    )


def snapshot() -> dict[int, MeasuredProcess]:
    """Return every process; one that ends during the read is left out."""
    by_pid: dict[int, MeasuredProcess] = {}
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            pid, parent, cpu_s = parse_stat((folder / "stat").read_text())
            command = (
                (folder / "cmdline")
                .read_bytes()
                .replace(b"\0", b" ")
                .decode(errors="replace")
                .strip()
            )
        except OSError:
            continue
        by_pid[pid] = MeasuredProcess(pid, parent, command, cpu_s)
    return by_pid


def component_of(command: str) -> Component:
    """Return the component of a child of the supervisor, by its command line."""
    if command.partition(" ")[0].endswith("/postgres"):
        return Component.POSTGRESQL
    # The gateway's parts are named by their command: `hundi api`, `hundi worker`, `hundi simbank`.
    return _PARTS.get(command.rpartition(" ")[2], Component.SUPERVISOR)


def assign(
    processes: Mapping[int, MeasuredProcess], supervisor: int, ours: int
) -> dict[int, Component]:
    """Return the component of each process.

    The supervisor's, its children's, or the load generator.

    supervisor, ours: process ids. All other processes are left out.
    """
    components: dict[int, Component | None] = {
        supervisor: Component.SUPERVISOR,
        ours: Component.LOAD_GENERATOR,
    }

    def find(pid: int) -> Component | None:
        if pid not in components:
            process = processes.get(pid)
            if process is None:
                components[pid] = None
            elif process.parent == supervisor:
                components[pid] = component_of(process.command)
            else:
                components[pid] = find(process.parent)
        return components[pid]

    return {pid: component for pid in processes if (component := find(pid)) is not None}


def read(supervisor: int) -> MeterReading:
    """Return the costs so far of everything under the supervisor and of this process."""
    processes = snapshot()
    cpu_s = dict.fromkeys(Component, 0.0)
    for pid, component in assign(processes, supervisor, os.getpid()).items():
        cpu_s[component] += processes[pid].cpu_s
    return MeterReading(time.monotonic(), cpu_s, busy_s((_PROC / "stat").read_text()))


class Meter:
    """Measures the cost of an `async with` block.

    Reads the costs at both ends, and runs the yardstick meanwhile.
    """

    def __init__(self, supervisor: int) -> None:
        """Prepare. supervisor: process id of the gateway under test."""
        self._supervisor = supervisor
        self._yardsticks_ms: list[float] = []

    async def __aenter__(self) -> Self:
        """Begin."""
        self._before = read(self._supervisor)
        self._pacing = asyncio.create_task(self._pace())
        return self

    async def __aexit__(self, *_: object) -> None:
        """End."""
        self._pacing.cancel()
        self._after = read(self._supervisor)

    async def _pace(self) -> None:
        while True:
            self._yardsticks_ms.append(yardstick_ms())
            await asyncio.sleep(YARDSTICK_GAP_S)

    def cost(self, units: int) -> WorkCost:
        """Return the cost of each of so many units, after the end."""
        return cost(self._before, self._after, units, fmean(self._yardsticks_ms))


def spent_s(processes: Mapping[int, MeasuredProcess], roots: Collection[int]) -> float:
    """Return the CPU seconds so far of some processes and of all below them."""

    def belongs(pid: int) -> bool:
        while pid in processes and pid not in roots:
            pid = processes[pid].parent
        return pid in roots

    return sum(process.cpu_s for pid, process in processes.items() if belongs(pid))


class TreeMeter(Meter):
    """A meter that also reads what some processes, and all below them, spend."""

    def __init__(self, roots: Collection[int]) -> None:
        """Prepare. roots: process ids."""
        super().__init__(os.getpid())
        self._roots = roots
        self.spent_s = 0.0

    async def __aenter__(self) -> Self:
        """Begin."""
        await super().__aenter__()
        self.spent_s = -spent_s(snapshot(), self._roots)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End."""
        self.spent_s += spent_s(snapshot(), self._roots)
        await super().__aexit__()


def yardstick_ms() -> float:
    """Return the CPU milliseconds of a fixed task.

    Neighbours on a shared machine can make it dear.
    """
    began, work = time.thread_time(), 0
    for number in range(YARDSTICK_TURNS):
        work += number
    return (time.thread_time() - began) * 1000


def busy_s(stat: str) -> float:
    """Return the seconds since boot that cores were busy or used by the host (/proc/stat)."""
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen = map(
        int, stat.split("\n", 1)[0].split()[1:9]
    )
    return (user + nice + system + interrupts + soft_interrupts + stolen) / _TICKS_PER_S


def cost(before: MeterReading, after: MeterReading, units: int, yardstick: float) -> WorkCost:
    """Return the cost of each of so many units between two readings. yardstick: milliseconds."""
    spent_s = {
        component: after.cpu_s[component] - before.cpu_s[component] for component in Component
    }
    others_s = max(0.0, after.busy_s - before.busy_s - sum(spent_s.values()))
    return WorkCost(
        cpu_ms={component: seconds * 1000 / units for component, seconds in spent_s.items()},
        others=others_s / (after.at - before.at),
        load=os.getloadavg()[0],
        yardstick_ms=yardstick,
    )


def parse_rollup(text: str) -> MemoryUse:
    """Return the memory in the text of /proc/<pid>/smaps_rollup."""
    lines = dict(line.split(":", 1) for line in text.splitlines()[1:] if ":" in line)
    return MemoryUse(*(int(lines[name].split()[0]) * _KIBIBYTE for name in ("Rss", "Pss")))


def memory(supervisor: int) -> dict[Component, MemoryUse]:
    """Return the memory of each component under the supervisor."""
    parts: dict[Component, list[MemoryUse]] = {}
    for pid, component in assign(snapshot(), supervisor, os.getpid()).items():
        try:
            rollup = (_PROC / str(pid) / "smaps_rollup").read_text()
        except OSError:
            continue
        parts.setdefault(component, []).append(parse_rollup(rollup))
    return {component: total(each) for component, each in parts.items()}


def memory_of(pids: Iterable[int]) -> MemoryUse:
    """Return the memory of some processes together; ended ones are left out."""
    parts: list[MemoryUse] = []
    for pid in pids:
        try:
            parts.append(parse_rollup((_PROC / str(pid) / "smaps_rollup").read_text()))
        except OSError:
            continue
    return total(parts)


def total(parts: Iterable[MemoryUse]) -> MemoryUse:
    """Return the sum."""
    listed = list(parts)
    return MemoryUse(sum(each.rss for each in listed), sum(each.pss for each in listed))
