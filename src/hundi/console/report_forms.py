"""The buttons with which a page makes reports: one for each form of each kind."""

from collections.abc import Sequence
from typing import Any

from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.money.reports.files.rules import (
    KINDS,
    ReportFormat,
    ReportKind,
    ReportRequest,
    request_refusal,
)
from hundi.money.reports.rules import DaySpan
from hundi.staff.people.rules import Permission

MONTHLY = (
    *(ReportKind.MONTH, ReportKind.ITEMS, ReportKind.INVOICE, ReportKind.FEES, ReportKind.TDS),
    *(ReportKind.DAY_BOOK, ReportKind.LEDGER, ReportKind.PAYMENTS),
)
"""The reports of a month, in the order of a page."""
OF_ONE = (ReportKind.SETTLEMENT,)
FORMS = {ReportFormat.CSV: "CSV", ReportFormat.XLSX: "Excel", ReportFormat.PDF: "PDF"}
"""What people call each form."""


def files_of(
    visit: ConsoleVisit, kinds: Sequence[ReportKind], span: DaySpan, settlement_id: int = 0
) -> list[dict[str, Any]]:
    """Return the reports that a person may make of some days, or of one settlement."""
    if not visit.may(Permission.REPORTS_MAKE):
        return []
    today = business_day(visit.now)
    return [
        {
            "kind": kind,
            "title": KINDS[kind].title,
            "words": KINDS[kind].words,
            "forms": [(form, FORMS[form]) for form in KINDS[kind].forms],
            "first_day": span.first,
            "last_day": span.last,
            "settlement": settlement_id,
        }
        for kind in kinds
        if not request_refusal(
            ReportRequest(kind, KINDS[kind].forms[0], span.first, span.last, settlement_id), today
        )
    ]
