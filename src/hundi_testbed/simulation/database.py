"""PostgreSQL for a simulation's processes: the real server, by connections that break.

The time of a message to the server and back is drawn, so the seed decides the order of all
statements: see `server`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from asyncpg import ConnectionDoesNotExistError

from hundi.infra.postgres.batches import Batches
from hundi.infra.postgres.database import Connection, Database, Record
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.world import SimulatedProcess, World

_within_transaction: ContextVar[bool] = ContextVar("within_transaction", default=False)
WAKEUP_S = (0.001, 0.05)


def _lost(words: str) -> ConnectionDoesNotExistError:
    return ConnectionDoesNotExistError(words)


class SimulatedDatabase(Database):
    """The database of one process, with wake-ups that are late or lost."""

    def __init__(self, world: World, server: Server, process: SimulatedProcess) -> None:
        """Start without connections: the server is there."""
        self._world = world
        self._server = server
        self._process = process
        self.fetch = self._fetch
        self.fetchrow = self._fetchrow
        self.fetchval = self._fetchval
        self.execute = self._execute
        self.shared = Batches(self, None)

    async def _fetch(self, query: str, *args: Any) -> list[Record]:  # noqa: ANN401 (any type PostgreSQL has)
        return await self._alone("fetch", query, args)

    async def _fetchrow(self, query: str, *args: Any) -> Record | None:  # noqa: ANN401 (as above)
        rows = await self._alone("fetch", query, args)
        return rows[0] if rows else None

    async def _fetchval(self, query: str, *args: Any) -> Any:  # noqa: ANN401 (as above)
        rows = await self._alone("fetch", query, args)
        return rows[0][0] if rows else None

    async def _execute(self, query: str, *args: Any) -> str:  # noqa: ANN401 (as above)
        return await self._alone("execute", query, args)

    async def _alone(self, name: str, query: str, args: tuple[Any, ...]) -> Any:  # noqa: ANN401 (as above)
        """Run one statement in a transaction of its own."""
        await self._process.travel()
        if not _within_transaction.get():
            # A transaction that holds locks does not wait here.
            await self._server.calm()
        self._process.may_die()
        if self._world.faults.strikes(Fault.DATABASE_LOST):
            raise _lost("the connection was lost before the statement")
        result = await asyncio.shield(
            self._server.work(getattr(self._server.real, name)(query, *args), own=0)
        )
        self._world.note(f"sql {self._process.name} {_words(query)} {_size(result)}")
        if self._world.faults.strikes(Fault.COMMIT_UNHEARD):
            raise _lost("the connection was lost after the statement")
        self._process.may_die()
        await self._process.travel()
        return result

    def transaction(self) -> "SimulatedTransaction":  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the `async with` of a transaction."""
        return SimulatedTransaction(self._world, self._server, self._process)

    def transaction_of(self, _merchant_id: int) -> "SimulatedTransaction":  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the `async with` of a transaction about one merchant."""
        return self.transaction()

    def wake(self, channel: str, payload: str = "") -> None:
        """Wake listeners soon, unless the wake-up is lost."""
        if not self._process.alive:
            return
        self._world.done["wake-up"] += 1
        for listener, callback in self._server.listeners.get(channel, ()):
            if listener.alive and not self._world.faults.strikes(Fault.WAKEUP_LOST):
                self._world.loop.call_later(
                    self._world.between(*WAKEUP_S), _call, listener, callback, payload
                )

    async def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call back with the payload of each wake-up."""
        await self._process.travel()
        listeners = self._server.listeners.setdefault(channel, [])
        listeners[:] = [each for each in listeners if each[0].alive]
        listeners.append((self._process, callback))

    async def close(self) -> None:
        """Do nothing: other processes use the server."""


def _call(listener: SimulatedProcess, callback: Callable[[str], None], payload: str) -> None:
    if listener.alive:
        callback(payload)


def _words(query: str) -> str:
    return " ".join(query.split()[:6])


def _size(done: object) -> str:
    return done if isinstance(done, str) else str(len(done)) if isinstance(done, list) else "1"


