"""The sweep: masks card and Aadhaar numbers in every column of words of every table.

Each row is masked in a transaction of its own, so that no lock is held longer. Rows that prove the
books stay: rows sealed in the chain, and append-only rows.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import asyncpg
from asyncpg import Record

from hundi.gateway.scrub import rules, store
from hundi.gateway.scrub.rules import CatalogueColumn, SweepFinding, SweepReport, SweptTable
from hundi.infra.errors import OperatorError
from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.masking import Swept
from hundi.merchants.directory import store as merchants
from hundi.merchants.directory.actions import MerchantChange
from hundi.money.audit.chain import store as chain
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

Progress = Callable[[str, int, int, int], None]
"""Called after each batch with the table, its rows read so far, the tables done, and all tables."""

SweepSealed = Callable[[bool], AsyncIterator[tuple[str, Swept]]]
"""Masks the sealed words of a column, if True is given; yields each row's name and its result."""

SEALED = "part of a chain: its digest would tell of another text"
APPEND_ONLY = "only ever appended: the database refuses a change"
SHAPED = "its form has no room for a mask"
TOLD = "the trail has the row's digest: the audit would name another text"
CHANGED = "changed by somebody else meanwhile: run it again"


class _UndoneError(Exception):
    """Undoes a change that cannot stay, or that was only tried."""


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """A column of sealed words, and the action of its room that sweeps it."""

    table: str
    column: str
    sweep: SweepSealed


@dataclass(slots=True)
class _Sweep:
    """One run.

    found: rows by table, column and why they stay, "" for masked ones. unopened: names of the rows
    whose seal does not open.
    """

    db: Database
    who: Who
    now: datetime
    is_applied: bool
    found: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    unopened: list[str] = field(default_factory=list[str])
    rows: int = 0


async def scrub(
    db: Database,
    sealed: Sequence[SealedColumn],
    who: Who,
    now: datetime,
    progress: Progress,
    *,
    is_applied: bool,
) -> SweepReport:
    """Search all tables and return the findings; mask them, if is_applied.

    sealed: columns of words that only their rooms can open. Without is_applied each change is tried
    and undone at once: the report says what would be masked. A run that was stopped has masked what
    it had read, and its entries in the trail say so. Raises OperatorError unless the database's
    owner runs it.
    """
    tables = rules.tables_of(await store.columns(db))
    if not any(table.name == "payments" for table in tables):
        message = (
            "this command needs the database's owner: HUNDI_OWNER_DATABASE_URL "
            "(docs/operations.md#roles)"
        )
        raise OperatorError(message)
    sweep = _Sweep(db, who, now, is_applied)
    if is_applied:
        await trail.record(db, 0, who, "scrub.start", "", now, tables=len(tables))
    for done, table in enumerate(tables):
        try:
            await _read(
                sweep, table, lambda name, done=done: progress(name, sweep.rows, done, len(tables))
            )
        finally:
            await _tell(sweep, table.name)
    for each in sealed:
        try:
            await _read_sealed(sweep, each)
        finally:
            await _tell(sweep, each.table, each.column)
    findings = [
        SweepFinding(name, column, rows, why)
        for (name, column, why), rows in sorted(sweep.found.items())
    ]
    columns = sum(len(table.swept) for table in tables) + len(sealed)
    return SweepReport(is_applied, len(tables), columns, sweep.rows, findings, sweep.unopened)


async def _tell(sweep: _Sweep, table: str, *only: str) -> None:
    """Record in the trail how many rows of a table were masked, by column."""
    masked = {
        column: rows
        for (name, column, why), rows in sweep.found.items()
        if name == table and not why and column in (only or (column,))
    }
    if sweep.is_applied and masked:
        await trail.record(sweep.db, 0, sweep.who, "scrub.mask", table, sweep.now, **masked)


async def _read(sweep: _Sweep, table: SweptTable, progress: Callable[[str], None]) -> None:
    after: list[object] | None = None
    while rows := await store.page(sweep.db, table, after):
        for row in rows:
            if row["is_long"]:
                await _row(sweep, table, row)
        sweep.rows += len(rows)
        after = [rows[-1][column.name] for column in table.key]
        progress(table.name)


async def _read_sealed(sweep: _Sweep, column: SealedColumn) -> None:
    async for name, swept in column.sweep(sweep.is_applied):
        sweep.rows += 1
        if swept is Swept.UNOPENED:
            sweep.unopened.append(f"{column.table} {name}")
        elif swept is not Swept.CLEAN:
            sweep.found[column.table, column.column, CHANGED if swept is Swept.CHANGED else ""] += 1


async def _row(sweep: _Sweep, table: SweptTable, row: Record) -> None:
    for column in table.swept:
        value = rules.scrubbed(column, row[column.name])
        if value != row[column.name]:
            sweep.found[table.name, column.name, await _mask(sweep, table, column, row, value)] += 1


async def _mask(
    sweep: _Sweep, table: SweptTable, column: CatalogueColumn, row: Record, value: object
) -> str:
    """Mask one value, or try it; return why it stays, or ""."""
    if table.name in rules.TOLD:
        return TOLD
    why = ""
    try:
        async with sweep.db.transaction() as conn:
            before = (
                await merchants.digests(conn, row["merchant_id"])
                if table.name == "merchants"
                else {}
            )
            if not await store.mask(conn, table, column, row, value):
                why = CHANGED
            elif table.has_merchant and await _breaks_chain(conn, table, row):
                why = SEALED
            elif table.name == "merchants":
                change = MerchantChange(row["merchant_id"], before, (column.name,))
                await trail.recording_merchant(sweep.who, "merchant.scrub", sweep.now)(conn, change)
            if why or not sweep.is_applied:
                _undo()
    except _UndoneError:
        return why
    except asyncpg.RestrictViolationError:
        return APPEND_ONLY
    except asyncpg.IntegrityConstraintViolationError:
        return SHAPED
    return ""


def _undo() -> None:
    raise _UndoneError


async def _breaks_chain(conn: Connection, table: SweptTable, row: Record) -> bool:
    ids = [row[name] for name in table.ids if row[name] is not None]
    beneficiary = row["beneficiary"] if table.name == "bank_accounts" else ""
    ids += await store.ids_beside(conn, row["merchant_id"], ids, beneficiary)
    return await chain.count_differing(conn, row["merchant_id"], ids) > 0
