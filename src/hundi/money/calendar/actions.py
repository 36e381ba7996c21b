"""The actions of the bank calendar: write and remove days, take holidays from the library."""

from datetime import date, datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.calendar import store
from hundi.money.calendar.rules import CENTRES, NATIONAL, BankDay, is_centre

NAME_LENGTH_MAX = 100
YEAR_MIN, YEAR_MAX = 2015, 2100
_COUNTRY = "IN"


async def write_day(
    db: Database, centre: str, day: BankDay, by: str, now: datetime, beside: Beside | None = None
) -> None:
    """Write one day of a centre, and what `beside` writes. Raises Refused: FIELD_INVALID."""
    _check(centre, day.day.year)
    if not (1 <= len(day.name) <= NAME_LENGTH_MAX and day.name.isprintable()):
        allowed = f"1 to {NAME_LENGTH_MAX} characters"
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="name",
            received=day.name[:NAME_LENGTH_MAX],
            allowed=allowed,
        )
    async with db.transaction() as conn:
        await store.put_days(conn, centre, [day], by, now)
        if beside is not None:
            await beside(conn, day.day.year)


async def remove_day(db: Database, centre: str, day: date, beside: Beside | None = None) -> BankDay:
    """Remove a day of a centre and return it. Raises Refused: FIELD_INVALID, NO_RECORDS."""
    _check(centre, day.year)
    async with db.transaction() as conn:
        removed = await store.remove_day(conn, centre, day)
        if removed is None:
            raise refuse(RefusalCode.NO_RECORDS)
        if beside is not None:
            await beside(conn, day.year)
    return removed


async def seed(
    db: Database, centre: str, year: int, by: str, now: datetime, beside: Beside | None = None
) -> int:
    """Write a centre's holidays of a year from the library, and return how many.

    Writes none if the table has holidays of that year: a holiday that an operator removed must not
    come back. Raises Refused: FIELD_INVALID.
    """
    _check(centre, year)
    days = holidays_of(centre, year)
    async with db.transaction() as conn:
        if await store.has_year(conn, centre, year):
            return 0
        await store.put_days(conn, centre, days, by, now)
        if beside is not None:
            await beside(conn, year)
    return len(days)


def holidays_of(centre: str, year: int) -> list[BankDay]:
    """Return a centre's holidays from the library; for a state, without those of all India."""
    from holidays import country_holidays  # noqa: PLC0415 (a third of a second, for an operator's command alone)

    national = country_holidays(_COUNTRY, years=year)
    own = national if centre == NATIONAL else country_holidays(_COUNTRY, subdiv=centre, years=year)
    new = [each for each in own if centre == NATIONAL or each not in national]
    return [BankDay(day, working=False, name=own[day][:NAME_LENGTH_MAX]) for day in sorted(new)]


def _check(centre: str, year: int) -> None:
    if not is_centre(centre):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="centre",
            received=centre[:10],
            allowed=" ".join(CENTRES),
        )
    if not YEAR_MIN <= year <= YEAR_MAX:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="year",
            received=str(year),
            allowed=f"{YEAR_MIN} to {YEAR_MAX}",
        )
