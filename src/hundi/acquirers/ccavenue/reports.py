"""CCAvenue's payouts of a day, line by line; pure.

Source: a copy of CCAvenue's guide (nermalcat69/ccavenue-api at 5a2ba69), "Payouts Summary API" and
"PayId Details API".
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from hundi.acquirers.calls.aggregators import (
    object_of,
    objects_of,
    signed_paise_of,
    text_of,
    whole_of,
)
from hundi.acquirers.ccavenue import rules
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage

NO_RECORDS = "51419"
PAGES_MAX = 10_000
_KINDS = {
    "Shipped": ReportedKind.PAYMENT,
    "Refunded": ReportedKind.REFUND,
    "Chargeback": ReportedKind.CHARGEBACK,
}
_PAY_ID = re.compile(r"[0-9]{1,25}\Z")


@dataclass(frozen=True, slots=True)
class CCAvenuePayout:
    """A transfer of CCAvenue to us."""

    pay_id: str
    utr: str


@dataclass(frozen=True, slots=True)
class PayoutCursor:
    """Where a report goes on. payout: its place among those of the day. page: from 1."""

    payout: int = 0
    page: int = 1

    @classmethod
    def read(cls, text: str) -> "PayoutCursor":
        """Return a cursor of its text, the first one of ""."""
        payout, _, page = text.partition(".")
        return cls(int(payout), int(page)) if text else cls()


def payouts_of(answer: dict[str, Any]) -> tuple[CCAvenuePayout, ...] | Unknown:
    """Return the payouts of a day; the guide spells their list in two ways."""
    code = text_of(answer.get("error_code"), 64).strip()
    if code:
        return () if code == NO_RECORDS else rules.refused(answer)
    for name in ("payout_summary", "pauyout_summary"):
        found = object_of(answer.get(f"{name}_list"))
        if found is not None:
            rows = objects_of(found.get(f"{name}_details"))
            payouts = tuple(
                CCAvenuePayout(text_of(each.get("pay_Id"), 64), text_of(each.get("utr_no"), 64))
                for each in rows
                if each.get("settlement_currency") == rules.RUPEES_CODE
            )
            if all(_PAY_ID.match(each.pay_id) for each in payouts):
                return payouts
    return Unknown(message="CCAvenue's list of payouts cannot be used")


def page_of(
    answer: dict[str, Any], payout: CCAvenuePayout, cursor: PayoutCursor, payouts: int, day: date
) -> ReportPage | Unknown:
    """Return a page of a payout's lines. payouts: how many the day has."""
    pages = whole_of(answer.get("page_count"))
    rows = objects_of(
        (object_of(answer.get("pay_id_txn_details_list")) or {}).get("pay_id_txn_details")
    )
    code = text_of(answer.get("error_code"), 64).strip()
    if code or text_of(answer.get("pay_id"), 64) != payout.pay_id or pages is None:
        return rules.refused(answer) if code else Unknown(message="CCAvenue's lines cannot be used")
    lines: list[ReportLine] = []
    for row in rows:
        line = _line(row, payout, day)
        if line is None:
            return Unknown(message="a line of CCAvenue's report cannot be used")
        lines.append(line)
    if cursor.page < min(pages, PAGES_MAX):
        return ReportPage(tuple(lines), f"{cursor.payout}.{cursor.page + 1}")
    after = f"{cursor.payout + 1}.1" if cursor.payout + 1 < payouts else ""
    return ReportPage(tuple(lines), after)


def _line(row: dict[str, Any], payout: CCAvenuePayout, day: date) -> ReportLine | None:
    """Return a line, None for one of another currency, or without whole amounts.

    A refund's line names its order alone, which may have several: its reference is CCAvenue's
    number of the payment, by which the refund is looked up.
    """
    kind = _KINDS.get(text_of(row.get("txn_type"), 64), ReportedKind.OTHER)
    amount, payable = signed_paise_of(row.get("amount")), signed_paise_of(row.get("amt_payable"))
    number, order = text_of(row.get("ccavenue_ref_no"), 64), text_of(row.get("order_no"), 64)
    bank = text_of(row.get("bank_ref_no"), 64)
    if amount is None or payable is None or row.get("currency") != rules.RUPEES_CODE or not number:
        return None
    is_credit = kind is ReportedKind.PAYMENT or (kind is ReportedKind.OTHER and payable >= 0)
    gross, net = abs(amount), abs(payable)
    # CCAvenue gives its fee back with some debits: the line is what it takes.
    if kind is ReportedKind.OTHER or (not is_credit and net < gross):
        gross = net
    if not gross or (is_credit and net > gross):
        return None
    return ReportLine(
        kind=kind,
        is_credit=is_credit,
        gross_paise=gross,
        net_paise=net,
        reference=number if kind in {ReportedKind.REFUND, ReportedKind.OTHER} else order or number,
        number=(bank or number) if kind is ReportedKind.REFUND else number,
        settlement=payout.pay_id,
        utr=payout.utr,
        day=day,
    )
