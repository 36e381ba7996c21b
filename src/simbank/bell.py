"""Wakes the bank's round of due work when something is about to be due."""

import asyncio


class Bell:
    """An event that rings by itself after a while; many rings before one answer count once."""

    def __init__(self) -> None:
        """Start silent; must be made inside the running loop."""
        self._event = asyncio.Event()

    def ring_in(self, seconds: float) -> None:
        """Ring after so many seconds."""
        asyncio.get_running_loop().call_later(seconds, self._event.set)

    async def wait(self, timeout_s: float) -> None:
        """Return at the next ring, or after timeout_s without one."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._event.wait()
        except TimeoutError:
            return
        self._event.clear()
