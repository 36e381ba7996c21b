"""An event loop whose clock jumps to the next event: hours pass in seconds.

It waits for nothing outside: no sockets, no threads. The planned times alone decide the order of
everything on it; the operating system decides nothing.
"""

import asyncio
import contextvars
import selectors
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterator
from functools import partial
from itertools import count
from typing import Any, TypeVar

Result = TypeVar("Result")
Work = Generator[Any, None, Result] | Coroutine[Any, Any, Result]
_RESOLUTION_S = 1e-6
ROUNDS_MAX = ((1.0, 200_000), (3600.0, 20_000_000))
"""The most rounds of the loop in so many seconds of virtual time.

With more, some code spins.
"""
_SAMPLED = 1_000
"""The last rounds before the limit, in which running tasks are counted."""
_NAMED_MAX = 5


class StalledError(Exception):
    """Everything waits and nothing is planned: something waits for ever."""


class SpinningError(Exception):
    """Code runs for ever while virtual time hardly moves.

    The message names the code.
    """


class _Span:
    """Counts the loop's rounds in a span of virtual time."""

    def __init__(self, lasts_s: float, rounds_max: int) -> None:
        self.lasts_s = lasts_s
        self.rounds_max = rounds_max
        self.began_s = 0.0
        self.rounds = 0

    def count(self, now_s: float) -> int:
        """Count a round and return how many are left."""
        if now_s - self.began_s >= self.lasts_s:
            self.began_s, self.rounds = now_s, 0
        self.rounds += 1
        return self.rounds_max - self.rounds


class _NoInput(selectors.SelectSelector):
    """Makes the clock jump instead of waiting.

    running: how often each task ran, counted after many rounds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.spans = [_Span(*each) for each in ROUNDS_MAX]
        self.sampling = False
        self.running: Counter[str] = Counter()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise StalledError
        self.now_s += max(0.0, timeout)
        left = [(each.count(self.now_s), each) for each in self.spans]
        least, span = min(left, key=lambda each: each[0])
        if least < 0:
            self._give_up(span)
        if self.sampling != (least < _SAMPLED):
            self.sampling = not self.sampling
            self.running.clear()
        return []

    def _give_up(self, span: _Span) -> None:
        names = ", ".join(name for name, _ in self.running.most_common(_NAMED_MAX))
        message = (
            f"{span.rounds_max} rounds in {span.lasts_s:g} s of virtual time; what runs: {names}"
        )
        for each in self.spans:
            each.rounds = 0
        raise SpinningError(message)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time, which begins at 0 seconds.

    Tasks belong to the process of the simulation that started them: see `processes`.
    """

    def __init__(self) -> None:
        """Begin at second 0."""
        self._input = _NoInput()
        super().__init__(self._input)
        self._clock_resolution = _RESOLUTION_S
        self.set_task_factory(partial(_task, count()))

    def time(self) -> float:
        """Return the seconds since the beginning."""
        return self._input.now_s

    def call_soon(
        self,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 (as asyncio has it)
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Plan a call for the next round, and count its owner after many rounds."""
        if self._input.sampling:
            task = getattr(callback, "__self__", None)
            self._input.running[_name(task if isinstance(task, asyncio.Task) else callback)] += 1
        return super().call_soon(callback, *args, context=context)

    def run_in_executor(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        _executor: object,
        work: Callable[..., Result],
        *args: Any,  # noqa: ANN401 (as asyncio has it)
    ) -> "asyncio.Future[Result]":
        """Run at once what others run in a thread.

        A seed cannot order threads.
        """
        result: asyncio.Future[Result] = self.create_future()
        try:
            result.set_result(work(*args))
        except Exception as problem:  # noqa: BLE001 (whoever waits for it gets it)
            result.set_exception(problem)
        return result


class TaskOwner:
    """The owner of tasks that are started in its name.

    tasks: in the order of their start.
    """

    def __init__(self) -> None:
        """Start without tasks."""
        self.tasks: dict[asyncio.Task[Any], None] = {}


OWNER: contextvars.ContextVar[TaskOwner | None] = contextvars.ContextVar("owner", default=None)


def _name(runs: object) -> str:
    """Return the name of the code of a task or a call."""
    code = runs.get_coro() if isinstance(runs, asyncio.Task) else runs
    return getattr(code, "__qualname__", None) or type(code).__name__


class _NumberedTask(asyncio.Task[Result]):
    """A task whose hash is its number in its loop.

    By its address, a task group would cancel in another order in each process.
    """

    def __init__(
        self,
        number: int,
        work: Work[Result],
        loop: asyncio.AbstractEventLoop,
        context: contextvars.Context | None,
    ) -> None:
        self._number = number
        super().__init__(work, loop=loop, context=context)

    def __hash__(self) -> int:
        return self._number


def _task(
    numbers: Iterator[int],
    loop: asyncio.AbstractEventLoop,
    work: Work[Result],
    context: contextvars.Context | None = None,
) -> asyncio.Task[Result]:
    task: asyncio.Task[Result] = _NumberedTask(next(numbers), work, loop, context)
    owner = context.get(OWNER) if context is not None else OWNER.get()
    if owner is not None:
        owner.tasks[task] = None
        task.add_done_callback(lambda done: owner.tasks.pop(done, None))
    return task
