"""A process that is interrupted at any of its calls of the database, and the one that goes on.

Whoever asked for something asks again, and another process answers.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any

from asyncpg import ConnectionDoesNotExistError, Record

from hundi.infra.postgres.batches import Batches
from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.records import replace
from tests.shop import Shop

Step = Callable[[Database], Awaitable[object]]
"""What somebody asks of a process with this database, and asks again after an interruption."""
Start = tuple[Sequence[Step], Callable[[], Awaitable[object]]]
"""The steps from a new start, and what reads their end."""
_NEVER = 0


class Interruption(Enum):
    """What happens at a call."""

    KILLED = "killed"
    """The process ends before the call takes effect."""
    UNHEARD = "unheard"
    """The connection is lost after the call took effect."""
    SENT_AGAIN = "sent again"
    """The call takes effect, and is made once more: the second answer is the one that is heard.

    Only a call that may share a transaction with others.
    """


class KilledError(BaseException):
    """The process ends here."""


class InterruptedDatabase:
    """A database, of which one call of a process is interrupted.

    A call is one statement, or a transaction of several. calls: how many there were.
    """

    def __init__(self, db: Database, at: int, kind: Interruption) -> None:
        """Interrupt the call of this number."""
        self.calls = 0
        self.shared = Batches(_Shared(self), None)
        self._db = db
        self._at = at
        self._kind = kind

    def __getattr__(self, name: str) -> object:
        """Return what the database has."""
        return getattr(self._db, name)

    async def fetch(self, query: str, *args: object, shared: bool = False) -> Any:
        """Return all rows. shared: the call may share a transaction with others."""
        if shared and self._kind is Interruption.SENT_AGAIN and self.calls + 1 == self._at:
            await self._db.fetch(query, *args)
        return await self._call(self._db.fetch, query, *args)

    async def fetchrow(self, query: str, *args: object) -> Any:
        """Return the first row."""
        return await self._call(self._db.fetchrow, query, *args)

    async def fetchval(self, query: str, *args: object) -> Any:
        """Return the first value."""
        return await self._call(self._db.fetchval, query, *args)

    async def execute(self, query: str, *args: object) -> Any:
        """Return the tag."""
        return await self._call(self._db.execute, query, *args)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Commit, unless the process is killed before."""
        call = self._begin()
        async with self._db.transaction() as conn:
            yield conn
        self._end(call)

    async def _call(self, send: Callable[..., Awaitable[object]], *args: object) -> object:
        call = self._begin()
        answer = await send(*args)
        self._end(call)
        return answer

    def _begin(self) -> int:
        self.calls += 1
        if self._kind is Interruption.KILLED and self.calls >= self._at > _NEVER:
            raise KilledError
        return self.calls

    def _end(self, call: int) -> None:
        if self._kind is Interruption.UNHEARD and call == self._at:
            message = "the connection was lost after the commit"
            raise ConnectionDoesNotExistError(message)


class _Shared:
    """What sends the calls that may share a transaction."""

    def __init__(self, db: InterruptedDatabase) -> None:
        self._db = db

    async def fetch(self, query: str, *args: object) -> list[Record]:
        return await self._db.fetch(query, *args, shared=True)


async def _run(db: Database, steps: Sequence[Step], at: int, kind: Interruption) -> int:
    """Take the steps, and return the number of calls until the interruption."""
    process: Any = InterruptedDatabase(db, at, kind)
    serving: Any = process
    for step in steps:
        try:
            await step(serving)
        except (KilledError, ConnectionDoesNotExistError):
            serving = db
            await step(serving)
    return process.calls


async def whichever_call_is_interrupted(
    db: Database,
    begin: Callable[[], Awaitable[Start]],
    kinds: Iterable[Interruption] = Interruption,
) -> object:
    """Return how steps end, after checking that no interruption of a call changes it.

    begin: makes a new start.
    """
    steps, end = await begin()
    calls = await _run(db, steps, _NEVER, Interruption.KILLED)
    expected = await end()
    assert calls, "nothing that could be interrupted"
    for kind in kinds:
        for at in range(1, calls + 1):
            steps, end = await begin()
            await _run(db, steps, at, kind)
            assert await end() == expected, f"call {at} of {calls} was {kind.value}"
    return expected


def shop_on(shop: Shop, db: Database) -> Shop:
    """Return the shop in a process with this database."""
    return replace(shop, db=db, context=replace(shop.context, db=db))
