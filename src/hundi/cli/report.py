"""`hundi report`: what merchants and their accountants are given."""

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, TextIO

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.infra.database import Database
from hundi.money.reports import actions
from hundi.money.reports.rules import Span

app = typer.Typer(help="Reports: extracts of the books, for merchants and accountants.", no_args_is_help=True)
_DAY = "%Y-%m-%d"
Merchant = Annotated[int, typer.Option("--merchant", min=1, max=ID_MAX, help="The merchant's id.")]
Since = Annotated[datetime, typer.Option("--from", formats=[_DAY], help="The first Indian business day.")]
Until = Annotated[datetime | None, typer.Option("--to", formats=[_DAY], help="The last day (default: the first).")]
Out = Annotated[Path | None, typer.Option("--out", dir_okay=False, help="The file (default: printed).")]
_Writer = Callable[[Database, int, Span, TextIO], Awaitable[int]]


@app.command()
def ledger(
    *, merchant: Merchant, since: Since, until: Until = None, out: Out = None, data_dir: DataDir = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Write a merchant's accounts over some days as CSV: opening balance, entries, closing balance."""
    _write(actions.write_ledger, merchant, _span(since, until), out, data_dir, json=json)


@app.command()
def daybook(
    *, merchant: Merchant, since: Since, until: Until = None, out: Out = None, data_dir: DataDir = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Write what was posted for a merchant as CSV, in the order of time, and what each account came to."""
    _write(actions.write_day_book, merchant, _span(since, until), out, data_dir, json=json)


def _write(writer: _Writer, merchant: int, span: Span, out: Path | None, data_dir: str | None, *, json: bool) -> None:
    async def act(context: OperatorContext) -> int:
        await check_merchant(context, merchant)
        with _opened(out) as file:
            return await writer(context.db, merchant, span, file)

    lines = run(data_dir, act, reading=True)
    if out is not None:
        show({"file": str(out), "lines": lines}, json=json, title="Written")


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    """Open the file that is written, whole or not at all; or the terminal."""
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


def _span(since: datetime, until: datetime | None) -> Span:
    span = Span(since.date(), (until or since).date())
    if fault := span.fault():
        raise fail(f"--from {span.first} --to {span.last}: {fault}")
    return span
