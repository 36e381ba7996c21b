"""The connector to another gateway keeps every promise of the port, at a running one."""

from datetime import UTC, datetime

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.gateway.connector import GatewayConnector
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.checkout import (
    BringsBack,
    ChargesCards,
    HostsCheckout,
    MakesUpiLinks,
    SendsTriggers,
)
from hundi.acquirers.port.instalments import OffersInstalments
from hundi.acquirers.port.payments import (
    ChecksAddresses,
    CompletesAuthorisations,
    KeepsBooks,
    OffersUpi,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from hundi.instruments.card import CardNumber
from hundi.kernel.ids import new_id
from tests.acquirers.certifying import certified
from tests.acquirers.gateway.there import Customers, notification
from tests.acquirers.sandbox.test_contract import known, pay_at_bank
from tests.system.envelopes import Merchant

ALWAYS = {
    MakesUpiLinks,
    HostsCheckout,
    SendsTriggers,
    BringsBack,
    Refunds,
    CompletesAuthorisations,
    ChecksAddresses,
}
NEVER = {OffersUpi, AuthenticatesCards, SpeaksBack, OffersInstalments, KeepsBooks}
CARD, DECLINED = (
    CardNumber(number, 12, 2040, "123", "Asha")
    for number in ("4111111111111111", "4000000000000002")
)
SIZES = {"off": set(), "banks": {SendsToBanks}, "cards": {SendsToBanks, ChargesCards}}


@pytest.fixture
def given(connector: GatewayConnector, customers: Customers, account: Merchant) -> ConnectorCase:
    return ConnectorCase(
        new_reference=lambda: f"10001-{new_id(datetime.now(UTC))}",
        good_card=CARD,
        declined_card=DECLINED,
        card_of=lambda _bank: CARD,
        good_vpa="success@hundi",
        nobody_vpa="unregistered@hundi",
        pass_challenge=customers.confirm,
        fail_challenge=lambda url: customers.confirm(url, "000000"),
        pay_at_bank=pay_at_bank,
        leave_bank=customers.leave_bank,
        settled=lambda reference: known(lambda: connector.inquire(reference)),
        refund_settled=lambda reference: known(lambda: connector.inquire_refund(reference)),
        pay_link=customers.pay_link,
        pay_page=customers.pay_page,
        come_back=customers.come_back,
        webhook=lambda reference: notification(account, orderid=reference),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(
    check: suite.Check, connector: GatewayConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


def test_it_has_what_the_account_may_do_and_nothing_more(
    connector: GatewayConnector, request: pytest.FixtureRequest
) -> None:
    size = request.node.callspec.params["connector"]
    asked = ALWAYS | NEVER | SIZES["cards"]
    assert {each for each in asked if isinstance(connector, each)} == ALWAYS | SIZES[size]


async def test_an_account_is_certified_at_another_gateway(
    connector: GatewayConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()
