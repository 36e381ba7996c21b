"""BillDesk, CCAvenue and Paytm, whose pages a form opens, keep every promise of the port."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from hundi.acquirers.billdesk.connector import BillDeskConnector
from hundi.acquirers.billdesk.kind import KIND as BILLDESK
from hundi.acquirers.ccavenue import rules as of_ccavenue
from hundi.acquirers.ccavenue.connector import CCAvenueConnector
from hundi.acquirers.ccavenue.kind import KIND as CCAVENUE
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.checkout import check_upi_links
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import AcquirerContext, AcquirerKind, open_registry
from hundi.acquirers.paytm.connector import PaytmConnector
from hundi.acquirers.paytm.kind import KIND as PAYTM
from hundi.acquirers.port.answers import Approved, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    Charge,
    CompletesAuthorisations,
    Connector,
    OffersUpi,
    RefundOrder,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from hundi.acquirers.port.settlement_reports import ReportsSettlements
from hundi.kernel.money import Money
from hundi.payments.certifications.rules import Readiness
from tests.acquirers.billdesk import opened as billdesk
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.ccavenue import opened as ccavenue
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.certifying import certified
from tests.acquirers.paytm import opened as paytm
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.playing import given_at, running
from tests.acquirers.shared import CALLBACK, LIFE_S, Clock, charge, page_of

ASKED = {
    *(MakesUpiLinks, HostsCheckout, SendsTriggers, CompletesAuthorisations, Refunds),
    *(SendsToBanks, OffersUpi, SpeaksBack, ChargesCards, ReportsSettlements),
}
EVERY = {HostsCheckout, SendsTriggers, Refunds}
Standin = BillDesk | CCAvenue | Paytm


@dataclass(frozen=True)
class Aggregator:
    """One of them.

    settings: of a connector that calls a stand-in. connector_at: one with the time of a test. fail:
    lets a customer's try fail. has: what it can do beside EVERY. refund: how the stand-in names a
    refund of ours. forge: makes another webhook of one. fields: what an operator says.
    environments: where its pages are in each, and whether no money moves there.
    """

    kind: AcquirerKind[Any]
    connector: type[Connector]
    standin: type[Standin]
    settings: Callable[[Any], Any]
    connector_at: Callable[[Any, ShortMemory, Clock], Any]
    fail: Callable[..., None]
    has: frozenset[type]
    refund: Callable[[str], str]
    forge: Callable[[bytes], bytes]
    fields: Mapping[str, str]
    environments: Mapping[str, tuple[tuple[str, ...], bool]]


AGGREGATORS = {
    "billdesk": Aggregator(
        BILLDESK,
        BillDeskConnector,
        BillDesk,
        billdesk.settings,
        billdesk.connector_at,
        BillDesk.fail,
        frozenset(),
        str,
        lambda body: body[:-4] + (b"AAAA" if body[-4:] != b"AAAA" else b"BBBB"),
        {"merchant_id": "M1", "client_id": "m1", "signing_key": "k" * 32},
        {
            "production": (("https://pay.billdesk.com", "https://www.billdesk.com"), False),
            "uat": (("https://uat1.billdesk.com",), True),
        },
    ),
    "ccavenue": Aggregator(
        CCAVENUE,
        CCAvenueConnector,
        CCAvenue,
        ccavenue.settings,
        ccavenue.connector_at,
        CCAvenue.end,
        frozenset({CompletesAuthorisations, SendsToBanks, ReportsSettlements}),
        of_ccavenue.token,
        lambda body: body.replace(b"encResp=", b"encResp=0"),
        {"merchant_id": "12345", "access_code": "AV1", "working_key": "k" * 32},
        {
            "production": (("https://secure.ccavenue.com",), False),
            "test": (("https://test.ccavenue.com",), True),
        },
    ),
    "paytm": Aggregator(
        PAYTM,
        PaytmConnector,
        Paytm,
        paytm.settings,
        paytm.connector_at,
        Paytm.fail,
        frozenset({MakesUpiLinks, SendsToBanks}),
        str,
        lambda body: body.replace(b'"signature": "', b'"signature": "A'),
        {"merchant_id": "M1", "merchant_key": "k" * 16, "website": "DEFAULT"},
        {
            "production": (("https://secure.paytmpayments.com",), False),
            "staging": (("https://securestage.paytmpayments.com",), True),
        },
    ),
}


INTENTS = {"ccavenue": ccavenue.intents_at, "paytm": paytm.intents_at}
"""Connectors of accounts with UPI intents."""


@pytest.fixture(params=AGGREGATORS)
def name(request: pytest.FixtureRequest) -> str:
    """One of the aggregators; a test of some of them names them itself."""
    return request.param


@pytest.fixture
async def standin(name: str) -> AsyncIterator[Standin]:
    async with running(AGGREGATORS[name].standin()) as opened:
        yield opened


@pytest.fixture
async def connector(name: str, standin: Standin, memory: ShortMemory) -> AsyncIterator[Connector]:
    one = AGGREGATORS[name]
    made = one.kind.open(name, one.settings(standin), AcquirerContext(CALLBACK, memory))
    assert isinstance(made, one.connector)
    yield made
    await made.close()


@pytest.fixture
async def timed(
    name: str, standin: Standin, memory: ShortMemory, clock: Clock
) -> AsyncIterator[Any]:
    """A connector with the time of a test."""
    one = AGGREGATORS[name].connector_at(standin, memory, clock)
    yield one
    await one.close()


async def visited(one: HostsCheckout, standin: Standin) -> None:
    """Get a page and open it, as a browser does that posts the form."""
    page = await page_of(one, charge())
    assert isinstance(page, Redirect)
    standin.visit(page.url, page.fields)


LEFT = {"paytm": "141", "ccavenue": "Aborted"}
"""Words of a customer who left a bank's page."""


