"""Open the bank's own PostgreSQL database: create it when it is missing, apply the schema, hand out a pool."""

from importlib.resources import files
from urllib.parse import unquote, urlsplit

import asyncpg

# An internal error is what the client library calls a connection that breaks between two of its messages.
AWAY = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)
"""What a call raises when the books are away or go away under it."""

_SCHEMA_LOCK = 7_160_001
_SCHEMA_LOCK_TIMEOUT_S = 30
_STATEMENT_TIMEOUT_S = 10
# Asked of whichever came from the server's own catalogue, not from ours.
_MAINTENANCE_DATABASE = "postgres"


async def open_database(url: str, *, pool_size: int) -> asyncpg.Pool:
    """Return a pool on the bank's database, ready to use; raises what asyncpg raises when the server is not there."""
    await _create_if_missing(url)
    await _apply_schema(url)
    # Nothing here leaves session state behind, so a connection needs no reset between two uses.
    return await asyncpg.create_pool(
        url, min_size=1, max_size=pool_size, reset=_leave_as_it_is, command_timeout=_STATEMENT_TIMEOUT_S
    )


async def _leave_as_it_is(_connection: asyncpg.Connection) -> None:
    """Skip the round trip of a reset."""


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
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(f"SET LOCAL lock_timeout = '{_SCHEMA_LOCK_TIMEOUT_S}s'")
            await connection.execute("SET LOCAL client_min_messages = warning")
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _SCHEMA_LOCK)
            await connection.execute(files("hundi.simbank").joinpath("schema.sql").read_text(encoding="utf-8"))
    finally:
        await connection.close()
