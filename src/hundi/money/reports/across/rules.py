"""The lines of a report over all merchants, and the sums of the merchants' own totals; pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hundi.kernel.money import PAISE_PER_RUPEE
from hundi.money.reports.months.rules import signed
from hundi.money.reports.rules import CLOSING, COUNTS, MONEY, OPENING, TOTAL, balance, cell
from hundi.money.reports.tds.rules import FEES, NOT_OVER, SALES

HEAD = ("merchant_id", "mode", "merchant")
"""The columns before those of the merchants' own report."""
ALL = "all merchants"
"""The name in the lines of the sums."""
_TOTALS = frozenset({TOTAL, OPENING, CLOSING, FEES, SALES})
"""The entries that tell what others come to; their lines have no moment before them."""
_BALANCES = frozenset({OPENING, CLOSING})
Row = Sequence[str]
AccountKey = tuple[str, str]
"""An account and a currency."""


class MerchantName(NamedTuple):
    """A merchant, in the order of a report. mode: live or sandbox."""

    merchant_id: int
    mode: str
    name: str

    @property
    def cells(self) -> tuple[str, str, str]:
        """Return the cells before the merchant's own line."""
        return str(self.merchant_id), self.mode, cell(self.name)


def is_total(row: Row) -> bool:
    """Return whether a line tells what other lines come to."""
    return row[0] == TOTAL or (not row[0] and (row[1] in _TOTALS or row[1].startswith(NOT_OVER)))


def paise_of(text: str) -> int:
    """Return the amount of a cell such as `-1499.50`, 0 for an empty one."""
    if not text:
        return 0
    whole, _, rest = text.removeprefix("-").partition(".")
    paise = int(whole) * PAISE_PER_RUPEE + int(rest)
    return -paise if text.startswith("-") else paise


class MerchantTotals:
    """Adds up the totals of merchants' own reports: each line by what it is of.

    The balances of an account are netted, because merchants may have them on both sides.
    """

    def __init__(self, head: Row) -> None:
        """Start at zero. head: the columns of the merchants' own report."""
        self._head = tuple(head)
        self._numbers = [name in MONEY or name in COUNTS for name in self._head]
        self._sums: dict[tuple[str, ...], list[int | None]] = {}
        self._balances: dict[str, dict[AccountKey, int]] = {}

    def count(self, row: Row) -> None:
        """Add a line that is a total of one merchant."""
        if row[1] in _BALANCES:
            named = dict(zip(self._head, row, strict=True))
            account = (named["debit_account"] or named["credit_account"], named["currency"])
            paise = paise_of(named["amount"])
            netted = self._balances.setdefault(row[1], {})
            before = netted.get(account, 0)
            netted[account] = before + (paise if named["debit_account"] else -paise)
            return
        key = tuple("" if is_number else text for is_number, text in self._columns(row))
        sums = self._sums.setdefault(key, [None] * len(self._head))
        for place, (name, text) in enumerate(zip(self._head, row, strict=True)):
            if self._numbers[place] and text:
                number = paise_of(text) if name in MONEY else int(text)
                sums[place] = (sums[place] or 0) + number

    def _columns(self, row: Row) -> Iterator[tuple[bool, str]]:
        return zip(self._numbers, row, strict=True)

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Yield the sums over all merchants, in the columns of their own report."""
        yield from self._balance_lines(OPENING)
        for key, sums in self._sums.items():
            yield tuple(
                text if not is_number else _number(self._head[place], sums[place])
                for place, (is_number, text) in enumerate(self._columns(key))
            )
        yield from self._balance_lines(CLOSING)

    def _balance_lines(self, entry: str) -> Iterator[tuple[str, ...]]:
        for (account, currency), paise in sorted(self._balances.get(entry, {}).items()):
            left, side = balance(account, max(paise, 0), max(-paise, 0))
            sides = (account, "") if side == "Dr" else ("", account)
            yield "", entry, "", *sides, left, currency

    def sum_of(self, *columns: str) -> int:
        """Return the sum of the first total's columns, in paise."""
        none: list[int | None] = [None] * len(self._head)
        sums = next((sums for key, sums in self._sums.items() if TOTAL in key[:2]), none)
        return sum(sums[self._head.index(name)] or 0 for name in columns)

    def closing(self) -> Mapping[AccountKey, int]:
        """Return the closing balance of each account, debits less credits, but those of zero."""
        return {key: paise for key, paise in self._balances.get(CLOSING, {}).items() if paise}


def is_empty(head: Row, rows: Iterable[Row]) -> bool:
    """Return whether lines have no amount but zero: their merchant had nothing in these days."""
    return not any(
        paise_of(text)
        for row in rows
        for name, text in zip(head, row, strict=True)
        if name in MONEY
    )


def _number(name: str, number: int | None) -> str:
    if number is None:
        return ""
    return signed(number) if name in MONEY else str(number)
