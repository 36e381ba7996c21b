"""Writes the reports of a period, each compared with the ledger before its last line."""

from hundi.money.reports.actions import LineWriter, UnbalancedError
from hundi.money.reports.invoices import store as invoices
from hundi.money.reports.months import rules, store
from hundi.money.reports.months.rules import MonthLine, MonthSums, SettledItemSums
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import Books, snapshot


async def sums_of(db: Books, merchant_id: int, span: DaySpan) -> MonthSums:
    """Return the sums of a period's settlements, which are those of the ledger.

    Raises UnbalancedError.
    """
    return (await _month(db, merchant_id, span))[1]


async def write_month(db: Books, merchant_id: int, span: DaySpan, out: LineWriter) -> int:
    """Write the settlements of a period and their sums; return the number of lines.

    Raises UnbalancedError.
    """
    lines, sums = await _month(db, merchant_id, span)
    out.writerow(rules.MONTH_HEAD)
    out.writerows(rules.month_lines(merchant_id, lines))
    out.writerow(rules.month_total(sums))
    return len(lines) + 2


async def _month(db: Books, merchant_id: int, span: DaySpan) -> tuple[list[MonthLine], MonthSums]:
    """Return a period's settlements and their sums, as the ledger has them."""
    async with snapshot(db) as conn:
        lines = await store.month(conn, merchant_id, span)
        posted = await store.posted(conn, merchant_id, span)
    sums = MonthSums()
    for line in lines:
        sums.count(line)
    _check(sums.fault(posted), merchant_id, span)
    return lines, sums


async def write_items(db: Books, merchant_id: int, span: DaySpan, out: LineWriter) -> int:
    """Write each item of a period's settlements; return the number of lines.

    Raises UnbalancedError after the last item if they do not add up.
    """
    out.writerow(rules.ITEMS_HEAD)
    sums, written = SettledItemSums(), 2
    async with snapshot(db) as conn:
        async for batch in store.items(conn, merchant_id, span):
            out.writerows(sums.lines(merchant_id, batch))
            written += len(batch)
        posted = await store.posted(conn, merchant_id, span)
        prices = await invoices.prices(conn, merchant_id, span)
    differs = (sums.fee + prices.fee_paise, sums.tax + prices.tax_paise) != posted[:2]
    _check(f"its items come to {sums.fee} and {sums.tax}" if differs else "", merchant_id, span)
    out.writerow(sums.total())
    return written


async def write_fees(db: Books, merchant_id: int, span: DaySpan, out: LineWriter) -> int:
    """Write what was charged in a period, by rule; return the number of lines.

    Raises UnbalancedError.
    """
    async with snapshot(db) as conn:
        charged = await store.fees(conn, merchant_id, span)
        posted = await invoices.posted(conn, merchant_id, span)
    came = sum(each.fee_paise for each in charged), sum(each.tax_paise for each in charged)
    fault = f"charged {came[0]} and {came[1]} paise tax, posted {posted[0]} and {posted[1]}"
    _check(fault if came != posted else "", merchant_id, span)
    out.writerow(rules.FEES_HEAD)
    out.writerows(rules.fee_lines(charged))
    return len(charged) + 2


def _check(fault: str, merchant_id: int, span: DaySpan) -> None:
    if fault:
        raise UnbalancedError(
            f"{span.first} to {span.last} of merchant {merchant_id} is not printed: {fault}"
        )
