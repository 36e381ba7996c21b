"""Writes the report on tax at source, if its lines agree with books and invoices."""

from datetime import date

from hundi.money.reports.actions import LineWriter, UnbalancedError
from hundi.money.reports.invoices import store as invoices
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import Books, snapshot
from hundi.money.reports.tds import rules, store
from hundi.money.reports.tds.rules import MonthInvoice, TdsSums


async def write_tds(
    db: Books, merchant_id: int, span: DaySpan, out: LineWriter, today: date
) -> int:
    """Write a merchant's fees and sales of a quarter; return the number of lines.

    A quarter that is not over is written up to today, and the report says so. Raises
    UnbalancedError after the last line if the lines do not add up.
    """
    sums, written = TdsSums(), 1
    out.writerow(rules.HEAD)
    async with snapshot(db) as conn:
        async for batch in store.lines(conn, merchant_id, span):
            for line in batch:
                sums.count(line)
            out.writerows(rules.line_of(merchant_id, line) for line in batch)
            written += len(batch)
        posted = await invoices.posted(conn, merchant_id, span)
        issued = [
            MonthInvoice(each.month, each.number, each.charges.fee_paise, each.charges.tax_paise)
            for each in await invoices.invoices_of(conn, merchant_id)
            if span.first <= each.month <= span.last
        ]
    if fault := sums.fault(posted, issued):
        raise UnbalancedError(
            f"{span.first} to {span.last} of merchant {merchant_id} is not printed: {fault}"
        )
    last = list(rules.totals(sums, issued, span, today))
    out.writerows(last)
    return written + len(last)
