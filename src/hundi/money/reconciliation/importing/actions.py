"""Imports statements, each whole or not at all."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import asyncpg

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.clock import business_day
from hundi.kernel.ids import first_id
from hundi.kernel.masking import masked
from hundi.money.reconciliation import camt, csv_lines, mt940, store
from hundi.money.reconciliation.actions import PIECE, Progress, terms_for, unseen
from hundi.money.reconciliation.rules import (
    LINE_IDS_FROM,
    LINES_AT_ONCE,
    OUR_ACCOUNT,
    AcquirerTerms,
    Controls,
    CsvMapping,
    Line,
    LineKind,
    StatementError,
    cause_of,
    wrong,
)
from hundi.money.reconciliation.store import StatementFile

UNKNOWN_LINES_MAX = 200_000
"""The most lines of a file without a reference of ours.

They stay in memory until their RRN is found.
"""

HANDOVERS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import.

    connector: whose statement it is, OUR_ACCOUNT for our bank account's. by: who imports it.
    mapping: how to read a CSV file, in place of the acquirer's terms. name: what the file is
    called, where the path does not say it.
    """

    path: Path
    format: str
    connector: str
    by: str
    mapping: CsvMapping | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import. again: the file was imported before, and nothing changed."""

    file_id: int
    lines: int
    net_paise: int
    again: bool = False
    at: datetime | None = None


@dataclass(slots=True)
class _Gathered:
    """The facts that an import collects from a file beside its lines."""

    merchants: set[int] = field(default_factory=set)
    unknown: list[tuple[object, ...]] = field(default_factory=list)
    handed: dict[str, list[int]] = field(default_factory=dict)
    """By UTR: the line numbers, and the sum in paise."""
    numbered: int = 0
    """The lines that got a number, in sequence."""
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By UTR of each hand-over in the statement: its line, and its paise."""

    def hand(self, line: Line) -> None:
        """Add a line to its hand-over."""
        paise = line.net_paise if line.is_credit else -line.net_paise
        if line.kind is LineKind.HANDOVER:
            before = self.told.get(line.utr, (line.place, 0))
            self.told[line.utr] = (line.place, before[1] - paise)
        else:
            sums = self.handed.setdefault(line.utr, [0, 0])
            sums[0], sums[1] = sums[0] + 1, sums[1] + paise
        if len(self.handed) > HANDOVERS_MAX:
            raise wrong(line.place, f"a statement has at most {HANDOVERS_MAX:,} hand-overs")

    def check(self) -> None:
        """Raise StatementError if a hand-over is not the sum of its lines."""
        for utr, (place, paise) in self.told.items():
            lines = self.handed.get(utr, [0, 0])[1]
            if lines != paise:
                raise wrong(
                    place, f"it hands over {paise} paise as {utr}, and its lines come to {lines}"
                )


async def import_file(
    db: Database, source: Source, now: datetime, progress: Progress = unseen
) -> Imported:
    """Import a statement: all of its lines, or none if one is wrong.

    Raises StatementError with the line's number. The same file again changes nothing. `compare`
    compares the imported lines, also after a crash in between.
    """
    alone = source.connector == OUR_ACCOUNT  # its lines are compared with those of every file
    async with importing(db, source.connector, alone=alone) as conn:
        return await import_within(conn, source, now, progress)


@asynccontextmanager
async def importing(db: Database, connector: str, *, alone: bool) -> AsyncIterator[Connection]:
    """Open a transaction for an import of a connector's statements.

    alone: no other import of them is under way, so all earlier lines are seen. Raises
    StatementError when another import is in the way.
    """
    try:
        async with db.transaction() as conn:
            await store.make_room(conn)
            await store.lock_statements(conn, connector, alone=alone)
            yield conn
    except (asyncpg.UniqueViolationError, asyncpg.LockNotAvailableError):
        message = "the file is being imported by somebody else just now"
        raise StatementError(message) from None
    except asyncpg.ExclusionViolationError:
        message = "another file was imported in the same moment: import this one again"
        raise StatementError(message) from None


async def import_within(
    conn: Connection, source: Source, now: datetime, progress: Progress = unseen
) -> Imported:
    """Import a statement in a transaction of `importing`. Raises StatementError."""
    terms = await terms_for(conn, source.connector)
    with source.path.open("rb") as file:
        digest = await asyncio.to_thread(_digest, file)
        earlier = await store.find_file(conn, digest)
        if earlier is not None:
            return Imported(
                earlier["file_id"], earlier["lines"], 0, again=True, at=earlier["imported_at"]
            )
        return await _import(conn, file, (source, terms, digest, now), progress)


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    while piece := file.read(PIECE):
        digest.update(piece)
    file.seek(0)
    return digest.digest()


def _reader(
    file: BinaryIO, source: Source, terms: AcquirerTerms, controls: Controls
) -> Iterator[Line]:
    if source.format == "camt053":
        return camt.read(file, controls)
    if source.format == "mt940":
        return mt940.read(file, controls)
    return csv_lines.read(
        file, csv_lines.need_mapping(source.mapping or terms.csv, source.connector), controls
    )


