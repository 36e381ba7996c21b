"""Compare imported statements with the books, and post the money that arrived."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

import msgspec
from asyncpg import Record

from hundi.infra.postgres.database import Beside, Database, Queries
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import first_id
from hundi.money.reconciliation import store
from hundi.money.reconciliation.rules import (
    AcquirerTerms,
    kept_terms_of,
    terms_of,
)
from hundi.money.reconciliation.store import LineComparison

MERCHANTS_AT_ONCE = 2
"""Merchants whose lines are compared or posted at once; a command has two connections."""
LOOK_BACK = timedelta(days=45)
"""How far back payments without a line are searched; older ones were found before."""
_MADE_BEFORE = timedelta(days=10)
"""The longest time from an attempt to its payment; a virtual account waits for days."""
PIECE, _SANDBOX = 1 << 20, "sandbox"

Progress = Callable[[str, int, int], None]
"""Called now and then: the activity, how much is done, and of how much (0 for unknown)."""


def unseen(_doing: str, _done: int, _of: int) -> None:
    """Ignore progress."""


@dataclass(slots=True)
class ComparisonRun:
    """The counts of a comparison: lines, items and postings."""

    matched: int = 0
    missing_there: int = 0
    resolved: int = 0
    posted: int = 0


async def terms_for(db: Queries, connector: str) -> AcquirerTerms:
    """Return an acquirer's newest terms; the simulated bank's are in this folder."""
    _, document = await store.terms(db, connector)
    if document is not None:
        return msgspec.convert(document, AcquirerTerms)
    if connector == _SANDBOX:
        return terms_of((Path(__file__).parent / f"{_SANDBOX}.toml").read_bytes(), connector)
    return AcquirerTerms()


async def set_terms(
    db: Database,
    connector: str,
    document: bytes,
    by: str,
    now: datetime,
    beside: Beside | None = None,
) -> int:
    """Store an acquirer's or OUR_ACCOUNT's terms as a new version, and return its number.

    beside: also written in the transaction. Raises StatementError.
    """
    terms = kept_terms_of(document, connector)
    version, _ = await store.terms(db, connector)
    document = msgspec.to_builtins(terms)
    async with db.transaction() as conn:
        await store.insert_terms(conn, connector, version + 1, document, by, now)
        if beside is not None:
            await beside(conn, version + 1)
    return version + 1


async def compare(db: Database, now: datetime, progress: Progress = unseen) -> ComparisonRun:
    """Compare imported lines, close items by rules, and post the money that reached our account.

    Each merchant has its own transaction, and every step may be repeated: a run that stopped lost
    nothing.
    """
    run = ComparisonRun()
    for file in await store.unmatched(db):
        terms = await terms_for(db, file.connector)

        by, lines = _comparison(file.connector, terms, now), _lines(file.file_id, file.lines)

        async def match(
            merchant_id: int, by: LineComparison = by, lines: tuple[int, int] = lines
        ) -> int:
            return await store.match(db, merchant_id, lines, by)

        run.matched += await _side_by_side(file.merchants, match, "comparing merchants", progress)
        if file.last_day is not None:
            run.missing_there += await _find_missing(db, file.connector, file.last_day, terms, now)
        await store.insert_step(db, file.file_id, "matched", "", now)
        run.resolved += await _resolve(db, file.connector, terms, now, run)
    run.posted += await _post(db, now, progress)
    return run


async def retry(db: Database, connector: str, now: datetime) -> ComparisonRun:
    """Compare an acquirer's open items again: their payments may be known by now."""
    run = ComparisonRun()
    run.resolved = await _resolve(db, connector, await terms_for(db, connector), now, run)
    run.posted += await _post(db, now, unseen)
    return run


async def _side_by_side(
    merchants: Sequence[int], act: Callable[[int], Awaitable[int]], doing: str, progress: Progress
) -> int:
    """Call `act` for each merchant, several at once, and return the sum of its results."""
    rest, total = iter(enumerate(merchants)), 0

    async def go_on() -> None:
        nonlocal total
        for number, merchant_id in rest:
            progress(doing, number, len(merchants))
            count = await act(merchant_id)
            total += count

    async with asyncio.TaskGroup() as tasks:
        for _ in range(MERCHANTS_AT_ONCE):
            tasks.create_task(go_on())
    return total


def _comparison(connector: str, terms: AcquirerTerms, now: datetime) -> LineComparison:
    return LineComparison(connector, msgspec.to_builtins(terms.fees), terms.late_after_days, now)


def _lines(file_id: int, count: int) -> tuple[int, int]:
    """Return the numbers between which the lines of a file are."""
    return file_id, file_id + count + 1


async def _find_missing(
    db: Database, connector: str, last_day: date, terms: AcquirerTerms, now: datetime
) -> int:
    first = await store.first_day(db, connector)
    until = last_day - timedelta(days=terms.missing_after_days)
    since = max(first, until - LOOK_BACK)
    if until < since:
        return 0
    midnight = datetime(since.year, since.month, since.day, tzinfo=INDIA)
    from_id = first_id(midnight - _MADE_BEFORE)
    count = 0
    for merchant_id in await store.merchants(db):
        count += await store.find_missing(db, merchant_id, connector, from_id, (since, until), now)
    return count


async def _resolve(
    db: Database, connector: str, terms: AcquirerTerms, now: datetime, done: ComparisonRun
) -> int:
    """Close items that need no person, and post lines that came after their hand-over."""
    ended = 0
    by = _comparison(connector, terms, now)
    for owner in await store.owners_of_items(db, connector):
        before = await store.count_open(db, owner)
        lines = await store.resolve(db, owner, by)
        ended += before - await store.count_open(db, owner)
        for line_id in lines:
            line = await store.find_line(db, owner, line_id)
            if line and await store.is_handed_over(db, line["file_id"], line["utr"]):
                done.posted += await store.post_handover(
                    db, owner, (line_id, line_id), line["utr"], now
                )
    return ended


async def _post(db: Database, now: datetime, progress: Progress) -> int:
    """Post the hand-overs whose money reached our account with the statement's amount."""
    posted = 0
    for row in await store.handovers(db):
        if row["said"] != row["arrived"]:
            continue

        async def post(merchant_id: int, row: Record = row) -> int:
            lines = _lines(row["file_id"], row["lines"])
            return await store.post_handover(db, merchant_id, lines, row["utr"], now)

        merchants = [each for each in row["merchants"] if each]
        posted += await _side_by_side(merchants, post, "posting hand-overs", progress)
        await store.insert_step(db, row["file_id"], "handed_over", row["utr"], now)
    return posted
