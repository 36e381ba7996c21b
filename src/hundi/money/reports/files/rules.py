"""Reports as files: their kinds, forms and periods, and how long they are kept; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.letters.rules import ATTACHMENT_KEPT_FOR
from hundi.money.reports.invoices.rules import month_of
from hundi.money.reports.rules import DaySpan, named
from hundi.money.reports.tds.rules import KNOWN_SINCE

KEPT = ATTACHMENT_KEPT_FOR
"""How long a file is kept: made again from the books, it has the same lines."""
LEASE = timedelta(minutes=15)
"""How long a worker may take for a file; the file of a killed worker is made again after it."""
TRIES_MAX = 3
WAITING_MAX = 20
"""The most files of one merchant that wait to be made."""
PART_BYTES = 512 * 1024
FILE_BYTES_MAX = 512 * 1024 * 1024
PROBLEM_LENGTH_MAX = 300


class ReportKind(StrEnum):
    """What a report is about."""

    MONTH = "month"
    """The settlements of some days, and their sums."""
    ITEMS = "items"
    """Each settled payment, refund and dispute, with its fee and its settlement."""
    FEES = "fees"
    """What was charged, by rule of the price plan, with GST."""
    INVOICE = "invoice"
    """The GST invoice for the fees of a month that is over."""
    TDS = "tds"
    """Sales and fees with the sections on tax deducted at source."""
    DAY_BOOK = "day_book"
    """Each posting by time, with opening and closing balances."""
    LEDGER = "ledger"
    """Each account with its opening balance, its entries and its closing balance."""
    PAYMENTS = "payments"
    """Each payment with its RRN, fee and settlement; phone and e-mail masked."""
    SETTLEMENT = "settlement"
    """One settlement with its items."""


class ReportFormat(StrEnum):
    """How a report is written."""

    CSV = "csv"
    XLSX = "xlsx"
    PDF = "pdf"


class FileState(StrEnum):
    """Where a file is."""

    WAITING = "waiting"
    """The worker makes it."""
    MADE = "made"
    """It can be fetched."""
    FAILED = "failed"
    """It was not made; the problem says why."""
    EXPIRED = "expired"
    """It was made and is not kept any more."""


@dataclass(frozen=True, slots=True)
class KindFacts:
    """What people read about a kind of report, and how it may be written.

    monthly: whether it is of one whole month. periodic: whether it is of days, so that a schedule
    can ask for it. across: whether the operator can have it of all merchants together.
    """

    title: str
    words: str
    forms: tuple[ReportFormat, ...] = tuple(ReportFormat)
    monthly: bool = False
    periodic: bool = True
    across: bool = False


_TABLES = (ReportFormat.CSV, ReportFormat.XLSX)
KINDS: Mapping[ReportKind, KindFacts] = {
    ReportKind.MONTH: KindFacts(
        "Settlements", "Each settlement with its amounts, and their sums.", across=True
    ),
    ReportKind.ITEMS: KindFacts(
        "Settled items", "Each payment, refund and dispute with fee, GST and settlement.", _TABLES
    ),
    ReportKind.FEES: KindFacts(
        "Fee statement", "What was charged by each rule, with GST.", across=True
    ),
    ReportKind.INVOICE: KindFacts(
        "GST invoice", "The tax invoice for the fees of a month.", (ReportFormat.PDF,), monthly=True
    ),
    ReportKind.TDS: KindFacts(
        "TDS statement", "Sales and fees, with the sections on TDS.", across=True
    ),
    ReportKind.DAY_BOOK: KindFacts(
        "Day book", "Each posting, between opening and closing balance.", across=True
    ),
    ReportKind.LEDGER: KindFacts("Ledger", "Each account with its balances and entries."),
    ReportKind.PAYMENTS: KindFacts(
        "Payments", "Each payment with RRN, fee and settlement.", _TABLES
    ),
    ReportKind.SETTLEMENT: KindFacts(
        "Settlement", "One settlement with its items.", periodic=False
    ),
}
ALL_MERCHANTS = 0
"""The owner of reports over all merchants: the operator."""


def kinds_of(merchant_id: int) -> tuple[ReportKind, ...]:
    """Return the kinds of reports of days that a merchant can have, or the operator of all."""
    return tuple(
        kind
        for kind, facts in KINDS.items()
        if facts.periodic and (facts.across or merchant_id != ALL_MERCHANTS)
    )


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A report that somebody asks for. settlement_id: of a report of one settlement, else 0."""

    kind: ReportKind
    form: ReportFormat
    first_day: date
    last_day: date
    settlement_id: int = 0

    @property
    def span(self) -> DaySpan:
        """Return its days."""
        return DaySpan(self.first_day, self.last_day)


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report as a file. schedule_no: of the schedule that asked for it, 0 for a person.

    due_at: when the worker works on it next: to make it, and later to remove it; None when neither
    is left. digest: the SHA-256 of the file, empty until it is made.
    """

    merchant_id: int
    report_id: int
    kind: ReportKind
    form: ReportFormat
    first_day: date
    last_day: date
    settlement_id: int
    schedule_no: int
    asked_by: str
    asked_at: datetime
    state: FileState
    tries: int
    due_at: datetime | None
    problem: str
    made_at: datetime | None
    line_count: int
    size_bytes: int
    digest: bytes

    @property
    def span(self) -> DaySpan:
        """Return its days."""
        return DaySpan(self.first_day, self.last_day)

    @property
    def name(self) -> str:
        """Return the file's name, which says what it is of."""
        about = (
            str(self.settlement_id) if self.settlement_id else f"{self.first_day}_{self.last_day}"
        )
        if self.span == month_of(self.first_day.replace(day=1)) and not self.settlement_id:
            about = f"{self.first_day:%Y-%m}"
        whose = self.merchant_id or "all"
        return f"{self.kind.replace('_', '-')}-{whose}-{about}.{self.form}"

    @property
    def title(self) -> str:
        """Return what people call it."""
        return KINDS[self.kind].title

    def titled(self, merchant: str) -> str:
        """Return the title above its lines. merchant: the merchant's name."""
        if self.merchant_id == ALL_MERCHANTS:
            return f"{self.title} of all merchants"
        return f"{self.title} of {named(self.merchant_id, merchant)}"


