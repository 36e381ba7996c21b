"""What can be wrong with the database, its schema, its roles and the clocks."""

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
SCHEMA_UNKNOWN = FindingKind(
    "schema_unknown",
    Level.FAULT,
    "A newer version, or one that was never released, made the schema.",
    "Use the version of Hundi that made it, or another database.",
)

VERSION_MIN = 15
"""The oldest PostgreSQL that works."""
