"""How reports write text, amounts and times, and the lines of the books' extracts; pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from hundi.kernel.clock import INDIA, ist
from hundi.kernel.masking import masked_reference
from hundi.kernel.money import PAISE_PER_RUPEE
from hundi.money.ledger.chart import rules as chart

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The first characters by which a spreadsheet recognises a formula, and their wide forms."""
SPAN_MAX = timedelta(days=366)
"""The longest time that one extract covers."""


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Indian business days, both included."""

    first: date
    last: date

    @property
    def begins(self) -> datetime:
        """Return the moment at which the first day begins."""
        return datetime.combine(self.first, time(), INDIA)

    @property
    def ends(self) -> datetime:
        """Return the moment at which the day after the last one begins."""
        return datetime.combine(self.last + timedelta(days=1), time(), INDIA)

    def fault(self) -> str:
        """Return what is wrong with it, "" for nothing."""
        if self.last < self.first:
            return "the last day is before the first"
        return "" if self.last - self.first < SPAN_MAX else f"more than {SPAN_MAX.days} days"


class PostingExtract(NamedTuple):
    """A posting in an extract."""

    at: datetime
    kind: str
    cause_id: int
    debit: str
    credit: str
    amount_paise: int
    currency: str


class PostingSide(NamedTuple):
    """One side of a posting: the change of one account."""

    account: str
    currency: str
    at: datetime
    kind: str
    cause_id: int
    debit_paise: int
    credit_paise: int


def named(merchant_id: int, name: str) -> str:
    """Return how the title of a report names a merchant: by name and number."""
    return f"{name} ({merchant_id})"


def cell(text: str) -> str:
    """Return a text for a file: numbers of cards and persons masked, and nothing that runs.

    A spreadsheet runs a formula; what may be one gets an apostrophe in front.
    """
    text = masked_reference(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def amount(paise: int) -> str:
    """Return an amount of at least 0 for a spreadsheet: `1499.50`."""
    assert paise >= 0, "which side an amount is on is said by its column"
    whole, rest = divmod(paise, PAISE_PER_RUPEE)
    return f"{whole}.{rest:02d}"


def optional(paise: int) -> str:
    """Return an amount, "" for zero."""
    return amount(paise) if paise else ""


def moment(at: datetime) -> str:
    """Return a moment in Indian time, to the second: `2026-11-20 14:05:00`."""
    return f"{ist(at):%Y-%m-%d %H:%M:%S}"


def balance(account: str, debit_paise: int, credit_paise: int) -> tuple[str, str]:
    """Return a balance as amount and side: `Dr` or `Cr`; zero has the account's own side."""
    difference = debit_paise - credit_paise
    if difference == 0:
        return amount(0), "Dr" if chart.account_of(account).side.grows_by_debits else "Cr"
    return amount(abs(difference)), "Dr" if difference > 0 else "Cr"


LEDGER_HEAD = (
    "account",
    "currency",
    "at",
    "entry",
    "reference",
    "debit",
    "credit",
    "balance",
    "side",
)
DAY_BOOK_HEAD = (
    "at",
    "entry",
    "reference",
    "debit_account",
    "credit_account",
    "amount",
    "currency",
)
MONEY = frozenset(
    {
        *("amount", "debit", "credit", "balance", "gross", "fee", "tax", "gst", "net", "net_debit"),
        *("net_credit", "sales", "refunds", "refunded", "disputes_and_corrections", "paid_out"),
        *("fees", "price", "price_gst", "reserve", "linked_accounts", "carried", "carried_in"),
        *("tds",),
    }
)
"""The columns with amounts in rupees."""
COUNTS = frozenset({"items", "count"})
"""The columns with counts."""
OPENING, CLOSING, TOTAL = "opening balance", "closing balance", "total"


