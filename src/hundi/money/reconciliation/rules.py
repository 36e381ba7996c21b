"""The lines of statements and their checks, and the terms of acquirers; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from hundi.kernel.ids import NO_MERCHANT, parse_reference, parse_refund_reference
from hundi.kernel.masking import masked, masked_reference
from hundi.kernel.records import replace
from hundi.money.ledger.chart import rules as chart

CURRENCY = "INR"
LINE_IDS_FROM = 500_000_000_000_000
"""The first number of a line; ids of payments and refunds do not reach it before the year 2035."""
LINES_MAX = 5_000_000
AMOUNT_MAX = 10**15
LINES_AT_ONCE = 10_000
"""Lines that are read before they are written, which bounds an import's memory."""
TEXT_MAX = 140
_AMOUNT = re.compile(r"[0-9]{1,13}(?:[.,]([0-9]{0,2}))?\Z")


class LineKind(StrEnum):
    """What happened, according to a line."""

    PAYMENT = "payment"
    """Money of a payment or a capture."""
    REFUND = "refund"
    """Money that went back to a customer."""
    CHARGEBACK = "chargeback"
    """Money that a customer's bank took back in a dispute."""
    HANDOVER = "handover"
    """A transfer of the acquirer to our bank account, or back."""
    OTHER = "other"
    """Anything else: an adjustment, a charge of the bank, a payout."""


class MatchClass(StrEnum):
    """The result of comparing a line, or of a payment without a line."""

    MATCHED = "matched"
    """Line, payment and amounts agree."""
    LATE = "late"
    """Line, payment and amounts agree, but the line came on a later day's statement."""
    FEE_DIFFERS = "fee_differs"
    """The amounts agree, and the fee differs from the acquirer's terms."""
    AMOUNT_DIFFERS = "amount_differs"
    """The line has another amount than our payment or refund."""
    DUPLICATE = "duplicate"
    """Another line has the same payment or refund already."""
    MISSING_HERE = "missing_here"
    """A line without a payment or refund of ours."""
    MISSING_THERE = "missing_there"
    """A payment or refund of ours that no statement had in time."""


class StatementError(Exception):
    """A whole statement is refused; the text names the line and what is wrong.

    The text repeats the file, so numbers of cards and people in it are masked.
    """

    def __init__(self, what: str) -> None:
        """Store the masked text."""
        super().__init__(masked(what))


def wrong(place: int, what: str) -> StatementError:
    """Return the error for a line of a file. place: its number, 0 for the file's head or end."""
    return StatementError(f"line {place:,}: {what}" if place else what)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a statement, in paise.

    place: its number in the file. gross: before the acquirer's fee. net: the change of the balance.
    utr: the transfer that hands it over. day: its booking day.
    """

    place: int
    kind: LineKind
    is_credit: bool
    gross_paise: int
    fee_paise: int
    net_paise: int
    reference: str
    rrn: str
    utr: str
    day: date


@dataclass(slots=True)
class Controls:
    """The totals that a statement gives (None for a missing one), and those of its lines."""

    account: str = ""
    statement: str = ""
    currency: str = CURRENCY
    opening_paise: int | None = None
    closing_paise: int | None = None
    stated_lines: int | None = None
    stated_paise: int | None = None
    lines: int = 0
    net_paise: int = 0
    first_day: date | None = None
    last_day: date | None = None
    today: date = field(default=date.max)

    def add(self, line: Line) -> None:
        """Count a line. Raises StatementError if the line contradicts itself."""
        self.lines += 1
        if self.lines > LINES_MAX:
            raise wrong(line.place, f"a statement has at most {LINES_MAX:,} lines")
        fee = line.fee_paise if line.is_credit else -line.fee_paise
        if line.gross_paise != line.net_paise + fee or line.gross_paise <= 0 or line.fee_paise < 0:
            raise wrong(
                line.place,
                (
                    f"{line.gross_paise} paise with a fee of {line.fee_paise} are not"
                    f" {line.net_paise} paise"
                ),
            )
        self.net_paise += line.net_paise if line.is_credit else -line.net_paise
        if line.day is not self.last_day:
            self.cover(line.day, line.place)

    def cover(self, day: date, place: int = 0) -> None:
        """Count a day as covered. Raises StatementError for a day in the future."""
        if day > self.today:
            raise wrong(place, f"it is of {day}, which is in the future")
        self.first_day = day if self.first_day is None else min(day, self.first_day)
        self.last_day = day if self.last_day is None else max(day, self.last_day)

    def check(self) -> None:
        """Raise StatementError unless lines and balances agree with the statement's totals."""
        if self.currency != CURRENCY:
            raise wrong(
                0, f"the statement is in {self.currency}, and accounts here are in {CURRENCY}"
            )
        if self.stated_lines is not None and self.stated_lines != self.lines:
            raise wrong(
                0,
                (
                    f"the statement says it has {self.stated_lines:,} lines, and {self.lines:,}"
                    " are there"
                ),
            )
        if self.stated_paise is not None and self.stated_paise != self.net_paise:
            raise wrong(
                0,
                f"the lines should come to {self.stated_paise} paise, and come to {self.net_paise}",
            )
        if (self.opening_paise is None) != (self.closing_paise is None):
            raise wrong(0, "the statement has only one of its two balances: it is cut off")
        if (
            self.opening_paise is not None
            and self.opening_paise + self.net_paise != self.closing_paise
        ):
            raise wrong(
                0,
                f"the opening balance of {self.opening_paise} paise and lines of {self.net_paise}"
                " are not the closing "
                f"balance of {self.closing_paise}",
            )


