"""What is overdue: every kind of later work that a merchant's rows say a time for."""

from hundi.infra.monitoring import store
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from tests.house.test_schema import OWNERS, tables

_WITH_A_TIME = """
SELECT c.table_name::text AS name FROM information_schema.columns c
    JOIN information_schema.columns o ON o.table_schema = c.table_schema
        AND o.table_name = c.table_name
WHERE c.table_schema = 'public' AND c.column_name IN ('due_at', 'probe_at', 'inquire_at')
    AND o.column_name = ANY ($1)
"""


async def test_every_table_with_due_rows_is_looked_at(db: Database) -> None:
    due = {row["name"] for row in await db.fetch(_WITH_A_TIME, list(OWNERS))}
    assert "dispute_stages" in due
    assert tables(store.SELECT_OVERDUE_S, due) == due


async def test_nothing_is_overdue_in_an_empty_database(db: Database) -> None:
    found = await store.select_overdue_s(db, utc_now())
    assert {"disputes", "payment_links", "refunds"} <= {work for work, _ in found}
    assert {seconds for _, seconds in found} == {0.0}
