"""Razorpay's settlement report: the settlements of a day, line by line.

Source: github.com/razorpay/markdown-docs, api/settlements/fetch-recon.md, commit ab3bda5f.
"""

from datetime import date, datetime
from typing import Any

import msgspec

from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE, Id, Word, unusable
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.acquirers.razorpay.api import RazorpayApi
from hundi.acquirers.razorpay.messages import AMOUNT_PAISE_MAX
from hundi.acquirers.razorpay.rules import texts
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import parse_refund_reference

LINES_AT_ONCE = 500
SKIPPED_MAX = 10_000_000
_RUPEES = "INR"
_KINDS = {"payment": ReportedKind.PAYMENT, "refund": ReportedKind.REFUND}


class RazorpayReportLine(msgspec.Struct, frozen=True):
    """One line of Razorpay's report, in paise. The tax is a part of the fee."""

    entity_id: Id
    type: Word
    debit: int
    credit: int
    amount: int
    currency: Word
    settled: bool
    settled_at: int | None = None
    settlement_id: Word | None = None
    settlement_utr: Word | None = None
    order_receipt: Word | None = None
    dispute_id: Id | None = None
    notes: Any = None


class Items(msgspec.Struct, frozen=True):
    """A page of a report."""

    items: tuple[RazorpayReportLine, ...]


class RazorpayReports:
    """The connector's settlement reports."""

    _api: RazorpayApi

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        """Return a page of what was settled on a day; the cursor is a number of lines to skip."""
        skipped = int(after or "0")
        answer = await self._api.report(day, skipped, LINES_AT_ONCE, Items)
        if isinstance(answer, Unknown):
            return answer
        lines: list[ReportLine] = []
        for item in answer.items:
            if not item.settled or item.amount == 0:
                continue
            reference = await self._reference(item)
            line = reference if isinstance(reference, Unknown) else line_of(item, reference)
            if isinstance(line, Unknown):
                return line
            lines.append(line)
        full = len(answer.items) == LINES_AT_ONCE and skipped < SKIPPED_MAX
        return ReportPage(tuple(lines), str(skipped + LINES_AT_ONCE) if full else "")

    async def _reference(self, item: RazorpayReportLine) -> str | Unknown:
        """Return our reference of a line.

        The report lacks those of refunds and disputes, so they are looked up. A payment's note
        alone is no proof (`RazorpayApi.reference_of_payment`): its order is looked up, too.
        """
        noted = texts(item.notes).get(REFERENCE_NOTE, "")
        if item.dispute_id:
            return await self._api.reference_of_dispute(item.dispute_id)
        if item.type == "payment":
            if noted and not item.order_receipt:
                return await self._api.reference_of_payment(item.entity_id)
            return item.order_receipt or item.entity_id
        if item.type == "refund" and not parse_refund_reference(noted):
            refund = await self._api.refund_by_id(item.entity_id)
            return refund if isinstance(refund, Unknown) else refund.receipt or item.entity_id
        return noted if item.type == "refund" else item.entity_id


def line_of(item: RazorpayReportLine, reference: str) -> ReportLine | Unknown:
    """Return a line in the port's form; Unknown for one whose amounts contradict each other."""
    kind = ReportedKind.CHARGEBACK if item.dispute_id else _KINDS.get(item.type, ReportedKind.OTHER)
    # If the fee took all of a payment, neither side has an amount.
    is_credit = item.credit > 0 or (item.debit == 0 and kind is ReportedKind.PAYMENT)
    net = item.credit if is_credit else item.debit
    gross = item.amount if kind in _KINDS.values() else net
    amounts = (item.credit, item.debit, item.amount)
    sound = all(0 <= each <= AMOUNT_PAISE_MAX for each in amounts) and 0 in (
        item.credit,
        item.debit,
    )
    deducted, day = gross - net if is_credit else net - gross, _day(item.settled_at)
    if not sound or deducted < 0 or gross == 0 or item.currency != _RUPEES or day is None:
        return unusable()
    return ReportLine(
        kind=kind,
        is_credit=is_credit,
        gross_paise=gross,
        net_paise=net,
        reference=reference,
        number=item.dispute_id or item.entity_id,
        settlement=item.settlement_id or "",
        utr=item.settlement_utr or "",
        day=day,
    )


def _day(seconds: int | None) -> date | None:
    """Return a day of India, None for none and for one that no calendar has."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, INDIA).date()
    except (ValueError, OverflowError, OSError):
        return None
