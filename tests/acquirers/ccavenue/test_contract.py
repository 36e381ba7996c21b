"""The CCAvenue connector keeps every promise of the port, against the stand-in."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from hundi.acquirers.ccavenue import rules
from hundi.acquirers.ccavenue.connector import CCAvenueConnector
from hundi.acquirers.ccavenue.kind import KIND
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import Given
from hundi.acquirers.kinds import AcquirerContext, open_registry
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, CompletesAuthorisations, OffersUpi, Refunds, SendsToBanks, SpeaksBack
from hundi.instruments.card import CardNumber
from tests.acquirers.ccavenue.opened import settings
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.shared import CALLBACK

CARD = CardNumber("4539578763621486", 12, 2060, "123")
PRESENT = {HostsCheckout, SendsTriggers, CompletesAuthorisations, Refunds}
ABSENT = {MakesUpiLinks, SendsToBanks, OffersUpi, SpeaksBack, ChargesCards}


@pytest.fixture
async def opened(ccavenue: CCAvenue) -> AsyncIterator[CCAvenueConnector]:
    made = KIND.open("ccavenue", settings(ccavenue), AcquirerContext(CALLBACK, ShortMemory()))
    assert isinstance(made, CCAvenueConnector)
    yield made
    await made.close()


@pytest.fixture
def given(ccavenue: CCAvenue) -> Given:
    numbers = count(1)

    async def nothing(_of: str) -> None:
        """CCAvenue decides at once in the stand-in, and sends nobody to a bank that we know."""

    async def pay_page(charge: Charge, page: Redirect) -> None:
        ccavenue.visit(page.url, page.fields)
        ccavenue.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        ccavenue.settle(rules.token(reference))

    return Given(
        new_reference=lambda: f"10001-{next(numbers)}",
        good_card=CARD,
        declined_card=CARD,
        card_of=lambda _bank: CARD,
        good_vpa="asha@okaxis",
        nobody_vpa="nobody@okaxis",
        pass_challenge=nothing,
        fail_challenge=nothing,
        pay_at_bank=nothing,
        leave_bank=nothing,
        settled=nothing,
        refund_settled=refund_settled,
        calls_made=lambda: len(ccavenue.calls),
        pay_page=pay_page,
        webhook=ccavenue.webhook,
        forge=lambda body: body.replace(b"encResp=", b"encResp=0"),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, opened: CCAvenueConnector, given: Given) -> None:
    await check(opened, given)


def test_it_has_what_ccavenue_does_and_nothing_more(opened: CCAvenueConnector) -> None:
    assert {each for each in PRESENT | ABSENT if isinstance(opened, each)} == PRESENT


@pytest.mark.parametrize(
    ("environment", "origin", "simulated"),
    [
        ("production", "https://secure.ccavenue.com", False),
        ("test", "https://test.ccavenue.com", True),
    ],
)
async def test_a_configured_one_opens(environment: str, origin: str, simulated: bool) -> None:  # noqa: FBT001 (a table)
    fields = {
        "kind": "ccavenue",
        "merchant_id": "12345",
        "access_code": "AV1",
        "working_key": "k" * 32,
        "environment": environment,
    }
    registry = open_registry({"ccavenue": fields}, lambda _name: CALLBACK, ShortMemory())
    one = registry.get("ccavenue")
    assert one.simulated is simulated, "no money moves in its test environment"
    assert isinstance(one, HostsCheckout)
    assert one.checkout_origins == (origin,)
    await registry.close()
