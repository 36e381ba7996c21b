"""Looks at the database through each address that is known here."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
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
    Queries,
    Record,
    connect,
)
from hundi.infra.postgres.migrate import newest, state_over
from hundi.infra.postgres.roles import FUNCTIONS, SERVED, TABLES, WORDS, DatabaseRole
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
    roles = await store.select_roles(db, list(SERVED))
    owner = await store.select_owner(db)
    findings = [*await _parties(context, owner, roles)]
    if not roles:
        seen = "none of them is there"
        return [*findings, DoctorFinding(ROLES_MISSING, "roles", seen)]
    there = await _granted(db, roles)
    for role in roles:
        wanted, has = _wanted(DatabaseRole(role)), there[role]
        if missing := wanted - has:
            findings.append(DoctorFinding(RIGHT_MISSING, role, f"it lacks {listed(missing)}"))
        if too_many := has - wanted:
            findings.append(DoctorFinding(RIGHT_TOO_MANY, role, f"it has {listed(too_many)}"))
    seen = f"{len(roles)} roles have what they need; {owner} owns the tables"
    return findings or [DoctorFinding(RIGHTS_GOOD, "roles", seen)]


async def _parties(
    context: DoctorContext, owner: str, roles: Sequence[str]
) -> Sequence[DoctorFinding]:
    looks = await asyncio.gather(*(_server(*item) for item in context.addresses.items()))
    return [
        finding
        for look in looks
        if look.row is not None
        for finding in _party(look.setting, look.row, owner, roles)
    ]


def _party(setting: str, row: Record, owner: str, roles: Sequence[str]) -> Iterator[DoctorFinding]:
    role, expected = row["role"], EXPECTED_ROLES.get(setting)
    if setting == OWNER_ADDRESS and owner not in {"", role} and not row["is_superuser"]:
        seen = f"it is of {role}, and {owner} owns the tables"
        yield DoctorFinding(NO_OWNER, setting, seen)
    elif row["is_superuser"] and roles:
        yield DoctorFinding(ROLE_SUPERUSER, setting, f"{role} is a superuser")
    elif expected in roles and role != expected:
        yield DoctorFinding(ROLE_OTHER, setting, f"it is of {role} in place of {expected}")


def _wanted(role: DatabaseRole) -> set[tuple[str, str]]:
    """Return (right, name) for each right that a role has to have."""
    tables = {
        (WORDS[letter], name) for name, rights in TABLES.items() for letter in rights.of(role)
    }
    return tables | {("EXECUTE", name) for name, callers in FUNCTIONS.items() if role in callers}


async def _granted(db: Queries, roles: Sequence[str]) -> Mapping[str, set[tuple[str, str]]]:
    words = list(WORDS.values())
    rows = await store.select_table_rights(db, roles, list(TABLES), words)
    # A trigger's function needs no right, and anybody may have it.
    called = [name for name, callers in FUNCTIONS.items() if callers]
    rows |= await store.select_function_rights(db, roles, called)
    return {role: {(word, name) for of, name, word in rows if of == role} for role in roles}


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
