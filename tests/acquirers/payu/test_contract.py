"""The PayU connector keeps every promise of the port, against the stand-in."""

from collections.abc import AsyncIterator
from datetime import date

import pytest

from hundi.acquirers.calls.banks import BANK_PAGE_LIFE_S
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.checkout import check_checkout
from hundi.acquirers.contract.instalments import check_hosted_instalments
from hundi.acquirers.contract.payments import check_redirects
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import AcquirerContext, open_registry
from hundi.acquirers.payu import rules
from hundi.acquirers.payu.connector import PayUConnector
from hundi.acquirers.payu.kind import KIND
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.instalments import HostsInstalments, OffersInstalments
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import (
    Charge,
    CompletesAuthorisations,
    OffersUpi,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from hundi.acquirers.port.settlement_reports import ReportsSettlements
from hundi.payments.certifications.rules import Readiness
from tests.acquirers.certifying import certified
from tests.acquirers.payu.opened import CALLBACK, connector_at, settings
from tests.acquirers.payu.standin import PayU
from tests.acquirers.payu.standin_money import hand_over
from tests.acquirers.playing import given_at
from tests.acquirers.shared import Clock

PRESENT = {
    SendsToBanks,
    MakesUpiLinks,
    HostsCheckout,
    SendsTriggers,
    ReportsSettlements,
    Refunds,
    CompletesAuthorisations,
}
ABSENT = {
    OffersUpi,
    AuthenticatesCards,
    SpeaksBack,
    ChargesCards,
    HostsInstalments,
    OffersInstalments,
}
FROM_RUPEES = 1_000


@pytest.fixture
async def timed(payu: PayU, memory: ShortMemory, clock: Clock) -> AsyncIterator[PayUConnector]:
    one = connector_at(payu, memory, clock)
    yield one
    await one.close()


@pytest.fixture
def given(payu: PayU, clock: Clock) -> ConnectorCase:
    async def visit_bank(page: Redirect) -> None:
        payu.visit(page.fields)

    async def pay_at_bank(_url: str) -> None:
        payu.pay(payu.visited)

    async def leave_bank(_url: str) -> None:
        payu.end(payu.visited, "userCancelled")
        clock.now_s += BANK_PAGE_LIFE_S

    async def pay_link(charge: Charge, _at: object) -> None:
        payu.pay(charge.reference)

    async def pay_page(charge: Charge, page: Redirect) -> None:
        payu.visit(page.fields)
        payu.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        payu.settle(rules.token("R", reference))

    async def settled() -> date:
        return hand_over(payu)

    return given_at(
        payu.calls,
        visit_bank=visit_bank,
        pay_at_bank=pay_at_bank,
        leave_bank=leave_bank,
        refund_settled=refund_settled,
        pay_link=pay_link,
        pay_page=pay_page,
        webhook=payu.webhook,
        forge=lambda body: body.replace(b"hash=", b"hash=0"),
        settle=settled,
    )


@pytest.fixture
async def instalments(payu: PayU, memory: ShortMemory) -> AsyncIterator[PayUConnector]:
    """Open an account whose page takes instalments, too."""
    context = AcquirerContext(CALLBACK, memory)
    made = KIND.open("payu", settings(payu, instalments_from_rupees=FROM_RUPEES), context)
    assert isinstance(made, PayUConnector)
    yield made
    await made.close()


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, timed: PayUConnector, given: ConnectorCase) -> None:
    await check(timed, given)


async def test_the_contract_of_banks_that_are_chosen_before_its_page(
    payu: PayU, memory: ShortMemory, clock: Clock, given: ConnectorCase
) -> None:
    one = connector_at(payu, memory, clock, hosts_banks=True)
    await check_redirects(one, given)
    assert {each.form["pg"] for each in payu.transactions.values()} == {"NB", "CASH"}
    await one.close()


@pytest.mark.parametrize(
    "charged_in", [(), ("amt",), ("transaction_amount",), ("amt", "transaction_amount")]
)
@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_where_payu_adds_a_charge(
    check: suite.Check,
    timed: PayUConnector,
    given: ConnectorCase,
    payu: PayU,
    charged_in: tuple[str, ...],
) -> None:
    payu.charges, payu.charged_in = "23.60", frozenset(charged_in)
    await check(timed, given)


async def test_the_contract_of_instalments(
    instalments: PayUConnector, given: ConnectorCase
) -> None:
    await check_checkout(instalments, given)
    await check_hosted_instalments(instalments, given)


def test_it_has_what_payu_does_and_nothing_more(
    connector: PayUConnector, instalments: PayUConnector
) -> None:
    assert {each for each in PRESENT | ABSENT if isinstance(connector, each)} == PRESENT
    assert {each for each in PRESENT | ABSENT if isinstance(instalments, each)} == PRESENT | {
        HostsInstalments
    }


@pytest.mark.parametrize(
    ("environment", "origin", "simulated"),
    [("production", "https://secure.payu.in", False), ("test", "https://test.payu.in", True)],
)
async def test_a_configured_one_opens(
    environment: str, origin: str, *, simulated: bool, payu: PayU
) -> None:
    fields = {
        "kind": "payu",
        "key": "k",
        "salt": "s",
        "environment": environment,
        "contact_email": "shop@example.in",
        "contact_phone": "9000000000",
    }
    registry = open_registry({"payu": fields}, lambda _name: CALLBACK, ShortMemory())
    opened = registry.get("payu")
    assert opened.simulated is simulated, "no money moves in its test environment"
    assert isinstance(opened, HostsCheckout)
    assert opened.checkout_origins == (origin,)
    await registry.close()
    assert not payu.calls


async def test_an_account_is_certified_at_the_stand_in(
    timed: PayUConnector, given: ConnectorCase
) -> None:
    found = await certified(timed, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()


@pytest.mark.parametrize("charged_in", [(), ("amt",), ("amt", "transaction_amount")])
async def test_a_certification_tells_a_charge_apart(
    timed: PayUConnector, given: ConnectorCase, payu: PayU, charged_in: tuple[str, ...]
) -> None:
    payu.charges, payu.charged_in = "0.05", frozenset(charged_in)
    found = await certified(timed, given, fee_paise=5)
    assert (found.failed(), found.readiness()["CustomerFees"]) == ({}, Readiness.READY)
