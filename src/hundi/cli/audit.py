"""`hundi audit`: checks every promise of the books; `hundi audit roots`: prints their roots."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hundi.cli.audit_parts import OpenedBooks, audit_in_parts
from hundi.cli.context import with_demo
from hundi.cli.output import DataDir, Json, check_data, fail, show
from hundi.cli.progress import bar
from hundi.gateway.bootstrap import open_connectors, open_reading_database
from hundi.infra.postgres.database import Database
from hundi.infra.postgres.looks import NodeLostError, lost_node
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.secrets.key_sources import LostKeyError
from hundi.infra.secrets.vault import Vault, known_keys
from hundi.infra.settings import Settings, load_settings, with_simulator
from hundi.kernel.clock import business_day, for_people, utc_now
from hundi.kernel.money import rupees
from hundi.money.audit import actions
from hundi.money.audit.chain.rules import RootsFile, read_roots
from hundi.money.audit.parts.rules import Days
from hundi.money.audit.rules import BankComparison, CheckResult, Report
from hundi.payments.acquirer_words.actions import KeptWords

NOT_COMPARED = {
    BankComparison.UNREACHABLE: "they could not be read",
    BankComparison.NO_BOOKS: "its connector cannot read them",
    BankComparison.NOT_CONFIGURED: "it is not configured here",
}
_ROOT = "root"
_BROKEN = 1
_NOT_PROVED = 2
_SUBJECTS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class AuditScope:
    """The part of the books that is asked for; neither day nor file: all but the archive.

    excused: acquirers whose books need not be compared.
    """

    since: str | None
    parts: Path | None
    whole: bool
    excused: Collection[str]


app = typer.Typer(help="Check every promise of the books; show what to keep elsewhere.")


@app.callback(invoke_without_command=True)
def audit(
    context: typer.Context,
    *,
    simbank_url: Annotated[
        str | None, typer.Option(help="Where the simulated bank shows its books.")
    ] = None,
    without_acquirer: Annotated[
        list[str] | None,
        typer.Option(help="An acquirer whose books need not be compared; repeat for several."),
    ] = None,
    roots: Annotated[
        Path | None,
        typer.Option(
            help="Roots that were kept elsewhere, as `hundi audit roots --json` printed them."
        ),
    ] = None,
    whole: Annotated[
        bool,
        typer.Option(
            "--archive", help="Open the archive as well; it takes as long as there is of it."
        ),
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            help="A business day, such as 2026-11-29, or `root` for the newest signed root:"
            " payments, settlements and the chain are checked from there on, the rest whole."
        ),
    ] = None,
    parts: Annotated[
        Path | None,
        typer.Option(
            help="Check everything in parts of some days; the file keeps which are done, so that"
            " a stopped audit goes on.",
            dir_okay=False,
        ),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Check every promise of the books, also against the acquirers' books.

    The exit status is 0 only if all hold and the books of every acquirer were compared, but for
    those named; it is 2 where a lost node of a cluster has some of the books, and nothing was
    proved.
    """
    if context.invoked_subcommand is not None:
        return
    if since and whole:
        raise fail("--since and --archive exclude each other: the archive is older than a day")
    if parts and (since or whole):
        raise fail("--parts checks every day, and no archive: use it without --since and --archive")
    roots_elsewhere = _read_kept(roots) if roots else {}
    settings = with_demo(load_settings(data_dir=data_dir))
    if simbank_url:
        # The simulated bank shows its books without a key.
        key = settings.acquirer_key or secrets.token_hex()
        acquirers = with_simulator(settings.acquirers, simbank_url, key)
        settings = msgspec.structs.replace(settings, acquirers=acquirers)
    check_data(settings)
    excused = without_acquirer or ()
    asked = AuditScope(since, parts, whole, excused)
    report = asyncio.run(_audit(settings, roots_elsewhere, asked, json=json))
    show(_document(report), json=True) if json else _print(report)
    if _name_uncompared(report, excused) or not report.holds:
        raise typer.Exit(_BROKEN)


