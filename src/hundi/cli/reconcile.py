"""`hundi reconcile`: imports and compares statements, and lists the items for people to decide."""

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
from hundi.acquirers.port.settlement_reports import ReportsSettlements
from hundi.acquirers.registry import Registry
from hundi.cli.context import telling_left_out
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, check_data, fail, show
from hundi.gateway.bootstrap import (
    open_every_connector,
    open_operator_context,
    open_operator_database,
    open_reading_database,
)
from hundi.infra.postgres.database import Database
from hundi.infra.settings import load_settings
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.masking import masked
from hundi.money.reconciliation import actions
from hundi.money.reconciliation.actions import Progress
from hundi.money.reconciliation.clocks.actions import read_clocks
from hundi.money.reconciliation.csv_lines import OURS
from hundi.money.reconciliation.fetching import actions as fetching
from hundi.money.reconciliation.importing import actions as importing
from hundi.money.reconciliation.importing.actions import Source
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.proposals.actions import NewProposal
from hundi.money.reconciliation.rules import OUR_ACCOUNT, StatementError

app = typer.Typer(
    help="Statements of acquirers and of our bank account, against our books.", no_args_is_help=True
)
terms = typer.Typer(
    help="What an acquirer agreed on: its account, fees, and how its CSV is read.",
    no_args_is_help=True,
)
app.add_typer(terms, name="terms")

DAYS_MAX = 31
UNEXPLAINED_MAX = 10_000


class Format(StrEnum):
    """The forms of statements."""

    CAMT053 = "camt053"
    MT940 = "mt940"
    CSV = "csv"


As = Annotated[str, typer.Option("--as", help="Who does this (default: the user of this machine).")]
Item = Annotated[
    int, typer.Argument(min=1, max=ID_MAX, help="The item's number, from `hundi reconcile work`.")
]
Proposal = Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The proposal's number.")]
Whose = Annotated[
    str, typer.Argument(help=f"The acquirer's name; {OURS} for our own bank account.")
]
Owner = Annotated[
    int,
    typer.Argument(min=0, max=ID_MAX, help="Whose item it is: the merchant's id, 0 for nobody's."),
]


def _run(
    data_dir: str | None, act: Callable[[Database], Awaitable[Any]], *, reading: bool = False
) -> Any:  # noqa: ANN401 (what act returns)
    """Run a command on the database and return its result; exit where it is refused.

    reading: the command changes nothing, so a replica may serve it.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)

    async def within() -> object:
        async with (open_reading_database if reading else open_operator_database)(settings) as db:
            with telling_left_out():
                return await act(db)

    try:
        return asyncio.run(within())
    except StatementError as error:
        raise fail(str(error)) from None


@app.command("import")
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


@app.command()
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


def _reporting(registry: Registry, name: str) -> ReportsSettlements:
    connector = next((each for each in registry.all() if each.name == name), None)
    if connector is None:
        raise fail(
            f"no acquirer {name} is configured:"
            f" {', '.join(each.name for each in registry.all()) or 'none is'}"
        )
    if not isinstance(connector, ReportsSettlements):
        raise fail(
            f"{name} reports no settlements over its interface: import its files with `hundi"
            " reconcile import`"
        )
    return connector


@app.command()
def work(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Show what lines were found to be, by class, and what is left to people."""
    work_list = _run(data_dir, proposals.work, reading=True)
    if json:
        show(work_list, json=True)
        return
    show(
        [{"class": name, **counts} for name, counts in work_list["classes"].items()],
        json=False,
        title="Found",
    )
    columns = ("merchant_id", "item_id", "class", "reference", "ours_paise", "theirs_paise", "day")
    show(
        [{name: item[name] for name in columns} for item in work_list["items"]],
        json=False,
        title="To do",
    )
    show(work_list["proposals"], json=False, title="To decide")
    show(work_list["handovers"], json=False, title="Hand-overs that have not arrived")
    columns = ("connector", "wanted_at", "failures", "error", "due_at", "last_day")
    show(
        [{name: each[name] for name in columns} for each in work_list["reports"]],
        json=False,
        title="Reports to fetch",
    )


