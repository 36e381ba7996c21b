"""PayU's settlement details: the settlements of a day, line by line; pure.

Source: docs.payu.in, "Get Settlement Details API" (get_settlement_details).
"""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any, cast

import msgspec

from hundi.acquirers.payu import rules
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage

COMMAND = "get_settlement_details"
LINES_AT_ONCE = 1_000
WAITED_FOR_S = 60.0
"""Seconds; PayU's own limit of this call."""
_KINDS = {
    "capture": ReportedKind.PAYMENT,
    "refund": ReportedKind.REFUND,
    "refundreversal": ReportedKind.REFUND,
    "chargeback": ReportedKind.CHARGEBACK,
    "chargebackreversal": ReportedKind.CHARGEBACK,
}
_CREDITS = frozenset({"capture", "refundreversal", "chargebackreversal"})
_WHOLE_PAISE = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,2}0*)?\Z")


class PayUReportLine(msgspec.Struct, frozen=True):
    """One line of PayU's report, in rupees. Numbers are read as text: PayU sends both."""

    payuid: str
    requestid: str
    requestaction: str
    requestamount: str
    mer_net_amount: str
    txnid: str | None = None
    mer_utr: str | None = None
    token: str | None = None


def page_of(answer: Mapping[str, Any], day: date, number: int) -> ReportPage | Unknown:
    """Return a page of a report. number: of the page, from 1."""
    details = answer.get("Txn_details")
    if not rules.succeeded(answer) or not isinstance(details, dict | list):
        return Unknown(*rules.refusal(answer))
    every = cast("list[object]", list(details.values()) if isinstance(details, dict) else details)
    lines: list[ReportLine] = []
    for each in every:
        line = _line(each, day)
        if line is None:
            return Unknown(message="a line of PayU's report cannot be used")
        lines.append(line)
    # If PayU sends more than requested, it does not page.
    return ReportPage(tuple(lines), str(number + 1) if len(every) == LINES_AT_ONCE else "")


def _line(answer: object, day: date) -> ReportLine | None:
    """Return a line.

    None for one of another form, or whose amounts contradict each other.
    """
    try:
        item = msgspec.convert(answer, PayUReportLine)
    except msgspec.ValidationError:
        return None
    action = item.requestaction.replace(" ", "").replace("_", "").lower()
    kind = _KINDS.get(action, ReportedKind.OTHER)
    net, gross = _paise(item.mer_net_amount), _paise(item.requestamount)
    below_zero = item.mer_net_amount.startswith("-")
    # The kind decides the direction of a known line: no sample shows a sign on debits.
    is_credit = not below_zero if kind is ReportedKind.OTHER else action in _CREDITS
    if kind is ReportedKind.OTHER:
        gross = net
    if (
        net is None
        or not gross
        or (gross < net if is_credit else net < gross)
        or (is_credit and below_zero)
    ):
        return None
    return ReportLine(
        kind=kind,
        is_credit=is_credit,
        gross_paise=gross,
        net_paise=net,
        reference=_reference(item, kind),
        number=item.payuid if kind is ReportedKind.PAYMENT else item.requestid,
        settlement=item.mer_utr or "",
        utr=item.mer_utr or "",
        day=day,
    )


def _reference(item: PayUReportLine, kind: ReportedKind) -> str:
    """Return our reference. A refund's is in the token that we made of it."""
    if kind is ReportedKind.REFUND:
        return rules.refund_of_token(item.token or "") or item.requestid
    return item.requestid if kind is ReportedKind.OTHER else item.txnid or item.requestid


def _paise(text: str) -> int | None:
    """Return an amount in paise without its sign.

    None for no amount, or one finer than a paisa.
    """
    if not _WHOLE_PAISE.match(text):
        return None
    whole, _, rest = text.removeprefix("-").partition(".")
    return int(whole) * 100 + int(f"{rest:0<2}"[:2])
