"""Runs the settlement of a day, and reads what it wrote."""

from datetime import date, datetime, timedelta

import asyncpg

from hundi.infra.postgres.database import Database
from hundi.money.settlements import actions
from hundi.money.settlements.actions import DayResult
from tests.money.settlements.books import (
    TUESDAY,
)

DAY = timedelta(days=1)


async def run(db: Database, now: datetime = TUESDAY, day: date | None = None) -> list[DayResult]:
    done: list[DayResult] = []
    await actions.run(db, now, day, done.append)
    return done


async def last(db: Database) -> asyncpg.Record:
    row = await db.fetchrow("SELECT * FROM settlements ORDER BY settlement_no DESC LIMIT 1")
    assert row is not None
    return row


async def shares(db: Database) -> list[tuple[str, int]]:
    found = await db.fetch(
        "SELECT beneficiary, amount_paise FROM settlement_shares ORDER BY share_id"
    )
    return [tuple(row) for row in found]


async def forget(db: Database) -> None:
    """Take everything away that was settled, which nobody but a test can."""
    for table in (
        "settlement_items",
        "settlement_shares",
        "settlement_parts",
        "settlements",
        "ledger_postings",
    ):
        await db.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    await db.execute(
        "DELETE FROM ledger_postings WHERE kind IN ('settlement_fee', 'settlement_tax',"
        " 'reserve_held',"
        " 'reserve_released', 'share_due')"
    )
    every = (
        "settlement_items",
        "settlement_shares",
        "settlement_parts",
        "settlements",
        "settlement_marks",
    )
    for table in (*every, "shares_to_pay"):
        await db.execute(f"DELETE FROM {table}")
    for table in (
        "settlement_items",
        "settlement_shares",
        "settlement_parts",
        "settlements",
        "ledger_postings",
    ):
        await db.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