@app.command()
def unexplained(
    *,
    most: Annotated[int, typer.Option(min=1, max=UNEXPLAINED_MAX, help="How many at most.")] = 50,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List the lines of our bank account that match no hand-over of an acquirer, newest first."""
    lines = _run(data_dir, lambda db: proposals.unexplained(db, most), reading=True)
    show(lines, json=json, title="Lines of our account that match no hand-over")


@app.command()
def clocks(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Show the regulatory clocks: what runs, ends within a day or has ended, and what accrued."""
    readings = _run(data_dir, lambda db: read_clocks(db, utc_now()), reading=True)
    if json:
        show(readings, json=True)
        return
    show(
        [{"clock": name, **reading} for name, reading in readings["clocks"].items()],
        json=False,
        title="Clocks",
    )
    show(readings["items"], json=False, title="To look at first")


@app.command()
def retry(connector: str, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Compare again what is left to people of an acquirer: payments may be known by now."""
    outcome = _run(data_dir, lambda db: actions.retry(db, connector, utc_now()))
    show({"resolved": outcome.resolved, "posted": outcome.posted}, json=json, title="Tried again")


@app.command()
def propose(
    owner: Owner,
    item: Item,
    *,
    reason: Annotated[str, typer.Option(parser=masked, help="Why: kept with the proposal.")],
    for_merchant: Annotated[
        int, typer.Option("--for", min=0, max=ID_MAX, help="Whose books, for nobody's line.")
    ] = 0,
    debit: Annotated[
        str, typer.Option(help="The account to debit; what follows from the line without it.")
    ] = "",
    credit: Annotated[
        str, typer.Option(help="The account to credit; what follows from the line without it.")
    ] = "",
    amount_paise: Annotated[
        int, typer.Option(min=0, max=ID_MAX, help="Paise; the line's without it.")
    ] = 0,
    by: As = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Propose the posting that ends an item; another person approves it."""
    by, whose = by or getpass.getuser(), owner or for_merchant
    proposal = NewProposal(
        owner, item, whose, reason, by, debit or None, credit or None, amount_paise
    )
    proposal_id = _run(data_dir, lambda db: proposals.propose(db, proposal, utc_now()))
    show(
        {"merchant_id": proposal.merchant_id, "proposal_id": proposal_id},
        json=json,
        title="Proposed",
    )


@app.command()
def approve(
    merchant_id: MerchantId,
    proposal: Proposal,
    *,
    by: As = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Approve what somebody else proposed: it is posted, and its item is resolved."""
    _decide(merchant_id, proposal, by, data_dir, json=json, approved=True)


@app.command()
def refuse(
    merchant_id: MerchantId,
    proposal: Proposal,
    *,
    by: As = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Refuse what somebody else proposed; its item stays open."""
    _decide(merchant_id, proposal, by, data_dir, json=json, approved=False)


def _decide(
    merchant_id: int, proposal: int, by: str, data_dir: str | None, *, json: bool, approved: bool
) -> None:
    who = by or getpass.getuser()
    act = proposals.decide
    ruling = _run(
        data_dir, lambda db: act(db, merchant_id, proposal, who, utc_now(), approved=approved)
    )
    result = (
        "proposal_id",
        "debit",
        "credit",
        "amount_paise",
        "proposed_by",
        "decision",
        "decided_by",
    )
    show({name: ruling[name] for name in result}, json=json, title="Decided")


@terms.command("set")
def set_terms(
    connector: Whose,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The terms, in TOML.")],
    *,
    by: As = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Keep an acquirer's terms, or how our own bank's CSV is read, as a new version."""
    document, act = file.read_bytes(), actions.set_terms
    whose = OUR_ACCOUNT if connector == OURS else connector
    version = _run(
        data_dir, lambda db: act(db, whose, document, by or getpass.getuser(), utc_now())
    )
    show({"connector": connector, "version": version}, json=json, title="Terms")


@terms.command("show")
def show_terms(connector: Whose, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show an acquirer's newest terms."""
    from msgspec import to_builtins

    whose = OUR_ACCOUNT if connector == OURS else connector
    version = to_builtins(_run(data_dir, lambda db: actions.terms_for(db, whose), reading=True))
    show(version if json else version["fees"], json=json, title=f"Terms of {connector}")


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
