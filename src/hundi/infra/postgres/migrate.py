"""Brings a database to the newest schema and its roles to their rights.

One process does so at a time, with short locks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import asyncpg

from hundi.infra.errors import OperatorError
from hundi.infra.migrations import SchemaVersion, statements, versions
from hundi.infra.postgres import citus, planner_statistics
from hundi.infra.postgres.database import (
    DISK_FULL,
    Connection,
    DatabaseUnreachableError,
    Rows,
    connect,
)
from hundi.infra.postgres.rights import are_exact
from hundi.infra.postgres.roles import SERVED, TABLES, fingerprint, grant_text
from hundi.infra.settings_shown import without_password
from hundi.kernel.records import replace

ADVISORY_LOCK = 4_839_204_711  # any number nobody else uses in this database
_ADVISORY_WAIT_S_MAX = 120
_ADVISORY_LOOK_S = 0.05
# A migration that waits for a lock blocks every later query of that table, so it gives up soon.
_LOCK_TIMEOUT = "5s"
_WITHOUT_AFTER = " without the statements after it"
"""Ends the kept revision of a version whose transaction was committed, until those have run."""


def newest() -> str:
    """Return the revision this code works with."""
    return versions()[-1].revision


def _is_known(revision: str) -> bool:
    whole = revision.removesuffix(_WITHOUT_AFTER)
    return any(version.revision == whole for version in versions())


def with_database(url: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{quote(name)}"))


_KEEP_REVISION = "CREATE TABLE IF NOT EXISTS schema_version (revision text PRIMARY KEY)"
_REACHED = """
WITH gone AS (DELETE FROM schema_version) INSERT INTO schema_version VALUES ($1)
"""
_REVISION = "SELECT revision FROM schema_version"
_STATE = """
SELECT revision, obj_description('schema_version'::regclass, 'pg_class') AS granted,
    ARRAY(SELECT rolname::text FROM pg_roles WHERE rolname = ANY($1::text[])) AS roles
FROM schema_version
"""
# Versions from before 0.1.0 kept their revision in this table.
_IS_UNRELEASED = "SELECT to_regclass('alembic_version') IS NOT NULL AS unreleased"
_UNRELEASED = (
    "The database was made by a Hundi from before 0.1.0, and no version takes its data over."
    " Nothing was changed. Give this Hundi another database, or another --data-dir where it has"
    " its own; keep the old one for the version that made it."
)


@dataclass(frozen=True, slots=True)
class State:
    """The state of a database: its schema's revision, and whether its rights are exact."""

    revision: str | None
    current: bool
    granted: bool


_NOTHING = State(revision=None, current=False, granted=False)
_Look = Callable[[Connection], Awaitable[State]]


async def is_current(url: str) -> bool:
    """Return whether the database has the newest schema; a missing database or table has not.

    Raises OperatorError for a schema that this Hundi does not know.
    """
    return (await _state(url)).current


async def check_current(url: str) -> None:
    """Raise OperatorError, in one sentence, unless the database has the newest schema."""
    try:
        state = await _state(url)
    except asyncpg.InsufficientPrivilegeError as error:
        message = (
            f"this command needs another role of the database: {error} (docs/operations.md#roles)"
        )
        raise OperatorError(message) from error
    if not state.current:
        raise OperatorError(_wants_migration(state.revision))


async def check_not_older(db: Rows) -> None:
    """Raise OperatorError unless the database has the schema of this code, or a newer one.

    While processes are replaced one by one, those of the old version still start on the new schema.
    """
    try:
        rows = await db.fetch(_REVISION)
    except asyncpg.UndefinedTableError:
        await _check_released(db)
        rows = []
    revision = rows[0]["revision"] if rows else None
    if revision is None or (_is_known(revision) and revision != newest()):
        raise OperatorError(_wants_migration(revision))


