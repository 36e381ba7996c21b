"""Paytm's list of settlements at its stand-in: what was paid is handed over, and read."""

from collections.abc import AsyncIterator
from datetime import date

import pytest

from hundi.acquirers.calls.pages import ConnectorSetup
from hundi.acquirers.paytm.connector import PaytmAccount, PaytmReportConnector
from hundi.acquirers.paytm.reports import LINES_AT_ONCE
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportPage
from hundi.kernel.money import Money
from tests.acquirers.paytm import standin
from tests.acquirers.paytm.opened import paid, visited
from tests.acquirers.paytm.standin_settlements import SettlingPaytm
from tests.acquirers.playing import running
from tests.acquirers.shared import charge

DAY = date(2026, 11, 27)
FEE, TAX = 2_000, 360


@pytest.fixture
async def paytm() -> AsyncIterator[SettlingPaytm]:
    async with running(SettlingPaytm()) as played:
        yield played


@pytest.fixture
async def connector(paytm: SettlingPaytm) -> AsyncIterator[PaytmReportConnector]:
    account = PaytmAccount(standin.MID, standin.KEY, "DEFAULT", "C11")
    made = PaytmReportConnector(ConnectorSetup("paytm", ShortMemory()), account, paytm.url)
    yield made
    await made.close()


async def test_what_was_paid_given_back_and_lost_is_told_line_by_line(
    connector: PaytmReportConnector, paytm: SettlingPaytm
) -> None:
    await paid(connector, paytm)
    await connector.refund(RefundOrder("10001-5", "10001-1", Money(40_000)))
    paytm.settle("10001-5")
    paytm.decide(paytm.raise_dispute("10001-1", "600.00"), "LOST")
    assert await connector.settlement_lines(DAY) == ReportPage(())
    paytm.hand_over(DAY.isoformat())
    page = await connector.settlement_lines(DAY)
    assert isinstance(page, ReportPage)
    sale, refund, lost = page.lines
    number = paytm.orders["10001-1"].txn_id
    assert (sale.kind, sale.is_credit, sale.reference) == (ReportedKind.PAYMENT, True, "10001-1")
    assert (sale.gross_paise, sale.net_paise) == (100_000, 100_000 - FEE - TAX)
    assert (refund.kind, refund.is_credit) == (ReportedKind.REFUND, False)
    assert (refund.gross_paise, refund.net_paise, refund.number) == (40_000, 40_000, number)
    assert (lost.kind, lost.is_credit, lost.gross_paise) == (
        ReportedKind.CHARGEBACK,
        False,
        60_000,
    )
    assert {each.utr for each in page.lines} == {"AXISCN0123456789"}
    assert paytm.signed_as == ["values"] * 2


async def test_a_long_day_is_read_in_pages_and_an_old_one_not_at_all(
    connector: PaytmReportConnector, paytm: SettlingPaytm
) -> None:
    references = [f"10001-{each}" for each in range(LINES_AT_ONCE + 1)]
    for reference in references:
        await visited(connector, paytm, charge(reference=reference))
        paytm.pay(reference)
    paytm.hand_over(DAY.isoformat())
    first = await connector.settlement_lines(DAY)
    assert isinstance(first, ReportPage)
    last = await connector.settlement_lines(DAY, first.next)
    assert isinstance(last, ReportPage)
    assert [each.reference for each in first.lines + last.lines] == references
    assert last.next == ""
    assert isinstance(await connector.settlement_lines(date(2026, 1, 1)), Unknown)
