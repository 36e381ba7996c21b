"""Imports statements once and whole, compares them with the books, and posts what arrived."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import asyncpg
import msgspec

from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.ids import first_id
from hundi.masking import masked
from hundi.money.reconciliation import camt, csv_lines, mt940, store
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
    kept_terms_of,
    terms_of,
    wrong,
)

UNKNOWN_LINES_MAX = 200_000
"""Lines of one file that no reference of ours names.

They wait in memory until their RRN was looked up.
"""
HANDOVERS_MAX = 100_000
MERCHANTS_AT_ONCE = 2
"""Merchants whose lines are compared or posted at once: a command has two connections."""
LOOK_BACK = timedelta(days=45)
"""How long a payment without a line is looked for; later ones were found before."""
_MADE_BEFORE = timedelta(days=10)
"""A payment may be paid so long after its attempt was made: a virtual account waits for days."""
_PIECE, _SANDBOX = 1 << 20, "sandbox"

Progress = Callable[[str, int, int], None]
"""Told now and then: what is done, how much of it, and of how much (0 where nobody knows)."""


def unseen(_doing: str, _done: int, _of: int) -> None:
    """Show no progress."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a file is. connector: whose statement, OUR_ACCOUNT for our bank account's.

    by: who imports it.

    mapping: how a CSV file is read, where it is not the acquirer's terms that say so.
    """

    path: Path
    format: str
    connector: str
    by: str
    mapping: CsvMapping | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. again: the file had been imported before, and nothing was changed."""

    file_id: int
    lines: int
    net_paise: int
    again: bool = False
    at: datetime | None = None


@dataclass(slots=True)
class ComparisonRun:
    """What a run of the comparison did, in lines, items and postings."""

    matched: int = 0
    missing_there: int = 0
    resolved: int = 0
    posted: int = 0


