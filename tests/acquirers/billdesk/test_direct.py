"""Net banking and UPI at BillDesk by call, in the form that we expect of unpublished answers."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from hundi.acquirers.billdesk.direct import BillDeskDirectConnector
from hundi.acquirers.billdesk.kind import KIND
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.port.answers import Approved, Declined, Redirect, Unknown
from hundi.acquirers.port.checkout import MakesUpiLinks, UpiLink
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import BankEntry, SendsToBanks
from hundi.kernel.money import Money
from tests.acquirers.billdesk.opened import settings
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.shared import CALLBACK, RETURN, charge

BANKS = ("HDFC HDF HDFC Bank", "ICIC_C ICO ICICI Bank - Corporate")


def opened(billdesk: BillDesk, memory: ShortMemory, **other: Any) -> Any:
    return KIND.open("billdesk", settings(billdesk, **other), AcquirerContext(CALLBACK, memory))


@pytest.fixture
async def direct(billdesk: BillDesk, memory: ShortMemory) -> AsyncIterator[BillDeskDirectConnector]:
    one = opened(billdesk, memory, banks=BANKS, upi_bank_id="ICW")
    assert isinstance(one, BillDeskDirectConnector)
    yield one
    await one.close()


def test_without_a_certified_answer_it_offers_neither(
    billdesk: BillDesk, memory: ShortMemory
) -> None:
    plain = opened(billdesk, memory)
    assert not isinstance(plain, SendsToBanks | MakesUpiLinks)
    banks = opened(billdesk, memory, banks=BANKS)
    assert isinstance(banks, SendsToBanks)
    assert not isinstance(banks, MakesUpiLinks)


async def to_bank(one: BillDeskDirectConnector, code: str = "HDFC") -> Any:
    return await one.start_redirect(
        charge(), method="netbanking", bank_code=code, return_url=RETURN
    )


async def test_a_customer_is_sent_to_the_bank_and_pays(
    direct: BillDeskDirectConnector, billdesk: BillDesk
) -> None:
    assert await direct.banks() == (
        BankEntry("netbanking", "HDFC", "HDFC Bank"),
        BankEntry("netbanking", "ICIC_C", "ICICI Bank - Corporate"),
    )
    page = await to_bank(direct)
    assert isinstance(page, Redirect)
    assert page.url == f"{billdesk.url}/bank/HDF"
    assert dict(page.fields)["token"].startswith("token-")
    billdesk.pay("10001-1")
    answer = await direct.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.amount == Money(100_000)


async def test_a_bank_that_is_not_listed_and_a_repeat_have_no_page(
    direct: BillDeskDirectConnector,
) -> None:
    assert isinstance(await to_bank(direct, "SBIN"), Declined)
    assert isinstance(await to_bank(direct), Redirect)
    # BillDesk takes a trace once a day: the customer chooses again, under another reference.
    assert isinstance(await to_bank(direct), Unknown)


async def test_a_link_is_found_wherever_it_is(
    direct: BillDeskDirectConnector, billdesk: BillDesk
) -> None:
    link = await direct.upi_link(charge(), expires_in_s=900)
    assert isinstance(link, UpiLink)
    assert link.url.startswith("upi://pay?pa=standin@icici")
    billdesk.pay("10001-1")
    assert isinstance(await direct.inquire("10001-1"), Approved)
