"""Writes a report over all merchants: at one moment, and compared with the whole ledger."""

from collections.abc import Awaitable, Callable, Iterable

from hundi.infra.postgres.database import Connection, Database
from hundi.money.reports.across import rules, store
from hundi.money.reports.across.rules import MerchantName, MerchantTotals, Row
from hundi.money.reports.actions import LineWriter, UnbalancedError
from hundi.money.reports.rules import DaySpan
from hundi.money.reports.store import Books, snapshot

Writer = Callable[[Books, int, DaySpan, LineWriter], Awaitable[int]]
"""Writes one merchant's own report."""
Compare = Callable[[Connection, DaySpan, MerchantTotals], Awaitable[str]]
"""Returns how the sums differ from the whole ledger, "" if they agree."""


class _MerchantLines:
    """Takes the lines of one merchant's report, and passes them on with the merchant before them.

    Lines that only tell sums wait for one that tells more: a merchant without any is left out.
    """

    def __init__(self, merchant: MerchantName, report: "_WholeReport") -> None:
        self._merchant, self._report = merchant, report
        self._head: Row | None = None
        self._held: list[Row] | None = []

    def writerow(self, row: Row, /) -> None:
        self.writerows([row])

    def writerows(self, rows: Iterable[Row], /) -> None:
        """Take some lines; the first one has the columns."""
        for row in rows:
            if self._head is None:
                self._head = row
                self._report.begin(row)
            elif self._held is not None and (rules.is_total(row) or not row[0]):
                self._held.append(row)
            else:
                self._release()
                self._report.write(self._merchant, row)

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for row in held:
            self._report.write(self._merchant, row)

    def close(self) -> None:
        """Pass on what still waits, unless it has no amount but zero."""
        if self._held and self._head and not rules.is_empty(self._head, self._held):
            self._release()


class _WholeReport:
    """The report over all merchants, while it is written."""

    def __init__(self, out: LineWriter) -> None:
        self._out = out
        self.totals: MerchantTotals | None = None
        """Of live and sandbox merchants together, as the ledger is."""
        self._head: Row = ()
        self._by_mode: dict[str, MerchantTotals] = {}
        self.written = 0

    def begin(self, head: Row) -> None:
        """Write the columns, once."""
        if self.totals is None:
            self._head, self.totals = head, MerchantTotals(head)
            self._line((*rules.HEAD, *head))

    def write(self, merchant: MerchantName, row: Row) -> None:
        """Write one line of a merchant's own report."""
        assert self.totals is not None, "the columns come first"
        if rules.is_total(row):
            self.totals.count(row)
            self._by_mode.setdefault(merchant.mode, MerchantTotals(self._head)).count(row)
        self._line((*merchant.cells, *row))

    def end(self) -> None:
        """Write the sums: of live merchants, then of sandbox ones, which are no money."""
        for mode, totals in self._by_mode.items():
            for row in totals.lines():
                self._line(("", mode, rules.ALL, *row))

    def _line(self, row: Row) -> None:
        self.written += 1
        self._out.writerow(row)


async def write_across(
    db: Database, writer: Writer, span: DaySpan, out: LineWriter, compare: Compare
) -> int:
    """Write a report of every merchant with anything in it, and their sums; return the lines.

    Raises UnbalancedError after the last merchant if the sums are not the whole ledger's, and
    whatever a merchant's own report raises.
    """
    report = _WholeReport(out)
    async with snapshot(db) as conn:
        for merchant in await store.merchants(conn):
            lines = _MerchantLines(merchant, report)
            await writer(conn, merchant.merchant_id, span, lines)
            lines.close()
        fault = await compare(conn, span, report.totals) if report.totals else ""
    if fault:
        raise UnbalancedError(
            f"{span.first} to {span.last} of all merchants is not printed: {fault}"
        )
    report.end()
    return report.written


async def settled_fault(conn: Connection, span: DaySpan, totals: MerchantTotals) -> str:
    """Compare settlements with what the whole ledger says was charged and is to be paid out."""
    posted = await store.settled(conn, span)
    came = (
        totals.sum_of("fees"),
        totals.sum_of("gst"),
        totals.sum_of("paid_out", "linked_accounts"),
    )
    return "" if came == posted else _differs(came, posted)


async def charged_fault(conn: Connection, span: DaySpan, totals: MerchantTotals) -> str:
    """Compare fees and tax with those that were posted."""
    posted = await store.charged(conn, span)
    came = totals.sum_of("fee"), totals.sum_of("gst")
    return "" if came == posted else _differs(came, posted)


async def balances_fault(conn: Connection, span: DaySpan, totals: MerchantTotals) -> str:
    """Compare closing balances with those of the whole ledger."""
    ledger, came = await store.balances(conn, span), totals.closing()
    differing = sorted(key for key in {*ledger, *came} if ledger.get(key, 0) != came.get(key, 0))
    if not differing:
        return ""
    first = differing[0]
    return f"{first[0]} in {first[1]}: {_differs(came.get(first, 0), ledger.get(first, 0))}"


def _differs(came: object, posted: object) -> str:
    return f"the merchants' own reports come to {came} paise, the ledger says {posted}"
