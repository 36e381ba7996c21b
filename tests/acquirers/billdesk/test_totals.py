"""BillDesk's settlements are read as totals: its published list, and the stand-in's."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import Any

import pytest

from hundi.acquirers.billdesk.kind import KIND
from hundi.acquirers.billdesk.totals import BillDeskTotalConnector
from hundi.acquirers.contract.reports import check_settlement_totals
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.checkout import MakesUpiLinks
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder, SendsToBanks
from hundi.acquirers.port.settlement_reports import ReportsTotals, SettlementTotal, TotalsPage
from hundi.kernel.money import Money
from tests.acquirers.billdesk.opened import paid, settings
from tests.acquirers.billdesk.standin import MERCID, answer_of, envelope
from tests.acquirers.billdesk.standin_settlements import SettlingBillDesk
from tests.acquirers.playing import given_at, running
from tests.acquirers.server import BROKEN
from tests.acquirers.shared import CALLBACK

DAY = date(2026, 11, 27)
UTR = "HDFCN52026112712345"
# docs.billdesk.io/reference/retrieve-settlement, as far as copies of it print its example, with our
# number at BillDesk; status, payout_amount and utr are named elsewhere.
VOUCHER: dict[str, Any] = {
    "objectid": "settlement",
    "pv_number": "OPCIT2008252833448",
    "mercid": MERCID,
    "payout_mercid": "PAYOUTMERCID",
    "pv_file": "PV_ABCDEF_OPCIT2010192123456.xls",
    "pv_file_date": "2022-01-03",
    "currency": "356",
    "amount_details": {"settlement": "500.00", "refund": "20.00"},
    "payout_amount": "468.20",
    "utr": "UTR100291",
}


class ListServer(SettlingBillDesk):
    """A stand-in whose list a test may set."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: object = None

    def answers(self) -> Any:
        own = super().answers()
        if self.listed is None:
            return own
        return own | {"settlements/get": lambda _said: answer_of(self.listed)}


@pytest.fixture
async def billdesk() -> AsyncIterator[ListServer]:
    async with running(ListServer()) as played:
        yield played


@pytest.fixture
async def connector(
    billdesk: ListServer, memory: ShortMemory
) -> AsyncIterator[BillDeskTotalConnector]:
    made = opened(billdesk, memory)
    assert isinstance(made, BillDeskTotalConnector)
    yield made
    await made.close()


def opened(billdesk: SettlingBillDesk, memory: ShortMemory, **other: Any) -> Any:
    fields = settings(billdesk, **{"settlements": True, **other})
    return KIND.open("billdesk", fields, AcquirerContext(CALLBACK, memory))


async def test_what_was_paid_and_given_back_is_one_total(
    connector: BillDeskTotalConnector, billdesk: ListServer
) -> None:
    await paid(connector, billdesk)
    await connector.refund(RefundOrder("10001-5", "10001-1", Money(40_000)))
    billdesk.settle("10001-5")
    number = billdesk.hand_over("20261127")
    assert await connector.settlement_totals(DAY) == TotalsPage(())
    billdesk.credit(number)
    # 2 % of the payment as the fee, and 18 % of it as tax.
    total = SettlementTotal(number, UTR, 57_640, DAY)
    assert await connector.settlement_totals(DAY) == TotalsPage((total,))
    assert await connector.settlement_totals(DAY - timedelta(days=1)) == TotalsPage(())
    place, asked = billdesk.asked[-1]
    assert place == "settlements/get"
    assert asked == {"mercid": MERCID, "from_date": "20261126", "to_date": "20261126"}


async def test_a_day_that_took_more_than_it_gave_is_below_zero(
    connector: BillDeskTotalConnector, billdesk: ListServer
) -> None:
    billdesk.listed = [VOUCHER | {"payout_amount": "-20.00"}, VOUCHER | {"payout_amount": "0.00"}]
    page = await connector.settlement_totals(DAY)
    assert isinstance(page, TotalsPage)
    assert [each.net_paise for each in page.totals] == [-2_000]


async def test_the_published_voucher_is_a_total(
    connector: BillDeskTotalConnector, billdesk: ListServer
) -> None:
    billdesk.listed = [VOUCHER]
    total = SettlementTotal("OPCIT2008252833448", "UTR100291", 46_820, DAY)
    assert await connector.settlement_totals(DAY) == TotalsPage((total,))


@pytest.mark.parametrize(
    "listed",
    [
        {"listed": "nothing"},
        {"error_code": "GNIDE0001"},
        ["OPCIT2008252833448"],
        [VOUCHER, VOUCHER | {"pv_number": ""}],
        [VOUCHER | {"mercid": "ANOTHER"}],
        [VOUCHER | {"currency": "840"}],
        [VOUCHER | {"payout_amount": "468.205"}],
        [VOUCHER | {"payout_amount": None}],
    ],
)
async def test_a_list_that_cannot_be_used_is_no_empty_day(
    connector: BillDeskTotalConnector, billdesk: ListServer, listed: object
) -> None:
    billdesk.listed = listed
    assert isinstance(await connector.settlement_totals(DAY), Unknown)


@pytest.mark.parametrize("broken", BROKEN)
async def test_nothing_else_is_a_list(
    connector: BillDeskTotalConnector, billdesk: ListServer, broken: tuple[int, bytes]
) -> None:
    assert await connector.settlement_totals(DAY) == TotalsPage(())
    billdesk.answer_next = [broken] * 20
    assert isinstance(await connector.settlement_totals(DAY), Unknown)


async def test_a_list_is_no_answer_about_a_payment(
    connector: BillDeskTotalConnector, billdesk: ListServer
) -> None:
    await paid(connector, billdesk)
    billdesk.answer_next = [(200, envelope(b"[]"))] * 2
    answer = await connector.inquire("10001-1")
    assert isinstance(answer, Unknown)


async def test_the_contract_of_totals(
    connector: BillDeskTotalConnector, billdesk: ListServer
) -> None:
    async def pay_page(charge: Charge, page: Any) -> None:
        billdesk.visit(page.url, page.fields)
        billdesk.pay(charge.reference)

    async def settle() -> date:
        billdesk.credit(billdesk.hand_over("20261127"))
        return DAY

    given = given_at(billdesk.calls, pay_page=pay_page, settle=settle)
    await check_settlement_totals(connector, given)


async def test_only_an_account_with_the_list_reports(
    billdesk: ListServer, memory: ShortMemory
) -> None:
    for settlements in (False, True):
        for fields in ({}, {"banks": ("HDFC HDF HDFC Bank",)}, {"upi_bank_id": "ICW"}):
            one = opened(billdesk, memory, settlements=settlements, **fields)
            assert isinstance(one, ReportsTotals) is settlements
            assert isinstance(one, SendsToBanks) is bool(fields)
            assert isinstance(one, MakesUpiLinks) is ("upi_bank_id" in fields)
            await one.close()
