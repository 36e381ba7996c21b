"""The rows of a settlement's report, and whether they add up; pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from hundi.kernel.ids import reference
from hundi.money.reports.rules import cell, moment, optional

PRINTED_ROWS_MAX = 20_000
"""The most rows of a PDF; a larger settlement is written as CSV."""
HEAD = (
    "at", "entry", "order_id", "payment_id", "reference", "debit", "credit", "fee", "tax",
    "net_debit", "net_credit", "rule", "plan_no",
)  # fmt: skip
SALES = ("payment", "capture", "review_released")
REFUNDS = ("late_refund_due", "refund_begun", "refund_failed", "refund_reversed")


class Row(NamedTuple):
    """One item of a settlement.

    order_id, payment_id: "" and None without a payment, or if it is in the archive.
    """

    cause_id: int
    kind: str
    at: datetime
    gross_paise: int
    fee_paise: int
    tax_paise: int
    net_paise: int
    rule: str
    plan_no: int
    order_id: str
    payment_id: int | None


class SettledShare(NamedTuple):
    """One beneficiary's share. utr: "" until it is paid out."""

    beneficiary: str
    amount_paise: int
    utr: str = ""


@dataclass(frozen=True, slots=True)
class SettlementExtract:
    """A settlement in the books, in paise."""

    merchant_id: int
    settlement_id: int
    day: date
    kind: str
    items: int
    carried_in_paise: int
    gross_paise: int
    refunds_paise: int
    other_paise: int
    fee_paise: int
    tax_paise: int
    price_paise: int
    price_tax_paise: int
    reserve_held_paise: int
    reserve_released_paise: int
    net_paise: int
    splits_paise: int
    carried_paise: int


class SettlementSums:
    """Adds up rows while they are written."""

    def __init__(self) -> None:
        """Start at zero."""
        self.items = self.gross = self.refunds = self.other = self.fee = self.tax = 0

    def count(self, row: Row) -> None:
        """Add a row."""
        self.items += 1
        if row.kind in SALES:
            self.gross += row.gross_paise
        elif row.kind in REFUNDS:
            self.refunds -= row.gross_paise
        else:
            self.other += row.gross_paise
        self.fee += row.fee_paise
        self.tax += row.tax_paise

    def fault(self, extract: SettlementExtract, shares: Iterable[SettledShare]) -> str:
        """Return what does not add up, "" if everything does."""
        own = {"items": self.items, "gross_paise": self.gross, "refunds_paise": self.refunds,
               "other_paise": self.other, "fee_paise": self.fee, "tax_paise": self.tax}  # fmt: skip
        for name, value in own.items():
            total = getattr(extract, name)
            if value != total:
                return f"its rows come to {value} as {name}, the settlement says {total}"
        shares_paise = sum(each.amount_paise for each in shares)
        if shares_paise != extract.net_paise + extract.splits_paise:
            return (
                f"its shares come to {shares_paise} paise, the settlement says"
                f" {extract.net_paise + extract.splits_paise}"
            )
        came = (
            self.gross - self.refunds + self.other - self.fee - self.tax + extract.carried_in_paise
        )
        came += (
            extract.reserve_released_paise
            - extract.reserve_held_paise
            - extract.price_paise
            - extract.price_tax_paise
        )
        if came != shares_paise + extract.carried_paise:
            return (
                f"its rows come to {came} paise, its shares and what is carried to"
                f" {shares_paise + extract.carried_paise}"
            )
        return ""


@dataclass(frozen=True, slots=True)
class SettlementReport:
    """A settlement with its rows, which add up."""

    told: SettlementExtract
    shares: tuple[SettledShare, ...]
    rows: tuple[Row, ...]

    @property
    def reference(self) -> str:
        """Return the settlement's reference."""
        return reference(self.told.merchant_id, self.told.settlement_id)

    @property
    def merchant_id(self) -> int:
        """Return the merchant's id."""
        return self.told.merchant_id

    @property
    def day(self) -> date:
        """Return the settled day."""
        return self.told.day

    @property
    def kind(self) -> str:
        """Return the kind of settlement."""
        return self.told.kind

    @property
    def sums(self) -> tuple[tuple[str, int], ...]:
        """Return the sums of the settlement, line by line, in paise."""
        return sums_of(self.told)


def sums_of(extract: SettlementExtract) -> tuple[tuple[str, int], ...]:
    """Return the sums of a settlement, line by line, in paise; deductions are below zero."""
    return (
        ("carried from before", extract.carried_in_paise),
        ("payments", extract.gross_paise),
        ("refunds", -extract.refunds_paise),
        ("disputes and corrections", extract.other_paise),
        ("fees", -extract.fee_paise),
        ("GST on fees", -extract.tax_paise),
        ("price of settling at once", -extract.price_paise),
        ("GST on that price", -extract.price_tax_paise),
        ("reserve withheld", -extract.reserve_held_paise),
        ("reserve released", extract.reserve_released_paise),
        ("paid out to the merchant", extract.net_paise),
        ("paid out to linked accounts", extract.splits_paise),
        ("carried to the next", extract.carried_paise),
    )


def lines(rows: Iterable[Row], sums: SettlementSums) -> Iterator[tuple[str, ...]]:
    """Yield the lines of rows, and add the rows up."""
    for row in rows:
        sums.count(row)
        yield (
            moment(row.at), cell(row.kind), cell(row.order_id), str(row.payment_id or ""),
            str(row.cause_id), *_sides(row.gross_paise), optional(row.fee_paise),
            optional(row.tax_paise), *_sides(row.net_paise), cell(row.rule), str(row.plan_no),
        )  # fmt: skip


def totals(extract: SettlementExtract, shares: Iterable[SettledShare]) -> Iterator[tuple[str, ...]]:
    """Yield the last lines: the sums of the settlement, and its shares."""
    for text, paise in sums_of(extract):
        if paise:
            yield _total(text, "", paise)
    for each in shares:
        yield _total(f"share of {each.beneficiary}", each.utr, each.amount_paise)


def _total(text: str, mark: str, paise: int) -> tuple[str, ...]:
    return "", cell(text), "", "", cell(mark), "", "", "", "", *_sides(paise), "", ""


def _sides(paise: int) -> tuple[str, str]:
    """Return an amount as debit and credit on the merchant's account."""
    return optional(max(-paise, 0)), optional(max(paise, 0))
