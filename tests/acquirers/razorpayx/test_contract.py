"""The connector of RazorpayX keeps every promise of the port, against an independent stand-in."""

import json
from collections.abc import AsyncIterator

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase
from hundi.acquirers.kinds import AcquirerConfigurationError, open_registry
from hundi.acquirers.port.capabilities import abilities
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.razorpayx.api import RazorpayxAccount
from hundi.acquirers.razorpayx.connector import RazorpayxConnector
from tests.acquirers.certifying import certified
from tests.acquirers.paid_out import given_provider
from tests.acquirers.razorpayx import published
from tests.acquirers.razorpayx.conftest import opened
from tests.acquirers.razorpayx.standin import RazorpayX

SETTINGS = {
    "kind": "razorpayx",
    "key_id": "rzp_live_abc",
    "key_secret": "12345678",
    "account_number": "7878780080316316",
}


@pytest.fixture(params=["payouts", "payouts and checks"])
async def connector(
    request: pytest.FixtureRequest, x: RazorpayX, account: RazorpayxAccount, memory: ShortMemory
) -> AsyncIterator[RazorpayxConnector]:
    made = (
        RazorpayxConnector("razorpayx", account, memory, now=lambda: x.clock)
        if request.param == "payouts"
        else opened(x, account, memory)
    )
    yield made
    await made.close()


@pytest.fixture
def given(x: RazorpayX) -> ConnectorCase:
    async def payout_settled(reference: str) -> None:
        if x.payouts.payout(reference).status == "processing":
            x.payouts.settle(reference)

    async def check_settled(reference: str) -> None:
        x.checks.complete(x.checks.of_reference(reference)[-1]["id"])

    def webhook(reference: str) -> tuple[dict[str, str], bytes]:
        entity = published.PROCESSED | {"reference_id": reference}
        said = published.webhook("payout.processed", "payout", entity)
        signed = x.signed("payout.processed", json.dumps(said).encode())
        return {name.lower(): value for name, value in signed.headers.items()}, signed.body

    return given_provider(
        x.calls, payout_settled=payout_settled, check_settled=check_settled, webhook=webhook
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_every_promise_is_kept(
    check: suite.Check, connector: RazorpayxConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize("validations", ["off", "optimized", "pennydrop", "penniless"])
def test_it_can_do_what_its_page_says(validations: str) -> None:
    settings = SETTINGS | {"validations": validations, "check_cost_paise": 236}
    connector = open_registry({"x": settings}, str, ShortMemory()).get("x")
    checks = set() if validations == "off" else {"ChecksAccounts"}
    assert set(abilities(connector)) == {"PaysOut", "TellsBalance", "SendsTriggers"} | checks
    assert not connector.simulated


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"key_id": "rzp_test_abc"}, "mode live needs keys that begin with rzp_live_"),
        ({"key_id": "abc"}, "rzp_live_ or rzp_test_, then letters and digits"),
        ({"account_number": "78 78"}, "5 to 35 letters and digits"),
        ({"validations": "optimized"}, "check_cost_paise says how much"),
        ({"bank": "axis"}, "bank"),
    ],
)
def test_wrong_settings_stop_the_start(changes: dict[str, str], words: str) -> None:
    with pytest.raises(AcquirerConfigurationError, match=r"acquirers\.x: ") as refused:
        open_registry({"x": SETTINGS | changes}, str, ShortMemory())
    assert words in str(refused.value)
    assert "12345678" not in str(refused.value)


async def test_an_account_is_certified_at_the_stand_in(
    connector: RazorpayxConnector, given: ConnectorCase
) -> None:
    found = await certified(connector, given)
    assert (found.failed(), found.not_ready()) == ({}, [])
    assert found.is_ready()
