"""Fees and sales of a quarter with the sections on tax at source; pure.

Whether tax is to be deducted is for an accountant to decide: docs/reports.md#tds.
"""

from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from hundi.kernel.clock import ist
from hundi.kernel.ids import reference
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.rules import DaySpan, cell, moment, optional

MONTHS_OF_QUARTER = 3
HEAD = ("at", "entry", "reference", "sales", "refunds", "fee", "gst", "section", "rate_percent")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of law that may require a deduction.

    percent: as the law writes it. source: where the law says so.
    """

    about: str
    name: str
    percent: str
    since: date
    source: str


NOT_OVER = "not over yet: as of"
FEES, SALES = "commission or brokerage", "sales through an e-commerce operator"
SECTIONS = (
    Section(FEES, "194H of 1961", "2", date(2024, 10, 1), "Finance (No. 2) Act 2024, section 57"),
    Section(
        SALES,
        "194-O of 1961",
        "0.1",
        date(2024, 10, 1),
        "Finance (No. 2) Act 2024, clause 61 of the Bill",
    ),
    Section(
        FEES,
        "393(1) Sl. 1(ii) of 2025",
        "2",
        date(2026, 4, 1),
        "Income-tax Act 2025, section 393(1), table",
    ),
    Section(
        SALES,
        "393(1) Sl. 8(v) of 2025",
        "0.1",
        date(2026, 4, 1),
        "Income-tax Act 2025, section 393(1), table",
    ),
)
"""The newest last; the rates are for a deductee with a PAN."""
KNOWN_SINCE = min(each.since for each in SECTIONS)


class TdsLine(NamedTuple):
    """One settled or charged item. number: of its settlement, or of the dispute's phase."""

    at: datetime
    entry: str
    number: int
    sales_paise: int
    refunds_paise: int
    fee_paise: int
    tax_paise: int


class MonthInvoice(NamedTuple):
    """An invoice for the fees of one month."""

    month: date
    number: str
    fee_paise: int
    tax_paise: int


class TdsSums:
    """Adds up lines while they are written, and by month as invoices do."""

    def __init__(self) -> None:
        """Start at zero."""
        self.sales = self.refunds = self.fee = self.tax = 0
        self.months: dict[date, tuple[int, int]] = {}

    def count(self, line: TdsLine) -> None:
        """Add a line."""
        self.sales += line.sales_paise
        self.refunds += line.refunds_paise
        self.fee += line.fee_paise
        self.tax += line.tax_paise
        month = ist(line.at).date().replace(day=1)
        fee, tax = self.months.get(month, (0, 0))
        self.months[month] = fee + line.fee_paise, tax + line.tax_paise

    def fault(self, posted: tuple[int, int], invoices: Iterable[MonthInvoice]) -> str:
        """Return what does not add up, "" if everything does.

        posted: fee and tax of the quarter in the books.
        """
        if (self.fee, self.tax) != posted:
            return (
                f"its lines come to {self.fee} and {self.tax} paise tax, the books say {posted[0]}"
                f" and {posted[1]}"
            )
        for each in invoices:
            came = self.months.get(each.month, (0, 0))
            if came != (each.fee_paise, each.tax_paise):
                return (
                    f"{each.month:%Y-%m} comes to {came[0]} and {came[1]} paise tax, its invoice"
                    " says otherwise"
                )
        return ""


def quarter(text: str, today: date) -> DaySpan:
    """Return the days of a financial quarter such as `2026-27-Q3`: October to December 2026.

    Raises Refused (FIELD_INVALID) for a quarter that has not begun, or is before the known
    sections.
    """
    year, _, rest = text.partition("-")
    following, _, number = rest.partition("-Q")
    is_quarter = len(year) == len("2026") and year.isdecimal() and number in {"1", "2", "3", "4"}
    if not is_quarter or following != f"{(int(year) + 1) % 100:02d}":
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="quarter",
            received=text[:16],
            allowed="one such as 2026-27-Q3",
        )
    months = 3 + (int(number) - 1) * MONTHS_OF_QUARTER
    first = date(int(year) + months // 12, months % 12 + 1, 1)
    last_month = first.replace(month=first.month + MONTHS_OF_QUARTER - 1)
    span = DaySpan(first, last_month.replace(day=monthrange(last_month.year, last_month.month)[1]))
    if span.first > today or span.first < KNOWN_SINCE:
        allowed = f"one that has begun, since {KNOWN_SINCE}"
        raise refuse(RefusalCode.FIELD_INVALID, field="quarter", received=text, allowed=allowed)
    return span


def section_of(about: str, day: date) -> Section:
    """Return the section in force on a day."""
    return [each for each in SECTIONS if each.about == about and each.since <= day][-1]


def line_of(merchant_id: int, line: TdsLine) -> tuple[str, ...]:
    """Return the cells of a line."""
    heads = moment(line.at), cell(line.entry), reference(merchant_id, line.number)
    return (
        *heads,
        *_amounts(line.sales_paise, line.refunds_paise, line.fee_paise, line.tax_paise),
        "",
        "",
    )


def is_over(span: DaySpan, today: date) -> bool:
    """Return whether a quarter is over."""
    return span.last < today


def totals(
    sums: TdsSums, invoices: Iterable[MonthInvoice], span: DaySpan, today: date
) -> Iterator[tuple[str, ...]]:
    """Yield the last lines: invoices, the quarter's totals, and the section in force."""
    if not is_over(span, today):
        # Tax is paid monthly, so the report is also read before the quarter ends; its sums are then
        # not final.
        yield "", f"{NOT_OVER} {today}", *[""] * (len(HEAD) - 2)
    for each in invoices:
        heads = "", f"invoice of {each.month:%Y-%m}", each.number
        yield *heads, *_amounts(0, 0, each.fee_paise, each.tax_paise), "", ""
    yield "", "total", "", *_amounts(sums.sales, sums.refunds, sums.fee, sums.tax), "", ""
    for about, sales, fee in ((FEES, 0, sums.fee), (SALES, sums.sales, 0)):
        section = section_of(about, span.first)
        yield "", about, "", *_amounts(sales, 0, fee, 0), section.name, section.percent


def _amounts(sales: int, refunds: int, fee: int, tax: int) -> tuple[str, str, str, str]:
    """Return amounts as text; refunds are below zero if more failed than began."""
    given_back = f"-{optional(-refunds)}" if refunds < 0 else optional(refunds)
    return optional(sales), given_back, optional(fee), optional(tax)
