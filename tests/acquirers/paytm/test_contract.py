"""The Paytm connector keeps every promise of the port, against the stand-in."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import Given
from hundi.acquirers.kinds import AcquirerContext, open_registry
from hundi.acquirers.paytm.connector import PaytmConnector
from hundi.acquirers.paytm.kind import KIND
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, CompletesAuthorisations, OffersUpi, Refunds, SendsToBanks, SpeaksBack
from hundi.instruments.card import CardNumber
from tests.acquirers.paytm.opened import settings
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.shared import CALLBACK

CARD = CardNumber("4539578763621486", 12, 2060, "123")
PRESENT = {MakesUpiLinks, HostsCheckout, SendsTriggers, Refunds}
ABSENT = {CompletesAuthorisations, SendsToBanks, OffersUpi, SpeaksBack, ChargesCards}


@pytest.fixture
async def opened(paytm: Paytm) -> AsyncIterator[PaytmConnector]:
    made = KIND.open("paytm", settings(paytm), AcquirerContext(CALLBACK, ShortMemory()))
    assert isinstance(made, PaytmConnector)
    yield made
    await made.close()


@pytest.fixture
def given(paytm: Paytm) -> Given:
    numbers = count(1)

    async def nothing(_of: str) -> None:
        """Paytm decides at once in the stand-in, and sends nobody to a bank that we know."""

    async def pay_link(charge: Charge, _at: object) -> None:
        paytm.pay(charge.reference)

    async def pay_page(charge: Charge, page: Redirect) -> None:
        paytm.visit(page.url, page.fields)
        paytm.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        paytm.settle(reference)

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
        calls_made=lambda: len(paytm.calls),
        pay_link=pay_link,
        pay_page=pay_page,
        webhook=paytm.webhook,
        forge=lambda body: body.replace(b'"signature": "', b'"signature": "A'),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, opened: PaytmConnector, given: Given) -> None:
    await check(opened, given)


def test_it_has_what_paytm_does_and_nothing_more(opened: PaytmConnector) -> None:
    assert {each for each in PRESENT | ABSENT if isinstance(opened, each)} == PRESENT


@pytest.mark.parametrize(
    ("environment", "origin", "simulated"),
    [
        ("production", "https://secure.paytmpayments.com", False),
        ("staging", "https://securestage.paytmpayments.com", True),
    ],
)
async def test_a_configured_one_opens(environment: str, origin: str, simulated: bool) -> None:  # noqa: FBT001 (a table)
    fields = {
        "kind": "paytm",
        "merchant_id": "M1",
        "merchant_key": "k" * 16,
        "website": "DEFAULT",
        "environment": environment,
    }
    registry = open_registry({"paytm": fields}, lambda _name: CALLBACK, ShortMemory())
    one = registry.get("paytm")
    assert one.simulated is simulated, "no money moves in its staging environment"
    assert isinstance(one, HostsCheckout)
    assert one.checkout_origins == (origin,)
    await registry.close()
