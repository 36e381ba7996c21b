"""A cache in each process for rows that rarely change, emptied by notices of changes."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from cachetools import TTLCache

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import ticks_s

CACHE_SIZE_MAX = 10_000
TRUSTED_FOR_S = 60.0
"""How long a process uses a cached row, in case a notice of change is lost."""

Key = TypeVar("Key")
Value = TypeVar("Value")


def kept(cache: TTLCache[Key, Value, float], key: Key) -> Value | None:
    """Return a cache's value of a key, or None.

    `TTLCache.get` would look twice, and read the clock twice.
    """
    try:
        return cache[key]
    except KeyError:
        return None


class RowCache(Generic[Key, Value]):
    """Values by key.

    channel: of the notices of change, whose payload names a key. load: reads one value, None if
    there is none. key_of: reads a notice's payload; None, if it names no key, empties the cache.
    """

    def __init__(
        self,
        db: Database,
        channel: str,
        load: Callable[[Key], Awaitable[Value | None]],
        key_of: Callable[[str], Key | None],
    ) -> None:
        """Store the parts; call `start` before the first request."""
        self._db = db
        self._channel = channel
        self._load = load
        self._key_of = key_of
        self._known: TTLCache[Key, Value, float] = TTLCache(
            CACHE_SIZE_MAX, TRUSTED_FOR_S, timer=ticks_s
        )
        self._notices = 0

    async def start(self) -> None:
        """Listen for changes made by other processes."""
        await self._db.listen(self._channel, self._forget)

    def _forget(self, payload: str) -> None:
        self._notices += 1
        key = self._key_of(payload)
        # An empty payload means that notices may have been lost while the listener was away: the
        # cache is emptied.
        if key is None:
            self._known.clear()
        else:
            self._known.pop(key, None)

    async def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None; a missing value is not cached."""
        cached = kept(self._known, key)
        if cached is not None:
            return cached
        notices = self._notices
        value = await self._load(key)
        # A notice during the read may have been about this row: then it is used once and not
        # cached.
        if value is not None and notices == self._notices:
            self._known[key] = value
        return value
