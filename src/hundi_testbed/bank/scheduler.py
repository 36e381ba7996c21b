"""Wakes the loop of due work when something becomes due."""

import asyncio


class Scheduler:
    """Wakes one waiting task after given times.

    Several wake-ups before it waits again count as one.
    """

    def __init__(self) -> None:
        """Start without a wake-up; call this inside the running event loop."""
        self._event = asyncio.Event()

    def wake_in(self, seconds: float) -> None:
        """Wake the waiting task after so many seconds."""
        asyncio.get_running_loop().call_later(seconds, self._event.set)

    async def wait(self, timeout_s: float) -> None:
        """Return at the next wake-up, or after timeout_s without one."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._event.wait()
        except TimeoutError:
            return
        self._event.clear()
