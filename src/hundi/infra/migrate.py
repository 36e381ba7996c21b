"""Brings a database to the newest schema: one process at a time, with short locks."""

import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import asyncpg

from hundi.infra.database import Connection, DatabaseUnreachableError, connect
from hundi.infra.errors import OperatorError

_FOLDER = Path(__file__).parent / "migrations"
_VERSION_FILE = re.compile(r"(\d{4})_\w+\.py\Z")
_ADVISORY_LOCK = 4_839_204_711  # any number nobody else uses in this database
_ADVISORY_WAIT_MS_MAX = 120_000


def _known() -> set[str]:
    return {match[1] for path in (_FOLDER / "versions").iterdir() if (match := _VERSION_FILE.match(path.name))}


def newest() -> str:
    """Return the revision this code works with."""
    return max(_known())


def with_database(url: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{quote(name)}"))


async def is_current(url: str) -> bool:
    """Return whether the database has the newest schema; a missing database or table is not current.

    Raises OperatorError when its schema is one that this Hundi does not know.
    """
    connection = await _connect_if_there(url)
    if connection is None:
        return False
    try:
        revision = await connection.fetchval("select version_num from alembic_version")
    except asyncpg.UndefinedTableError:
        return False
    finally:
        await connection.close()
    if revision is not None and revision not in _known():
        message = (
            f"The database has schema {revision}, which this Hundi does not know: it was made by a newer version, "
            "or by one from before the first release. Use the version that made it, or another database."
        )
        raise OperatorError(message)
    return revision == newest()


async def migrate(url: str) -> None:
    """Bring the database to the newest schema, making the database itself when it is not there.

    Several processes may call it at once: one works, the others wait. Raises DatabaseUnreachableError, OperatorError
    (a schema this Hundi does not know), and what SQLAlchemy makes of asyncpg.LockNotAvailableError when a table stays
    locked for 5 s: nothing of that migration is kept, and it can be run again.
    """
    if await is_current(url):
        return
    await _make_database(url)
    await _upgrade(url)


async def _connect_if_there(url: str) -> Connection | None:
    try:
        return await connect(url)
    except DatabaseUnreachableError as error:
        if isinstance(error.__cause__, asyncpg.InvalidCatalogNameError):
            return None
        raise


async def _make_database(url: str) -> None:
    name = unquote(urlsplit(url).path.removeprefix("/"))
    connection = await _connect_if_there(url)
    if connection is None:
        connection = await connect(with_database(url, "postgres"))
        # Another process may be faster; both errors say so.
        with suppress(asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
            await connection.execute('create database "' + name.replace('"', '""') + '"')
    await connection.close()


async def _upgrade(url: str) -> None:
    # Half a second and 30 MB, so only when there is something to do.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from sqlalchemy import Connection as SyncConnection  # noqa: PLC0415
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415
    from sqlalchemy.pool import NullPool  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.set_main_option("path_separator", "os")

    def upgrade(connection: SyncConnection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    holder = await connect(url, statement_timeout=str(_ADVISORY_WAIT_MS_MAX))
    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: connect(url), poolclass=NullPool)
    try:
        await holder.execute("select pg_advisory_lock($1)", _ADVISORY_LOCK)
        async with engine.connect() as connection:
            await connection.run_sync(upgrade)
    finally:
        await engine.dispose()
        await holder.close()
