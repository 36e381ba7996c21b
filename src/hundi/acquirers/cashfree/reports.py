"""Cashfree's settlement reconciliation: what was handed over in a day, line by line.

Source: cashfree/cashfree-pg (model_settlement_recon_entity*.go, a600a39) and the page of `POST
/settlement/recon`.
"""

from datetime import date
from decimal import Decimal
from typing import Any

import msgspec

from hundi.acquirers.cashfree import rules
from hundi.acquirers.cashfree.orders import CashfreeOrders
from hundi.acquirers.cashfree.words import CashfreeAnswer, decoded, in_paise
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.kernel.clock import INDIA
from hundi.kernel.ids import parse_reference, parse_refund_reference
from hundi.kernel.records import replace

PATH = "/settlement/recon"
LINES_AT_ONCE = 100
WAITED_FOR_S = 30.0
_RUPEES = "INR"
_REVERSED = ("_REVERSAL", "_REVERSE")
_KINDS = {
    "PAYMENT": ReportedKind.PAYMENT,
    "REFUND": ReportedKind.REFUND,
    "CHARGEBACK": ReportedKind.CHARGEBACK,
    "DISPUTE": ReportedKind.CHARGEBACK,
}
_NOTHING_MOVED = frozenset({"FAILED", "CANCELLED"})
_Text = str | None
_Id = str | int | None


class _Event(msgspec.Struct, frozen=True):
    event_type: str
    sale_type: str
    event_id: _Id = None
    event_status: _Text = None
    event_amount: Decimal | None = None
    event_settlement_amount: Decimal | None = None
    event_currency: _Text = None


class _Order(msgspec.Struct, frozen=True):
    order_id: _Text = None
    order_tags: dict[str, Any] | None = None


class _Payment(msgspec.Struct, frozen=True):
    cf_payment_id: _Id = None
    bank_reference: _Text = None


class _Refund(msgspec.Struct, frozen=True):
    refund_id: _Text = None
    refund_arn: _Text = None


class _Settlement(msgspec.Struct, frozen=True):
    """A transfer; the page calls its number `settlement_utr`, the published client `utr`."""

    cf_settlement_id: _Id = None
    settlement_utr: _Text = None
    utr: _Text = None
    settlement_date: _Text = None


class CashfreeReportLine(msgspec.Struct, frozen=True):
    """One line of Cashfree's report, in rupees."""

    event_details: _Event
    order_details: _Order = _Order()
    payment_details: _Payment = _Payment()
    refund_details: _Refund = _Refund()
    settlement_details: _Settlement = _Settlement()


class Events(msgspec.Struct, frozen=True):
    """A page of events."""

    data: tuple[CashfreeReportLine, ...]
    cursor: _Text = None


class CashfreeReports:
    """The connector's settlement reports."""

    _orders: CashfreeOrders

    async def settlement_lines(self, day: date, after: str = "") -> ReportPage | Unknown:
        """Return a page of what was settled on a day."""
        client = self._orders.client
        call = replace(client.question(PATH, question(day, after)), timeout_s=WAITED_FOR_S)
        answer = await client.ask(call)
        if isinstance(answer, Unknown):
            return answer
        page = decoded(answer, Events) if isinstance(answer, CashfreeAnswer) else None
        if page is None:
            return Unknown(message="the acquirer's report cannot be used")
        lines: list[ReportLine] = []
        for event in page.data:
            if _moved_nothing(event.event_details):
                continue
            line = line_of(event, day)
            if line is None:
                return Unknown(
                    message=f"a line of the acquirer's report cannot be used ({_number(event)})"
                )
            lines.append(line)
        return ReportPage(tuple(lines), page.cursor or "" if page.data else "")


def _moved_nothing(answer: _Event) -> bool:
    amounts = (answer.event_amount, answer.event_settlement_amount)
    return (
        answer.event_status in _NOTHING_MOVED
        or answer.event_settlement_amount is None
        or not any(amounts)
    )


def question(day: date, after: str) -> dict[str, Any]:
    """Return the request for a day of India."""
    return {
        "pagination": {"limit": LINES_AT_ONCE, "cursor": after or None},
        "filters": {"start_date": f"{day}T00:00:00+05:30", "end_date": f"{day}T23:59:59+05:30"},
    }


def line_of(event: CashfreeReportLine, day: date) -> ReportLine | None:
    """Return a line in the port's form, None for one whose amounts contradict each other.

    day: the requested one. Cashfree's settlement amount is after its charges and their tax.
    """
    answer, settled = event.event_details, event.settlement_details
    if answer.sale_type not in {"CREDIT", "DEBIT"} or answer.event_currency not in {_RUPEES, None}:
        return None
    plain = answer.event_type
    for ending in _REVERSED:
        plain = plain.removesuffix(ending)
    kind, is_credit = _KINDS.get(plain, ReportedKind.OTHER), answer.sale_type == "CREDIT"
    net = _paise(answer.event_settlement_amount)
    gross = net if kind is ReportedKind.OTHER else _paise(answer.event_amount)
    if not gross or net is None or (gross < net if is_credit else net < gross):
        return None
    at = rules.moment(settled.settlement_date or "")
    return ReportLine(
        kind=kind,
        is_credit=is_credit,
        gross_paise=gross,
        net_paise=net,
        reference=_reference(event, kind),
        number=_number(event),
        settlement=str(settled.cf_settlement_id or ""),
        utr=settled.settlement_utr or settled.utr or "",
        day=at.astimezone(INDIA).date() if at else day,
    )


def _paise(rupees: Decimal | None) -> int | None:
    """Return an amount without its sign: some samples have debits below zero, others do not."""
    # `abs` raises for NaN, and for too large a number.
    money = in_paise(rupees.copy_abs(), _RUPEES) if rupees is not None else None
    return money.paise if money else None


def _reference(event: CashfreeReportLine, kind: ReportedKind) -> str:
    """Return our reference: Cashfree's order names a payment link in its tags."""
    if kind is ReportedKind.REFUND:
        return _own(event.refund_details.refund_id or "") or _number(event)
    if kind is ReportedKind.OTHER:
        return _number(event)
    tags = event.order_details.order_tags or {}
    named = [event.order_details.order_id, tags.get("link_id")]
    texts = [each for each in named if isinstance(each, str) and each]
    return next(
        (each for each in texts if parse_reference(each)), texts[0] if texts else _number(event)
    )


def _own(text: str) -> str:
    """Return the reference of a `refund_id`: Cashfree takes no hyphen in it."""
    own = text.replace("_", "-")
    return own if parse_refund_reference(own) or parse_reference(own) else text


def _number(event: CashfreeReportLine) -> str:
    """Return the bank's number of a movement, else Cashfree's."""
    details = event.event_details
    if details.event_type == "PAYMENT":
        return str(
            event.payment_details.bank_reference
            or event.payment_details.cf_payment_id
            or details.event_id
            or ""
        )
    if details.event_type == "REFUND":
        return str(event.refund_details.refund_arn or details.event_id or "")
    return str(details.event_id or "")