class SimulatedTransaction:
    """One transaction; another one may be open at the same time."""

    def __init__(self, world: World, server: Server, process: SimulatedProcess) -> None:
        """Prepare."""
        self._world = world
        self._server = server
        self._process = process

    async def __aenter__(self) -> "SimulatedConnection":
        """Begin."""
        await self._process.travel()
        await self._server.enter()
        try:
            self._process.may_die()
            self._real = self._server.real.transaction()
            conn = self._server.run(self._real.__aenter__())
        except BaseException:
            self._server.leave()
            raise
        self._before = _within_transaction.set(True)
        self._connection = SimulatedConnection(self._world, self._server, self._process, conn)
        return self._connection

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: object
    ) -> None:
        """Commit, or roll back, also when the process is killed before it sends the commit."""
        _within_transaction.reset(self._before)
        if kind is None:
            try:
                await self._process.travel()
                self._process.may_die()
            except BaseException as late:
                self._end(type(late), late)
                raise
        self._end(kind, problem)
        if kind is not None:
            return
        self._world.note(f"commit {self._process.name}")
        if self._world.faults.strikes(Fault.COMMIT_UNHEARD):
            raise _lost("the connection was lost after the commit")
        self._process.may_die()
        await self._process.travel()

    def _end(self, kind: type[BaseException] | None, problem: BaseException | None) -> None:
        """End a connection at the server; a killed process's after its last statement.

        That statement may wait for a lock.
        """
        waiting = self._connection.waiting
        if waiting is not None and not waiting.done():
            waiting.add_done_callback(lambda _: self._end(kind, problem))
            return
        try:
            self._server.run(self._real.__aexit__(kind, problem, None))
        finally:
            self._server.leave()


class SimulatedConnection:
    """The connection of a transaction.

    Each statement may be the last before the connection is lost.

    waiting: the last statement.
    """

    def __init__(
        self, world: World, server: Server, process: SimulatedProcess, conn: Connection
    ) -> None:
        """Wrap the real connection."""
        self._world = world
        self._server = server
        self._process = process
        self._conn = conn
        self.waiting: asyncio.Future[Any] | None = None

    async def fetch(self, query: str, *args: Any, timeout: float | None = None) -> list[Record]:  # noqa: ANN401, ASYNC109 (as asyncpg has it)
        """Return all rows."""
        return await self._run("fetch", query, *args, timeout=timeout)

    async def fetchrow(self, query: str, *args: Any, timeout: float | None = None) -> Record | None:  # noqa: ANN401, ASYNC109 (as above)
        """Return the first row, or None."""
        return await self._run("fetchrow", query, *args, timeout=timeout)

    async def fetchval(self, query: str, *args: Any, timeout: float | None = None) -> Any:  # noqa: ANN401, ASYNC109 (as above)
        """Return the first column of the first row, or None."""
        return await self._run("fetchval", query, *args, timeout=timeout)

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:  # noqa: ANN401, ASYNC109 (as above)
        """Run the statement and return its command tag."""
        return await self._run("execute", query, *args, timeout=timeout)

    async def executemany(self, query: str, args: Any, *, timeout: float | None = None) -> None:  # noqa: ANN401, ASYNC109 (as above)
        """Run the statement for each row."""
        await self._run("executemany", query, args, timeout=timeout)

    async def copy_records_to_table(self, table: str, **options: Any) -> str:  # noqa: ANN401 (as above)
        """Copy rows into a table and return the command tag."""
        return await self._run("copy_records_to_table", table, **options)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Begin a transaction within this one, by statements that may be the last as well."""
        await self.execute("SAVEPOINT within")
        try:
            yield
        except ConnectionDoesNotExistError:
            raise
        except Exception:
            await self.execute("ROLLBACK TO SAVEPOINT within")
            raise
        await self.execute("RELEASE SAVEPOINT within")

    async def _run(self, name: str, query: str, *args: Any, **options: Any) -> Any:  # noqa: ANN401 (as above)
        await self._process.travel()
        self._process.may_die()
        if self._world.faults.strikes(Fault.DATABASE_LOST):
            raise _lost("the connection was lost in a transaction")
        self.waiting = self._server.work(getattr(self._conn, name)(query, *args, **options), own=1)
        result = await asyncio.shield(self.waiting)
        self._world.note(f"sql {self._process.name} {_words(query)}")
        return result
