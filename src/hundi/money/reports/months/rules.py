"""The settlements, settled items and fees of a period, and whether they add up; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from hundi.kernel.ids import reference
from hundi.money.reports.rules import amount, cell, moment

TOTAL = "total"
MONTH_HEAD = (
    *("settlement", "day", "booked_ist", "kind", "items", "carried_in", "gross", "refunds"),
    *("disputes_and_corrections", "fees", "gst", "reserve", "linked_accounts", "carried"),
    *("paid_out", "utr"),
)
ITEMS_HEAD = (
    *("settlement", "utr", "booked_ist", "at", "entry", "order_id", "payment_id", "reference"),
    *("rrn", "gross", "fee", "gst", "net", "rule"),
)
FEES_HEAD = ("charged_for", "rule", "count", "gross", "fee", "gst")


class MonthLine(NamedTuple):
    """One settlement of a period.

    at: when it is booked, which decides the month of its fees. fees_paise, gst_paise: with the
    price of settling at once. reserve_paise: released less withheld. state: of the newest payout to
    the merchant, "" for none. utr: "" until it is paid out.
    """

    settlement_id: int
    day: date
    at: datetime
    kind: str
    items: int
    carried_in_paise: int
    gross_paise: int
    refunds_paise: int
    other_paise: int
    fees_paise: int
    gst_paise: int
    reserve_paise: int
    splits_paise: int
    carried_paise: int
    net_paise: int
    state: str
    utr: str


@dataclass(slots=True)
class MonthSums:
    """The sums of a period's settlements, in paise."""

    settlements: int = 0
    items: int = 0
    gross_paise: int = 0
    refunds_paise: int = 0
    other_paise: int = 0
    fees_paise: int = 0
    gst_paise: int = 0
    reserve_paise: int = 0
    splits_paise: int = 0
    net_paise: int = 0

    def count(self, line: MonthLine) -> None:
        """Add a settlement."""
        self.settlements += 1
        for name in ("items", "gross_paise", "refunds_paise", "other_paise", "fees_paise"):
            setattr(self, name, getattr(self, name) + getattr(line, name))
        for name in ("gst_paise", "reserve_paise", "splits_paise", "net_paise"):
            setattr(self, name, getattr(self, name) + getattr(line, name))

    def fault(self, posted: "PostedSums") -> str:
        """Return what differs from the ledger, "" if everything agrees."""
        own = PostedSums(self.fees_paise, self.gst_paise, self.net_paise + self.splits_paise)
        for name, mine, theirs in zip(PostedSums._fields, own, posted, strict=True):
            if mine != theirs:
                return f"its settlements come to {mine} as {name}, the ledger says {theirs}"
        return ""


class PostedSums(NamedTuple):
    """What settlements posted in a period: fees, tax on them, and what is due to be paid out."""

    fees_paise: int
    gst_paise: int
    due_paise: int


class SettledItem(NamedTuple):
    """One item of a settlement of a period.

    order_id, payment_id: "" and None without a payment, or if it is in the archive.
    """

    settlement_id: int
    utr: str
    booked_at: datetime
    at: datetime
    kind: str
    order_id: str
    payment_id: int | None
    cause_id: int
    rrn: str
    gross_paise: int
    fee_paise: int
    tax_paise: int
    net_paise: int
    rule: str


class FeeLine(NamedTuple):
    """The charges of a period by one rule of the price plan, or of another kind."""

    charged_for: str
    rule: str
    entries: int
    gross_paise: int
    fee_paise: int
    tax_paise: int


def signed(paise: int) -> str:
    """Return an amount for a spreadsheet, which may be below zero: `-12.00`."""
    return f"-{amount(-paise)}" if paise < 0 else amount(paise)


def month_lines(merchant_id: int, lines: Iterable[MonthLine]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of settlements."""
    for each in lines:
        yield (
            *(reference(merchant_id, each.settlement_id), each.day.isoformat(), moment(each.at)),
            *(cell(each.kind), str(each.items), signed(each.carried_in_paise)),
            *(amount(each.gross_paise), signed(each.refunds_paise), signed(each.other_paise)),
            *(amount(each.fees_paise), amount(each.gst_paise), signed(each.reserve_paise)),
            *(amount(each.splits_paise), signed(each.carried_paise), amount(each.net_paise)),
            cell(each.utr),
        )


def month_total(sums: MonthSums) -> tuple[str, ...]:
    """Return the last line; what is carried from one settlement to the next is in none of it."""
    return (
        *(TOTAL, "", "", "", str(sums.items), "", amount(sums.gross_paise)),
        *(signed(sums.refunds_paise), signed(sums.other_paise), amount(sums.fees_paise)),
        *(amount(sums.gst_paise), signed(sums.reserve_paise), amount(sums.splits_paise)),
        *("", amount(sums.net_paise), ""),
    )


class SettledItemSums:
    """Adds up settled items while they are written."""

    def __init__(self) -> None:
        """Start at zero."""
        self.gross = self.fee = self.tax = self.net = 0

    def lines(self, merchant_id: int, items: Iterable[SettledItem]) -> Iterator[tuple[str, ...]]:
        """Yield the cells of items."""
        for each in items:
            self.gross += each.gross_paise
            self.fee += each.fee_paise
            self.tax += each.tax_paise
            self.net += each.net_paise
            yield (
                *(reference(merchant_id, each.settlement_id), cell(each.utr)),
                *(moment(each.booked_at), moment(each.at), cell(each.kind), cell(each.order_id)),
                *(str(each.payment_id or ""), str(each.cause_id), cell(each.rrn)),
                *(signed(each.gross_paise), amount(each.fee_paise), amount(each.tax_paise)),
                *(signed(each.net_paise), cell(each.rule)),
            )

    def total(self) -> tuple[str, ...]:
        """Return the last line."""
        sums = (signed(self.gross), amount(self.fee), amount(self.tax), signed(self.net))
        return TOTAL, *("",) * 8, *sums, ""


def fee_lines(lines: Iterable[FeeLine]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of charges, and their total."""
    count = gross = fee = tax = 0
    for each in lines:
        count, gross = count + each.entries, gross + each.gross_paise
        fee, tax = fee + each.fee_paise, tax + each.tax_paise
        yield (
            *(each.charged_for, cell(each.rule), str(each.entries), signed(each.gross_paise)),
            *(amount(each.fee_paise), amount(each.tax_paise)),
        )
    yield TOTAL, "", str(count), signed(gross), amount(fee), amount(tax)
