"""Writes the payments of some days."""

from hundi.money.reports.actions import LineWriter
from hundi.money.reports.payments import rules, store
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import Books, snapshot


async def write_payments(db: Books, merchant_id: int, span: DaySpan, out: LineWriter) -> int:
    """Write the payments that were begun on some days; return the number of lines."""
    out.writerow(rules.HEAD)
    written = 1
    async with snapshot(db) as conn:
        async for batch in store.payments(conn, merchant_id, span):
            out.writerows(rules.cells(merchant_id, dict(row)) for row in batch)
            written += len(batch)
    return written
