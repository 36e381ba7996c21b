"""A cache in each process for rows that rarely change, emptied by notices of changes."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from hundi.infra.postgres.database import Database
from hundi.kernel.clock import ticks_s

CACHE_SIZE_MAX = 10_000
TRUSTED_FOR_S = 60.0
"""How long a process uses a cached row, in case a notice of its change is lost."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class TrustedRows(Generic[Key, Value]):
    """Rows that are used for TRUSTED_FOR_S at most; all are forgotten together.

    A request looks at four of them, and a cache that knows each one's age takes four times as long.
    """

    def __init__(self, most: int = CACHE_SIZE_MAX) -> None:
        """Start empty. most: rows kept at once."""
        self._most = most
        self._rows: dict[Key, Value] = {}
        self._until_s = 0.0

    def get(self, key: Key) -> Value | None:
        """Return the row of a key, None for none."""
        return self._rows.get(key) if ticks_s() < self._until_s else None

    def keep(self, key: Key, row: Value) -> None:
        """Keep a row that was just read."""
        if (now_s := ticks_s()) >= self._until_s or len(self._rows) >= self._most:
            self._rows.clear()
            self._until_s = now_s + TRUSTED_FOR_S
        self._rows[key] = row

    def forget(self, key: Key) -> None:
        """Forget the row of a key."""
        self._rows.pop(key, None)

    def forget_all(self) -> None:
        """Start again empty."""
        self._rows.clear()


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
        self._known = TrustedRows[Key, Value]()
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
            self._known.forget_all()
        else:
            self._known.forget(key)

    async def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None; a missing value is not cached."""
        cached = self._known.get(key)
        if cached is not None:
            return cached
        notices = self._notices
        value = await self._load(key)
        # A notice during the read may have been about this row: then it is used once and not
        # cached.
        if value is not None and notices == self._notices:
            self._known.keep(key, value)
        return value
