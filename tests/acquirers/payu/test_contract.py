"""The PayU connector keeps every promise of the port, against the stand-in."""

from collections.abc import AsyncIterator
from datetime import date

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.checkout import check_checkout
from hundi.acquirers.contract.instalments import check_hosted_instalments
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
from tests.acquirers.payu.opened import CALLBACK, settings
from tests.acquirers.payu.standin import PayU
from tests.acquirers.payu.standin_money import hand_over
from tests.acquirers.playing import given_at

PRESENT = {
    MakesUpiLinks,
    HostsCheckout,
    SendsTriggers,
    ReportsSettlements,
    Refunds,
    CompletesAuthorisations,
}
ABSENT = {
    SendsToBanks,
    OffersUpi,
    AuthenticatesCards,
    SpeaksBack,
    ChargesCards,
    HostsInstalments,
    OffersInstalments,
}
FROM_RUPEES = 1_000


@pytest.fixture
def given(payu: PayU) -> ConnectorCase:
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
async def test_the_contract(
    check: suite.Check, connector: PayUConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize(
    "charged_in", [(), ("amt",), ("transaction_amount",), ("amt", "transaction_amount")]
)
@pytest.mark.parametrize("check", suite.OF_PAYING, ids=lambda check: check.__name__)
async def test_the_contract_where_payu_adds_a_charge(
    check: suite.Check,
    connector: PayUConnector,
    given: ConnectorCase,
    payu: PayU,
    charged_in: tuple[str, ...],
) -> None:
    payu.charges, payu.charged_in = "23.60", frozenset(charged_in)
    await check(connector, given)


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
