"""All SQL of the bank calendar."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime

from hundi.infra.postgres.database import Queries, Record
from hundi.money.calendar.rules import NATIONAL, BankDay, Calendar, calendar

SELECT_DAYS = "SELECT centre, day, working, name FROM bank_days WHERE centre = ANY($1)"
SELECT_YEAR = """
SELECT centre, day, working, name, written_by, written_at FROM bank_days
WHERE centre = ANY($1) AND day BETWEEN $2 AND $3 ORDER BY day, centre
"""
HAS_YEAR = (
    "SELECT EXISTS (SELECT FROM bank_days WHERE centre = $1 AND day BETWEEN $2 AND $3 AND NOT"
    " working)"
)
PUT_DAY = """
INSERT INTO bank_days (centre, day, working, name, written_by, written_at)
    VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (centre, day) DO UPDATE SET working = EXCLUDED.working, name = EXCLUDED.name,
    written_by = EXCLUDED.written_by, written_at = EXCLUDED.written_at
"""
REMOVE_DAY = (
    "DELETE FROM bank_days WHERE centre = $1 AND day = $2 RETURNING centre, day, working, name"
)


async def calendar_of(db: Queries, centre: str = NATIONAL) -> Calendar:
    """Return a centre's calendar: the days of all centres and its own."""
    rows = await db.fetch(SELECT_DAYS, [NATIONAL, centre])
    days: Mapping[bool, list[BankDay]] = {True: [], False: []}
    for row in rows:
        days[row["centre"] == NATIONAL].append(BankDay(row["day"], row["working"], row["name"]))
    return calendar(centre, days[True], days[False])


async def select_year(db: Queries, centre: str, year: int) -> list[Record]:
    """Return the days of a year for a centre, including those of all centres."""
    return await db.fetch(SELECT_YEAR, [NATIONAL, centre], date(year, 1, 1), date(year, 12, 31))


async def has_year(db: Queries, centre: str, year: int) -> bool:
    """Return whether the table has holidays of a centre in a year."""
    return await db.fetchval(HAS_YEAR, centre, date(year, 1, 1), date(year, 12, 31))


async def put_days(
    db: Queries, centre: str, days: Iterable[BankDay], by: str, now: datetime
) -> None:
    """Write days of a centre; a day that exists is replaced."""
    for each in days:
        await db.execute(PUT_DAY, centre, each.day, each.working, each.name, by, now)


async def remove_day(db: Queries, centre: str, day: date) -> BankDay | None:
    """Remove a centre's day and return it; None if the table has none."""
    row = await db.fetchrow(REMOVE_DAY, centre, day)
    return None if row is None else BankDay(row["day"], row["working"], row["name"])
