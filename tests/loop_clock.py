"""The clock of the running event loop, moved on or stopped.

What is planned for later comes due when a test says so.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class LoopClock:
    """The running loop's clock.

    It goes on as ever, jumps when it is told to, and stands when it has to.
    """

    def __init__(self) -> None:
        """Take over the clock of the running loop, which is this test's own."""
        self._ahead_s = 0.0
        self._stands_at_s: float | None = None
        loop = asyncio.get_running_loop()
        self._goes_on = loop.time
        loop.time = self._time  # type: ignore[method-assign]

    def _time(self) -> float:
        return self._goes_on() + self._ahead_s if self._stands_at_s is None else self._stands_at_s

    def move_on(self, seconds: float) -> None:
        """Let so many seconds have passed.

        What came in before is read before anything that is due now happens.
        """
        self._ahead_s += seconds

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Stop it until the end of this.

        However slow the machine is, nothing comes due meanwhile.
        """
        self._stands_at_s = self._time()
        try:
            yield
        finally:
            self._stands_at_s = None
