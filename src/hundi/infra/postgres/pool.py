"""A small pool of connections to one database, last in and first out (decision 0006).

The client library's own pool wraps every connection, resets it and keeps timers, which cost more
than the statements of a payment.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg

from hundi.infra.logs import get_logger

Connection = asyncpg.Connection
Record = asyncpg.Record
Answer = TypeVar("Answer")

ACQUIRE_S_MAX = 10.0
"""The longest that a caller waits for a free connection.

Then TimeoutError, and nothing was sent.
"""
_CLOSE_S_MAX = 5.0
_log = get_logger(__name__)
# The server, or something between us and it, ends the session.
_SESSION_ENDS = (asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError)
_SESSION_ENDS_BY = frozenset({"FATAL", "PANIC"})


def is_refusal(problem: BaseException) -> bool:
    """Return whether the server certainly refused a call, which had no effect; its session goes on.

    An error that ends the session is none, whatever its code: a server that cannot write its log
    panics in the middle of a commit, which may hold after its restart.
    """
    if not isinstance(problem, asyncpg.PostgresError):
        return False
    if problem.as_dict().get("severity_en") in _SESSION_ENDS_BY:
        return False
    # Of the interventions of operators, a cancelled statement (a timeout) leaves the session as it
    # was.
    return isinstance(problem, asyncpg.QueryCanceledError) or not isinstance(problem, _SESSION_ENDS)


class Pool:
    """A limited number of connections to one database, opened when needed and kept.

    A connection whose call ended without an answer of the server (cancelled, timed out, broken) is
    closed, so no caller gets another's open query or transaction.
    """

    def __init__(self, open_connection: Callable[[], Awaitable[Connection]], size: int) -> None:
        """Prepare; nothing is opened yet. size: most connections at once."""
        self._open = open_connection
        self._size = size
        self._idle: list[Connection] = []
        self._count = 0
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._all: set[Connection] = set()
        self._closed = False
        self._emptied = asyncio.Event()
        self._emptied.set()

    async def fetch(self, query: str, *args: Any) -> list[Record]:
        """Return all rows of one statement in its own transaction."""
        connection = self._free() or await self.take()
        return await self.answer(connection, connection.fetch(query, *args))

    async def fetchmany(self, query: str, calls: list[tuple[Any, ...]]) -> list[Record]:
        """Return the rows of one statement for each list of arguments, in one transaction."""
        connection = self._free() or await self.take()
        return await self.answer(connection, connection.fetchmany(query, calls))

    async def fetchrow(self, query: str, *args: Any) -> Record | None:
        """Return the first row of one statement in its own transaction, or None."""
        rows = await self.fetch(query, *args)
        return rows[0] if rows else None

    async def fetchval(self, query: str, *args: Any) -> Any:
        """Return the first column of one statement's first row, in its own transaction."""
        rows = await self.fetch(query, *args)
        return rows[0][0] if rows else None

    async def execute(self, query: str, *args: Any) -> str:
        """Run a statement in its own transaction (several if without arguments).

        Return its command tag.
        """
        connection = self._free() or await self.take()
        return await self.answer(connection, connection.execute(query, *args))

    async def answer(self, connection: Connection, call: Awaitable[Answer]) -> Answer:
        """Return the answer to a call over a connection that was taken; take the connection back.

        call: of one statement in its own transaction.
        """
        try:
            answer = await call
        except BaseException as problem:
            self.release_after(connection, problem)
            raise
        self.release(connection)
        return answer

    async def take(self) -> Connection:
        """Return a connection for one user, until it is released. Raises TimeoutError."""
        if self._closed:
            message = "the pool is closed"
            raise asyncpg.InterfaceError(message)
        if (connection := self._free()) is not None:
            return connection
        if self._count < self._size:
            return await self._opened()
        waiter: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            async with asyncio.timeout(ACQUIRE_S_MAX):
                connection = await waiter
        except BaseException:
            # It may have got a connection at the moment it gave up.
            if waiter.done() and not waiter.cancelled():
                self._pass_on(waiter.result())
            raise
        return connection if connection is not None else await self._opened(counted=True)

    def release(self, connection: Connection) -> None:
        """Take back a connection whose last call was answered and whose transaction is over."""
        if connection.is_closed() or self._closed:
            self.throw_away(connection)
        else:
            self._pass_on(connection)

    def release_after(self, connection: Connection, problem: BaseException) -> None:
        """Take back a connection whose last call raised.

        It is kept only if its session lives on.
        """
        if is_refusal(problem) and not connection.is_in_transaction():
            self.release(connection)
        else:
            self.throw_away(connection)

    def throw_away(self, connection: Connection) -> None:
        """Close a connection at once; a waiting caller may open another."""
        end_at_once(connection)
        self._all.discard(connection)
        self._mark_empty()
        self._pass_on(None)

    async def close(self) -> None:
        """Let callers finish for a moment, then close every connection.

        No caller gets one any more.
        """
        self._closed = True
        for waiter in self._waiting:
            waiter.cancel()
        while (connection := self._free()) is not None:
            self._forget(connection)
            await _end(connection)
        try:
            async with asyncio.timeout(_CLOSE_S_MAX):
                await self._emptied.wait()
        except TimeoutError:
            for connection in self._all:
                end_at_once(connection)

    def _pass_on(self, connection: Connection | None) -> None:
        """Give a connection, or the right to open one, to the longest waiting caller.

        Else keep it.
        """
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return
        if connection is None:
            self._count -= 1
        else:
            self._idle.append(connection)

    def _free(self) -> Connection | None:
        """Return the free connection that was used last, or None.

        Forget those that broke while idle.
        """
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._forget(connection)
        return None

    def _forget(self, connection: Connection) -> None:
        self._all.discard(connection)
        self._count -= 1
        self._mark_empty()

    def _mark_empty(self) -> None:
        if not self._all:
            self._emptied.set()

    async def _opened(self, *, counted: bool = False) -> Connection:
        if not counted:
            self._count += 1
        try:
            connection = await self._open()
        except BaseException:
            self._pass_on(None)
            raise
        self._all.add(connection)
        self._emptied.clear()
        return connection


async def _end(connection: Connection) -> None:
    try:
        await connection.close(timeout=_CLOSE_S_MAX)
    except (
        OSError,
        TimeoutError,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
    ):
        end_at_once(connection)


def end_at_once(connection: Connection) -> None:
    """Close a connection without waiting.

    A broken one may raise even then, and is gone all the same.
    """
    try:
        connection.terminate()
    except (
        OSError,
        RuntimeError,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
    ) as error:
        # It raises this if its transport died before it was told; its place must become free.
        _log.warning("connection_not_ended", error=type(error).__name__)
