"""The PhonePe connector keeps every promise of the port, against the stand-in."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import AcquirerContext, open_registry
from hundi.acquirers.phonepe.connector import PhonePeConnector
from hundi.acquirers.phonepe.kind import KIND
from hundi.acquirers.phonepe.mandates import PhonePeMandateConnector
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.mandates import TakesMandates
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    Charge,
    CompletesAuthorisations,
    OffersUpi,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from hundi.payments.certifications.rules import Readiness
from tests.acquirers.certifying import certified
from tests.acquirers.phonepe.opened import CALLBACK, settings
from tests.acquirers.phonepe.standin_autopay import AutoPay
from tests.acquirers.playing import given_at

PRESENT = {MakesUpiLinks, HostsCheckout, SendsTriggers, Refunds, SendsToBanks}
ABSENT = {CompletesAuthorisations, OffersUpi, AuthenticatesCards, SpeaksBack, ChargesCards}


@pytest.fixture(params=[False, True], ids=["plain", "mandates"])
async def connector(
    request: pytest.FixtureRequest, phonepe: AutoPay, memory: ShortMemory
) -> AsyncIterator[PhonePeConnector]:
    context = AcquirerContext(CALLBACK, memory)
    made = KIND.open("phonepe", settings(phonepe, mandates=request.param), context)
    assert isinstance(made, PhonePeConnector)
    yield made
    await made.close()


def of_mandates(phonepe: AutoPay) -> dict[str, Callable[..., Awaitable[None]]]:
    """Return how the customers and banks of mandates are played."""

    async def pass_notice() -> None:
        phonepe.pass_time(25 * 3_600)

    async def settled(_reference: str) -> None:
        for cycle in phonepe.cycles.values():
            if cycle.state == "PENDING" and cycle.tries:
                phonepe.take(cycle.merchant_order_id)

    async def put(state: str, mandate: str) -> None:
        phonepe.put(mandate, state)

    return {
        "settled": settled,
        "pass_notice": pass_notice,
        "pause_at_bank": partial(put, "PAUSED"),
        "resume_at_bank": partial(put, "ACTIVE"),
    }


@pytest.fixture
def given(phonepe: AutoPay) -> ConnectorCase:
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
        act = phonepe.approve if charge.mandate else phonepe.pay
        act(charge.reference)

    async def refund_settled(reference: str) -> None:
        if reference in phonepe.refunds:
            phonepe.settle_refund(reference)

    def webhook(reference: str) -> tuple[dict[str, str], bytes]:
        return phonepe.webhook(
            "checkout.order.completed", {"merchantOrderId": reference, "state": "COMPLETED"}
        )

    return given_at(
        phonepe.calls,
        **of_mandates(phonepe),
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
    phonepe: AutoPay,
    *,
    tries_have_the_fee: bool,
) -> None:
    phonepe.fee, phonepe.tries_have_the_fee = 236, tries_have_the_fee
    await check(connector, given)


def test_it_has_what_phonepe_does_and_nothing_more(connector: PhonePeConnector) -> None:
    more = {TakesMandates} if isinstance(connector, PhonePeMandateConnector) else set[type]()
    every = PRESENT | ABSENT | {TakesMandates}
    assert {each for each in every if isinstance(connector, each)} == PRESENT | more


async def test_a_configured_one_opens_and_serves_its_methods(phonepe: AutoPay) -> None:
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


async def test_an_account_is_certified_at_the_stand_in(
    connector: PhonePeConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()


@pytest.mark.parametrize("tries_have_the_fee", [True, False])
async def test_a_certification_tells_a_fee_apart(
    connector: PhonePeConnector,
    given: ConnectorCase,
    phonepe: AutoPay,
    *,
    tries_have_the_fee: bool,
) -> None:
    phonepe.fee, phonepe.tries_have_the_fee = 5, tries_have_the_fee
    found = await certified(connector, given, fee_paise=5)
    assert (found.failed(), found.readiness()["CustomerFees"]) == ({}, Readiness.READY)
