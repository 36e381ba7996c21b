"""Acquirers' settlement reports: a day's lines with fee and transfer, or its totals alone."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Unknown
from hundi.kernel.masking import mask_fields, masked_reference


class ReportedKind(StrEnum):
    """The kind of a line of a report."""

    PAYMENT = "payment"
    """Money of a payment or a capture."""
    REFUND = "refund"
    """Refunded money.

    With `is_credit`, a refund that the acquirer took back.
    """
    CHARGEBACK = "chargeback"
    """Money that a customer's bank took in a dispute.

    With `is_credit`, money that came back from it.
    """
    OTHER = "other"
    """Anything else: an adjustment, a fee of its own, a transfer."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line, in paise.

    is_credit: it adds to the settlement. gross_paise: before the fee. net_paise: what it adds or
    takes. reference: ours, of the payment or the refund; else the acquirer's own number. number:
    the bank's or the acquirer's number of the movement; a chargeback's is `DisputeWord.rrn`.
    settlement: the acquirer's number of the settlement. utr: of its transfer, "" while the acquirer
    does not say. day: on which it was settled, in India.
    """

    kind: ReportedKind
    is_credit: bool
    gross_paise: int
    net_paise: int
    reference: str
    number: str
    settlement: str
    utr: str
    day: date

    def __post_init__(self) -> None:
        """Mask numbers of cards and people in what is no reference."""
        mask_fields(self, "reference", "number", "settlement", "utr", by=masked_reference)

    @property
    def fee_paise(self) -> int:
        """Return what the acquirer kept of a credit, or took on top of a debit.

        Its tax is part of it.
        """
        return (
            self.gross_paise - self.net_paise
            if self.is_credit
            else self.net_paise - self.gross_paise
        )


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A page of a report. next: the cursor of the next page; "" after the last one."""

    lines: tuple[ReportLine, ...]
    next: str = ""


@runtime_checkable
class ReportsSettlements(Protocol):
    """Reports settlements line by line."""

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        """Return a page of what was settled on a day of India.

        Unknown when the acquirer does not say.

        The same day again has the same lines, and perhaps more. A line that cannot be read makes
        its page Unknown: a report with a hole would look like money that is missing.
        """
        ...


@dataclass(frozen=True, slots=True)
class SettlementTotal:
    """What an acquirer handed over by one transfer, without a word about the payments in it.

    settlement: the acquirer's number of it. utr: of the transfer. net_paise: below zero, what it
    took. day: on which it was settled, in India.
    """

    settlement: str
    utr: str
    net_paise: int
    day: date

    def __post_init__(self) -> None:
        """Mask numbers of cards and people."""
        mask_fields(self, "settlement", "utr", by=masked_reference)


@dataclass(frozen=True, slots=True)
class TotalsPage:
    """A page of totals. next: the cursor of the next page; "" after the last one."""

    totals: tuple[SettlementTotal, ...]
    next: str = ""


@runtime_checkable
class ReportsTotals(Protocol):
    """Reports settlements as totals, because it names no lines of them."""

    async def settlement_totals(self, day: date, after: str = "") -> TotalsPage | Unknown:
        """Return a page of what was handed over on a day of India.

        Unknown when the acquirer does not say. A settlement whose transfer is under way is left
        out: a later call has it.
        """
        ...


SettlementReporter = ReportsSettlements | ReportsTotals
"""An acquirer that reports settlements, line by line or as totals."""
