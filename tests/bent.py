"""Other values for each column of a row, as a superuser could write them."""

import re
from collections.abc import Container

import asyncpg

DUE = ("due_at", "inquire_at")
"""Columns that the gateway puts off itself: only a far day is a lie."""
REFUSED = (asyncpg.IntegrityConstraintViolationError, asyncpg.FeatureNotSupportedError)
"""How a database says that a row cannot be changed so.

The second one is Citus', about whose a row is.
"""


async def take_checks_off(conn: asyncpg.Connection, kinds: str = "fc") -> None:
    """Drop constraints of some kinds from all tables in this transaction, foreign keys first."""
    # Citus wants one table after another, whose pieces follow it: their names end in a number.
    await conn.execute("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
    for row in await conn.fetch(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM"
        " pg_constraint"
        " WHERE connamespace = 'public'::regnamespace AND contype::text = ANY ($1) AND conrelid <>"
        " 0"
        " AND conrelid::regclass::text !~ '_[0-9]{6}$' ORDER BY contype DESC",
        list(kinds),
    ):
        await conn.execute(row[0])


def spot_of(columns: Container[str]) -> str:
    """Return the expression for where a row is.

    On Citus a merchant's, too, as each piece of a table counts alone.
    """
    return "merchant_id::text || ' ' || ctid::text" if "merchant_id" in columns else "ctid::text"


def here(columns: Container[str]) -> str:
    """Return the condition for the row that is at a statement's only value."""
    if "merchant_id" not in columns:
        return "ctid = $1::text::tid"
    return (
        "merchant_id = split_part($1::text, ' ', 1)::bigint AND ctid = split_part($1::text, ' ',"
        " 2)::tid"
    )


def moved(column: str, by: str) -> str:
    """Return the expression for a moment moved by an interval.

    In UTC, as Citus takes it in an UPDATE.
    """
    return f"({column} AT TIME ZONE 'UTC' + interval '{by}') AT TIME ZONE 'UTC'"


async def columns_of(conn: asyncpg.Connection, table: str) -> dict[str, tuple[str, str]]:
    """Return of each column of a table that can be changed its type, and what its domain allows."""
    rows = await conn.fetch(
        "SELECT attname::text AS name, coalesce(nullif(t.typbasetype, 0),"
        " a.atttypid)::regtype::text AS type,"
        " coalesce((SELECT string_agg(pg_get_constraintdef(c.oid), '') FROM pg_constraint c"
        " WHERE c.contypid = a.atttypid), '') AS domain"
        " FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid"
        " WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated"
        " = ''",
        table,
    )
    return {row["name"]: (row["type"], row["domain"]) for row in rows}


async def key_of(conn: asyncpg.Connection, table: str, merchant_id: int) -> list[str]:
    """Return the order of a table's rows by its key, with one merchant's rows first."""
    rows = await conn.fetch(
        "SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum ="
        " ANY (indkey)"
        " WHERE indrelid = $1::text::regclass AND indisprimary ORDER BY"
        " array_position(indkey::int2[], attnum)",
        table,
    )
    key = [row[0] for row in rows]
    return [f"merchant_id <> {merchant_id}", *key] if "merchant_id" in key else key


def lies(column: str, kind: str, domain: str) -> list[str]:
    """Return expressions for other values of a column.

    domain: what it allows, as the database says it.
    """
    if kind == "text" and " ANY " in domain:
        return [f"'{each}'" for each in re.findall(r"'(\w+)'::text", domain)]
    if column in DUE:
        return ["'2099-01-01'", "NULL"]
    return {
        "text": [f"{column} || '1'", "'another'", "'USD'"],
        "bigint": [f"{column} + 1", "NULL"],
        "integer": [f"{column} + 1", "NULL"],
        "smallint": [f"{column} + 1", "NULL"],
        "numeric": [f"{column} + 1"],
        "timestamp with time zone": [moved(column, "1 second"), "'2099-01-01'", "NULL"],
        "interval": [f"{column} + interval '1 hour'"],
        "date": [f"{column} + 1"],
        "jsonb": [f'{column} || \'{{"rrn": "1"}}\''],
        "boolean": [f"NOT {column}"],
        "bytea": ["sha256('another')"],
        "xid8": ["'1'", "'9000000000'"],
        "text[]": [f"{column} || '{{pg}}'::text[]"],
        "bigint[]": [f"{column} || 7::bigint"],
    }[kind]
