"""Paytm's list of settlements is read in both forms that are known of it."""

import json
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest
from aiohttp import web

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.paytm import checksums, reports
from hundi.acquirers.paytm.connector import PaytmAccount, PaytmReportConnector
from hundi.acquirers.paytm.kind import KIND
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.settlement_reports import (
    ReportedKind,
    ReportLine,
    ReportPage,
    ReportsSettlements,
)
from tests.acquirers.paytm import standin
from tests.acquirers.paytm.opened import settings
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.server import BROKEN, Server
from tests.acquirers.shared import CALLBACK

DAY = date(2026, 11, 27)
LINE = {
    "txnId": "20261126210000000000000000000001",
    "txnType": "SALE",
    "txnDate": "2026-11-26 11:14:13",
    "txnAmount": "1000.00",
    "orderId": "10001-1",
    "utr": "AXISP00123456789",
    "settleAmount": "976.40",
    "payoutDate": "2026-11-27",
    "gst": "3.60",
    "commission": "20.00",
}
"""The names are those of Paytm's page; the values are ours, because it prints no whole sample."""
OLDER = {
    "TXNID": "1",
    "TXNTYPE": "SALE",
    "TXNAMOUNT": "1000.00",
    "ORDERID": "10001-1",
    "UTR_NO": "AXISP00123456789",
    "SETTLEDAMOUNT": "976.40",
    "GST": "3.60",
    "COMMISSION": "20.00",
}
"""The names that three public clients read."""


def answer(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"status": "SUCCESS", "settlementDetailList": list(rows), **more}


def line(**change: str) -> Any:
    found = reports.page_of(answer({**LINE, **change}), DAY, 1)
    return found.lines[0] if isinstance(found, ReportPage) else found


class ReportServer(Server):
    """Answers the list with pages that a test sets."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[dict[str, Any]] = []

    def routes(self, app: web.Application) -> None:
        app.router.add_post(reports.PATH, self._listed)

    async def _listed(self, request: web.Request) -> web.Response:
        asked = json.loads(await request.read())
        signed = {name: value for name, value in asked.items() if name != "checksumHash"}
        text = checksums.form_text(signed)
        assert checksums.holds(text, standin.KEY, asked["checksumHash"])
        return web.json_response(self.pages[int(asked["pageNum"]) - 1])


@pytest.fixture
async def server() -> AsyncIterator[ReportServer]:
    made = ReportServer()
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def connector(server: ReportServer) -> AsyncIterator[PaytmReportConnector]:
    account = PaytmAccount(standin.MID, standin.KEY, "DEFAULT", "C11")
    made = PaytmReportConnector(ConnectorSetup("paytm", ShortMemory()), account, server.url)
    yield made
    await made.close()


def test_a_sale_is_a_credit_with_its_fee() -> None:
    assert line() == ReportLine(
        kind=ReportedKind.PAYMENT,
        is_credit=True,
        gross_paise=100_000,
        net_paise=97_640,
        reference="10001-1",
        number=LINE["txnId"],
        settlement="AXISP00123456789",
        utr="AXISP00123456789",
        day=DAY,
    )


def test_the_older_form_says_the_same() -> None:
    listed = {"settlementListResponse": {"settlementTransactionList": [OLDER]}}
    found = reports.page_of({"status": "SUCCESS", **listed}, DAY, 1)
    assert isinstance(found, ReportPage)
    (ours,) = found.lines
    assert (ours.reference, ours.gross_paise, ours.net_paise, ours.utr) == (
        "10001-1",
        100_000,
        97_640,
        "AXISP00123456789",
    )


@pytest.mark.parametrize(
    ("kind", "amount", "settled", "told"),
    [
        ("REFUND", "-500.00", "-500.00", (ReportedKind.REFUND, False, 50_000, 50_000)),
        ("REFUND", "500.00", "-490.00", (ReportedKind.REFUND, False, 49_000, 49_000)),
        ("CHARGEBACK", "-1000", "-1000", (ReportedKind.CHARGEBACK, False, 100_000, 100_000)),
        ("ACQUIRING", "10", "10", (ReportedKind.PAYMENT, True, 1_000, 1_000)),
        ("REPAYMENT", "5", "-7.5", (ReportedKind.OTHER, False, 750, 750)),
        ("a new word", "5", "7.5", (ReportedKind.OTHER, True, 750, 750)),
    ],
)
def test_the_kind_decides_the_direction(
    kind: str, amount: str, settled: str, told: tuple[ReportedKind, bool, int, int]
) -> None:
    ours = line(txnType=kind, txnAmount=amount, settleAmount=settled)
    assert (ours.kind, ours.is_credit, ours.gross_paise, ours.net_paise) == told


def test_a_refund_has_paytms_number_because_its_order_may_have_several() -> None:
    assert line(txnType="REFUND").reference == LINE["txnId"]
    assert line(txnType="CHARGEBACK").reference == "10001-1"


@pytest.mark.parametrize(
    "change",
    [
        {"settleAmount": "1000.01"},
        {"settleAmount": "-976.40"},
        {"settleAmount": ""},
        {"txnAmount": "10.001"},
        {"txnAmount": "0"},
        {"txnAmount": "ten"},
        {"txnId": ""},
    ],
)
def test_a_line_that_contradicts_itself_makes_its_page_unreadable(change: dict[str, str]) -> None:
    assert isinstance(line(**change), Unknown)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"status": "FAILURE", "resultCode": "00000022", "errorMessage": "CHECKSUM"},
        {"status": "SUCCESS"},
        answer(LINE) | {"settlementDetailList": [LINE, "a text"]},
        answer(LINE) | {"status": "FAILURE"},
    ],
)
def test_an_answer_without_a_list_is_no_empty_day(said: dict[str, Any]) -> None:
    assert isinstance(reports.page_of(said, DAY, 1), Unknown)


def test_a_day_without_payout_has_no_lines() -> None:
    assert reports.page_of({"status": "RECORD_NOT_FOUND"}, DAY, 1) == ReportPage(())


async def test_a_day_is_read_to_its_last_page(
    connector: PaytmReportConnector, server: ReportServer
) -> None:
    server.pages = [answer(LINE, paginatorTotalPage=2), answer(LINE, paginatorTotalPage=2)]
    first = await connector.settlement_lines(DAY)
    assert isinstance(first, ReportPage)
    last = await connector.settlement_lines(DAY, first.next)
    assert isinstance(last, ReportPage)
    assert (first.next, last.next) == ("2", "")
    # Without a count of pages a full page has another one after it.
    server.pages = [answer(*[LINE] * 20), answer()]
    full = await connector.settlement_lines(DAY)
    assert isinstance(full, ReportPage)
    assert full.next == "2"
    assert await connector.settlement_lines(DAY, full.next) == ReportPage(())


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_else_is_a_report(
    connector: PaytmReportConnector, server: ReportServer, broken: tuple[int, bytes]
) -> None:
    server.pages = [answer(LINE)]
    server.answer_next = [broken] * 20
    assert isinstance(await connector.settlement_lines(DAY), Unknown)


@pytest.mark.parametrize("upi", ["qr", "intent"])
async def test_only_an_account_with_the_list_reports(upi: str) -> None:
    for settlements in (False, True):
        opened = KIND.open(
            "paytm",
            settings(Paytm(), upi=upi, settlements=settlements, url="https://one.example"),
            AcquirerContext(CALLBACK, ShortMemory()),
        )
        assert isinstance(opened, ReportsSettlements) is settlements
        await opened.close()
