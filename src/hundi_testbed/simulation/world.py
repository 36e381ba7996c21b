"""The world of one simulation: its time, chance, faults and trace, and its processes."""

import asyncio
import contextvars
import hashlib
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from random import Random  # noqa: TC003 (as everywhere here)
from typing import Any, TypeVar

from hundi_testbed.simulation.faults import Fault, Faults
from hundi_testbed.simulation.virtual_time import OWNER, TaskOwner, VirtualLoop

Result = TypeVar("Result")
BEGINNING = datetime(2026, 3, 2, 3, 0, tzinfo=UTC)
"""When every simulation begins: a Monday morning in India."""
LATENCY_S = (0.0002, 0.004)
"""The least and usual largest time of a message between two processes."""
STORY_MAX = 60
"""The most stored lines about one order."""


class KilledError(ConnectionError):
    """A killed process wanted to act: nothing of it happens."""


class World:
    """The shared state of a simulation.

    random: every draw of a run comes from it, so the seed decides the run. done: operations by
    name, for the report.
    """

    def __init__(
        self,
        seed: int,
        loop: VirtualLoop,
        faults: Faults,
        heard: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Begin. faults: draws from the same source. heard: called with each line of the trace."""
        self.seed = seed
        self.loop = loop
        self.faults = faults
        self.random: Random = faults.random
        self.done: Counter[str] = Counter()
        self.steps = 0
        self._heard = heard
        self._hash = hashlib.sha256()
        self._stories: dict[str, deque[str]] = {}

    @property
    def now(self) -> datetime:
        """Return the time by the world's own clock."""
        return BEGINNING + timedelta(seconds=self.loop.time())

    def wall(self) -> datetime:
        """Return the time by the present process's clock, which may be wrong."""
        owner = OWNER.get()
        return self.now + owner.skew if isinstance(owner, SimulatedProcess) else self.now

    def note(self, what: str, about: str = "") -> None:
        """Write a line of the trace, and of an order's story if it is about one.

        It must not hold anything that differs between two runs of a seed.
        """
        self.steps += 1
        line = f"{self.loop.time():.6f} {what} {about}"
        self._hash.update(f"{line}\n".encode())
        self._heard(line)
        if about:
            story = self._stories.setdefault(about, deque(maxlen=STORY_MAX))
            story.append(f"{self.now:%d %b %H:%M:%S} step {self.steps}: {what}")

    def story(self, about: str) -> list[str]:
        """Return the events of an order, oldest first."""
        return list(self._stories.get(about, ()))

    @property
    def trace(self) -> str:
        """Return the hash of all events: the same for every run of a seed."""
        return self._hash.hexdigest()

    def between(self, least: float, most: float) -> float:
        """Return a random number between two."""
        return self.random.uniform(least, most)

    async def sleep(self, least_s: float, most_s: float) -> None:
        """Let some time pass."""
        await asyncio.sleep(self.between(least_s, most_s))


class SimulatedProcess(TaskOwner):
    """A process of the gateway: it has a clock of its own, and may be killed at any moment.

    All its effects on the world go through `travel`, so a killed one has no more, whatever its code
    still tries: no `finally` repairs what a real kill would have left.
    """

    def __init__(self, world: World, name: str, on_kill: Callable[[], None] = lambda: None) -> None:
        """Begin. on_kill: called when the process is killed."""
        super().__init__()
        self.world = world
        self.name = name
        self.alive = True
        self._on_kill = on_kill
        self.skew = timedelta()
        self._context = contextvars.copy_context()
        self._context.run(OWNER.set, self)

    def start(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Start a task of this process."""
        return asyncio.get_running_loop().create_task(work, context=self._context.copy())

    def check(self) -> None:
        """Raise KilledError when the process was killed."""
        if not self.alive:
            message = f"{self.name} was killed"
            raise KilledError(message)

    async def travel(self) -> None:
        """Wait as long as a message takes. Raises KilledError before and after it."""
        self.check()
        await self.world.sleep(*LATENCY_S)
        self.check()

    def may_die(self) -> None:
        """Kill the process here, with some probability. Raises KilledError."""
        if self.world.faults.strikes(Fault.KILL_BETWEEN):
            self.kill()
        self.check()

    def kill(self) -> None:
        """Kill the process: from now on it has no effect on the world."""
        if self.alive:
            self.alive = False
            self.world.note(f"kill {self.name}")
            self._on_kill()
            for task in list(self.tasks):
                task.cancel()
