"""`hundi audit --parts FILE`: everything in parts; a stopped audit goes on where the file says."""

import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import msgspec
import typer

from hundi.acquirers.port.payments import Connector
from hundi.cli.output import fail
from hundi.cli.progress import Bar
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.kernel.clock import for_people, utc_now
from hundi.kernel.records import replace
from hundi.money.audit import actions
from hundi.money.audit.parts.rules import BEGINNING, AuditParts, Days, LastDays, summed
from hundi.money.audit.rules import BankComparison, Report


@dataclass(frozen=True, slots=True)
class OpenedBooks:
    """The books, the acquirers and the keys of an audit. vault: None without a key file."""

    db: Database
    connectors: Sequence[Connector]
    progress: Bar
    vault: Vault | None


async def audit_in_parts(
    opened: OpenedBooks, file: Path, roots: Mapping[date, bytes], excused: Collection[str]
) -> Report:
    """Go on with the audit of a file, begin one where there is none, and return its report.

    Each part is kept in the file when it is done; the last one only if the books of every acquirer
    could be read, but for the excused ones. Exits with status 2 for a file that has no audit which
    can go on here, or a finished one.
    """
    parts = _read(file)
    if parts is None:
        parts = await actions.plan_parts(opened.db)
        _write(file, parts)
    elif why := await actions.why_not(opened.db, parts):
        raise fail(f"{file} cannot go on: {why}")
    elif parts.report:
        raise fail(
            f"{file} is done, of {for_people(parts.report.at)}. Remove it to begin a new audit, or"
            " name another file."
        )
    elif parts.done:
        typer.echo(f"goes on with part {len(parts.done) + 1} of {len(parts.plan)}", err=True)
    while days := parts.following:
        name = f"part {len(parts.done) + 1} of {len(parts.plan)}"
        say = partial(_tell, opened.progress, name)
        if days.before:
            part = await actions.check_part(opened.db, days, utc_now(), say)
            parts, checked = replace(parts, done=(*parts.done, part)), part.checked
        else:
            report = await actions.audit(
                opened.db,
                opened.connectors,
                utc_now(),
                say,
                roots,
                days=LastDays(days.since),
                vault=opened.vault,
            )
            parts, checked = replace(parts, report=report), report.checked
        broken = sum(bool(check.count) for check in checked)
        typer.echo(f"{name}, {_words(days)}: broken promises: {broken}", err=True)
        if parts.report and (unread := _unread(parts.report) - {*excused}):
            names = " and ".join(sorted(unread))
            typer.echo(f"{name} is not kept: run this again when {names} answers", err=True)
        else:
            _write(file, parts)
    return summed(parts)


def _unread(report: Report) -> set[str]:
    """Return the acquirers whose books could not be read."""
    unreachable = BankComparison.UNREACHABLE
    return {name for name, found in report.acquirers.items() if found is unreachable}


def _tell(progress: Bar, name: str, step: str, done: int, steps: int) -> None:
    progress(f"{name}: {step}", done, steps)


def _words(days: Days) -> str:
    since = "" if days.since == BEGINNING else f"from {days.since:%-d %b %Y}"
    if days.before is None:
        return since or "all days"
    return f"{since} up to {days.before - timedelta(days=1):%-d %b %Y}".strip()


def _read(file: Path) -> AuditParts | None:
    """Return the audit of a file, None without the file. Exits with status 2 for another file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=AuditParts)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise fail(f"{file} has no audit as `hundi audit --parts` keeps it: {error}") from error


def _write(file: Path, parts: AuditParts) -> None:
    """Write all of it or nothing, whenever the process ends. Exits with status 2 for no place.

    Only its owner reads it: what was found may name persons.
    """
    try:
        number, beside = tempfile.mkstemp(prefix=f"{file.name}.", dir=file.parent)
        with os.fdopen(number, "wb") as new:
            new.write(msgspec.json.encode(parts))
            new.flush()
            os.fsync(new.fileno())
        Path(beside).replace(file)
    except OSError as error:
        raise fail(f"{file} cannot be written: {error.strerror}") from error
