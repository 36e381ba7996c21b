"""`hundi calendar`: the days on which banks settle, for each centre."""

import getpass
from datetime import date, datetime
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import run
from hundi.cli.output import DataDir, Json, fail, show
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.refusals import RefusalCode
from hundi.masking import masked
from hundi.money.calendar import actions, store
from hundi.money.calendar.rules import CENTRES, NATIONAL, BankDay, is_centre

app = typer.Typer(help="The days on which banks settle, for each centre.", no_args_is_help=True)
Centre = Annotated[
    str, typer.Option("--centre", help="A state or territory such as MH; IN is for every centre.")
]
Day = Annotated[datetime, typer.Argument(formats=["%Y-%m-%d"], help="The day, YYYY-MM-DD.")]
By = Annotated[str, typer.Option(help="Who says so (default: the user of this machine).")]


@app.command("list")
def list_days(
    *,
    centre: Centre = NATIONAL,
    year: Annotated[
        int | None,
        typer.Option(
            min=actions.YEAR_MIN, max=actions.YEAR_MAX, help="Which (default: the current one)."
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the holidays of a centre in a year, with those of every centre.

    Weekends are not listed.
    """
    _check_centre(centre)

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        rows = await store.select_year(context.db, centre, year or business_day(utc_now()).year)
        return [
            _shown(row["centre"], BankDay(row["day"], row["working"], row["name"])) for row in rows
        ]

    show(run(data_dir, act, reading=True), json=json, title="Bank days")


@app.command()
def add(
    day: Day,
    name: Annotated[str, typer.Argument(parser=masked, help="What it is called.")],
    *,
    centre: Centre = NATIONAL,
    working: Annotated[
        bool, typer.Option("--working", help="Banks work on it although they would be closed.")
    ] = False,
    by: By = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a holiday of a centre, or with --working a day on which its banks work after all."""
    written = BankDay(day.date(), working, name)

    async def act(context: OperatorContext) -> None:
        await actions.write_day(context.db, centre, written, by or getpass.getuser(), utc_now())

    run(data_dir, act)
    show(_shown(centre, written), json=json, title="Written")


@app.command()
def remove(
    day: Day, *, centre: Centre = NATIONAL, data_dir: DataDir = None, json: Json = False
) -> None:
    """Remove a day from a centre's list: its banks then work on it, unless it is a weekend."""

    async def act(context: OperatorContext) -> BankDay:
        return await actions.remove_day(context.db, centre, day.date())

    nothing = f"{day:%Y-%m-%d} is not on the list of {centre}"
    show(
        _shown(centre, run(data_dir, act, {RefusalCode.NO_RECORDS: nothing})),
        json=json,
        title="Removed",
    )


@app.command()
def seed(
    year: Annotated[int, typer.Argument(help="The year.")],
    *,
    centre: Centre = NATIONAL,
    by: By = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a centre's holidays of a year from a library, unless the year has some already."""

    async def act(context: OperatorContext) -> int:
        return await actions.seed(context.db, centre, year, by or getpass.getuser(), utc_now())

    show({"centre": centre, "year": year, "written": run(data_dir, act)}, json=json, title="Seeded")


@app.command()
def after(
    day: Day,
    working_days: Annotated[int, typer.Argument(min=0, max=250, help="How many working days.")],
    *,
    centre: Centre = NATIONAL,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say which day is so many working days after a day."""
    _check_centre(centre)

    async def act(context: OperatorContext) -> date:
        return (await store.calendar_of(context.db, centre)).after(day.date(), working_days)

    show({"centre": centre, "day": run(data_dir, act, reading=True).isoformat()}, json=json)


def _check_centre(centre: str) -> None:
    if not is_centre(centre):
        raise fail(f"there is no centre {centre!r}: {' '.join(CENTRES)}")


def _shown(centre: str, day: BankDay) -> dict[str, Any]:
    return {"centre": centre, "day": day.day.isoformat(), "working": day.working, "name": day.name}