def kind_refusal(kind: ReportKind, merchant_id: int) -> Refusal | None:
    """Return why a report of days cannot be of this kind, or None."""
    kinds = kinds_of(merchant_id)
    return None if kind in kinds else _no("kind", kind, " ".join(kinds))


def request_refusal(
    request: ReportRequest, today: date, merchant_id: int | None = None
) -> Refusal | None:
    """Return why a report cannot be made, or None. merchant_id: None for any merchant."""
    if merchant_id == ALL_MERCHANTS and (refusal := kind_refusal(request.kind, merchant_id)):
        return refusal
    facts, span = KINDS[request.kind], request.span
    is_month = span == month_of(span.first.replace(day=1))
    fault = span.fault()
    judged = (
        (
            request.form not in facts.forms,
            ("form", request.form, f"{' '.join(facts.forms)} for a report of this kind"),
        ),
        (
            facts.periodic is bool(request.settlement_id),
            ("settlement", str(request.settlement_id or ""), "one, for its own report alone"),
        ),
        (bool(fault), ("last_day", str(span.last), f"another day: {fault}")),
        (span.first > today, ("first_day", str(span.first), "a day that has begun")),
        (
            facts.monthly and not is_month,
            ("last_day", str(span.last), "the first and the last day of one month"),
        ),
        (
            facts.monthly and span.last >= today,
            ("last_day", str(span.last), "a month that is over"),
        ),
        (
            request.kind is ReportKind.TDS and span.first < KNOWN_SINCE,
            ("first_day", str(span.first), f"a day since {KNOWN_SINCE}"),
        ),
    )
    return next((_no(*words) for is_wrong, words in judged if is_wrong), None)


def month_before(day: date) -> DaySpan:
    """Return the days of the month before that of a day."""
    return month_of((day.replace(day=1) - timedelta(days=1)).replace(day=1))


def _no(field: str, received: str, allowed: str) -> Refusal:
    return Refusal(RefusalCode.FIELD_INVALID, field=field, received=received[:40], allowed=allowed)
