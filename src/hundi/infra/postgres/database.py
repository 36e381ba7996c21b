"""PostgreSQL for the stores: single statements, transactions, and coalesced wake-ups.

A user of a connection leaves nothing in its session (no `SET`, temporary table, session lock or
`LISTEN`), because the pool does not clean up.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from socket import gaierror
from time import monotonic
from typing import Any, Protocol, Self

import asyncpg
import msgspec
from asyncpg.transaction import Transaction as ServerTransaction

from hundi.infra.errors import OperatorError
from hundi.infra.logs import get_logger
from hundi.infra.postgres.batches import CONNECTIONS_MAX, LOCK_TIMEOUT_MS, Batches
from hundi.infra.postgres.connecting import connect_to_one
from hundi.infra.postgres.homes import SEE_ALL, Homes
from hundi.infra.postgres.pool import Pool
from hundi.infra.postgres.wakeups import Listener, Wakeups
from hundi.infra.settings_shown import without_password

Connection = asyncpg.Connection
Record = asyncpg.Record
Beside = Callable[[Connection, int], Awaitable[object]]
"""Writes more in the transaction of an act, such as its entry in the trail.

int: the number of the row that the act made or changed.
"""

_log = get_logger(__name__)

UNREACHABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    # The client library raises it when the connection breaks between two of its messages.
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    OSError,
    TimeoutError,
)
"""The errors of a call whose server is away or goes away; whether a write happened is unknown."""

CONNECT_S_MAX = 10
_CONNECT_NODE_S_MAX = 2
"""Seconds to connect to a cluster's node; after that calls go through the coordinator."""
STARTING_S_MAX = 120.0
"""How long a part of the gateway waits for a server in recovery before it ends."""
_STARTING_GAP_S = 0.2
_IS_CITUS = "SELECT current_setting('citus.version', true) IS NOT NULL"
"""On Citus a transaction of several merchants would be on several machines."""
STATEMENTS_MAX = 500
"""Prepared statements that one connection keeps. Ours are some hundred constants."""

DISK_FULL = "The disk of the database is full: make room there, then run this again."
"""What a person reads where the server raises asyncpg.DiskFullError."""


_REMEDIES: Sequence[tuple[type[Exception], str]] = (
    (asyncpg.InvalidAuthorizationSpecificationError, "correct role and password in this address"),
    (asyncpg.InvalidCatalogNameError, "correct the database's name in this address"),
    (gaierror, "correct the server's name in this address"),
    (asyncpg.TooManyConnectionsError, "give the server more max_connections"),
    (asyncpg.InternalServerError, "look at the server's log: its disk may be full"),
    (asyncpg.TargetServerAttributeNotMatched, "promote a standby, or name the server that writes"),
    (Exception, "start the server, or correct host and port in this address"),
)
"""What helps, by what a connection ended with; the first that fits."""


class DatabaseUnreachableError(OperatorError):
    """The server does not answer, or refuses the user or the database of the address."""

    def __init__(self, problem: str, cause: Exception) -> None:
        """Say what is wrong, and what helps. problem: the first alone."""
        helps = next(words for kind, words in _REMEDIES if isinstance(cause, kind))
        super().__init__(f"{problem}; {helps}")
        self.problem = problem


async def connect(url: str, **settings: str) -> Connection:
    """Return one connection outside any pool, with these server settings.

    Raises DatabaseUnreachableError.
    """
    try:
        return await connect_to_one(url, timeout_s=CONNECT_S_MAX, server_settings=settings)
    except (*UNREACHABLE, asyncpg.PostgresError) as error:
        raise _unreachable(url, error) from error


class Queries(Protocol):
    """The connection that store functions need.

    A Database (own transaction per call) or a Connection (the caller's).
    """

    async def fetchrow(self, query: str, /, *args: Any) -> Record | None:
        """Return the first row, or None."""
        ...

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        """Return all rows."""
        ...

    async def fetchval(self, query: str, /, *args: Any) -> Any:
        """Return the first column of the first row, or None."""
        ...

    async def execute(self, query: str, /, *args: Any) -> str:
        """Run the statement and return its command tag, such as `UPDATE 1`."""
        ...


class Values(Protocol):
    """The connection for a store function that makes one call.

    A Database, its `shared`, or a Connection.
    """

    async def fetchval(self, query: str, /, *args: Any) -> Any:
        """Return the first column of the first row, or None."""
        ...


class Rows(Protocol):
    """The same for a call that returns several rows."""

    async def fetch(self, query: str, /, *args: Any) -> list[Record]:
        """Return all rows."""
        ...


