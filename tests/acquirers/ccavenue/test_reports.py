"""CCAvenue's payouts are read as its guide says."""

import json
from datetime import date
from typing import Any

import pytest

from hundi.acquirers.ccavenue import reports, rules
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage

DAY = date(2016, 1, 19)
PAYOUT, FIRST = reports.CCAvenuePayout("40907", "1234567890"), reports.PayoutCursor()
SUMMARY = b"""{"Payout_Summary_Result": {"error_code": "", "error_desc": "",
"pauyout_summary_list": {"pauyout_summary_details": [{"settlement_bank": "KARUR VYSYA BANK",
"pay_amount": 211.76, "trans_currency": "INR", "pay_Id": 40907, "sub_acc_Id": "split-1",
"settlement_date": "19-01-2016", "settlement_currency": "INR", "utr_no": "1234567890"}]}}}"""
"""The guide's sample, with its marks put right."""
LINE = {
    "amt_payable": "35.88",
    "fees": "3.6",
    "order_no": "10001-1",
    "currency": "INR",
    "amount": "40",
    "tax": "0.52",
    "ccavenue_ref_no": "204000170631",
    "bank_ref_no": "1452514407217",
    "txn_type": "Shipped",
}


def details(*rows: dict[str, Any], pages: str | None = "1", **change: Any) -> dict[str, Any]:
    listed = {"pay_id_txn_details_list": {"pay_id_txn_details": list(rows)}}
    return {"error_code": "", "pay_id": "40907", "page_count": pages, **listed, **change}


def page(answer: dict[str, Any], cursor: reports.PayoutCursor = FIRST, payouts: int = 1) -> Any:
    return reports.page_of(answer, PAYOUT, cursor, payouts, DAY)


def line(**change: str) -> Any:
    found = page(details({**LINE, **change}))
    return found.lines[0] if isinstance(found, ReportPage) else found


def test_the_published_summary_has_one_payout() -> None:
    answer = rules.read(SUMMARY)
    assert answer is not None
    assert reports.payouts_of(answer) == (PAYOUT,)
    spelt = json.loads(SUMMARY.replace(b"pauyout", b"payout"))["Payout_Summary_Result"]
    assert isinstance(reports.payouts_of(spelt), Unknown), "its numbers are no text"
    assert reports.payouts_of({"error_code": "51419"}) == ()
    assert isinstance(reports.payouts_of({"error_code": "52014"}), Unknown)
    assert isinstance(reports.payouts_of({"error_code": ""}), Unknown)


def test_a_sale_is_a_credit_with_its_fee() -> None:
    assert line() == ReportLine(
        kind=ReportedKind.PAYMENT,
        is_credit=True,
        gross_paise=4_000,
        net_paise=3_588,
        reference="10001-1",
        number="204000170631",
        settlement="40907",
        utr="1234567890",
        day=DAY,
    )


@pytest.mark.parametrize(
    ("txn_type", "kind", "reference", "number"),
    [
        ("Chargeback", ReportedKind.CHARGEBACK, "10001-1", "204000170631"),
        ("Refunded", ReportedKind.REFUND, "204000170631", "1452514407217"),
    ],
)
def test_the_published_debit_takes_what_is_payable(
    txn_type: str, kind: ReportedKind, reference: str, number: str
) -> None:
    taken = line(txn_type=txn_type)
    assert (taken.kind, taken.is_credit) == (kind, False)
    assert (taken.gross_paise, taken.net_paise) == (3_588, 3_588)
    assert (taken.reference, taken.number) == (reference, number)


@pytest.mark.parametrize(("payable", "is_credit"), [("5.00", True), ("-5.00", False)])
def test_what_is_neither_adds_or_takes_by_its_sign(payable: str, *, is_credit: bool) -> None:
    other = line(txn_type="MISC", amt_payable=payable)
    assert (other.kind, other.is_credit, other.net_paise) == (ReportedKind.OTHER, is_credit, 500)


@pytest.mark.parametrize(
    "change",
    [
        {"currency": "USD"},
        {"amount": "forty"},
        {"amt_payable": "40.01"},
        {"amount": "40.001"},
        {"amount": "0", "amt_payable": "0"},
        {"ccavenue_ref_no": ""},
    ],
)
def test_a_line_that_cannot_be_used_makes_its_page_unknown(change: dict[str, str]) -> None:
    assert isinstance(line(**change), Unknown)


def test_pages_and_payouts_follow_one_another() -> None:
    assert page(details(LINE, pages="2"), payouts=2).next == "0.2"
    assert page(details(LINE, pages="2"), reports.PayoutCursor(0, 2), 2).next == "1.1"
    for unreadable in ("\u00b2", "9" * 5_000, "", None):
        assert isinstance(page(details(LINE, pages=unreadable)), Unknown)
    assert page(details(LINE), reports.PayoutCursor(1, 1), 2).next == ""
    assert reports.PayoutCursor.read("1.3") == reports.PayoutCursor(1, 3)
    assert isinstance(page(details(LINE, pay_id="40908")), Unknown)
    assert isinstance(page(details(LINE, error_code="52014")), Unknown)


def test_a_refunds_line_is_found_by_the_banks_number_or_a_single_amount() -> None:
    def listed(*refunds: tuple[str, str, str]) -> dict[str, Any]:
        names = ("refund_mer_ref_no", "refund_amt", "refund_bank_ref_no")
        return {"refund_list": [dict(zip(names, each, strict=True)) for each in refunds]}

    first, second = ("10001XR5", "5.00", "2492"), ("10001XR6", "5.00", "2493")
    assert rules.refund_line_reference(listed(first, second), 500, "2493") == "10001-R6"
    assert rules.refund_line_reference(listed(first), 500, "") == "10001-R5"
    assert rules.refund_line_reference(listed(first, second), 500, "") == ""
    assert rules.refund_line_reference(listed(first), 600, "2492") == ""
