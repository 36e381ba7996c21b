"""The PhonePe connector keeps every promise of the port, against the stand-in."""

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import open_registry
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    Charge,
    CompletesAuthorisations,
    OffersUpi,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from tests.acquirers.phonepe.opened import CALLBACK
from tests.acquirers.phonepe.standin import PhonePe
from tests.acquirers.playing import given_at

PRESENT = {MakesUpiLinks, HostsCheckout, SendsTriggers, Refunds, SendsToBanks}
ABSENT = {CompletesAuthorisations, OffersUpi, AuthenticatesCards, SpeaksBack, ChargesCards}


@pytest.fixture
def given(phonepe: PhonePe) -> ConnectorCase:
    def order_at(url: str) -> str:
        order_id = url.rpartition("/")[2]
        return next(
            each.merchant_order_id for each in phonepe.orders.values() if each.order_id == order_id
        )

    async def pay_at_bank(url: str) -> None:
        phonepe.pay(order_at(url))

    async def leave_bank(url: str) -> None:
        order = phonepe.orders[order_at(url)]
        order.state, order.error = "FAILED", ("TXN_NOT_COMPLETED", "TXN_AUTO_FAILED")

    async def pay(charge: Charge, _at: object) -> None:
        phonepe.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        if reference in phonepe.refunds:
            phonepe.settle_refund(reference)

    def webhook(reference: str) -> tuple[dict[str, str], bytes]:
        return phonepe.webhook(
            "checkout.order.completed", {"merchantOrderId": reference, "state": "COMPLETED"}
        )

    return given_at(
        phonepe.calls,
        pay_at_bank=pay_at_bank,
        leave_bank=leave_bank,
        refund_settled=refund_settled,
        pay_link=pay,
        pay_page=pay,
        webhook=webhook,
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(
    check: suite.Check, connector: PhonePeConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize("tries_have_the_fee", [True, False])
@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_where_customers_bear_the_fee(
    check: suite.Check,
    connector: PhonePeConnector,
    given: ConnectorCase,
    phonepe: PhonePe,
    *,
    tries_have_the_fee: bool,
) -> None:
    phonepe.fee, phonepe.tries_have_the_fee = 236, tries_have_the_fee
    await check(connector, given)


def test_it_has_what_phonepe_does_and_nothing_more(connector: PhonePeConnector) -> None:
    assert {each for each in PRESENT | ABSENT if isinstance(connector, each)} == PRESENT


async def test_a_configured_one_opens_and_serves_its_methods(phonepe: PhonePe) -> None:
    fields = {
        "kind": "phonepe",
        "client_id": "I",
        "client_secret": "s",
        "client_version": 1,
        "environment": "sandbox",
    }
    registry = open_registry({"phonepe": fields}, lambda _name: CALLBACK, ShortMemory())
    opened = registry.get("phonepe")
    assert opened.simulated, "no money moves in its sandbox, so it stands beside no live acquirer"
    await registry.close()
    assert not phonepe.calls
