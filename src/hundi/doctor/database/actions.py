"""Looks at the database through each address that is known here."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from hundi.doctor.context import DoctorContext
from hundi.doctor.database import store
from hundi.doctor.database.rules import (
    IN_CLEAR,
    NOT_DURABLE,
    OTHER_DATABASE,
    OTHER_ENCODING,
    READ_ONLY,
    SCHEMA_GOOD,
    SCHEMA_MISSING,
    SCHEMA_OLD,
    SCHEMA_UNKNOWN,
    SERVER_GOOD,
    SERVER_OLD,
    STOPPED,
    UNREACHABLE,
    VERSION_MIN,
)
from hundi.doctor.rules import DoctorFinding
from hundi.infra.errors import OperatorError
from hundi.infra.postgres.database import Connection, DatabaseUnreachableError, Record, connect
from hundi.infra.postgres.migrate import newest, state_over

READING = "HUNDI_READ_DATABASE_URL"
"""The only address that may reach a standby."""


@dataclass(frozen=True, slots=True)
class _ServerLook:
    """What one address reached: the server's own words, or why nothing was reached."""

    setting: str
    row: Record | None
    problem: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return what is the same for two addresses of one database, standbys included."""
        return (self.row["cluster"], self.row["database"]) if self.row else ()


async def look_at_servers(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find addresses that reach no database, the wrong one, or one that does not fit."""
    if not context.addresses:
        return [DoctorFinding(STOPPED, "database", "no server runs in the data directory")]
    looks = await asyncio.gather(*(_server(*item) for item in context.addresses.items()))
    reached = [look for look in looks if look.row is not None]
    others = [look for look in reached if look.identity != reached[0].identity]
    return [
        *(finding for look in looks for finding in _judged(look)),
        *(
            DoctorFinding(OTHER_DATABASE, look.setting, _against(look, reached[0]))
            for look in others
        ),
    ]


async def _server(setting: str, url: str) -> _ServerLook:
    try:
        async with _connected(url) as connection:
            return _ServerLook(setting, await store.select_server(connection))
    except DatabaseUnreachableError as error:
        return _ServerLook(setting, None, str(error))


def _against(one: _ServerLook, other: _ServerLook) -> str:
    assert one.row is not None
    assert other.row is not None
    return (
        f"it reaches {one.row['database']} of server {one.row['cluster']};"
        f" {other.setting} reaches {other.row['database']} of server {other.row['cluster']}"
    )


def _judged(look: _ServerLook) -> Sequence[DoctorFinding]:
    if look.row is None:
        return [DoctorFinding(UNREACHABLE, look.setting, look.problem)]
    row = look.row
    words = f"PostgreSQL {row['version']}, database {row['database']}, role {row['role']}"
    faults = [*_faults(look.setting, row)]
    return faults or [DoctorFinding(SERVER_GOOD, look.setting, words)]


def _faults(setting: str, row: Record) -> Iterator[DoctorFinding]:
    if row["major"] < VERSION_MIN:
        yield DoctorFinding(SERVER_OLD, setting, f"PostgreSQL {row['version']}")
    if row["switched_off"]:
        yield DoctorFinding(NOT_DURABLE, setting, f"off: {', '.join(row['switched_off'])}")
    if row["is_standby"] and setting != READING:
        yield DoctorFinding(READ_ONLY, setting, "the server is a standby")
    if row["is_elsewhere"] and not row["is_encrypted"]:
        yield DoctorFinding(IN_CLEAR, setting, "no TLS")
    if row["encoding"] != "UTF8":
        yield DoctorFinding(OTHER_ENCODING, setting, f"it stores text as {row['encoding']}")


async def look_at_schema(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find a schema that is not the one of this version."""
    url = next(iter(context.addresses.values()))
    async with _connected(url) as connection:
        try:
            state = await state_over(connection)
        except OperatorError as error:
            return [DoctorFinding(SCHEMA_UNKNOWN, "schema", str(error))]
    if state.revision is None:
        return [DoctorFinding(SCHEMA_MISSING, "schema", "there is none")]
    seen = f"{state.revision}; this Hundi works with {newest()}"
    return [DoctorFinding(SCHEMA_GOOD if state.current else SCHEMA_OLD, "schema", seen)]


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Connection]:
    connection = await connect(url)
    try:
        yield connection
    finally:
        await connection.close()
