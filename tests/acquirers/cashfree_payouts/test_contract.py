"""The connector of Cashfree Payouts keeps every promise of the port, at another hand's stand-in."""

import json
from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.cashfree_payouts.account import CashfreePayoutsAccount
from hundi.acquirers.cashfree_payouts.connector import CashfreePayoutsConnector
from hundi.acquirers.cashfree_payouts.rules import cashfree_id
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.memory import ShortMemory
from tests.acquirers.cashfree_payouts import published
from tests.acquirers.cashfree_payouts.conftest import opened
from tests.acquirers.cashfree_payouts.standin import CashfreePayouts
from tests.acquirers.certifying import certified
from tests.acquirers.paid_out import given_provider

SETTINGS = {
    "kind": "cashfree_payouts",
    "environment": "production",
    "client_id": "CF1",
    "client_secret": "cfsk_ma_prod_0123456789",
}
CHECKS = {
    "check_client_id": "CF2",
    "check_client_secret": "cfsk_ma_prod_9876543210",
    "check_cost_paise": 236,
}


@pytest.fixture(params=["payouts", "payouts and checks"])
async def connector(
    request: pytest.FixtureRequest,
    cashfree: CashfreePayouts,
    account: CashfreePayoutsAccount,
    memory: ShortMemory,
) -> AsyncIterator[CashfreePayoutsConnector]:
    made = (
        CashfreePayoutsConnector("cashfree_payouts", account, memory, now=lambda: cashfree.clock)
        if request.param == "payouts"
        else opened(cashfree, account, memory)
    )
    yield made
    await made.close()


@pytest.fixture
def given(cashfree: CashfreePayouts) -> ConnectorCase:
    async def payout_settled(reference: str) -> None:
        name = cashfree_id(reference)
        if cashfree.transfers.one(name).status == "RECEIVED":
            cashfree.transfers.process(name)
            cashfree.transfers.settle(name)

    async def check_settled(reference: str) -> None:
        cashfree.checks.complete(cashfree_id(reference))

    def webhook(reference: str) -> tuple[dict[str, str], bytes]:
        data = published.COMPLETED | {"transfer_id": cashfree_id(reference)}
        said = published.ACKNOWLEDGED | {"data": data}
        signed = cashfree.signed("TRANSFER_ACKNOWLEDGED", json.dumps(said).encode())
        return signed.headers, signed.body

    return given_provider(
        cashfree.calls,
        payout_settled=payout_settled,
        check_settled=check_settled,
        webhook=webhook,
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_every_promise_is_kept(
    check: suite.Check, connector: CashfreePayoutsConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize("more", [{}, CHECKS])
def test_it_can_do_what_its_page_says(more: dict[str, str]) -> None:
    connector = open_registry({"x": SETTINGS | more}, str, ShortMemory()).get("x")
    checks = {"ChecksAccounts"} if more else set()
    assert set(abilities(connector)) == {"PaysOut", "TellsBalance", "SendsTriggers"} | checks
    assert not connector.simulated


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"check_client_id": "CF2"}, "check_client_id and check_client_secret belong together"),
        (CHECKS | {"check_cost_paise": None}, "check_cost_paise says how much"),
        ({"public_pem": "-----BEGIN"}, "public_pem: it is no RSA key in PEM"),
        ({"environment": "live"}, "environment"),
    ],
)
def test_wrong_settings_stop_the_start(changes: dict[str, str], words: str) -> None:
    with pytest.raises(AcquirerConfigurationError, match=r"acquirers\.x: ") as refused:
        open_registry({"x": SETTINGS | changes}, str, ShortMemory())
    assert words in str(refused.value)
    assert "cfsk_" not in str(refused.value)


async def test_an_account_is_certified_at_the_stand_in(
    connector: CashfreePayoutsConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()