def paise_of(text: str, place: int) -> int:
    """Return an amount of rupees such as `499.00` or `499,00` in paise. Raises StatementError."""
    match = _AMOUNT.match(text)
    if match is None:
        raise wrong(place, f"{text[:40]!r} is no amount")
    whole = text[: match.start(1) - 1] if match[1] is not None else text
    return int(whole) * 100 + int(((match[1] or "") + "00")[:2])


def day_of(text: str, place: int) -> date:
    """Return the day at the start of a text such as `2026-11-22T10:00`. Raises StatementError."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise wrong(place, f"{text[:40]!r} is no day") from None


def short(text: str, place: int, what: str) -> str:
    """Return a line's text stripped, with card numbers masked unless it is a reference.

    Raises StatementError if it is too long or has unprintable characters.
    """
    return masked_reference(exact(text, place, what).strip())


def exact(text: str, place: int, what: str) -> str:
    """Return a statement's text as it is, such as an account number that is compared.

    Raises StatementError if it is too long or has unprintable characters.
    """
    if len(text) > TEXT_MAX or not text.isprintable():
        raise wrong(
            place, f"its {what} has {len(text)} characters; {TEXT_MAX} printable ones are allowed"
        )
    return text


def cause_of(reference: str) -> tuple[LineKind, int, int] | None:
    """Return kind, merchant and attempt or refund of a reference of ours; None for any other text.

    A line about a dispute has the reference of the disputed payment. What an operator's
    certification of the account moved is in nobody's books.
    """
    if (ids := parse_reference(reference)) and ids[0] != NO_MERCHANT:
        return LineKind.PAYMENT, *ids
    if (ids := parse_refund_reference(reference)) and ids[0] != NO_MERCHANT:
        return LineKind.REFUND, *ids
    return None


class FeeTerm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The acquirer's fee for one method.

    method: as attempts name it, or `refund`. bps: hundredths of a per cent of the amount. tax_bps:
    GST on the fee.
    """

    method: str
    bps: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0
    fixed_paise: Annotated[int, msgspec.Meta(ge=0, le=AMOUNT_MAX)] = 0
    tax_bps: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0

    def fee_paise(self, gross_paise: int) -> int:
        """Return the fee of an amount with its tax, each rounded half up, at most the amount."""
        fee = (gross_paise * self.bps + 5_000) // 10_000 + self.fixed_paise
        return min(fee + (fee * self.tax_bps + 5_000) // 10_000, gross_paise)


class CsvMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a CSV file is read: the heading of the column for each field of a line.

    kinds: from the words of the column `kind` to ours; a missing word is `other`. signs: words of
    the column `sign`; without that column a refund and a hand-over are debits. A bank with one
    column for each direction has `debit` and `credit` in place of `net`; one of them is empty or
    zero in each row. trailer: the first column of a last row that has the count and the sum in the
    named columns.
    """

    columns: Mapping[str, str]
    kinds: Mapping[str, LineKind] = {}
    signs: Mapping[str, Literal["credit", "debit"]] = {}
    delimiter: Annotated[str, msgspec.Meta(min_length=1, max_length=1)] = ","
    day_format: str = "%Y-%m-%d"
    amounts_in: Literal["rupees", "paise"] = "rupees"
    trailer: str = ""
    trailer_count: str = ""
    trailer_sum: str = ""


class AcquirerTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an acquirer agreed on: its account, its fees, and when a payment is on a statement.

    late_after_days: a line on a later statement is late. missing_after_days: after so many days of
    statements without it, a payment is missing there.
    """

    account: str = ""
    fees: tuple[FeeTerm, ...] = ()
    late_after_days: Annotated[int, msgspec.Meta(ge=0, le=30)] = 0
    missing_after_days: Annotated[int, msgspec.Meta(ge=0, le=60)] = 1
    csv: CsvMapping | None = None


OUR_ACCOUNT = ""
"""The connector of our own bank account's statements."""
_SIDES = {"debit", "credit"}
_NEEDED_COLUMNS = ("kind", "reference", "net", "day")
_NEEDED_OF_OURS = ("utr", "net", "day")
COLUMNS = {*_NEEDED_COLUMNS, *_SIDES, "gross", "fee", "rrn", "utr", "account", "currency", "sign"}


def terms_of(document: bytes, connector: str) -> AcquirerTerms:
    """Return the terms in a TOML document of an acquirer or OUR_ACCOUNT. Raises StatementError."""
    try:
        terms = msgspec.toml.decode(document, type=AcquirerTerms)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        message = f"these are no terms: {error}"
        raise StatementError(message) from None
    if terms.csv is not None:
        check_mapping(terms.csv, connector)
        columns = terms.csv.columns
        if connector == OUR_ACCOUNT and not terms.account and "account" not in columns:
            message = "the lines of our account need its number: account, or a column of it"
            raise StatementError(message)
    return terms


def check_mapping(mapping: CsvMapping, connector: str) -> None:
    """Raise StatementError for a mapping by which no file can be read."""
    columns = mapping.columns.keys()
    has = columns | {"net"} if columns >= _SIDES else columns - _SIDES
    needed = _NEEDED_OF_OURS if connector == OUR_ACCOUNT else _NEEDED_COLUMNS
    missing = [each for each in needed if each not in has]
    unknown = [each for each in columns if each not in COLUMNS]
    if missing or unknown:
        message = (
            f"csv.columns: missing {', '.join(missing) or 'none'}; unknown"
            f" {', '.join(unknown) or 'none'}"
        )
        raise StatementError(message)
    day = date(2026, 11, 30)
    try:
        read = datetime.strptime(day.strftime(mapping.day_format), mapping.day_format).date()  # noqa: DTZ007 (a day has no zone)
    except (ValueError, re.error):
        read = None
    if read != day:
        message = f"day_format: {mapping.day_format!r} names no day; allowed: such as %Y-%m-%d"
        raise StatementError(message)


def kept_terms_of(document: bytes, connector: str) -> AcquirerTerms:
    """Return terms to store: numbers of cards and people are masked, but not the own account's.

    Raises StatementError.
    """
    account = terms_of(document, connector).account
    return replace(terms_of(masked(document.decode()).encode(), connector), account=account)


def accounts_for(kind: MatchClass, connector: str, *, is_credit: bool) -> tuple[str, str]:
    """Return debit and credit of a proposal; money received counts as the acquirer's payment."""
    receivable = chart.receivable_from(connector)
    if kind is MatchClass.FEE_DIFFERS:
        # A fee kept of money that came in, or charged on top of a refund: the acquirer has it
        # either way.
        return chart.ACQUIRER_COST.code, receivable
    return (chart.ESCROW.code, receivable) if is_credit else (receivable, chart.ESCROW.code)
