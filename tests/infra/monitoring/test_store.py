"""What is overdue: every kind of later work that a merchant's rows say a time for."""

from datetime import timedelta

import pytest

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


_NOW = utc_now()
_LATE = 1_900.0
_INSERT = """
INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at,
    tries, tries_before, scheduled_from)
VALUES ($1, $2, 1, 'paid', '{}', 'waiting', $3, $4, $5, $6, $3)
"""


async def _announce(db: Database, merchant_id: int, payment_id: int, due_s: float, tries=0) -> None:
    """Announce a payment, whose next try is due so many seconds from now."""
    at, before = _NOW + timedelta(seconds=due_s), 3 if tries < 0 else 0
    await db.execute(_INSERT, merchant_id, payment_id, _NOW, at, max(tries, before), before)


@pytest.mark.parametrize(
    ("rows", "late_s"),
    [
        ([(1, 1, -_LATE)], _LATE),
        ([(1, 1, -_LATE), (1, 2, 30.0, 1)], 0.0),
        ([(1, 1, -_LATE, 2), (1, 2, 30.0, 1), (2, 3, -400.0)], 400.0),
        ([(1, 1, -_LATE, 2)], _LATE),
        ([(1, 1, -_LATE), (1, 2, 30.0), (1, 3, 60.0, -1)], _LATE),
    ],
    ids=["nobody works", "a dead server", "another merchant", "no try since", "none failed"],
)
async def test_a_dead_server_of_one_merchant_is_no_late_work_of_ours(
    db: Database, rows, late_s: float
) -> None:
    for row in rows:
        await _announce(db, *row)
    found = dict(await store.select_overdue_s(db, _NOW))
    assert found["deliveries"] == late_s
