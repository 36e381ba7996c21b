"""An event loop whose clock jumps to whatever comes next: hours pass in seconds.

It waits for nothing outside: no sockets, no threads. What runs on it therefore has one order, decided by the moments
for which things were planned, and by nothing that the operating system does.
"""

import asyncio
import contextvars
import selectors
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

Result = TypeVar("Result")
Work = Generator[Any, None, Result] | Coroutine[Any, Any, Result]
_RESOLUTION_S = 1e-6


class StalledError(Exception):
    """Everybody waits and nothing is planned any more: somebody waits for what will never come."""


class _NoInput(selectors.SelectSelector):
    """Lets the clock jump instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise StalledError
        self.now_s += max(0.0, timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time, which begins at 0 seconds.

    Tasks belong to the process of the simulation that started them: see `processes`.
    """

    def __init__(self) -> None:
        """Begin at second 0."""
        self._input = _NoInput()
        super().__init__(self._input)
        self._clock_resolution = _RESOLUTION_S
        self.set_task_factory(_task)

    def time(self) -> float:
        """Return the seconds since the beginning."""
        return self._input.now_s


class TaskOwner:
    """Whoever has to know which tasks were started in its name. tasks: in the order of their start."""

    def __init__(self) -> None:
        """Own nothing yet."""
        self.tasks: dict[asyncio.Task[Any], None] = {}


OWNER: contextvars.ContextVar[TaskOwner | None] = contextvars.ContextVar("owner", default=None)


def _task(
    loop: asyncio.AbstractEventLoop, work: Work[Result], context: contextvars.Context | None = None
) -> asyncio.Task[Result]:
    task: asyncio.Task[Result] = asyncio.Task(work, loop=loop, context=context)
    owner = context.get(OWNER) if context is not None else OWNER.get()
    if owner is not None:
        owner.tasks[task] = None
        task.add_done_callback(lambda done: owner.tasks.pop(done, None))
    return task