@pytest.fixture
def given(name: str, standin: Standin, clock: Clock) -> ConnectorCase:
    one = AGGREGATORS[name]

    async def visit_bank(page: Redirect) -> None:
        standin.visit(page.url, page.fields)

    async def pay_at_bank(_url: str) -> None:
        assert not isinstance(standin, BillDesk)
        standin.pay(standin.visited)

    async def leave_bank(_url: str) -> None:
        assert not isinstance(standin, BillDesk)
        one.fail(standin, standin.visited, LEFT[name])
        clock.now_s += PaytmConnector.page_life_s_min

    async def settled() -> date:
        assert isinstance(standin, CCAvenue)
        return standin.hand_over()

    async def pay_link(charge: Charge, _at: object) -> None:
        standin.pay(charge.reference)

    async def pay_page(charge: Charge, page: Redirect) -> None:
        standin.visit(page.url, page.fields)
        standin.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        standin.settle(one.refund(reference))

    return given_at(
        standin.calls,
        visit_bank=visit_bank,
        pay_at_bank=pay_at_bank,
        leave_bank=leave_bank,
        settle=settled,
        refund_settled=refund_settled,
        pay_link=pay_link,
        pay_page=pay_page,
        webhook=standin.webhook,
        forge=one.forge,
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, timed: Any, given: ConnectorCase) -> None:
    await check(timed, given)


async def test_the_contract_of_intents(
    memory: ShortMemory, clock: Clock, given: ConnectorCase, name: str, standin: Standin
) -> None:
    if name not in INTENTS:
        return
    one = INTENTS[name](standin, memory, clock)
    await check_upi_links(one, given)
    assert isinstance(one, MakesUpiLinks)
    await one.close()


@pytest.mark.parametrize("name", ["billdesk"], indirect=True)
@pytest.mark.parametrize("discount", ["0.00", "3.60"])
@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_where_its_acquirer_adds_a_surcharge(
    check: suite.Check, connector: Connector, given: ConnectorCase, standin: Standin, discount: str
) -> None:
    assert isinstance(standin, BillDesk)
    standin.surcharge, standin.discount = "23.60", discount
    await check(connector, given)


def test_it_has_what_its_acquirer_does_and_nothing_more(name: str, connector: Connector) -> None:
    assert {each for each in ASKED if isinstance(connector, each)} == EVERY | AGGREGATORS[name].has


async def test_a_configured_one_opens(name: str) -> None:
    one = AGGREGATORS[name]
    for environment, (origins, simulated) in one.environments.items():
        fields = {"kind": name, **one.fields, "environment": environment}
        registry = open_registry({name: fields}, lambda _name: CALLBACK, ShortMemory())
        opened = registry.get(name)
        assert opened.simulated is simulated, f"whether money moves in {environment}"
        assert isinstance(opened, HostsCheckout)
        assert opened.checkout_origins == origins
        await registry.close()


async def test_a_refund_while_its_payment_is_open_is_not_sent(
    connector: Connector, standin: Standin
) -> None:
    assert isinstance(connector, HostsCheckout)
    assert isinstance(connector, Refunds)
    await visited(connector, standin)
    answer = await connector.refund(RefundOrder("10001-5", "10001-1", Money(500)))
    assert isinstance(answer, Unknown)
    assert not answer.sent


async def test_a_refund_that_was_never_sent_is_not_there_without_a_call(
    connector: Connector, standin: Standin
) -> None:
    assert isinstance(connector, Refunds)
    assert await connector.inquire_refund("10001-9") == NothingThere()
    assert standin.calls == []


async def test_another_amount_is_said_as_it_is(timed: Any, standin: Standin) -> None:
    await visited(timed, standin)
    standin.pay("10001-1", amount="900.00")
    answer = await timed.inquire("10001-1")
    assert isinstance(answer, Approved)
    assert answer.amount == Money(90_000)


async def test_a_failed_try_may_be_followed_by_a_paid_one(
    name: str, timed: Any, standin: Standin, clock: Clock
) -> None:
    await visited(timed, standin)
    AGGREGATORS[name].fail(standin, "10001-1")
    open_still = await timed.inquire("10001-1")
    assert isinstance(open_still, Unknown)
    assert open_still.awaiting_customer
    standin.pay("10001-1")
    clock.now_s += LIFE_S
    assert isinstance(await timed.inquire("10001-1"), Approved)


async def test_a_page_that_nobody_opened_is_open_until_it_is_over(timed: Any, clock: Clock) -> None:
    await page_of(timed, charge())
    assert await timed.inquire("10001-1") == Unknown(awaiting_customer=True)
    clock.now_s += LIFE_S
    assert await timed.inquire("10001-1") == NothingThere()


async def test_an_account_is_certified_at_the_stand_in(timed: Any, given: ConnectorCase) -> None:
    found = await certified(timed, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()


@pytest.mark.parametrize("name", ["billdesk"], indirect=True)
async def test_a_certification_tells_a_surcharge_apart(
    timed: Any, given: ConnectorCase, standin: Standin
) -> None:
    assert isinstance(standin, BillDesk)
    standin.surcharge = "0.05"
    found = await certified(timed, given, fee_paise=5)
    assert (found.failed(), found.readiness()["CustomerFees"]) == ({}, Readiness.READY)