async def _import(
    conn: Connection,
    file: BinaryIO,
    what: tuple[Source, AcquirerTerms, bytes, datetime],
    progress: Progress,
) -> Imported:
    source, terms, digest, now = what
    file_id = max(LINE_IDS_FROM + first_id(now), await store.last_id(conn) + 1)
    account = terms.account if source.format == "csv" and source.connector == OUR_ACCOUNT else ""
    controls = Controls(account, today=business_day(now))
    lines = _reader(file, source, terms, controls)
    gathered = _Gathered()
    writing: asyncio.Task[None] | None = None
    try:
        # While the server takes a batch, the next one is read.
        while (
            batch := await asyncio.to_thread(_batch, lines, source.connector, file_id, gathered)
        ) is not None:
            if writing is not None:
                await writing
            _check_account(controls, terms)
            writing = asyncio.create_task(_write(conn, source, controls.account, batch))
            progress("reading lines", controls.lines, controls.stated_lines or 0)
    finally:
        if writing is not None:
            await writing
    _check_account(controls, terms)
    await _check_owner(conn, controls, source)
    if source.connector == OUR_ACCOUNT:
        await _check_new(conn, file_id)
    else:
        gathered.check()
        await _write_unknown(conn, source, gathered)
        handed = [
            (source.connector, utr, file_id, *sums)
            for utr, sums in sorted(gathered.handed.items())
            if utr
        ]
        await store.insert_handovers(conn, handed)
    stored = StatementFile(
        file_id,
        digest,
        source.connector,
        source.format,
        name=masked(source.name or source.path.name),
        account=controls.account,
        statement=controls.statement,
        opening_paise=controls.opening_paise,
        closing_paise=controls.closing_paise,
        lines=controls.lines,
        net_paise=controls.net_paise,
        first_day=controls.first_day,
        last_day=controls.last_day,
        merchants=sorted(gathered.merchants),
        imported_by=source.by,
        imported_at=now,
    )
    await store.insert_file(conn, stored)
    return Imported(file_id, controls.lines, controls.net_paise)


_NAMED = {
    LineKind.PAYMENT: LineKind.PAYMENT,
    LineKind.REFUND: LineKind.REFUND,
    LineKind.CHARGEBACK: LineKind.PAYMENT,
}
"""The kind of record that a line's reference points to, by the line's kind."""


def _batch(
    lines: Iterator[Line], connector: str, file_id: int, gathered: _Gathered
) -> list[tuple[object, ...]] | None:
    """Return the next lines as rows, without those of no merchant; None at the end."""
    rows: list[tuple[object, ...]] = []
    read = 0
    for line in islice(lines, LINES_AT_ONCE):
        read += 1
        gathered.numbered += 1
        line_id = file_id + gathered.numbered
        if connector == OUR_ACCOUNT:
            rows.append(
                (line_id, line.day, line.utr, line.net_paise if line.is_credit else -line.net_paise)
            )
            continue
        gathered.hand(line)
        cause = cause_of(line.reference)
        merchant_id, cause_id = cause[1:] if cause and cause[0] is _NAMED.get(line.kind) else (0, 0)
        row = (
            merchant_id,
            line_id,
            file_id,
            connector,
            line.kind,
            line.is_credit,
            line.gross_paise,
            line.fee_paise,
        )
        row += (line.net_paise, cause_id, line.reference, line.rrn, line.utr, line.day)
        if merchant_id:
            gathered.merchants.add(merchant_id)
            rows.append(row)
        elif len(gathered.unknown) < UNKNOWN_LINES_MAX:
            gathered.unknown.append(row)
        else:
            raise wrong(
                line.place, f"more than {UNKNOWN_LINES_MAX:,} lines name no payment of ours"
            )
    # A batch may have no rows because no line has a reference of ours: it is not the end.
    return rows if read else None


async def _write(
    conn: Connection, source: Source, account: str, rows: list[tuple[object, ...]]
) -> None:
    if source.connector == OUR_ACCOUNT:
        await store.insert_account_lines(conn, [(row[0], account, *row[1:]) for row in rows])
    elif rows:
        await store.copy_lines(conn, rows)


async def _write_unknown(conn: Connection, source: Source, gathered: _Gathered) -> None:
    """Write lines without a reference of ours, found by RRN, or by the UTR that the bank has."""
    place = {name: store.LINE_COLUMNS.index(name) for name in ("kind", "reference", "rrn")}
    rrns = sorted(
        {str(row[place[name]]) for row in gathered.unknown for name in ("reference", "rrn")} - {""}
    )
    attempts = await store.attempts_by_rrn(conn, source.connector, rrns) if rrns else {}
    rows: list[tuple[object, ...]] = []
    for row in gathered.unknown:
        cause = None
        if _NAMED.get(LineKind(str(row[place["kind"]]))) is LineKind.PAYMENT:
            cause = attempts.get(str(row[place["rrn"]])) or attempts.get(
                str(row[place["reference"]])
            )
        gathered.merchants.add(cause[0] if cause else 0)
        if cause:
            row = (cause[0], *row[1:9], cause[1], *row[10:])  # noqa: PLW2901 (the same line, with its owner)
        rows.append(row)
    await store.insert_lines(conn, rows)


def _check_account(controls: Controls, terms: AcquirerTerms) -> None:
    if terms.account and controls.account and controls.account != terms.account:
        raise wrong(
            0, f"it is of account {controls.account}, and this acquirer's is {terms.account}"
        )


async def _check_owner(conn: Connection, controls: Controls, source: Source) -> None:
    """Refuse a file whose account had statements of another acquirer, or of our own account."""
    others = await store.owners_of_account(conn, controls.account) - {source.connector}
    if others:
        whose = min(others) or "our own bank account"
        raise wrong(
            0, f"account {controls.account} is that of {whose}: is the file another acquirer's?"
        )


async def _check_new(conn: Connection, file_id: int) -> None:
    """Refuse lines that another statement of our account has: they would count as arrived twice."""
    again = await store.find_again(conn, file_id)
    if again is not None:
        what = f"{again['net_paise']} paise of {again['day']} as {again['utr']}"
        raise wrong(
            again["line_id"] - file_id, f"{what} are in a statement that was imported before"
        )
