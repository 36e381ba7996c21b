"""`hundi doctor`: looks at an installation, changes nothing, and says what to do."""

import asyncio
import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import msgspec
import typer

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.registry import Registry
from hundi.cli.context import base_url, is_demo, payment_page_url, with_demo
from hundi.cli.environments import mailbox_socket, phones
from hundi.cli.output import DataDir, Json, show
from hundi.doctor.actions import examine
from hundi.doctor.context import DoctorContext, Looker
from hundi.doctor.rules import DoctorFinding, DoctorReport, Level, shown
from hundi.gateway.bootstrap import open_connectors, open_every_connector
from hundi.infra import logs
from hundi.infra.embedded.server import running_url
from hundi.infra.errors import OperatorError
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.roles import DATABASE, SERVED, DatabaseRole
from hundi.infra.secrets.key_sources import VaultError
from hundi.infra.secrets.vault import known_keys
from hundi.infra.settings import Settings, SettingsError, load_settings
from hundi.kernel.clock import for_people
from hundi.kernel.records import replace

_INDENT = " " * 4
_PLURAL = {Level.FAULT: "faults", Level.WARNING: "warnings", Level.NOTE: "notes"}


def doctor(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Look at settings, database, keys, disk, clock, network and backups; change nothing.

    The status is 0 when all is good, 1 with a warning, 2 with a fault.
    """
    logs.configure_command("error")  # what a call met is a finding already
    report = asyncio.run(_looked(data_dir))
    if json:
        show(shown(report), json=True)
    else:
        sys.stdout.write("\n".join(_lines(report)) + "\n")
    raise typer.Exit(report.status)


async def _looked(data_dir: str | None) -> DoctorReport:
    try:
        settings = _of_installation(load_settings(data_dir=data_dir))
    except SettingsError as error:
        return await examine(DoctorContext(Looker.COMMAND, faults=_faults(error)))
    addresses = _addresses(settings)
    async with AsyncExitStack() as stack:
        context = DoctorContext(Looker.COMMAND, settings, addresses=addresses)
        db = await _first_database(addresses, stack)
        context = replace(context, db=db)
        return await examine(await _with_connectors(context, settings, stack))


def _faults(error: OperatorError) -> list[str]:
    """Return each fault of an error, without the line that begins a list of them."""
    first, *others = str(error).splitlines()
    return [line.strip() for line in others] or [first]


def _of_installation(settings: Settings) -> Settings:
    """Return the settings with what a demo's own files say of it, if they can be read."""
    if settings.data_dir.is_dir() and not os.access(settings.data_dir, os.X_OK):
        return settings
    demo, explicit = is_demo(settings), {"HUNDI_BASE_URL", "HUNDI_PAYMENT_PAGE_URL"} & {*os.environ}
    base = settings.base_url if explicit else base_url(settings)
    told = with_demo(settings)
    of_bank: dict[str, Any] = {}
    if demo:
        of_bank = {"smtp_socket": mailbox_socket(told)} | phones(told, told.acquirer_key)
    return msgspec.structs.replace(
        told,
        demo=demo or settings.demo,
        port=(demo and urlsplit(base_url(settings)).port) or settings.port,
        base_url=base,
        payment_page_url=settings.payment_page_url if explicit else payment_page_url(settings),
        **of_bank,
    )


def _addresses(settings: Settings) -> dict[str, str]:
    """Return every address of the database that is known here, by its setting or its role."""
    if settings.database_url is not None:
        return settings.database_addresses()
    roles = (DatabaseRole.OPERATOR, DatabaseRole.OWNER, *SERVED)
    urls = {role.value: running_url(settings.data_dir, DATABASE, role) for role in roles}
    return {role: url for role, url in urls.items() if url is not None}


async def _first_database(addresses: dict[str, str], stack: AsyncExitStack) -> Database | None:
    """Return the database by the first address that can be used, None if none can."""
    for url in addresses.values():
        try:
            return await stack.enter_async_context(await open_database(url, pool_size=2))
        except OperatorError:
            continue  # a probe says why
    return None


async def _with_connectors(
    context: DoctorContext, settings: Settings, stack: AsyncExitStack
) -> DoctorContext:
    """Open the acquirers of the settings, and of accounts where database and keys can be read."""
    try:
        registry = await _every_connector(context.db, settings, stack)
        if registry is None:
            registry = open_connectors(settings, ShortMemory())
            stack.push_async_callback(registry.close)
    except OperatorError as error:
        return replace(context, connectors_fault="; ".join(_faults(error)))
    return replace(context, connectors=tuple(registry.all()))


async def _every_connector(
    db: Database | None, settings: Settings, stack: AsyncExitStack
) -> Registry | None:
    """Open all acquirers; return None where database or keys cannot be used, as a probe says."""
    if db is None:
        return None
    try:
        opening = open_every_connector(settings, db, known_keys(settings), ShortMemory())
        return await stack.enter_async_context(opening)
    except (VaultError, asyncpg.PostgresError):
        return None


def _lines(report: DoctorReport) -> Iterator[str]:
    width = min(shutil.get_terminal_size().columns, 100)
    yield f"Hundi {report.version}, {for_people(report.looked_at)}"
    for part in report.parts:
        yield f"\n{part.title}"
        for finding in part.findings:
            yield from _finding_lines(finding, width)
    counts = Counter(finding.kind.level for part in report.parts for finding in part.findings)
    yield "\n" + ", ".join(
        f"{counts[level]} {_PLURAL.get(level, level) if counts[level] > 1 else level}"
        for level in reversed(Level)
        if counts[level]
    )


def _finding_lines(finding: DoctorFinding, width: int) -> Iterator[str]:
    kind = finding.kind
    words = f"{kind.level.upper():8}{kind.code}: {finding.about}: {finding.seen}"
    yield from textwrap.wrap(
        words, width, initial_indent="  ", subsequent_indent=_INDENT, break_long_words=False
    )
    if kind.remedy:
        yield from textwrap.wrap(
            f"→ {kind.remedy}",
            width,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT,
            break_long_words=False,
        )
