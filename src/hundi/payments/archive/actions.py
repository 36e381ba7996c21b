"""Move payments that ended long ago into the archive, and read its months."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import date, datetime

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.archive_files import ArchivedMonth
from hundi.kernel.ids import first_id
from hundi.payments.archive import rules, store
from hundi.payments.archive.rules import ArchivePolicy, ArchiveRun

Progress = Callable[[str, ArchiveRun], None]
"""Called after each batch with the current activity and the totals so far."""


async def archive(
    db: Database, policy: ArchivePolicy, now: datetime, progress: Progress
) -> ArchiveRun:
    """Mark the order ids of old payments, wait until every statement sees the marks, and move them.

    Each batch is a transaction of its own: a run that stops in the middle loses and duplicates
    nothing, and the next run continues. Several may run at once.
    """
    before, done, waits, months = first_id(now - policy.after), ArchiveRun(), False, set[date]()
    async for merchant_id in _merchants(db):
        async for batch in _batches(db, merchant_id, before, rules.MARKED_MAX):
            done.marked += await store.mark(db, merchant_id, batch)
            waits = True  # marks of an interrupted run need the wait too
            progress(f"marking order ids of merchant {merchant_id}", done)
    if waits:
        progress(
            f"waiting {policy.patience.total_seconds():.0f} s for statements that began before",
            done,
        )
        await asyncio.sleep(policy.patience.total_seconds())
    async for merchant_id in _merchants(db):
        async for batch in _batches(db, merchant_id, before, rules.BATCH_MAX):
            for month in set(rules.months_of(batch)) - months:
                await store.add_month(db, month)
                months.add(month)
            moved = await store.move(db, merchant_id, batch, now - policy.after, policy.patience)
            done.moved += len(moved)
            done.left += len(batch) - len(moved)
            progress(f"moving payments of merchant {merchant_id}", done)
    return done


async def _merchants(db: Database) -> AsyncIterator[int]:
    merchant_id = await store.next_merchant(db, 0)
    while merchant_id is not None:
        yield merchant_id
        merchant_id = await store.next_merchant(db, merchant_id)


async def _batches(
    db: Database, merchant_id: int, before: int, size: int
) -> AsyncIterator[list[int]]:
    after = 0
    while batch := await store.candidates(db, merchant_id, after, before, size):
        yield batch
        after = batch[-1]


async def months(db: Database) -> dict[date, ArchivedMonth]:
    """Return what the archive has of each month."""
    by_month: dict[date, ArchivedMonth] = {}
    async for merchant_id in _merchants(db):
        payment_id = await store.first_from(db, merchant_id, 0)
        while payment_id is not None:
            month = rules.month_of(payment_id)
            count, newest = await store.count_month(db, merchant_id, rules.ids_of(month))
            if newest is not None:
                before = by_month.get(month, ArchivedMonth(0, newest))
                by_month[month] = ArchivedMonth(before.payments + count, max(before.newest, newest))
            payment_id = await store.first_from(db, merchant_id, rules.ids_of(month)[1])
    return dict(sorted(by_month.items()))


async def lines(db: Database, month: date) -> AsyncIterator[bytes]:
    """Yield the archived payments of a month, each a line of JSON with its rows by table."""
    first, end = rules.ids_of(month)
    async for merchant_id in _merchants(db):
        after = first - 1
        while rows := await store.of_month(db, merchant_id, after, end, rules.EXPORTED_AT_ONCE):
            for row in rows:
                yield b'{"merchant_id":%d,"payment_id":%d,"archived_at":"%s","rows":%s}\n' % (
                    merchant_id,
                    row["payment_id"],
                    row["archived_at"].isoformat().encode(),
                    row["contents"].encode(),
                )
            after = rows[-1]["payment_id"]