@dataclass(slots=True)
class _Gathered:
    """What an import learns of a file beside its lines."""

    merchants: set[int] = field(default_factory=set)
    unknown: list[tuple[object, ...]] = field(default_factory=list)
    handed: dict[str, list[int]] = field(default_factory=dict)
    """Of each UTR: lines, and the paise they come to."""
    numbered: int = 0
    """Lines that have a number: one after the other, whatever their place in the file is."""
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Of each hand-over that the statement tells: its line, and its paise."""

    def hand(self, line: Line) -> None:
        """Count a line to its hand-over."""
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
        """Raise StatementError where a hand-over is not the sum of its lines."""
        for utr, (place, paise) in self.told.items():
            lines = self.handed.get(utr, [0, 0])[1]
            if lines != paise:
                raise wrong(
                    place, f"it hands over {paise} paise as {utr}, and its lines come to {lines}"
                )


async def terms_for(db: Database, connector: str) -> AcquirerTerms:
    """Return an acquirer's newest terms; the simulated bank's stand in this folder."""
    _, document = await store.terms(db, connector)
    if document is not None:
        return msgspec.convert(document, AcquirerTerms)
    if connector == _SANDBOX:
        return terms_of((Path(__file__).parent / f"{_SANDBOX}.toml").read_bytes(), connector)
    return AcquirerTerms()


async def set_terms(db: Database, connector: str, document: bytes, by: str, now: datetime) -> int:
    """Keep terms of an acquirer or OUR_ACCOUNT as a new version; return it.

    Raises StatementError.
    """
    terms = kept_terms_of(document, connector)
    version, _ = await store.terms(db, connector)
    await db.execute(
        store.INSERT_TERMS, connector, version + 1, msgspec.to_builtins(terms), by, now
    )
    return version + 1


async def import_file(
    db: Database, source: Source, now: datetime, progress: Progress = unseen
) -> Imported:
    """Import a statement: all of its lines, or none where one is wrong.

    Raises StatementError, which names the line. The same file again changes nothing. What was
    imported is compared by `compare`, also after a crash in between.
    """
    terms = await terms_for(db, source.connector)
    with source.path.open("rb") as file:
        digest = await asyncio.to_thread(_digest, file)
        known = await store.find_file(db, digest)
        if known is not None:
            return Imported(
                known["file_id"], known["lines"], 0, again=True, at=known["imported_at"]
            )
        try:
            async with db.transaction() as conn:
                await conn.execute(store.ROOM)
                if source.connector == OUR_ACCOUNT:
                    await conn.execute(store.LOCK_ACCOUNT)
                return await _import(conn, file, (source, terms, digest, now), progress)
        except (asyncpg.UniqueViolationError, asyncpg.LockNotAvailableError):
            message = "the file is being imported by somebody else just now"
            raise StatementError(message) from None
        except asyncpg.ExclusionViolationError:
            message = "another file was imported in the same moment: import this one again"
            raise StatementError(message) from None


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    while piece := file.read(_PIECE):
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
    await store.insert_file(
        conn,
        *(
            file_id,
            digest,
            source.connector,
            source.format,
            masked(source.path.name),
            controls.account,
        ),
        *(
            controls.statement,
            controls.opening_paise,
            controls.closing_paise,
            controls.lines,
            controls.net_paise,
        ),
        *(controls.first_day, controls.last_day, sorted(gathered.merchants), source.by, now),
    )
    return Imported(file_id, controls.lines, controls.net_paise)


_NAMED = {
    LineKind.PAYMENT: LineKind.PAYMENT,
    LineKind.REFUND: LineKind.REFUND,
    LineKind.CHARGEBACK: LineKind.PAYMENT,
}
"""Whose reference a line of a kind has."""


def _batch(
    lines: Iterator[Line], connector: str, file_id: int, gathered: _Gathered
) -> list[tuple[object, ...]] | None:
    """Return the next lines as rows, those of nobody left out; None at the end."""
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
    # A batch of lines that are all of nobody is not the end.
    return rows if read else None


async def _write(
    conn: Connection, source: Source, account: str, rows: list[tuple[object, ...]]
) -> None:
    if source.connector == OUR_ACCOUNT:
        await store.insert_account_lines(conn, [(row[0], account, *row[1:]) for row in rows])
    elif rows:
        await store.copy_lines(conn, rows)


async def _write_unknown(conn: Connection, source: Source, gathered: _Gathered) -> None:
    """Write the lines that no reference of ours names.

    Their RRN, or the UTR as which the bank knows them, may.
    """
    place = {name: store.LINE_COLUMNS.index(name) for name in ("kind", "reference", "rrn")}
    wanted = sorted(
        {str(row[place[name]]) for row in gathered.unknown for name in ("reference", "rrn")} - {""}
    )
    found = await store.attempts_by_rrn(conn, source.connector, wanted) if wanted else {}
    rows: list[tuple[object, ...]] = []
    for row in gathered.unknown:
        cause = None
        if _NAMED.get(LineKind(str(row[place["kind"]]))) is LineKind.PAYMENT:
            cause = found.get(str(row[place["rrn"]])) or found.get(str(row[place["reference"]]))
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
    """Refuse the file of an account that another acquirer's statements, or our own, have been of."""
    others = await store.owners_of_account(conn, controls.account) - {source.connector}
    if others:
        whose = min(others) or "our own bank account"
        raise wrong(
            0, f"account {controls.account} is that of {whose}: is the file another acquirer's?"
        )


async def _check_new(conn: Connection, file_id: int) -> None:
    """Refuse what another statement of our account had already.

    It would count as having arrived twice.
    """
    again = await conn.fetchrow(store.SELECT_AGAIN, file_id)
    if again is not None:
        what = f"{again['net_paise']} paise of {again['day']} as {again['utr']}"
        raise wrong(
            again["line_id"] - file_id, f"{what} are in a statement that was imported before"
        )


