"""`hundi scrub`: finds and masks card and Aadhaar numbers that older versions kept."""

import asyncio
import getpass
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer

from hundi.bootstrap import open_keys, open_operator_database
from hundi.cli.output import DataDir, Json, check_data, show
from hundi.infra.postgres.roles import Role
from hundi.infra.settings import Settings, load_settings
from hundi.kernel.clock import utc_now
from hundi.scrub import actions
from hundi.scrub.actions import Progress
from hundi.scrub.rules import Report
from hundi.staff.trail.actions import at_command_line


def scrub(
    *,
    apply: Annotated[bool, typer.Option("--apply", help="Mask what is found; without it nothing is changed.")] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Look through every column of text for card and Aadhaar numbers, and print where they are.

    The numbers themselves are never printed. Rows are masked one by one while payments go on; stop it whenever you
    like, the next run finds the rest. What the audit proves the books by stays as it is, and is reported. Needs the
    rights of the database's owner.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)
    if settings.owner_database_url:
        settings = msgspec.structs.replace(settings, database_url=settings.owner_database_url)
    report = asyncio.run(_scrub(settings, is_applied=apply, quiet=json))
    if json:
        show(_document(report), json=True)
        return
    title = "Masked" if report.is_applied else "Found, nothing was changed"
    show(_document(report)["found"], json=False, title=title)
    typer.echo(f"{report.columns:,} columns of {report.tables:,} tables were read, {report.rows:,} rows.")


async def _scrub(settings: Settings, *, is_applied: bool, quiet: bool) -> Report:
    async with open_operator_database(settings, Role.OWNER) as db:
        with _progress(quiet=quiet) as progress:
            who = at_command_line(getpass.getuser(), await open_keys(settings, db))
            return await actions.scrub(db, who, utc_now(), progress, is_applied=is_applied)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield what shows a bar on a terminal and nothing elsewhere."""
    from rich.console import Console  # noqa: PLC0415 (a JSON caller does not pay for it)
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task("scrub")
        yield lambda name, rows, done, tables: bar.update(
            task, description=f"{name}: {rows:,} rows read", completed=done, total=tables
        )


def _document(report: Report) -> dict[str, Any]:
    return {
        "applied": report.is_applied,
        "tables": report.tables,
        "columns": report.columns,
        "rows": report.rows,
        "masked": sum(finding.rows for finding in report.findings if not finding.kept) if report.is_applied else 0,
        "kept": sum(finding.rows for finding in report.findings if finding.kept),
        "found": [
            {"table": finding.table, "column": finding.column, "rows": finding.rows, "kept": finding.kept}
            for finding in report.findings
        ],
    }
