"""`hundi reconcile import`, `fetch`: statements from files, and from acquirers themselves."""

import asyncio
import getpass
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.settlement_reports import SettlementReporter
from hundi.acquirers.registry import Registry
from hundi.cli.context import telling_left_out
from hundi.cli.output import DataDir, Json, check_data, fail, show
from hundi.gateway.bootstrap import (
    open_every_connector,
    open_operator_context,
    open_operator_database,
)
from hundi.infra.postgres.database import Database
from hundi.infra.settings import load_settings
from hundi.kernel.clock import business_day, utc_now
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.actions import Progress
from hundi.money.reconciliation.fetching import actions as fetching
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.reconciliation.rules import StatementError

DAYS_MAX = 31


class Format(StrEnum):
    """The forms of statements."""

    CAMT053 = "camt053"
    MT940 = "mt940"
    CSV = "csv"


As = Annotated[str, typer.Option("--as", help="Who does this (default: the user of this machine).")]


def _run(data_dir: str | None, act: Callable[[Database], Awaitable[Any]]) -> Any:  # noqa: ANN401 (what act returns)
    """Run a command on the database and return its result; exit where it is refused."""
    settings = load_settings(data_dir=data_dir)
    check_data(settings)

    async def within() -> object:
        async with open_operator_database(settings) as db:
            with telling_left_out():
                return await act(db)

    try:
        return asyncio.run(within())
    except StatementError as error:
        raise fail(str(error)) from None


def import_statement(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The statement.")],
    *,
    form: Annotated[Format, typer.Option("--format", help="How the file is written.")],
    connector: Annotated[
        str, typer.Option(help="Whose statement it is; without it, our own bank account's.")
    ] = "",
    by: As = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Import a statement whole or not at all, compare its lines, and post what we received.

    The same file again changes nothing.
    """
    source = Source(file, form, connector, by or getpass.getuser())

    async def act(db: Database) -> dict[str, Any]:
        with _progress(quiet=json) as progress:
            imported = await importing.import_file(db, source, utc_now(), progress)
            compared = await actions.compare(db, utc_now(), progress)
        return {
            "file_id": imported.file_id,
            "lines": imported.lines,
            "again": imported.again,
            "first_imported_at": imported.at,
            "matched": compared.matched,
            "missing_there": compared.missing_there,
            "resolved": compared.resolved,
            "posted": compared.posted,
        }

    result = _run(data_dir, act)
    if not result["again"]:
        del result["first_imported_at"]
    elif not json:
        typer.echo(
            f"this file was imported before, at {result['first_imported_at']:%Y-%m-%d %H:%M} UTC:"
            " nothing is new"
        )
    show(result, json=json, title="Imported")


def fetch(
    acquirer: Annotated[str, typer.Argument(help="The acquirer's name, as it is configured.")],
    *,
    day: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="The last day (default: yesterday)."),
    ] = None,
    days: Annotated[
        int, typer.Option(min=1, max=DAYS_MAX, help="How many days that end with it.")
    ] = 1,
    by: As = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Fetch an acquirer's settlement reports, import what is new, and post what we received.

    The same days again import nothing twice. Each day is imported whole or not at all.
    """
    last = day.date() if day else business_day(utc_now()) - timedelta(days=1)
    settings = load_settings(data_dir=data_dir)
    check_data(settings)

    async def act() -> dict[str, Any]:
        async with (
            open_operator_context(settings) as operator,
            open_every_connector(
                settings, operator.db, operator.vault, ShortMemory()
            ) as connectors,
        ):
            connector = _reporting(connectors, acquirer)
            with _progress(quiet=json) as progress:
                found = [
                    await fetching.fetch(
                        operator.db,
                        acquirer,
                        connector,
                        each,
                        by or getpass.getuser(),
                        utc_now(),
                        progress,
                    )
                    for each in (last - timedelta(days=back) for back in reversed(range(days)))
                ]
                compared = await actions.compare(operator.db, utc_now(), progress)
        return {"days": [asdict(each) for each in found], **asdict(compared)}

    try:
        done = asyncio.run(act())
    except StatementError as error:
        raise fail(str(error)) from None
    if json:
        show(done, json=True)
        return
    show(done.pop("days"), json=False, title=f"Reports of {acquirer}")
    show(done, json=False, title="Compared")


def _reporting(registry: Registry, name: str) -> SettlementReporter:
    connector = next((each for each in registry.all() if each.name == name), None)
    if connector is None:
        raise fail(
            f"no acquirer {name} is configured:"
            f" {', '.join(each.name for each in registry.all()) or 'none is'}"
        )
    if not isinstance(connector, SettlementReporter):
        raise fail(
            f"{name} reports no settlements over its interface: import its files with `hundi"
            " reconcile import`"
        )
    return connector


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that shows a bar on a terminal, and nothing elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield actions.unseen
        return
    with console.status("reconcile") as status:
        yield lambda doing, done, of: status.update(
            f"{doing}: {done:,}" + (f" of {of:,}" if of else "")
        )


COMMANDS = {"import": import_statement, "fetch": fetch}
"""Commands that read files or open connectors."""