class Database:
    """A pool of connections to one database, with its sender of wake-ups and its listener."""

    is_spread = False
    """Whether its rows are on several nodes of a cluster: a look at all merchants asks each."""

    def __init__(
        self, pool: Pool, url: str, shared: Pool | None = None, homes: Homes | None = None
    ) -> None:
        """Take over pools; use `open_database`.

        shared: for transactions of several calls, perhaps of several merchants; None sends each
        call alone. homes: on a cluster, sends such a call to the node with its merchant's rows.
        """
        self._pool = pool
        self.fetch = pool.fetch
        self.fetchrow = pool.fetchrow
        self.fetchval = pool.fetchval
        self.execute = pool.execute
        self._homes = homes
        self.is_spread = homes is not None
        self.shared = Batches(homes or pool, shared)
        """For calls that write one row with everything that belongs to it.

        Concurrent calls share a transaction.
        """
        self._wakeups = Wakeups(pool)
        self._listener = Listener(url)

    def transaction(self) -> "DatabaseTransaction":
        """Return the `async with` of a transaction, which an exception rolls back."""
        return DatabaseTransaction(self._pool)

    def transaction_of(self, merchant_id: int) -> "DatabaseTransaction":
        """Return the same for a transaction that touches rows of one merchant and no others.

        On a cluster it runs on the node that has them.
        """
        return DatabaseTransaction(self._pool, self._homes, merchant_id)

    def wake(self, channel: str, payload: str = "") -> None:
        """Tell listeners soon, without waiting, that there is news.

        Call it after the commit. It may be lost: listeners poll too.
        """
        self._wakeups.send(channel, payload)

    async def listen(self, channel: str, callback: Callable[[str], None]) -> None:
        """Call back with each wake-up's payload, and with "" if some may have been lost."""
        await self._listener.listen(channel, callback)

    async def catch_up(self) -> None:
        """Return once every wake-up sent before has arrived here.

        Raises what `Listener.catch_up` does. `wake` sends soon and `close` waits for it, so all
        wake-ups of an ended command are sent.
        """
        await self._listener.catch_up()

    async def close(self) -> None:
        """Send waiting wake-ups, then close every connection."""
        await self._listener.close()
        await self._wakeups.close()
        await self.shared.close()
        if self._homes is not None:
            await self._homes.close()
        await self._pool.close()

    async def __aenter__(self) -> Self:
        """Return the open database."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        await self.close()


class DatabaseTransaction:
    """One transaction on one connection of the pool; a class, because a generator costs more."""

    __slots__ = ("_connection", "_homes", "_merchant_id", "_pool", "_transaction")

    _connection: Connection
    _transaction: ServerTransaction

    def __init__(self, pool: Pool, homes: Homes | None = None, merchant_id: int = 0) -> None:
        """Prepare; nothing is taken from a pool yet.

        homes: on a cluster, has the connection to the node of a merchant.
        """
        self._pool = pool
        self._homes = homes
        self._merchant_id = merchant_id

    async def __aenter__(self) -> Connection:
        """Begin the transaction."""
        if self._homes is None:
            self._connection = await self._pool.take()
        else:
            self._pool, self._connection = await self._homes.take(self._merchant_id)
        try:
            self._transaction = self._connection.transaction()
            await self._transaction.start()
        except BaseException:
            self._pool.throw_away(self._connection)
            raise
        return self._connection

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit, or roll back if the block raised."""
        connection = self._connection
        try:
            if kind is None:
                await self._transaction.commit()
            elif not connection.is_closed():
                await self._transaction.rollback()
        except BaseException:
            self._pool.throw_away(self._connection)
            raise
        self._pool.release(self._connection)


async def open_database(
    url: str,
    *,
    pool_size: int = 8,
    statement_timeout_ms: int = 10_000,
    lock_timeout_ms: int = 3_000,
    starting_s_max: float = 0,
) -> Database:
    """Open a database and connect at once, so that a wrong address is noticed at the start.

    starting_s_max: how long to wait for a server that starts, recovers from a crash or stops.
    Raises DatabaseUnreachableError.
    """

    async def connection(
        to: str = url,
        *,
        lock_timeout_ms: int = lock_timeout_ms,
        timeout_s: float = CONNECT_S_MAX,
        **settings: str,
    ) -> Connection:
        opened = await connect_to_one(
            to,
            timeout_s=timeout_s,
            command_timeout=statement_timeout_ms / 1000 + 1,
            statement_cache_size=STATEMENTS_MAX,
            max_cached_statement_lifetime=0,
            server_settings={
                "application_name": "hundi",
                "timezone": "UTC",
                "statement_timeout": str(statement_timeout_ms),
                "lock_timeout": str(lock_timeout_ms),
                "idle_in_transaction_session_timeout": str(statement_timeout_ms),
                **settings,
            },
        )
        await _speak_json(opened)
        return opened

    pool = Pool(connection, pool_size)
    try:
        pool.release(await _first_connection(pool, starting_s_max))
        is_spread = await pool.fetchval(_IS_CITUS)
    except (*UNREACHABLE, asyncpg.PostgresError) as error:
        raise _unreachable(url, error) from error
    if is_spread:
        to_node = partial(connection, timeout_s=_CONNECT_NODE_S_MAX, **SEE_ALL)
        return Database(pool, url, homes=Homes(pool, url, to_node, pool_size))
    short = partial(connection, lock_timeout_ms=min(lock_timeout_ms, LOCK_TIMEOUT_MS))
    return Database(pool, url, Pool(short, CONNECTIONS_MAX))


async def _first_connection(pool: Pool, starting_s_max: float) -> Connection:
    give_up, told = monotonic() + starting_s_max, False
    while True:
        try:
            return await pool.take()
        except asyncpg.CannotConnectNowError as error:
            if monotonic() >= give_up:
                raise
            if not told:
                _log.warning("database_starting", says=str(error), seconds_max=starting_s_max)
                told = True
            await asyncio.sleep(_STARTING_GAP_S)


def _unreachable(url: str, error: Exception) -> DatabaseUnreachableError:
    words = str(error) or type(error).__name__
    return DatabaseUnreachableError(
        f"the database {without_password(url)} cannot be used: {words}", error
    )


async def _speak_json(connection: Connection) -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(
            name,
            schema="pg_catalog",
            encoder=_json_text,
            decoder=msgspec.json.decode,
            format="text",
        )


def _json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()