class Ledger:
    """Makes the lines of a ledger extract: each account with its balances and entries.

    opening: the earlier debits and credits, by account and currency.
    """

    def __init__(self, opening: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Start before the first account."""
        self._opening = dict(opening)
        self._account: tuple[str, str] | None = None
        self._debit = self._credit = 0

    def lines(self, sides: Iterable[PostingSide]) -> Iterator[tuple[str, ...]]:
        """Yield the lines of entries by account, currency and time; call `end` after the last."""
        for each in sides:
            if (each.account, each.currency) != self._account:
                yield from self._close()
                yield from self._skip_to((each.account, each.currency))
            self._debit += each.debit_paise
            self._credit += each.credit_paise
            yield self._line(
                moment(each.at), each.kind, str(each.cause_id), each.debit_paise, each.credit_paise
            )

    def end(self) -> Iterator[tuple[str, ...]]:
        """Yield the rest: the end of the last account, and accounts without an entry."""
        yield from self._close()
        yield from self._skip_to(None)

    def _skip_to(self, account: tuple[str, str] | None) -> Iterator[tuple[str, ...]]:
        """Yield the accounts before one that have a balance but no entry, and open that one."""
        for each in sorted(self._opening):
            if account is not None and each >= account:
                break
            yield from self._open(each)
            yield from self._close()
        if account is not None:
            yield from self._open(account)

    def _open(self, account: tuple[str, str]) -> Iterator[tuple[str, ...]]:
        self._account = account
        self._debit, self._credit = self._opening.pop(account, (0, 0))
        yield self._line("", OPENING, "", 0, 0)

    def _close(self) -> Iterator[tuple[str, ...]]:
        if self._account is not None:
            yield self._line("", CLOSING, "", 0, 0)
        self._account = None

    def _line(
        self, at: str, entry: str, reference: str, debit_paise: int, credit_paise: int
    ) -> tuple[str, ...]:
        assert self._account is not None
        account, currency = self._account
        left, side = balance(account, self._debit, self._credit)
        return (
            cell(account), cell(currency), at, cell(entry), reference, optional(debit_paise),
            optional(credit_paise), left, side,
        )  # fmt: skip


class DayBook:
    """Makes the lines of a day book: opening balances, postings by time, sums, closing balances.

    opening: the earlier debits and credits, by account and currency.
    """

    def __init__(self, opening: Mapping[tuple[str, str], tuple[int, int]]) -> None:
        """Start before the first posting."""
        self._opening = dict(opening)
        self._sums: dict[tuple[str, str], list[int]] = {}

    def begin(self) -> Iterator[tuple[str, ...]]:
        """Yield the balance of each account before the first posting."""
        for account, (debit_paise, credit_paise) in sorted(self._opening.items()):
            yield _balance_line(OPENING, account, debit_paise, credit_paise)

    def lines(self, postings: Iterable[PostingExtract]) -> Iterator[tuple[str, ...]]:
        """Yield the lines of some postings; call `end` after the last."""
        for each in postings:
            self._sums.setdefault((each.debit, each.currency), [0, 0])[0] += each.amount_paise
            self._sums.setdefault((each.credit, each.currency), [0, 0])[1] += each.amount_paise
            yield (
                moment(each.at), cell(each.kind), str(each.cause_id), cell(each.debit),
                cell(each.credit), amount(each.amount_paise), cell(each.currency),
            )  # fmt: skip

    def end(self) -> Iterator[tuple[str, ...]]:
        """Yield the debits and credits of each account, and its balance after them."""
        for (account, currency), (debit_paise, credit_paise) in sorted(self._sums.items()):
            if debit_paise:
                yield "", TOTAL, "", cell(account), "", amount(debit_paise), cell(currency)
            if credit_paise:
                yield "", TOTAL, "", "", cell(account), amount(credit_paise), cell(currency)
        for account, (debit_paise, credit_paise) in sorted(self.closing().items()):
            yield _balance_line(CLOSING, account, debit_paise, credit_paise)

    def closing(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Return all debits and credits, by account and currency."""
        closing = dict(self._opening)
        for account, (debit_paise, credit_paise) in self._sums.items():
            before = closing.get(account, (0, 0))
            closing[account] = (before[0] + debit_paise, before[1] + credit_paise)
        return closing


def _balance_line(
    entry: str, account: tuple[str, str], debit_paise: int, credit_paise: int
) -> tuple[str, ...]:
    """Return the line of a balance: the account stands on the side that its balance is on."""
    name, currency = account
    left, side = balance(name, debit_paise, credit_paise)
    sides = (cell(name), "") if side == "Dr" else ("", cell(name))
    return "", entry, "", *sides, left, cell(currency)