@app.command("roots")
def show_roots(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Print the signed root of every business day.

    Kept elsewhere, they prove that nothing before changed.
    """
    settings = load_settings(data_dir=data_dir)
    check_data(settings)
    rows = asyncio.run(_roots(settings))
    if json:
        show(msgspec.to_builtins(rows), json=True)
    else:
        show(
            [{"day": day, "root": each.root} for day, each in rows.roots.items()],
            json=False,
            title="Roots",
        )


async def _roots(settings: Settings) -> RootsFile:
    async with open_reading_database(settings, DatabaseRole.AUDIT) as db:
        return await actions.signed_roots(db)


def _read_kept(path: Path) -> dict[date, bytes]:
    """Return the roots of a file. Exits with status 2 where it has none."""
    try:
        return read_roots(path.read_bytes())
    except (OSError, ValueError) as error:
        raise fail(
            f"{path} has no roots as `hundi audit roots --json` prints them: {error}"
        ) from error


async def _since(db: Database, text: str) -> date:
    """Return the first day of an audit. Exits with status 2 for none."""
    if text == _ROOT:
        day = await actions.after_newest_root(db)
        if day is None:
            raise fail("there is no signed root yet: audit everything, without --since")
    else:
        try:
            day = date.fromisoformat(text)
        except ValueError as error:
            raise fail(f"--since {text}: use a day, such as 2026-11-29, or {_ROOT}") from error
    if day > business_day(utc_now()) + timedelta(days=1):
        raise fail(f"--since {text}: an audit from a later day on reads nothing and proves nothing")
    return day


@asynccontextmanager
async def _opened(settings: Settings, *, json: bool) -> AsyncIterator[OpenedBooks]:
    """Open what an audit needs. Exits with status 2 where a node of a cluster is lost."""
    async with open_reading_database(settings, DatabaseRole.AUDIT) as db:
        connectors = open_connectors(settings, KeptWords(db))
        try:
            with bar("audit", quiet=json) as progress:
                yield OpenedBooks(db, connectors.all(), progress, _vault(settings))
        except NodeLostError as lost:
            raise _not_proved(lost, json=json) from lost
        finally:
            await connectors.close()


async def _audit(
    settings: Settings, roots: Mapping[date, bytes], asked: AuditScope, *, json: bool
) -> Report:
    async with _opened(settings, json=json) as opened:
        if asked.parts:
            return await audit_in_parts(opened, asked.parts, roots, asked.excused)
        days = Days(await _since(opened.db, asked.since)) if asked.since else None
        return await actions.audit(
            opened.db,
            opened.connectors,
            utc_now(),
            opened.progress,
            roots,
            whole=asked.whole,
            days=days,
            vault=opened.vault,
        )


def _vault(settings: Settings) -> Vault | None:
    """Return the keys. Raises VaultError.

    None without a key file: the marks are then not checked.
    """
    try:
        return known_keys(settings)
    except LostKeyError:
        return None


def _not_proved(lost: NodeLostError, *, json: bool) -> typer.Exit:
    """Print that a lost node prevents any proof, and return the exit."""
    verdict = f"not proved: {lost_node(lost)} unreachable"
    if json:
        show({"holds": False, "not_proved": verdict.removeprefix("not proved: ")}, json=True)
    else:
        typer.echo(f"N{verdict[1:]}.")
    return typer.Exit(_NOT_PROVED)


def _document(report: Report) -> dict[str, Any]:
    return {
        "holds": report.holds,
        "at": report.at.isoformat(),
        **({"since": report.since.isoformat()} if report.since else {}),
        "checked": [
            {
                "name": each.violation,
                "violations": each.count,
                "samples": [
                    {"subject": sample.subject, "found": sample.found} for sample in each.samples
                ],
            }
            for each in report.checked
        ],
        "notes": dict(report.notes),
        "figures": dict(report.figures),
    }


def _print(report: Report) -> None:
    show(
        [_line(each) for each in report.checked],
        json=False,
        title=f"Audit of {for_people(report.at)}"
        + (f", since {report.since:%-d %b %Y}" if report.since else ""),
    )
    if report.notes:
        show(
            {name.replace("_", " "): count for name, count in report.notes.items()},
            json=False,
            title="Notes",
        )
    show(_figures(report.figures), json=False, title="Figures")
    broken = sum(bool(each.count) for each in report.checked)
    typer.echo(
        "All promises are kept."
        if report.holds
        else f"{broken} of {len(report.checked)} promises are broken."
    )


def _name_uncompared(report: Report, excused: Collection[str]) -> bool:
    """Return whether books were not compared that should have been.

    Their names go to the error output, so that scripts read the same report. excused: acquirers
    that the caller leaves out.
    """
    left = {
        name: compared
        for name, compared in report.acquirers.items()
        if compared is not BankComparison.COMPARED
    }
    for name, compared in left.items():
        typer.echo(
            f"The books of {name} were not compared with ours: {NOT_COMPARED[compared]}.", err=True
        )
    missing = [name for name in left if name not in excused]
    if missing:
        option = " ".join(f"--without-acquirer {name}" for name in missing)
        typer.echo(
            f"That is no audit. To leave them out on purpose: hundi audit {option}", err=True
        )
    return bool(missing)


def _line(checked: CheckResult) -> Mapping[str, object]:
    samples = [f"{each.subject}: {each.found}" for each in checked.samples[:_SUBJECTS_SHOWN]]
    return {
        "check": checked.violation.replace("_", " "),
        "holds": "no" if checked.count else "yes",
        "violations": checked.count or "",
        "for example": "\n".join(samples),
    }


def _figures(figures: Mapping[str, int]) -> dict[str, str]:
    return {
        name.removesuffix("_paise").replace("_", " "): rupees(value)
        if name.endswith("_paise")
        else f"{value:,}"
        for name, value in figures.items()
    }
