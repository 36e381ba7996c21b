"""How far a read replica is behind, also while its connection to the primary is broken."""

from collections import deque
from contextlib import suppress

from asyncpg import PostgresError

from hundi.infra.monitoring import store
from hundi.infra.postgres.database import (
    UNREACHABLE,
    Database,
    DatabaseUnreachableError,
    open_database,
)

_REMEMBERED = 10_000
"""Looks at the primary: more than a day of them."""


class ReplicaWatch:
    """Remembers how far the primary was at each look, and which of these the replica has."""

    def __init__(self, url: str) -> None:
        """Watch the replica at an address."""
        self._url = url
        self._written: deque[tuple[float, int]] = deque(maxlen=_REMEMBERED)

    async def lag_s(self, primary: Database, at_s: float) -> float:
        """Return for how long the replica has lacked what the primary had.

        0 when it has all that was there at the last look; growing while it cannot be reached. at_s:
        now, by a clock that never jumps.
        """
        written = await store.written_bytes(primary)
        replayed = 0
        with suppress(DatabaseUnreachableError, PostgresError, *UNREACHABLE):
            async with await open_database(self._url, pool_size=1) as replica:
                replayed = await store.replayed_bytes(replica)
        while self._written and self._written[0][1] <= replayed:
            self._written.popleft()
        self._written.append((at_s, written))
        return at_s - self._written[0][0]
