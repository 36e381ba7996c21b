"""A small pool of connections that keep their prepared statements: last in, first out (decision 0006).

The client library's own pool wraps every connection, counts its queries and looks each statement up by several keys;
on the way of a payment that cost more than the statements themselves.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

Connection = asyncpg.Connection
Record = asyncpg.Record

ACQUIRE_S_MAX = 10.0
"""Longest a caller waits for a free connection; then TimeoutError, and nothing was sent."""
_CLOSE_S_MAX = 5.0
_STATEMENTS_MAX = 500
"""Prepared statements of one connection. Ours are some hundred constants; texts made anew must not fill it."""


class Held:
    """One connection in somebody's hands, with the statements it has prepared."""

    __slots__ = ("connection", "statements")

    def __init__(self, connection: Connection) -> None:
        """Take over a fresh connection."""
        self.connection = connection
        self.statements: dict[str, PreparedStatement] = {}

    async def prepared(self, query: str) -> PreparedStatement:
        """Return the statement, prepared on first use."""
        statement = self.statements.get(query)
        if statement is None:
            if len(self.statements) >= _STATEMENTS_MAX:
                self.statements.clear()
            statement = self.statements[query] = await self.connection.prepare(query)
        return statement


class Pool:
    """At most so many connections to one database, opened when they are needed and kept.

    A connection whose call did not end with an answer of the server (cancelled, timed out, broken) is thrown away, so
    nobody ever meets somebody else's open query or transaction.
    """

    def __init__(self, open_connection: Callable[[], Awaitable[Connection]], size: int) -> None:
        """Prepare; nothing is opened yet. size: most connections at once."""
        self._open = open_connection
        self._size = size
        self._idle: list[Held] = []
        self._count = 0
        self._waiting: deque[asyncio.Future[Held | None]] = deque()
        self._all: set[Held] = set()
        self._closed = False
        self._emptied = asyncio.Event()
        self._emptied.set()

    async def fetch(self, query: str, *args: Any) -> list[Record]:  # noqa: ANN401 (any type PostgreSQL has)
        """Return all rows of one statement in its own transaction."""
        held = self._free() or await self.take()
        try:
            statement = held.statements.get(query) or await held.prepared(query)
            rows = await statement.fetch(*args)
        except BaseException as problem:
            self.give_back_after(held, problem)
            raise
        self.give_back(held)
        return rows

    async def fetchrow(self, query: str, *args: Any) -> Record | None:  # noqa: ANN401 (any type PostgreSQL has)
        """Return the first row of one statement in its own transaction, or None."""
        rows = await self.fetch(query, *args)
        return rows[0] if rows else None

    async def fetchval(self, query: str, *args: Any) -> Any:  # noqa: ANN401 (any type PostgreSQL has)
        """Return the first column of the first row of one statement in its own transaction, or None."""
        rows = await self.fetch(query, *args)
        return rows[0][0] if rows else None

    async def execute(self, query: str, *args: Any) -> str:  # noqa: ANN401 (any type PostgreSQL has)
        """Run one statement in its own transaction (without arguments: several) and return its command tag."""
        held = self._free() or await self.take()
        try:
            if args:
                statement = held.statements.get(query) or await held.prepared(query)
                await statement.fetch(*args)
                tag = statement.get_statusmsg()
            else:
                tag = await held.connection.execute(query)
        except BaseException as problem:
            self.give_back_after(held, problem)
            raise
        self.give_back(held)
        return tag

    async def take(self) -> Held:
        """Return a connection to use alone, until `give_back`. Raises TimeoutError when none gets free in time."""
        if self._closed:
            message = "the pool is closed"
            raise asyncpg.InterfaceError(message)
        if (held := self._free()) is not None:
            return held
        if self._count < self._size:
            return await self._opened()
        waiter: asyncio.Future[Held | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            held = await asyncio.wait_for(waiter, ACQUIRE_S_MAX)
        except BaseException:
            # It may have been served in the very moment it gave up.
            if waiter.done() and not waiter.cancelled():
                self._pass_on(waiter.result())
            raise
        return held if held is not None else await self._opened(counted=True)

    def give_back(self, held: Held) -> None:
        """Take back a connection whose last call was answered and whose transaction is over."""
        if held.connection.is_closed() or self._closed:
            self.throw_away(held)
        else:
            self._pass_on(held)

    def give_back_after(self, held: Held, problem: BaseException) -> None:
        """Take back a connection whose last call raised: it is kept only if the server itself refused the statement."""
        answered = isinstance(problem, asyncpg.PostgresError)
        # Statements that outlived a change of the schema go with their connection.
        stale = isinstance(problem, (asyncpg.InvalidCachedStatementError, asyncpg.OutdatedSchemaCacheError))
        if answered and not stale and not held.connection.is_in_transaction():
            self.give_back(held)
        else:
            self.throw_away(held)

    def throw_away(self, held: Held) -> None:
        """End a connection at once; whoever waits for one may open another."""
        held.connection.terminate()
        self._all.discard(held)
        self._mark_empty()
        self._pass_on(None)

    async def close(self) -> None:
        """Let callers finish for a moment, then end every connection. Nobody gets one any more."""
        self._closed = True
        for waiter in self._waiting:
            waiter.cancel()
        while (held := self._free()) is not None:
            self._forget(held)
            await _end(held.connection)
        try:
            async with asyncio.timeout(_CLOSE_S_MAX):
                await self._emptied.wait()
        except TimeoutError:
            for held in self._all:
                held.connection.terminate()

    def _pass_on(self, held: Held | None) -> None:
        """Hand a connection, or the right to open one, to who has waited longest; else keep it."""
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(held)
                return
        if held is None:
            self._count -= 1
        else:
            self._idle.append(held)

    def _free(self) -> Held | None:
        """Return the connection that was used last, if one is free; what broke while it was idle is forgotten."""
        while self._idle:
            held = self._idle.pop()
            if not held.connection.is_closed():
                return held
            self._forget(held)
        return None

    def _forget(self, held: Held) -> None:
        self._all.discard(held)
        self._count -= 1
        self._mark_empty()

    def _mark_empty(self) -> None:
        if not self._all:
            self._emptied.set()

    async def _opened(self, *, counted: bool = False) -> Held:
        if not counted:
            self._count += 1
        try:
            held = Held(await self._open())
        except BaseException:
            self._pass_on(None)
            raise
        self._all.add(held)
        self._emptied.clear()
        return held


async def _end(connection: Connection) -> None:
    try:
        await connection.close(timeout=_CLOSE_S_MAX)
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        connection.terminate()
