"""`hundi audit`: checks every promise of the books, and says by its exit status whether all are kept."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any

import httpx
import msgspec
import typer

from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.bootstrap import open_operator_context
from hundi.cli.output import DataDir, Json, check_data, show
from hundi.infra.settings import DEMO_FILE, SIMULATOR, Settings, load_settings
from hundi.kernel.clock import for_people, utc_now
from hundi.kernel.money import rupees
from hundi.money.audit import actions
from hundi.money.audit.actions import Bank, BooksUnreachableError, Progress
from hundi.money.audit.rules import BankEntry, Checked, Report

BOOKS_PAGE_S_MAX = 10.0
"""Longest the simulated bank may take for one page of its books."""
_BROKEN = 1
_SUBJECTS_SHOWN = 3


class _Entry(msgspec.Struct, frozen=True):
    """One line of `/books` (product, simulator contract); what the audit does not need is not read."""

    at: datetime
    kind: str
    reference: str
    rrn: str
    amount_paise: int
    state: str


class _Page(msgspec.Struct, frozen=True):
    entries: list[_Entry]
    next: int


class _WhereThingsAre(msgspec.Struct, frozen=True):
    """The part of `demo.json` that tells where this gateway's bank is."""

    simbank_url: str


def audit(
    *,
    simbank_url: Annotated[str | None, typer.Option(help="Where the simulated bank shows its books.")] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Check every promise of the books, also against the simulated bank; exit status 0 only if all hold."""
    settings = load_settings(data_dir=data_dir)
    check_data(settings)
    report = asyncio.run(_audit(settings, simbank_url or _bank_of(settings), quiet=json))
    show(_document(report), json=True) if json else _print(report)
    if not report.holds:
        raise typer.Exit(_BROKEN)


def _bank_of(settings: Settings) -> str:
    """Return this gateway's bank: the one that is set, else what the running demo wrote down, else the usual one."""
    noted = settings.data_dir / DEMO_FILE
    if "HUNDI_SIMBANK_URL" in os.environ or not noted.exists():
        return settings.simbank_url
    return msgspec.json.decode(noted.read_bytes(), type=_WhereThingsAre).simbank_url


async def _audit(settings: Settings, bank_url: str, *, quiet: bool) -> Report:
    schedule = timedelta(seconds=sum(SandboxConnector.inquiry_schedule.gaps_s))
    bank = Bank(SIMULATOR, schedule, _entries(bank_url))
    async with open_operator_context(settings) as context:
        with _progress(quiet=quiet) as progress:
            return await actions.audit(context.db, bank, utc_now(), progress)


async def _entries(bank_url: str) -> AsyncIterator[BankEntry]:
    """Yield the bank's books, page by page."""
    after = 0
    async with httpx.AsyncClient(base_url=bank_url, timeout=BOOKS_PAGE_S_MAX) as client:
        while True:
            try:
                answer = (await client.get("/books", params={"after": after})).raise_for_status()
                page = msgspec.json.decode(answer.content, type=_Page)
            except (httpx.HTTPError, httpx.InvalidURL, msgspec.MsgspecError) as error:
                raise BooksUnreachableError(str(error)) from error
            if not page.entries:
                return
            for each in page.entries:
                yield BankEntry(each.at, each.kind, each.reference, each.rrn, each.amount_paise, each.state)
            after = page.next


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Progress]:
    """Yield what shows a bar on a terminal and nothing elsewhere."""
    from rich.console import Console  # noqa: PLC0415 (a JSON caller does not pay for it)
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()) as bar:
        task = bar.add_task("audit")
        yield lambda name, done, steps: bar.update(task, description=name, completed=done, total=steps)


def _document(report: Report) -> dict[str, Any]:
    return {
        "holds": report.holds,
        "at": report.at.isoformat(),
        "checked": [
            {
                "name": each.violation,
                "violations": each.count,
                "samples": [{"subject": sample.subject, "found": sample.found} for sample in each.samples],
            }
            for each in report.checked
        ],
        "notes": dict(report.notes),
        "figures": dict(report.figures),
    }


def _print(report: Report) -> None:
    show([_line(each) for each in report.checked], json=False, title=f"Audit of {for_people(report.at)}")
    if report.notes:
        show({name.replace("_", " "): count for name, count in report.notes.items()}, json=False, title="Notes")
    show(_figures(report.figures), json=False, title="Figures")
    broken = sum(bool(each.count) for each in report.checked)
    typer.echo("All promises are kept." if report.holds else f"{broken} of {len(report.checked)} promises are broken.")


def _line(checked: Checked) -> Mapping[str, object]:
    found = [f"{each.subject}: {each.found}" for each in checked.samples[:_SUBJECTS_SHOWN]]
    return {
        "check": checked.violation.replace("_", " "),
        "holds": "no" if checked.count else "yes",
        "violations": checked.count or "",
        "for example": "\n".join(found),
    }


def _figures(figures: Mapping[str, int]) -> dict[str, str]:
    return {
        name.removesuffix("_paise").replace("_", " "): rupees(value) if name.endswith("_paise") else f"{value:,}"
        for name, value in figures.items()
    }
