"""The clock of the running event loop, moved on: what is planned for later comes due, and nobody waits for it."""

import asyncio


class LoopClock:
    """The running loop's clock; it goes on as ever, and jumps when it is told to."""

    def __init__(self) -> None:
        """Take over the clock of the running loop, which is this test's own."""
        self._ahead_s = 0.0
        loop = asyncio.get_running_loop()
        goes_on = loop.time
        loop.time = lambda: goes_on() + self._ahead_s  # type: ignore[method-assign]

    def move_on(self, seconds: float) -> None:
        """Let so many seconds have passed; what came in before is read before anything that is due now happens."""
        self._ahead_s += seconds
