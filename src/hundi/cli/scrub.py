"""`hundi scrub`: finds and masks card and Aadhaar numbers that older versions kept."""

import asyncio
import getpass
from functools import partial
from typing import Annotated, Any

import msgspec
import typer

from hundi.cli.output import DataDir, Json, check_data, show
from hundi.cli.progress import Bar, bar
from hundi.gateway.bootstrap import open_keys, open_operator_database, sealed_words
from hundi.gateway.scrub import actions
from hundi.gateway.scrub.rules import SweepReport
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.settings import Settings, load_settings
from hundi.kernel.clock import utc_now
from hundi.staff.trail.actions import at_command_line


def scrub(
    *,
    apply: Annotated[
        bool, typer.Option("--apply", help="Mask what is found; without it nothing is changed.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Look through every text that is kept for card and Aadhaar numbers, and print where they are.

    The numbers themselves are never printed. Rows are masked one by one while payments go on; stop
    it whenever you like, the next run finds the rest. What the audit proves the books by stays as
    it is, and is reported. Needs the rights of the database's owner. Rows whose seal does not open
    are named, and the exit status is 1.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)
    if settings.owner_database_url:
        settings = msgspec.structs.replace(settings, database_url=settings.owner_database_url)
    report = asyncio.run(_scrub(settings, is_applied=apply, quiet=json))
    if json:
        show(_document(report), json=True)
    else:
        title = "Masked" if report.is_applied else "Found, nothing was changed"
        show(_document(report)["found"], json=False, title=title)
        typer.echo(
            f"{report.columns:,} columns of {report.tables:,} tables were read, {report.rows:,}"
            " rows."
        )
        for name in report.unopened:
            typer.echo(f"Not opened: {name}", err=True)
    if report.unopened:
        raise typer.Exit(1)


async def _scrub(settings: Settings, *, is_applied: bool, quiet: bool) -> SweepReport:
    async with open_operator_database(settings, DatabaseRole.OWNER) as db:
        with bar("scrub", quiet=quiet) as move:
            progress = partial(_move, move)
            vault = await open_keys(settings, db)
            who = at_command_line(getpass.getuser(), vault)
            return await actions.scrub(
                db, sealed_words(db, vault), who, utc_now(), progress, is_applied=is_applied
            )


def _move(move: Bar, name: str, rows: int, done: int, tables: int) -> None:
    move(f"{name}: {rows:,} rows read", done, tables)


def _document(report: SweepReport) -> dict[str, Any]:
    return {
        "applied": report.is_applied,
        "tables": report.tables,
        "columns": report.columns,
        "rows": report.rows,
        "masked": sum(finding.rows for finding in report.findings if not finding.kept)
        if report.is_applied
        else 0,
        "kept": sum(finding.rows for finding in report.findings if finding.kept),
        "found": [
            {
                "table": finding.table,
                "column": finding.column,
                "rows": finding.rows,
                "kept": finding.kept,
            }
            for finding in report.findings
        ],
        "unopened": list(report.unopened),
    }
