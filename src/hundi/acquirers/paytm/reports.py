"""Paytm's list of what it settled on a day, line by line; pure.

Sources: paytmpayments.com/docs/api/settlement-api for the request, and copies of the rest of that
page in public repositories, as docs/paytm.md lists them.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from hundi.acquirers.calls.aggregators import (
    object_of,
    objects_of,
    signed_paise_of,
    text_of,
    whole_of,
)
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage

PATH = "/merchant-settlement-service/settlement/list"
LINES_AT_ONCE = 20
PAGES_MAX = 100_000
ANSWER_BYTES_MAX = 256 * 1024
NO_RECORD = "RECORD_NOT_FOUND"
_KINDS = {
    "sale": ReportedKind.PAYMENT,
    "acquiring": ReportedKind.PAYMENT,
    "refund": ReportedKind.REFUND,
    "chargeback": ReportedKind.CHARGEBACK,
}


def request_of(mid: str, day: date, page: int) -> dict[str, str]:
    """Return the request of a page of a day, without its checksum. page: from 1."""
    return {
        "MID": mid,
        "utrProcessedStartTime": day.isoformat(),
        "utrProcessedEndTime": day.isoformat(),
        "pageNum": str(page),
        "pageSize": str(LINES_AT_ONCE),
    }


def page_of(answer: Mapping[str, Any], day: date, page: int) -> ReportPage | Unknown:
    """Return a page of a day's lines; of the list's two forms, whichever it has."""
    status = text_of(answer.get("status"), 64)
    if status == NO_RECORD:
        return ReportPage(())
    inner = object_of(answer.get("settlementListResponse")) or answer
    rows = inner.get("settlementDetailList", inner.get("settlementTransactionList"))
    if status != "SUCCESS" or not isinstance(rows, list):
        code = text_of(answer.get("resultCode"), 64)
        return Unknown(code or status, text_of(answer.get("errorMessage")))
    found = objects_of(rows)
    lines = [_line(row, day) for row in found]
    if len(found) != len(rows) or None in lines:
        return Unknown(message="a line of Paytm's report cannot be used")
    pages = whole_of(inner.get("paginatorTotalPage"), PAGES_MAX)
    is_last = page >= pages if pages is not None else len(rows) < LINES_AT_ONCE
    return ReportPage(tuple(filter(None, lines)), "" if is_last else str(page + 1))


def _line(row: dict[str, Any], day: date) -> ReportLine | None:
    """Return a line, None for one without whole amounts and a transaction.

    A refund's line names its order alone, which may have several: its reference is Paytm's number.
    """
    fields = {name.replace("_", "").lower(): value for name, value in row.items()}
    kind = _KINDS.get(text_of(fields.get("txntype"), 64).lower(), ReportedKind.OTHER)
    amount = signed_paise_of(fields.get("txnamount"))
    settled = signed_paise_of(fields.get("settleamount", fields.get("settledamount")))
    number, order = text_of(fields.get("txnid"), 64), text_of(fields.get("orderid"), 64)
    if amount is None or settled is None or not number:
        return None
    is_credit = kind is ReportedKind.PAYMENT or (kind is ReportedKind.OTHER and settled >= 0)
    gross, net = abs(amount), abs(settled)
    # Paytm may give its fee back with a debit: the line is what it takes.
    if kind is ReportedKind.OTHER or (not is_credit and net < gross):
        gross = net
    if not gross or (is_credit and (net > gross or settled < 0)):
        return None
    utr = text_of(fields.get("utr", fields.get("utrno")), 64)
    named = kind in {ReportedKind.PAYMENT, ReportedKind.CHARGEBACK} and order
    return ReportLine(
        kind=kind,
        is_credit=is_credit,
        gross_paise=gross,
        net_paise=net,
        reference=order if named else number,
        number=number,
        settlement=utr,
        utr=utr,
        day=day,
    )
