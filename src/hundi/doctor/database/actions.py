"""Looks at the database through each address that is known here."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from hundi.doctor.context import DoctorContext
from hundi.doctor.database import store
from hundi.doctor.database.rules import (
    COUNTER_BEHIND,
    EXPECTED_ROLES,
    IN_CLEAR,
    LATE,
    LATE_S_MIN,
    NO_OWNER,
    NOT_DURABLE,
    OTHER_DATABASE,
    OTHER_ENCODING,
    OWNER_ADDRESS,
    READ_ONLY,
    READING,
    RIGHT_MISSING,
    RIGHT_TOO_MANY,
    RIGHTS_GOOD,
    ROLE_OTHER,
    ROLE_SUPERUSER,
    ROLES_MISSING,
    SCHEMA_GOOD,
    SCHEMA_MISSING,
    SCHEMA_OLD,
    SCHEMA_UNKNOWN,
    SERVER_GOOD,
    SERVER_OLD,
    STOPPED,
    UNREACHABLE,
    VERSION_MIN,
    WORK_GOOD,
    clock_kind,
    clock_words,
    listed,
)
from hundi.doctor.rules import DoctorFinding
from hundi.infra.errors import OperatorError
from hundi.infra.monitoring.store import select_overdue_s
from hundi.infra.postgres.counter import read_counter
from hundi.infra.postgres.database import (
    Connection,
    DatabaseUnreachableError,
    Record,
    connect,
)
from hundi.infra.postgres.migrate import newest, state_over
from hundi.infra.postgres.rights import granted, wanted
from hundi.kernel.clock import utc_now, world_now


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
    settings = context.settings
    if not context.addresses and settings is not None:
        has_data = (settings.data_dir / "postgres").exists()  # raises where nobody may look
        seen = "no server runs in" if has_data else "there is none in"
        return [DoctorFinding(STOPPED, "database", f"{seen} {settings.data_dir}")]
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
        return _ServerLook(setting, None, error.problem)


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
    """Find a schema that is not the one of this version, and books that were copied as SQL."""
    async with _first_connected(context.addresses.values()) as connection:
        try:
            state = await state_over(connection)
        except OperatorError as error:
            return [DoctorFinding(SCHEMA_UNKNOWN, "schema", str(error))]
        counter = await read_counter(connection) if state.current else None
    if counter is not None and counter.behind:
        seen = (
            f"its next transaction is {counter.next}, and the books have {counter.newest}:"
            f" {counter.remedy}"
        )
        return [DoctorFinding(COUNTER_BEHIND, "counter", seen)]
    if state.revision is None:
        return [DoctorFinding(SCHEMA_MISSING, "schema", "there is none")]
    seen = f"{state.revision}; this Hundi works with {newest()}"
    return [DoctorFinding(SCHEMA_GOOD if state.current else SCHEMA_OLD, "schema", seen)]


@asynccontextmanager
async def _first_connected(urls: Iterable[str]) -> AsyncIterator[Connection]:
    """Open a connection by the first address that reaches a server.

    Raises DatabaseUnreachableError if none does.
    """
    *others, last = urls
    for url in others:
        with suppress(DatabaseUnreachableError):
            connection = await connect(url)
            break
    else:
        connection = await connect(last)
    try:
        yield connection
    finally:
        await connection.close()


async def look_at_roles(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find roles with too few or too many rights, and addresses of the wrong role."""
    db = context.db
    assert db is not None
    owner, there = await store.select_owner(db), await granted(db)
    findings = [*await _parties(context, owner, there)]
    if not there:
        seen = "none of them is there"
        return [*findings, DoctorFinding(ROLES_MISSING, "roles", seen)]
    for role, has in there.items():
        if missing := wanted(role) - has:
            findings.append(DoctorFinding(RIGHT_MISSING, role, f"it lacks {listed(missing)}"))
        if too_many := has - wanted(role):
            findings.append(DoctorFinding(RIGHT_TOO_MANY, role, f"it has {listed(too_many)}"))
    seen = f"{len(there)} roles have what they need; {owner} owns the tables"
    return findings or [DoctorFinding(RIGHTS_GOOD, "roles", seen)]


async def _parties(
    context: DoctorContext, owner: str, roles: Collection[str]
) -> Sequence[DoctorFinding]:
    looks = await asyncio.gather(*(_server(*item) for item in context.addresses.items()))
    return [
        finding
        for look in looks
        if look.row is not None
        for finding in _party(look.setting, look.row, owner, roles)
    ]


def _party(
    setting: str, row: Record, owner: str, roles: Collection[str]
) -> Iterator[DoctorFinding]:
    role, expected = row["role"], EXPECTED_ROLES.get(setting)
    if setting == OWNER_ADDRESS and owner not in {"", role} and not row["is_superuser"]:
        seen = f"it is of {role}, and {owner} owns the tables"
        yield DoctorFinding(NO_OWNER, setting, seen)
    elif row["is_superuser"] and roles:
        yield DoctorFinding(ROLE_SUPERUSER, setting, f"{role} is a superuser")
    elif expected in roles and role != expected:
        yield DoctorFinding(ROLE_OTHER, setting, f"it is of {role} in place of {expected}")


async def look_at_clock(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find a difference between this machine's clock and the database's."""
    db = context.db
    assert db is not None
    before = world_now()
    theirs = await store.select_clock(db)
    ours = before + (world_now() - before) / 2
    difference_s = (theirs - ours).total_seconds()
    words = clock_words(difference_s, "the database's clock")
    return [DoctorFinding(clock_kind(difference_s), "this machine", words)]


async def look_at_work(context: DoctorContext) -> Sequence[DoctorFinding]:
    """Find work that is due for long, because no worker runs."""
    db = context.db
    assert db is not None
    overdue = await select_overdue_s(db, utc_now())
    late = [(work, seconds) for work, seconds in overdue if seconds >= LATE_S_MIN]
    if not late:
        return [DoctorFinding(WORK_GOOD, "worker", "nothing is late")]
    return [DoctorFinding(LATE, work, f"due for {seconds:,.0f} s") for work, seconds in late]


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Connection]:
    connection = await connect(url)
    try:
        yield connection
    finally:
        await connection.close()