async def _check_released(db: Rows) -> None:
    """Raise OperatorError where an unreleased version made the schema: its numbers say nothing."""
    if (await db.fetch(_IS_UNRELEASED))[0]["unreleased"]:
        raise OperatorError(_UNRELEASED)


def _wants_migration(revision: str | None) -> str:
    if revision is None:
        return "The database has no schema yet: run `hundi migrate` first."
    return (
        f"The database has schema {revision} and this Hundi works with {newest()}: run `hundi"
        " migrate` first."
    )


_IDENTITY = """
SELECT (SELECT system_identifier FROM pg_control_system()) AS cluster,
    pg_postmaster_start_time() AS started, current_database()::text AS name
"""
"""The database that a connection reached.

A copy has the identifier, but started at another time.
"""


async def check_same_database(owner_url: str, others: Mapping[str, str]) -> None:
    """Raise OperatorError if the owner's address reaches another database than one of the others.

    others: name of the setting → address. An address whose database does not exist yet is compared
    by its name.
    """
    owners = await _identity(owner_url)
    for setting, url in others.items():
        if await _identity(url) != owners:
            message = (
                f"HUNDI_OWNER_DATABASE_URL ({without_password(owner_url)}) and {setting}"
                f" ({without_password(url)}) name two different databases; nothing was changed:"
                " correct the one that is wrong"
            )
            raise OperatorError(message)


async def _identity(url: str) -> tuple[object, ...]:
    connection = await _connect_if_there(url)
    if connection is None:
        return (unquote(urlsplit(url).path.removeprefix("/")),)
    try:
        return tuple(await connection.fetchrow(_IDENTITY) or ())
    finally:
        await connection.close()


async def _state(url: str, look: _Look | None = None) -> State:
    connection = await _connect_if_there(url)
    if connection is None:
        return _NOTHING
    try:
        return await (look or state_over)(connection)
    finally:
        await connection.close()


async def state_over(connection: Connection) -> State:
    """Return the state of the database that a connection reached.

    Raises OperatorError for a schema that this Hundi does not know.
    """
    try:
        row = await connection.fetchrow(_STATE, list(SERVED))
    except asyncpg.UndefinedTableError:
        await _check_released(connection)
        return _NOTHING
    if row is None:
        return _NOTHING
    if not _is_known(row["revision"]):
        message = (
            f"The database has schema {row['revision']}, which this Hundi does not know: a newer"
            " version made it. Use that version, or another database."
        )
        raise OperatorError(message)
    current = row["revision"] == newest()
    return State(row["revision"], current, current and row["granted"] == fingerprint(row["roles"]))


async def _exact_state(connection: Connection) -> State:
    """Return the state, with a look at each right: an administrator may have taken one away."""
    state = await state_over(connection)
    if state.granted and not await are_exact(connection):
        return replace(state, granted=False)
    return state


async def migrate(url: str, *, spread: bool = False, exact: bool = False) -> State:
    """Bring the database to the newest schema and its roles to their rights; return the old state.

    spread: also spread its tables over the workers of its Citus cluster; later calls then do so by
    themselves. exact: look at each right, and not only at what the last call left. A missing
    database is created. Several processes may call it at once: one works, the others wait. Raises
    DatabaseUnreachableError and OperatorError: an unknown schema; a role that does not own the
    tables; a table that stays locked for 5 s, or another process that works for too long. A version
    whose transaction fails has no effect, and can run again.
    """
    look = _exact_state if exact else state_over
    state = await _state(url, look)
    if state.current and state.granted and not spread:
        return state
    try:
        if not state.current:
            await _make_database(url)
        return await _bring_up(url, look, spread=spread)
    except asyncpg.InsufficientPrivilegeError as error:
        message = (
            f"the role {urlsplit(url).username} of the database's address may not bring it up to"
            " date: "
            "run `hundi migrate` with the owner's address (docs/operations.md#roles)"
        )
        raise OperatorError(message) from error
    except asyncpg.DiskFullError as error:
        raise OperatorError(DISK_FULL) from error
    except asyncpg.LockNotAvailableError as error:
        message = (
            f"a table that has to change stayed locked for {_LOCK_TIMEOUT} ({error}); that change"
            " has no effect: run `hundi migrate` again"
        )
        raise OperatorError(message) from error


