"""The actions of reports: write extracts of the books."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from hundi.infra.errors import OperatorError
from hundi.money.reports import store
from hundi.money.reports.rules import DAY_BOOK_HEAD, LEDGER_HEAD, DayBook, DaySpan, Ledger
from hundi.money.reports.store import Books


class UnbalancedError(OperatorError):
    """The rows of a report do not add up to the books: it is not printed."""


class LineWriter(Protocol):
    """Takes the lines of a report: a writer of `csv`, or a `Sheet`."""

    def writerow(self, row: Sequence[str], /) -> object:
        """Write a line."""
        ...

    def writerows(self, rows: Iterable[Sequence[str]], /) -> object:
        """Write some lines."""
        ...


async def write_ledger(db: Books, merchant_id: int, span: DaySpan, out: LineWriter) -> int:
    """Write a merchant's accounts over some days; return the number of lines."""
    out.writerow(LEDGER_HEAD)
    written = 1
    async with store.snapshot(db) as conn:
        ledger = Ledger(await store.opening(conn, merchant_id, span.begins))
        async for batch in store.sides(conn, merchant_id, span):
            lines = list(ledger.lines(batch))
            out.writerows(lines)
            written += len(lines)
    lines = list(ledger.end())
    out.writerows(lines)
    return written + len(lines)


async def write_day_book(db: Books, merchant_id: int, span: DaySpan, out: LineWriter) -> int:
    """Write a merchant's postings of some days by time, between each account's balances.

    Returns the number of lines. Raises UnbalancedError if its closing balances are not the
    ledger's.
    """
    out.writerow(DAY_BOOK_HEAD)
    async with store.snapshot(db) as conn:
        book = DayBook(await store.opening(conn, merchant_id, span.begins))
        first = list(book.begin())
        out.writerows(first)
        written = 1 + len(first)
        async for batch in store.postings(conn, merchant_id, span):
            out.writerows(book.lines(batch))
            written += len(batch)
        ledger = await store.opening(conn, merchant_id, span.ends)
    if ledger != book.closing():
        raise UnbalancedError(
            f"{span.first} to {span.last} of merchant {merchant_id}: the day book closes with other"
            " balances than the ledger"
        )
    lines = list(book.end())
    out.writerows(lines)
    return written + len(lines)
