"""A gateway that is new, and whose tables nobody has looked at yet, reads one row and not all of a merchant's."""

import asyncpg
import pytest

WHOLE_KEYS = {
    "payments": ("payment_id", "order_id"),
    "attempts": ("attempt_id", "payment_id"),
    "deliveries": ("payment_id",),
    "payment_events": ("payment_id",),
}
TOLD_FROM = 180_000
"""The first PostgreSQL that can be told."""


async def _conditions(connection: asyncpg.Connection, table: str, column: str) -> str:
    """Return by which columns a statement on one merchant and another column looks into an index."""
    lines = await connection.fetch(f"EXPLAIN SELECT FROM {table} WHERE merchant_id = 7 AND {column} = '9'")
    return next(line for (line,) in lines if "Index Cond" in line)


@pytest.mark.not_on_citus("it looks into pieces, and its PostgreSQL may be older")
async def test_a_table_without_statistics_is_read_by_its_whole_keys(fresh_url: str) -> None:
    connection = await asyncpg.connect(fresh_url)
    try:
        if connection.get_server_version().major * 10_000 < TOLD_FROM:
            pytest.skip("this PostgreSQL cannot be told")
        for table, columns in WHOLE_KEYS.items():
            looked_at = await connection.fetchval("SELECT reltuples FROM pg_class WHERE oid = $1::regclass", table)
            assert looked_at == -1, "else it proves nothing"
            for column in columns:
                assert column in await _conditions(connection, table, column)
        # What it is for: without it the merchant alone seems to be enough.
        await connection.execute("SELECT pg_clear_attribute_stats('public', 'payments', 'merchant_id', false)")
        assert "payment_id" not in await _conditions(connection, "payments", "payment_id")
    finally:
        await connection.close()
