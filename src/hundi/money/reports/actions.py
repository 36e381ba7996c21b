"""The actions of reports: write extracts of the books."""

import csv
from typing import TextIO

from hundi.infra.errors import OperatorError
from hundi.infra.postgres.database import Database
from hundi.money.reports import store
from hundi.money.reports.rules import DAY_BOOK_HEAD, LEDGER_HEAD, DayBook, DaySpan, Ledger


class UnbalancedError(OperatorError):
    """The rows of a report do not add up to the books: it is not printed."""


async def write_ledger(db: Database, merchant_id: int, span: DaySpan, out: TextIO) -> int:
    """Write a merchant's accounts over some days as CSV; return the number of lines."""
    writer = csv.writer(out)
    writer.writerow(LEDGER_HEAD)
    written = 1
    async with store.snapshot(db) as conn:
        ledger = Ledger(await store.opening(conn, merchant_id, span.begins))
        async for batch in store.sides(conn, merchant_id, span):
            lines = list(ledger.lines(batch))
            writer.writerows(lines)
            written += len(lines)
    lines = list(ledger.end())
    writer.writerows(lines)
    return written + len(lines)


async def write_day_book(db: Database, merchant_id: int, span: DaySpan, out: TextIO) -> int:
    """Write a merchant's postings of some days as CSV by time; return the number of lines."""
    writer = csv.writer(out)
    writer.writerow(DAY_BOOK_HEAD)
    written, book = 1, DayBook()
    async with store.snapshot(db) as conn:
        async for batch in store.postings(conn, merchant_id, span):
            writer.writerows(book.lines(batch))
            written += len(batch)
    lines = list(book.end())
    writer.writerows(lines)
    return written + len(lines)
