"""`hundi audit --parts FILE`: everything in parts; a stopped audit goes on where the file says."""

import os
from collections.abc import Mapping, Sequence
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
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.money.audit import actions
from hundi.money.audit.parts.rules import AuditParts, Days, summed
from hundi.money.audit.rules import Report


@dataclass(frozen=True, slots=True)
class OpenedBooks:
    """What an audit reads, shows and proves with. vault: None without a key file."""

    db: Database
    connectors: Sequence[Connector]
    progress: Bar
    vault: Vault | None


async def audit_in_parts(opened: OpenedBooks, file: Path, roots: Mapping[date, bytes]) -> Report:
    """Go on with the audit of a file, begin one where there is none, and return its report.

    Each part is kept in the file when it is done. Exits with status 2 for a file that has no audit
    of these books.
    """
    db = opened.db
    parts = _read(file) or await actions.plan_parts(db)
    if not await actions.is_of(db, parts):
        raise fail(f"{file} has the audit of other books: their oldest block is not here")
    if parts.report:
        typer.echo(f"{file} is done. Remove it to begin a new audit.", err=True)
    while days := parts.following:
        name = f"part {len(parts.done) + 1} of {len(parts.plan)}"
        told = partial(_tell, opened.progress, name)
        if days.before:
            part = await actions.check_part(db, days, utc_now(), told)
            parts = replace(parts, done=(*parts.done, part))
            broken = sum(bool(each.count) for each in part.checked)
        else:
            report = await actions.audit(
                db, opened.connectors, utc_now(), told, roots, days=days, vault=opened.vault
            )
            parts = replace(parts, report=report)
            broken = sum(bool(each.count) for each in report.checked)
        _write(file, parts)
        typer.echo(f"{name}, {_words(days)}: broken promises: {broken}", err=True)
    return summed(parts)


def _tell(progress: Bar, name: str, step: str, done: int, steps: int) -> None:
    progress(f"{name}: {step}", done, steps)


def _words(days: Days) -> str:
    if days.before is None:
        return f"from {days.since}"
    return f"{days.since} to {days.before - timedelta(days=1)}"


def _read(file: Path) -> AuditParts | None:
    """Return the audit of a file, None without the file. Exits with status 2 for another file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=AuditParts)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise fail(f"{file} has no audit as `hundi audit --parts` keeps it: {error}") from error


def _write(file: Path, parts: AuditParts) -> None:
    """Write all of it or nothing, whenever the process or the machine ends."""
    beside = file.with_name(f"{file.name}.new")
    with beside.open("wb") as new:
        new.write(msgspec.json.encode(parts))
        new.flush()
        os.fsync(new.fileno())
    beside.replace(file)
