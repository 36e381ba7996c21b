"""PayU's settlement details: the published samples, our references, and what cannot be read."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hundi.acquirers.calls.aggregators import read_object
from hundi.acquirers.payu import reports, rules
from hundi.acquirers.payu.connector import PayUConnector
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportLine, ReportPage
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from tests.acquirers.payu.opened import paid
from tests.acquirers.payu.standin import PayU
from tests.acquirers.payu.standin_money import hand_over

DAY = date(2021, 8, 11)
BACK = "10913147-R219876543210002"
"""As long as references are: merchants have 7 or 8 digits."""
# docs.payu.in, "Get Settlement Details API".
SETTLED = b"""{"status": 1, "msg": "1 transactions settled on 2021-08-11", "Txn_details": {"1": {
"payuid": "13799177287", "txnid": "13818", "txndate": "2021-08-10 23:46:25", "mode": "DC",
"amount": "11979.88",
"requestid": "9586840660", "requestdate": "2021-08-10 23:49:16", "requestaction": "capture",
"requestamount": "11979.88", "mer_utr": "N223211598444659", "mer_service_fee": "239.6000",
"mer_service_tax": "43.1300",
"mer_net_amount": "11697.1500", "bank_name": "MAST", "issuing_bank": "SBI",
"merchant_subvention_amount": "0.00",
"cgst": "0.00000", "igst": "43.13000", "sgst": "0.00000", "PG_TYPE": "HDFC_Internal_Plus",
"Card Type": "",
"token": ""}}}"""
NOTHING = b'{"status": 1, "msg": "0 transactions settled on 2015-05-01", "Txn_details": {}}'
NOTHING_AS_ARRAY = (
    b'{"status": 1, "msg": "0 transactions settled on 2015-05-01", "Txn_details": []}'
)
WRONG_DAY = b'{"status": 0, "msg": "Please check date format it should be YYYY-MM-DD"}'
# docs.payu.in, "Get Settlement Detail API - Cross Border Payments": an adjustment.
ADJUSTED = {
    "payuid": "ADJ_821142",
    "txnid": "ADJ_821142",
    "requestid": "ADJ_821142",
    "requestaction": "debit",
    "requestamount": "-23868.77",
    "mer_utr": "UTIBR72024040800086935",
    "mer_service_fee": "-20227.77",
    "mer_service_tax": "-3641.00",
    "mer_net_amount": "-23868.77",
    "token": "",
}


def page_of(body: bytes) -> ReportPage | Unknown:
    said = read_object(body)
    assert said is not None
    return reports.page_of(said, DAY, 1)


def line_of(**changes: Any) -> ReportLine | None:
    said = json.loads(SETTLED)
    said["Txn_details"]["1"] |= changes
    page = page_of(json.dumps(said).encode())
    return page.lines[0] if isinstance(page, ReportPage) else None


def test_the_published_sample_is_read() -> None:
    line = ReportLine(
        kind=ReportedKind.PAYMENT,
        is_credit=True,
        gross_paise=1_197_988,
        net_paise=1_169_715,
        reference="13818",
        number="13799177287",
        settlement="N223211598444659",
        utr="N223211598444659",
        day=DAY,
    )
    assert page_of(SETTLED) == ReportPage((line,))
    assert line.fee_paise == 23_960 + 4_313


def test_a_day_without_settlements_is_an_empty_report_and_a_refusal_is_none() -> None:
    assert page_of(NOTHING) == page_of(NOTHING_AS_ARRAY) == ReportPage(())
    assert page_of(WRONG_DAY) == Unknown("", "Please check date format it should be YYYY-MM-DD")


def test_the_published_adjustment_is_a_debit_of_its_own() -> None:
    line = line_of(**ADJUSTED)
    assert line is not None
    assert (line.kind, line.is_credit, line.gross_paise, line.net_paise) == (
        ReportedKind.OTHER,
        False,
        2_386_877,
        2_386_877,
    )
    assert line.reference == "ADJ_821142"


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    ("action", "kind", "is_credit"),
    [
        ("refund", ReportedKind.REFUND, False),
        ("chargeback", ReportedKind.CHARGEBACK, False),
        ("refundreversal", ReportedKind.REFUND, True),
        ("chargeback reversal", ReportedKind.CHARGEBACK, True),
        ("chargebackreversal", ReportedKind.CHARGEBACK, True),
    ],
)
def test_what_is_known_says_its_direction_whatever_the_sign(
    sign: str,
    action: str,
    kind: ReportedKind,
    is_credit: bool,  # noqa: FBT001 (a table)
) -> None:
    line = line_of(
        requestaction=action, requestamount=f"{sign}10.00", mer_net_amount=f"{sign}10.0000"
    )
    if is_credit and sign:
        assert line is None, "a credit below zero is no line"
        return
    assert line is not None
    assert (line.kind, line.is_credit, line.gross_paise) == (kind, is_credit, 1_000)
    assert line.number == "9586840660"


@pytest.mark.parametrize(
    "changes",
    [
        {"mer_net_amount": "11979.89"},
        {"mer_net_amount": "1e3"},
        {"mer_net_amount": "11697.1501"},
        {"requestamount": "0.00", "mer_net_amount": "0.00"},
        {"requestamount": None},
        {"payuid": ["1"]},
    ],
)
def test_a_line_that_cannot_be_read_makes_the_report_unusable(changes: dict[str, Any]) -> None:
    assert line_of(**changes) is None


@pytest.mark.parametrize(
    "reference", [BACK, "10001-R219876543210002", "999999999-R999999999999999", "10001-7"]
)
def test_a_refunds_token_fits_and_is_read_back(reference: str) -> None:
    token = rules.token("R", reference)
    assert len(token) <= rules.TOKEN_LENGTH_MAX
    assert rules.refund_of_token(token) == reference


@pytest.mark.parametrize(
    "token", ["", "20201105secrettokenatur", "C10001-219876543210002", "R", "RX1", "Rabc"]
)
def test_a_token_that_is_not_ours_is_no_reference(token: str) -> None:
    assert not rules.refund_of_token(token)


async def test_a_payment_and_its_refund_have_our_references(
    connector: PayUConnector, payu: PayU
) -> None:
    asked = await paid(connector, payu)
    await connector.refund(RefundOrder(BACK, asked.reference, Money(40_000)))
    payu.settle(rules.token("R", BACK))
    page = await connector.settlement_lines(hand_over(payu))
    assert isinstance(page, ReportPage)
    assert [
        (each.kind, each.reference, each.gross_paise, each.fee_paise) for each in page.lines
    ] == [
        (ReportedKind.PAYMENT, asked.reference, 100_000, 2_360),
        (ReportedKind.REFUND, BACK, 40_000, 0),
    ]


async def test_a_long_report_is_read_page_by_page(connector: PayUConnector, payu: PayU) -> None:
    await paid(connector, payu)
    day = hand_over(payu)
    lines = payu.settlements[day.isoformat()]
    lines[:] = [
        lines[0] | {"requestid": str(number)} for number in range(reports.LINES_AT_ONCE + 1)
    ]
    first = await connector.settlement_lines(day)
    assert isinstance(first, ReportPage)
    assert (len(first.lines), first.next) == (reports.LINES_AT_ONCE, "2")
    rest = await connector.settlement_lines(day, first.next)
    assert isinstance(rest, ReportPage)
    assert (len(rest.lines), rest.next) == (1, "")


@pytest.mark.parametrize(
    "body", [b"<html>", b"{}", b'{"status": 1', b'{"status": 1, "Txn_details": "none"}', b"[]"]
)
async def test_what_is_no_report_says_nothing(
    body: bytes, connector: PayUConnector, payu: PayU
) -> None:
    payu.answer_next = [(200, body), (200, body)]
    assert isinstance(await connector.settlement_lines(business_day(datetime.now(UTC))), Unknown)