async def _bring_up(url: str, look: _Look, *, spread: bool) -> State:
    """Do what is left to do once this process has its turn; return the state it found then."""
    holder = await connect(url)
    try:
        await _take_turn(holder)
        # Another process, even of a newer version, may have worked since this one looked.
        state = await look(holder)
        if state.current and state.granted and not spread:
            return state
        if not state.current:
            await upgrade(holder, versions())
        first = ""
        if spread or await citus.is_spread(holder):
            await citus.spread(holder)
            # Rights of tables on every node cannot follow those of the others over several
            # connections.
            first = f"{citus.ONE_CONNECTION};\n"
        # Before the rights, whose comment says that nothing is left to do.
        await planner_statistics.seed(holder, TABLES)
        roles = [
            row["rolname"]
            for row in await holder.fetch(
                "SELECT rolname FROM pg_roles WHERE rolname = ANY($1)", list(SERVED)
            )
        ]
        # Several statements in one text are one transaction.
        await holder.execute(
            f"{first}{grant_text(roles)}\nCOMMENT ON TABLE schema_version IS"
            f" '{fingerprint(roles)}';"
        )
        return state
    finally:
        await holder.close()


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
        # Another process may be faster; both errors mean that.
        with suppress(asyncpg.DuplicateDatabaseError, asyncpg.UniqueViolationError):
            await connection.execute('create database "' + name.replace('"', '""') + '"')
    await connection.close()


async def upgrade(connection: Connection, chain: Sequence[SchemaVersion]) -> None:
    """Run the versions that the database does not have yet, each in a transaction.

    What was interrupted in the statements after its transaction goes on with those. The caller has
    the turn.
    """
    await connection.execute(_KEEP_REVISION)
    reached = await connection.fetchval(_REVISION) or ""
    for version in chain:
        after = statements(version.text(".after"))
        begun = version.revision + _WITHOUT_AFTER
        if version.revision > reached:
            async with connection.transaction():
                await connection.execute(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'")
                for text in await _texts(connection, version):
                    await connection.execute(text)
                await connection.execute(_REACHED, begun if after else version.revision)
        elif reached != begun:
            continue
        if after:
            for statement in after:
                await connection.execute(statement)
            await connection.execute(_REACHED, version.revision)


async def _texts(connection: Connection, version: SchemaVersion) -> list[str]:
    """Return the statements of a version's transaction.

    In one transaction Citus replaces functions and changes tables only over one connection to each
    worker. It sends some statements on as the whole text they came in, and a worker takes one at a
    time.
    """
    script = version.text()
    if not await connection.fetchval(citus.IS_THERE):
        return [script] if script else []
    before = version.text(".spread") if await citus.is_spread(connection) else ""
    return [citus.ONE_CONNECTION, *statements(before), *statements(script)]


async def _take_turn(holder: Connection) -> None:
    """Take the lock of the one migrating process; it ends with the connection.

    It is polled: a statement that waits for the lock would hold a snapshot, and building an index
    while payments go on waits for every snapshot.
    """
    try:
        async with asyncio.timeout(_ADVISORY_WAIT_S_MAX):
            while not await holder.fetchval("select pg_try_advisory_lock($1)", ADVISORY_LOCK):  # noqa: ASYNC110
                await asyncio.sleep(_ADVISORY_LOOK_S)
    except TimeoutError as error:
        message = (
            f"another process has been bringing this database up to date for more than"
            f" {_ADVISORY_WAIT_S_MAX} s; this one changed nothing. Run `hundi migrate` once that"
            " one has ended."
        )
        raise OperatorError(message) from error
