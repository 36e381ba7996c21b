"""All SQL of the sweep. Names of tables and columns come from the catalogue, quoted."""

from collections.abc import Sequence
from typing import Any

from asyncpg import Record

from hundi.gateway.scrub.rules import LENGTH_MIN, CatalogueColumn, SweptTable
from hundi.infra.postgres.database import Connection, Database

# The owner's tables: objects of an extension or of others in the schema are not ours to change.
# Partitions are read with their table.
CATALOGUE = """
SELECT c.relname::text AS table_name, a.attname::text AS column_name,
    format_type(CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END, NULL) AS type,
    array_position(i.indkey::int2[], a.attnum) AS key_place, a.attgenerated <> '' AS is_generated
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_index i ON i.indrelid = c.oid
        AND i.indisprimary
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND pg_has_role(c.relowner, 'USAGE')
ORDER BY c.relname, a.attnum
"""
# A row is found by its key, so that only these rows are locked, for as long as one statement takes.
PAGE = "SELECT {columns} FROM {table} WHERE {after} ORDER BY {key} LIMIT {rows}"
MASK = (
    "UPDATE {table} SET {column} = $1::{type} WHERE {column}::{compared} = $2::{compared} AND {key}"
)
# A payout's account and a dispute's documents are sealed: with the payout, and with the payment.
IDS_BESIDE = """
SELECT payment_id FROM dispute_stages WHERE merchant_id = $1 AND stage_id = ANY ($2::bigint[])
UNION ALL SELECT payout_id FROM payouts WHERE merchant_id = $1 AND beneficiary = $3
"""
_ONE_AT_A_TIME = 1_000
"""Rows that are read at once."""


async def columns(db: Database) -> list[CatalogueColumn]:
    """Return every column of every table of ours, each table's together."""
    return [CatalogueColumn(*row) for row in await db.fetch(CATALOGUE)]


def page_query(table: SweptTable, *, is_first: bool) -> str:
    """Return the statement that reads the next rows of a table, after the key in its parameters."""
    key = ", ".join(_quoted(column.name) for column in table.key)
    numbered = ", ".join(f"${place}::{column.type}" for place, column in enumerate(table.key, 1))
    long = " OR ".join(
        f"length({_quoted(column.name)}::text) >= {LENGTH_MIN}" for column in table.swept
    )
    names = dict.fromkeys(column.name for column in (*table.key, *table.swept))
    column_names = dict.fromkeys(
        (*names, *table.ids, *(("beneficiary",) if table.name == "bank_accounts" else ()))
    )
    return PAGE.format(
        columns=", ".join([*map(_quoted, column_names), f"({long}) AS is_long"]),
        table=_quoted(table.name),
        after="true" if is_first else f"({key}) > ({numbered})",
        key=key,
        rows=_ONE_AT_A_TIME,
    )


async def page(db: Database, table: SweptTable, after: Sequence[Any] | None) -> list[Record]:
    """Return the next rows of a table by its key, with the columns to sweep.

    after: the key of the row before.
    """
    return await db.fetch(page_query(table, is_first=after is None), *(after or ()))


async def mask(
    conn: Connection,
    table: SweptTable,
    column: CatalogueColumn,
    row: Record,
    after: Any,  # noqa: ANN401 (of the column's type)
) -> bool:
    """Write a value in place of a row's; return False if it was changed meanwhile."""
    key = " AND ".join(
        f"{_quoted(part.name)} = ${place}::{part.type}" for place, part in enumerate(table.key, 3)
    )
    query = MASK.format(
        table=_quoted(table.name),
        column=_quoted(column.name),
        type=column.type,
        compared="jsonb"
        if column.type == "json"
        else column.type,  # a number may be written in another form
        key=key,
    )
    values = [row[part.name] for part in table.key]
    return await conn.execute(query, after, row[column.name], *values) != "UPDATE 0"


async def ids_beside(
    conn: Connection, merchant_id: int, ids: Sequence[int], beneficiary: str
) -> list[int]:
    """Return the ids of rows that may be sealed together with a row."""
    return [row[0] for row in await conn.fetch(IDS_BESIDE, merchant_id, ids, beneficiary)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
