"""What can be wrong with the database, its schema, its roles and the clocks."""

from collections.abc import Collection, Mapping

from hundi.doctor.rules import FindingKind, Level

SERVER_GOOD = FindingKind("database_good", Level.GOOD, "An address reaches a server that fits.")
UNREACHABLE = FindingKind(
    "database_unreachable",
    Level.FAULT,
    "An address reaches no database: the server is away, or refuses the role or its password.",
    "Correct the address in the setting that is named, or start the database.",
)
STOPPED = FindingKind(
    "database_stopped",
    Level.FAULT,
    "The embedded database does not run, so that nothing in it can be looked at.",
    "Start the gateway with `hundi serve`, then run this again.",
)
SERVER_OLD = FindingKind(
    "database_old",
    Level.FAULT,
    "The server is older than PostgreSQL 15.",
    "Move the database to PostgreSQL 15 or newer.",
)
NOT_DURABLE = FindingKind(
    "database_not_durable",
    Level.FAULT,
    "The server may lose what it acknowledged: fsync, full_page_writes or synchronous_commit is"
    " off.",
    "Set these three to on in postgresql.conf and restart the server.",
)
READ_ONLY = FindingKind(
    "database_read_only",
    Level.FAULT,
    "The address of a part that writes reaches a standby.",
    "Name the server that takes writes, or promote the standby when the first one is gone for"
    " good.",
)
IN_CLEAR = FindingKind(
    "database_in_clear",
    Level.WARNING,
    "The connection to a database on another machine is not encrypted.",
    "Add ?sslmode=verify-full to the address, or connect by a private network or a tunnel.",
)
OTHER_ENCODING = FindingKind(
    "database_encoding",
    Level.FAULT,
    "The database does not store text as UTF-8.",
    "Make a database with ENCODING 'UTF8' and move the data there.",
)
OTHER_DATABASE = FindingKind(
    "database_other",
    Level.FAULT,
    "Two addresses name different databases, where one is meant.",
    "Correct the address that is named, so that it names the same database as HUNDI_DATABASE_URL.",
)

SCHEMA_GOOD = FindingKind("schema_good", Level.GOOD, "The schema is the one of this version.")
SCHEMA_MISSING = FindingKind(
    "schema_missing",
    Level.FAULT,
    "The database has no schema yet.",
    "Run `hundi migrate` with the owner's address.",
)
SCHEMA_OLD = FindingKind(
    "schema_old",
    Level.FAULT,
    "The schema is older than this version, or a change of it was interrupted.",
    "Run `hundi migrate` with the owner's address.",
)
COUNTER_BEHIND = FindingKind(
    "counter_behind",
    Level.FAULT,
    "The server's counter of transactions is behind the books, as after a copy as SQL; nothing"
    " starts.",
    "Do what was seen says: advance the counter (docs/database.md#counter).",
)
SCHEMA_UNKNOWN = FindingKind(
    "schema_unknown",
    Level.FAULT,
    "A newer version, or one that was never released, made the schema.",
    "Use the version of Hundi that made it, or another database.",
)

VERSION_MIN = 15
"""The oldest PostgreSQL that works."""

RIGHTS_GOOD = FindingKind("rights_good", Level.GOOD, "Each role has its rights and no others.")
RIGHT_MISSING = FindingKind(
    "right_missing",
    Level.FAULT,
    "A role lacks a right that its part needs.",
    "Run `hundi migrate` with the owner's address, which grants every right.",
)
RIGHT_TOO_MANY = FindingKind(
    "right_too_many",
    Level.WARNING,
    "A role may do more than its part needs.",
    "Take away what else it was granted, such as a membership in another role, then run"
    " `hundi migrate` with the owner's address.",
)
ROLES_MISSING = FindingKind(
    "roles_missing",
    Level.NOTE,
    "The server has none of Hundi's roles, so that all rights are in one hand.",
    "Make the roles with `hundi database roles`, run `hundi migrate`, and give each part the"
    " address of its own role.",
)
ROLE_OTHER = FindingKind(
    "role_other",
    Level.WARNING,
    "An address has another role than its part's.",
    "Put the role that is named into the address.",
)
ROLE_SUPERUSER = FindingKind(
    "role_superuser",
    Level.WARNING,
    "A part connects as a superuser, who may change the books and read files of the server.",
    "Give the part the address of its own role.",
)
NO_OWNER = FindingKind(
    "owner_other",
    Level.FAULT,
    "The owner's address is of a role that does not own the tables, so that it cannot migrate.",
    "Put the role that is named into HUNDI_OWNER_DATABASE_URL.",
)

EXPECTED_ROLES: Mapping[str, str] = {
    "HUNDI_CONSOLE_DATABASE_URL": "hundi_console",
    "HUNDI_WORKER_DATABASE_URL": "hundi_worker",
}
"""The role of each address that serves one part alone."""
OWNER_ADDRESS = "HUNDI_OWNER_DATABASE_URL"
READING = "HUNDI_READ_DATABASE_URL"
"""The only address that may reach a standby."""
LISTED_MAX = 8


def listed(rights: Collection[tuple[str, str]]) -> str:
    """Return (right, name) pairs in words, the first few."""
    words = [f"{right} on {name}" for right, name in sorted(rights)]
    more = f" and {len(words) - LISTED_MAX} more" if len(words) > LISTED_MAX else ""
    return ", ".join(words[:LISTED_MAX]) + more


CLOCK_GOOD = FindingKind("clock_good", Level.GOOD, "This machine's clock agrees with another.")
CLOCK_DRIFTS = FindingKind(
    "clock_drifts",
    Level.WARNING,
    "This machine's clock differs from another by 2 seconds or more.",
    "Have both machines follow a time server (NTP), and look at why one does not.",
)
CLOCK_WRONG = FindingKind(
    "clock_wrong",
    Level.FAULT,
    "The clocks differ by 30 seconds or more: codes, tokens and signatures are refused.",
    "Set the clock that is wrong, and have both machines follow a time server (NTP).",
)
DRIFT_S_MIN = 2.0
WRONG_S_MIN = 30.0


def clock_kind(difference_s: float) -> FindingKind:
    """Return what a difference between two clocks means, in seconds."""
    if abs(difference_s) >= WRONG_S_MIN:
        return CLOCK_WRONG
    return CLOCK_DRIFTS if abs(difference_s) >= DRIFT_S_MIN else CLOCK_GOOD


def clock_words(difference_s: float, other: str) -> str:
    """Return how this machine's clock stands to another. difference_s: theirs minus ours."""
    if abs(difference_s) < DRIFT_S_MIN:
        return f"within {DRIFT_S_MIN:.0f} s of {other}"
    side = "behind" if difference_s > 0 else "ahead of"
    return f"{abs(difference_s):.0f} s {side} {other}"


LATE = FindingKind(
    "work_late",
    Level.WARNING,
    "Work is due for more than a minute, and nobody does it.",
    "Start `hundi worker`, or look at its log.",
)
WORK_GOOD = FindingKind("work_good", Level.GOOD, "The worker does what falls due.")
LATE_S_MIN = 60.0