async def compare(db: Database, now: datetime, progress: Progress = unseen) -> ComparisonRun:
    """Compare what was imported, end what rules can end, and post what reached our account.

    Each merchant is a transaction of its own, and everything may be done again: a run that stopped
    lost nothing.
    """
    done = ComparisonRun()
    for file in await store.unmatched(db):
        terms = await terms_for(db, file.connector)

        async def match(
            merchant_id: int, file: store.StoredFile = file, terms: AcquirerTerms = terms
        ) -> int:
            lines = (file.file_id, file.file_id + file.lines + 1)
            values = (merchant_id, *lines, file.connector, _fees(terms), terms.late_after_days, now)
            return await store.in_room(db, store.MATCH, *values)

        done.matched += await _side_by_side(file.merchants, match, "comparing merchants", progress)
        if file.last_day is not None:
            done.missing_there += await _find_missing(db, file.connector, file.last_day, terms, now)
        await store.insert_step(db, file.file_id, "matched", "", now)
        done.resolved += await _resolve(db, file.connector, terms, now, done)
    done.posted += await _post(db, now, progress)
    return done


async def retry(db: Database, connector: str, now: datetime) -> ComparisonRun:
    """Compare again what is left to people of an acquirer: payments may be known by now."""
    done = ComparisonRun()
    done.resolved = await _resolve(db, connector, await terms_for(db, connector), now, done)
    done.posted += await _post(db, now, unseen)
    return done


async def _side_by_side(
    merchants: Sequence[int], act: Callable[[int], Awaitable[int]], doing: str, progress: Progress
) -> int:
    """Act on each merchant, on some at once, and return the sum of what was done."""
    left, done = iter(enumerate(merchants)), 0

    async def go_on() -> None:
        nonlocal done
        for number, merchant_id in left:
            progress(doing, number, len(merchants))
            count = await act(merchant_id)
            done += count

    async with asyncio.TaskGroup() as tasks:
        for _ in range(MERCHANTS_AT_ONCE):
            tasks.create_task(go_on())
    return done


def _fees(terms: AcquirerTerms) -> object:
    return msgspec.to_builtins(terms.fees)


async def _find_missing(
    db: Database, connector: str, last_day: date, terms: AcquirerTerms, now: datetime
) -> int:
    first = await db.fetchval(store.SELECT_FIRST_DAY, connector)
    until = last_day - timedelta(days=terms.missing_after_days)
    since = max(first, until - LOOK_BACK)
    if until < since:
        return 0
    midnight = datetime(since.year, since.month, since.day, tzinfo=INDIA)
    from_id = first_id(midnight - _MADE_BEFORE)
    found = 0
    for row in await db.fetch(store.SELECT_MERCHANTS):
        values = (row["merchant_id"], connector, from_id, since, until, now)
        found += await store.in_room(db, store.FIND_MISSING, *values)
    return found


async def _resolve(
    db: Database, connector: str, terms: AcquirerTerms, now: datetime, done: ComparisonRun
) -> int:
    """End items that need no person, and post the lines of hand-overs that were posted before
    without them.
    """
    ended = 0
    for row in await db.fetch(store.SELECT_OWNERS, connector):
        owner = row["merchant_id"]
        before = await db.fetchval(store.COUNT_OPEN, owner)
        lines = await store.in_room(
            db, store.RESOLVE, owner, connector, _fees(terms), terms.late_after_days, now
        )
        ended += before - await db.fetchval(store.COUNT_OPEN, owner)
        for line_id in lines:
            line = await db.fetchrow(store.SELECT_LINE, owner, line_id)
            if line and await db.fetchval(store.IS_HANDED_OVER, line["file_id"], line["utr"]):
                done.posted += await store.in_room(
                    db, store.POST_HANDOVER, owner, line_id, line_id, line["utr"], now
                )
    return ended


async def _post(db: Database, now: datetime, progress: Progress) -> int:
    """Post the hand-overs whose money is in our bank account with the amount that the acquirer
    said.
    """
    posted = 0
    for row in await db.fetch(store.SELECT_HANDOVERS):
        if row["said"] != row["arrived"]:
            continue

        async def post(merchant_id: int, row: Any = row) -> int:  # noqa: ANN401 (a row)
            lines = (row["file_id"], row["file_id"] + row["lines"] + 1)
            return await store.in_room(
                db, store.POST_HANDOVER, merchant_id, *lines, row["utr"], now
            )

        merchants = [each for each in row["merchants"] if each]
        posted += await _side_by_side(merchants, post, "posting hand-overs", progress)
        await store.insert_step(db, row["file_id"], "handed_over", row["utr"], now)
    return posted
