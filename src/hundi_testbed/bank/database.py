"""The simulator's PostgreSQL database: created if missing, with schema and connection pool."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import unquote, urlsplit

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

# The client library raises an internal error when a connection breaks between two of its messages.
AWAY = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
"""The errors of a call when the database cannot be reached, or the connection breaks."""

_SCHEMA = ("schema.sql", *(f"schema_{number}.sql" for number in range(2, 8)))
"""Released files never change: additions are in a further file."""
_SCHEMA_LOCK = 7_160_001
_SCHEMA_LOCK_TIMEOUT_S = 30
_STATEMENT_TIMEOUT_S = 10
_CLOSE_TIMEOUT_S = 2
# A connection to it can create other databases.
_MAINTENANCE_DATABASE = "postgres"


_Call = tuple[tuple[object, ...], "asyncio.Future[Any]"]


def _settle(calls: list[_Call], answers: Sequence[object]) -> None:
    """Give each call its own answer or exception."""
    for (_, waiting), answer in zip(calls, answers, strict=True):
        if waiting.done():
            continue
        if isinstance(answer, BaseException):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)


class SchemaMismatchError(Exception):
    """Another version of the simulator created the tables of this database."""


class BankDatabase:
    """A pool of connections that keep their prepared statements.

    The connection used last is used next.

    The client library's own pool took longer than the statements. No code leaves state in a
    session, so none is reset.
    """

    def __init__(self, url: str, size: int) -> None:
        """Start without connections; size is the largest number of them."""
        self._url = url
        self._slots = asyncio.Semaphore(size)
        self._idle: list[tuple[asyncpg.Connection, dict[str, PreparedStatement]]] = []
        self._waiting: dict[str, list[_Call]] = {}
        self._senders: set[asyncio.Task[None]] = set()

    async def fetch(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """Return all rows of one statement in its own transaction."""
        return await self._fetched(query, lambda statement: statement.fetch(*arguments))

    async def _fetched(
        self, query: str, call: Callable[[PreparedStatement], Awaitable[list[asyncpg.Record]]]
    ) -> list[asyncpg.Record]:
        async with self._slots:
            held = connection, statements = await self._taken()
            try:
                if (statement := statements.get(query)) is None:
                    statement = statements[query] = await connection.prepare(query)
                rows = await call(statement)
            except BaseException:
                # The connection may be in any state after an error, so it is not used again.
                connection.terminate()
                raise
            self._idle.append(held)
            return rows

    async def write(self, query: str, *arguments: object) -> Any:  # noqa: ANN401 (any type PostgreSQL has)
        """Return the first column of the one row of a statement that may share its transaction.

        Calls made while one runs are sent together when it ends. If one of them fails, none took
        effect, and each is sent again alone.
        """
        if query in self._waiting:
            answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._waiting[query].append((arguments, answer))
            return await answer
        self._waiting[query] = []
        try:
            return await self.fetchval(query, *arguments)
        finally:
            self._send_waiting(query)

    def _send_waiting(self, query: str) -> None:
        calls = [each for each in self._waiting.pop(query) if not each[1].done()]
        if calls:
            self._waiting[query] = []
            sender = asyncio.create_task(self._send_together(query, calls))
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)

    async def _send_together(self, query: str, calls: "list[_Call]") -> None:
        try:
            rows = await self._fetched(
                query, lambda each: each.fetchmany([arguments for arguments, _ in calls])
            )
        except asyncpg.PostgresConnectionError as problem:
            _settle(calls, [problem] * len(calls))
        except asyncpg.PostgresError:
            alone = (self.fetchval(query, *arguments) for arguments, _ in calls)
            _settle(calls, await asyncio.gather(*alone, return_exceptions=True))
        except Exception as problem:  # noqa: BLE001 (told to each of those who wait)
            _settle(calls, [problem] * len(calls))
        else:
            _settle(calls, [row[0] for row in rows])
        finally:
            self._send_waiting(query)

    async def fetchrow(self, query: str, *arguments: object) -> asyncpg.Record | None:
        """Return the first row, or None."""
        rows = await self.fetch(query, *arguments)
        return rows[0] if rows else None

    async def fetchval(self, query: str, *arguments: object) -> Any:  # noqa: ANN401 (any type PostgreSQL has)
        """Return the first column of the first row, or None."""
        rows = await self.fetch(query, *arguments)
        return rows[0][0] if rows else None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[asyncpg.Connection]:
        """Lend a connection for one transaction."""
        async with self._slots:
            held = await self._taken()
            try:
                async with held[0].transaction():
                    yield held[0]
            except BaseException:
                held[0].terminate()
                raise
            self._idle.append(held)

    async def close(self) -> None:
        """Close the idle connections; call this when no statement is running."""
        while self._idle:
            with suppress(*AWAY):
                await self._idle.pop()[0].close(timeout=_CLOSE_TIMEOUT_S)

    async def _taken(self) -> tuple[asyncpg.Connection, dict[str, PreparedStatement]]:
        while self._idle:
            held = self._idle.pop()
            if not held[0].is_closed():
                return held
        return await asyncpg.connect(self._url, command_timeout=_STATEMENT_TIMEOUT_S), {}


async def open_database(url: str, *, pool_size: int) -> BankDatabase:
    """Return the simulator's database, ready to use.

    Raises SchemaMismatchError, and asyncpg's errors without a server.
    """
    await _create_if_missing(url)
    await _apply_schema(url)
    return BankDatabase(url, pool_size)


async def _create_if_missing(url: str) -> None:
    try:
        connection = await asyncpg.connect(url)
    except asyncpg.InvalidCatalogNameError:
        pass
    else:
        await connection.close()
        return
    name = unquote(urlsplit(url).path.removeprefix("/"))
    connection = await asyncpg.connect(url, database=_MAINTENANCE_DATABASE)
    try:
        await connection.execute('CREATE DATABASE "{}"'.format(name.replace('"', '""')))
    except (asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
        # Another process was faster.
        pass
    finally:
        await connection.close()


async def _apply_schema(url: str) -> None:
    """Create the tables of an empty database, or add the missing ones to an older one.

    A comment stores the digest of all applied files.
    """
    texts = [
        files("hundi_testbed.bank").joinpath(each).read_text(encoding="utf-8") for each in _SCHEMA
    ]
    digests = [
        sha256("".join(texts[:count]).encode()).hexdigest() for count in range(1, len(texts) + 1)
    ]
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(f"SET LOCAL lock_timeout = '{_SCHEMA_LOCK_TIMEOUT_S}s'")
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _SCHEMA_LOCK)
            there = 0
            if await connection.fetchval("SELECT to_regclass('payments') IS NOT NULL"):
                digest = await connection.fetchval(
                    "SELECT obj_description('payments'::regclass, 'pg_class')"
                )
                if digest not in digests:
                    name = unquote(urlsplit(url).path.removeprefix("/"))
                    raise SchemaMismatchError(
                        f"another version of the simulator made the database {name!r}: drop it"
                        " (of a demo: remove the data directory) and start again; everything in it"
                        " is simulated"
                    )
                there = digests.index(digest) + 1
            for text in texts[there:]:
                await connection.execute(text)
            await connection.execute(f"COMMENT ON TABLE payments IS '{digests[-1]}'")
    finally:
        await connection.close()
