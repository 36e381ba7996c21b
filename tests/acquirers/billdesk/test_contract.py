"""The BillDesk connector keeps every promise of the port, against the stand-in."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from hundi.acquirers.billdesk.connector import BillDeskConnector
from hundi.acquirers.billdesk.kind import KIND
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import Given
from hundi.acquirers.kinds import AcquirerContext, open_registry
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, SendsTriggers
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge, CompletesAuthorisations, OffersUpi, Refunds, SendsToBanks, SpeaksBack
from hundi.instruments.card import CardNumber
from tests.acquirers.billdesk.opened import settings
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.shared import CALLBACK

CARD = CardNumber("4539578763621486", 12, 2060, "123")
PRESENT = {HostsCheckout, SendsTriggers, Refunds}
ABSENT = {MakesUpiLinks, CompletesAuthorisations, SendsToBanks, OffersUpi, SpeaksBack, ChargesCards}


@pytest.fixture
async def opened(billdesk: BillDesk) -> AsyncIterator[BillDeskConnector]:
    made = KIND.open("billdesk", settings(billdesk), AcquirerContext(CALLBACK, ShortMemory()))
    assert isinstance(made, BillDeskConnector)
    yield made
    await made.close()


@pytest.fixture
def given(billdesk: BillDesk) -> Given:
    numbers = count(1)

    async def nothing(_of: str) -> None:
        """BillDesk decides at once in the stand-in, and sends nobody to a bank that we know."""

    async def pay_page(charge: Charge, page: Redirect) -> None:
        billdesk.visit(page.url, page.fields)
        billdesk.pay(charge.reference)

    async def refund_settled(reference: str) -> None:
        billdesk.settle(reference)

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
        calls_made=lambda: len(billdesk.calls),
        pay_page=pay_page,
        webhook=billdesk.webhook,
        forge=lambda body: body[:-4] + (b"AAAA" if body[-4:] != b"AAAA" else b"BBBB"),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_the_contract(check: suite.Check, opened: BillDeskConnector, given: Given) -> None:
    await check(opened, given)


def test_it_has_what_billdesk_does_and_nothing_more(opened: BillDeskConnector) -> None:
    assert {each for each in PRESENT | ABSENT if isinstance(opened, each)} == PRESENT


@pytest.mark.parametrize(
    ("environment", "origin", "simulated"),
    [
        ("production", "https://pay.billdesk.com", False),
        ("uat", "https://uat1.billdesk.com", True),
    ],
)
async def test_a_configured_one_opens(environment: str, origin: str, simulated: bool) -> None:  # noqa: FBT001 (a table)
    fields = {
        "kind": "billdesk",
        "merchant_id": "M1",
        "client_id": "m1",
        "signing_key": "k" * 32,
        "environment": environment,
    }
    registry = open_registry({"billdesk": fields}, lambda _name: CALLBACK, ShortMemory())
    one = registry.get("billdesk")
    assert one.simulated is simulated, "no money moves in its UAT environment"
    assert isinstance(one, HostsCheckout)
    assert one.checkout_origins[0] == origin
    await registry.close()
