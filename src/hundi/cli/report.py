"""`hundi report ledger`, `settlement` and others: reports that this command writes itself."""

import csv
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, TextIO

import typer

from hundi.cli.context import check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.gateway.bootstrap import OperatorContext
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.ids import parse_reference
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.money.reports import actions
from hundi.money.reports.actions import LineWriter
from hundi.money.reports.invoices import actions as invoices
from hundi.money.reports.invoices import store as invoice_store
from hundi.money.reports.invoices.rules import Invoice
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.settlements import actions as printed
from hundi.money.reports.store import name_of
from hundi.money.reports.tds import rules as tax
from hundi.money.reports.tds.actions import write_tds

_DAY = "%Y-%m-%d"
Merchant = Annotated[int, typer.Option("--merchant", min=1, max=ID_MAX, help="The merchant's id.")]
Since = Annotated[
    datetime, typer.Option("--from", formats=[_DAY], help="The first Indian business day.")
]
Until = Annotated[
    datetime | None, typer.Option("--to", formats=[_DAY], help="The last day (default: the first).")
]
Out = Annotated[
    Path | None, typer.Option("--out", dir_okay=False, help="The file (default: printed).")
]
_Writer = Callable[[Database, int, DaySpan, LineWriter], Awaitable[int]]


def ledger(
    *, merchant: Merchant, since: Since, until: Until = None, out: Out = None,
    data_dir: DataDir = None, json: Json = False,
) -> None:  # fmt: skip
    """Write a merchant's accounts over some days as CSV.

    It has each account's opening balance, entries and closing balance.
    """
    _write(actions.write_ledger, merchant, _span(since, until), out, data_dir, json=json)


def daybook(
    *, merchant: Merchant, since: Since, until: Until = None, out: Out = None,
    data_dir: DataDir = None, json: Json = False,
) -> None:  # fmt: skip
    """Write a merchant's postings as CSV in the order of time, with each account's balance."""
    _write(actions.write_day_book, merchant, _span(since, until), out, data_dir, json=json)


def tds(
    *,
    merchant: Merchant,
    quarter: Annotated[
        str,
        typer.Option("--quarter", help="A financial quarter, over or running, such as 2026-27-Q3."),
    ],
    out: Out = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a merchant's fees and sales of a quarter as CSV, for what accountants call TDS."""
    today = business_day(utc_now())
    try:
        span = tax.quarter(quarter, today)
    except Refused as refused:
        raise fail(f"--quarter {quarter}: {refused.refusal.allowed}") from None
    if not tax.is_over(span, today):
        typer.echo(f"{quarter} is not over yet: this is what it came to by {today}", err=True)
    _write(partial(write_tds, today=today), merchant, span, out, data_dir, json=json)


def settlement(
    settlement: Annotated[
        str, typer.Argument(help="The settlement, as `hundi settlement list` names it.")
    ],
    *, out: Annotated[Path, typer.Option("--out", dir_okay=False, help="The file: .csv or .pdf.")],
    data_dir: DataDir = None, json: Json = False,
) -> None:  # fmt: skip
    """Write a settlement's rows and what they come to, unless they do not add up."""
    settlement_key = parse_reference(settlement)
    if settlement_key is None or out.suffix not in {".csv", ".pdf"}:
        raise fail(
            f"{settlement} to {out}: a settlement such as 10001-217383559000000, and a .csv or .pdf"
        )

    async def as_csv(context: OperatorContext) -> int:
        with _opened(out) as file:
            return await printed.write_settlement(context.db, *settlement_key, csv.writer(file))

    async def as_pdf(context: OperatorContext) -> int:
        from hundi.money.reports.pages import settlement_pdf

        report = await printed.read_settlement(context.db, *settlement_key)
        name = await name_of(context.db, settlement_key[0])
        _write_bytes(out, settlement_pdf(report, name))
        return len(report.rows)

    nothing = {RefusalCode.NO_RECORDS: f"there is no settlement {settlement}"}
    lines = run(data_dir, as_csv if out.suffix == ".csv" else as_pdf, nothing, reading=True)
    show({"file": str(out), "lines": lines}, json=json, title="Written")


def invoice(
    *,
    merchant: Merchant,
    month: Annotated[
        datetime, typer.Option(formats=["%Y-%m"], help="A month that is over, YYYY-MM.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", dir_okay=False, help="Also as PDF into this file.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Issue the invoice for a month's fees; again gives the same one."""

    async def act(context: OperatorContext) -> Invoice | None:
        await check_merchant(context, merchant)
        return await invoices.issue(context.db, merchant, month.date(), utc_now())

    document = run(data_dir, act)
    if document is None:
        raise fail(f"merchant {merchant} was charged nothing in {month:%Y-%m}")
    if out is not None:
        from hundi.money.reports.pages import invoice_pdf

        _write_bytes(out, invoice_pdf(document))
    charges, taxes = asdict(document.charges), asdict(document.taxes)
    result = {
        "number": document.number,
        "issued_on": document.issued_on.isoformat(),
        **charges,
        **taxes,
    }
    show({**result, "total_paise": document.charges.total_paise}, json=json, title="Invoice")


def list_invoices(*, merchant: Merchant, data_dir: DataDir = None, json: Json = False) -> None:
    """List the invoices of a merchant, oldest first."""

    async def act(context: OperatorContext) -> list[Invoice]:
        await check_merchant(context, merchant)
        return await invoice_store.invoices_of(context.db, merchant)

    rows = [
        {"month": f"{each.month:%Y-%m}", "number": each.number,
            "issued_on": each.issued_on.isoformat(),
         "total_paise": each.charges.total_paise}
        for each in run(data_dir, act, reading=True)
    ]  # fmt: skip
    show(rows, json=json, title="Invoices")


def _write_bytes(out: Path, content: bytes) -> None:
    part = out.with_name(f".{out.name}.part")
    try:
        part.write_bytes(content)
        part.replace(out)
    except OSError as error:
        raise fail(f"{out} cannot be written: {error.strerror}") from error


def _write(
    writer: _Writer,
    merchant: int,
    span: DaySpan,
    out: Path | None,
    data_dir: str | None,
    *,
    json: bool,
) -> None:
    async def act(context: OperatorContext) -> int:
        await check_merchant(context, merchant)
        with _opened(out) as file:
            return await writer(context.db, merchant, span, csv.writer(file))

    lines = run(data_dir, act, reading=True)
    if out is not None:
        show({"file": str(out), "lines": lines}, json=json, title="Written")


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """Open the output file, which is written whole or not at all; or the terminal."""
    if out is None:
        yield sys.stdout
        return
    part = out.with_name(f".{out.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            yield file
        part.replace(out)
    except OSError as error:
        raise fail(f"{out} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _span(since: datetime, until: datetime | None) -> DaySpan:
    span = DaySpan(since.date(), (until or since).date())
    if fault := span.fault():
        raise fail(f"--from {span.first} --to {span.last}: {fault}")
    return span


COMMANDS = {
    "ledger": ledger,
    "daybook": daybook,
    "tds": tds,
    "settlement": settlement,
    "invoice": invoice,
    "invoices": list_invoices,
}
"""Commands that write files, or documents of the books."""
