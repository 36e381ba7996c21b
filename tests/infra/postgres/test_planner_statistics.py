"""A new gateway, whose tables nobody has analysed, reads one row and not a merchant's all."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from hundi.infra.postgres import planner_statistics
from hundi.infra.postgres.migrate import migrate
from hundi.infra.postgres.roles import TABLES

pytestmark = pytest.mark.not_on_citus("it looks into pieces, and its PostgreSQL may be older")
WHOLE_KEYS = {
    "payments": ("payment_id", "order_id"),
    "attempts": ("attempt_id", "payment_id"),
    "deliveries": ("payment_id",),
    "payment_events": ("payment_id",),
}
_CLEAR = "SELECT pg_clear_attribute_stats('public', 'payments', 'merchant_id', false)"
_HAS = (
    "SELECT EXISTS (SELECT FROM pg_stats WHERE tablename = 'payments' AND attname = 'merchant_id')"
)


@pytest.fixture
async def connection(fresh_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the owner to a new database, whose server takes statistics."""
    opened = await asyncpg.connect(fresh_url)
    if opened.get_server_version().major < planner_statistics.POSTGRESQL_MIN:
        await opened.close()
        pytest.skip("this PostgreSQL takes no statistics")
    yield opened
    await opened.close()


async def _conditions(connection: asyncpg.Connection, table: str, column: str) -> str:
    """Return the index condition of a statement on one merchant and one value of a column."""
    lines = await connection.fetch(
        f"EXPLAIN SELECT FROM {table} WHERE merchant_id = 7 AND {column} = '9'"
    )
    return next(line for (line,) in lines if "Index Cond" in line)


async def test_a_table_that_was_never_analysed_is_read_by_its_whole_keys(
    connection: asyncpg.Connection,
) -> None:
    for table, columns in WHOLE_KEYS.items():
        analysed = await connection.fetchval(
            "SELECT reltuples FROM pg_class WHERE oid = $1::regclass", table
        )
        assert analysed == -1, "else it proves nothing"
        for column in columns:
            assert column in await _conditions(connection, table, column)
    # What it is for: without statistics the merchant alone is taken for enough.
    await connection.execute(_CLEAR)
    missed = [
        column
        for table, columns in WHOLE_KEYS.items()
        for column in columns
        if column not in await _conditions(connection, table, column)
    ]
    assert missed


async def test_a_table_with_rows_is_left_to_autovacuum(connection: asyncpg.Connection) -> None:
    table = "refused_requests"
    await connection.execute(
        f"SELECT pg_clear_attribute_stats('public', '{table}', 'merchant_id', false)"
    )
    await connection.execute(
        f"INSERT INTO {table} (merchant_id, reference, at, operation, code, words, detail,"
        " address, explained) "
        "VALUES (7, 'r', now(), 'verify', 'x', '', '', '', '{}')"
    )
    await planner_statistics.seed(connection, TABLES)
    has = (
        f"SELECT EXISTS (SELECT FROM pg_stats WHERE tablename = '{table}' AND attname ="
        " 'merchant_id')"
    )
    assert not await connection.fetchval(has)


async def test_a_locked_table_holds_nobody_up(
    connection: asyncpg.Connection, fresh_url: str
) -> None:
    await connection.execute(_CLEAR)
    other = await asyncpg.connect(fresh_url)
    try:
        async with other.transaction():
            await other.execute("LOCK TABLE payments IN SHARE UPDATE EXCLUSIVE MODE")
            await planner_statistics.seed(connection, TABLES)
        assert not await connection.fetchval(_HAS)
        await planner_statistics.seed(connection, TABLES)
        assert await connection.fetchval(_HAS)
    finally:
        await other.close()


async def test_they_are_made_up_for_where_a_migration_was_interrupted_before_them(
    connection: asyncpg.Connection, fresh_url: str
) -> None:
    await connection.execute(_CLEAR)
    await connection.execute("COMMENT ON TABLE schema_version IS NULL")
    await migrate(fresh_url)
    assert await connection.fetchval(_HAS)
