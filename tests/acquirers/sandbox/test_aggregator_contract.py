"""Both faces of the simulated aggregator keep every promise of the port."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial

import aiohttp
import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import AMOUNT, ConnectorCase
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, UpiLink
from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.sandbox.aggregator import DirectAggregator, SandboxAggregator
from hundi.acquirers.simulator import sign
from hundi.kernel.records import replace
from tests.acquirers.sandbox.test_contract import (
    GOOD_CARD,
    answer_challenge,
    given_by_bank,
    raise_dispute,
)
from tests.testbed.bank.harness import KEY, Gateway, new_reference, running_bank

TYPED = {
    "act": "pay",
    "number": GOOD_CARD.number,
    "expiry": "12/60",
    "cvv": "123",
    "holder": "Asha",
}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    listener = Gateway()
    yield listener
    listener.close()


@pytest.fixture(scope="module")
def bank_url(postgres_url: str, gateway: Gateway) -> Iterator[str]:
    with running_bank(postgres_url, gateway) as process:
        yield process.url


@pytest.fixture(params=[SandboxAggregator, DirectAggregator])
async def connector(
    request: pytest.FixtureRequest, bank_url: str
) -> AsyncIterator[SandboxAggregator | DirectAggregator]:
    made = request.param(bank_url, KEY.encode(), ShortMemory())
    yield made
    await made.close()


def webhook(reference: str) -> tuple[dict[str, str], bytes]:
    body = json.dumps({"event_id": "evt_1", "reference": reference, "status": "paid"}).encode()
    return {"simbank-signature": sign(KEY.encode(), int(time.time()), body)}, body


@pytest.fixture
def given(
    connector: SandboxAggregator | DirectAggregator, gateway: Gateway, bank_url: str
) -> ConnectorCase:
    async def pay_link(_charge: Charge, link: UpiLink) -> None:
        asked = {"uri": link.url, "payer_vpa": "success@hundi"}
        async with (
            aiohttp.ClientSession() as app,
            app.post(f"{bank_url}/upi/pay", json=asked) as answer,
        ):
            assert (await answer.json())["status"] == "success"

    async def pay_page(_charge: Charge, page: Redirect) -> None:
        async with aiohttp.ClientSession() as browser:
            async with browser.post(page.url, data=dict(page.fields)) as shown:
                assert shown.status == 200
                checkout = shown.url
            async with browser.post(checkout, data=TYPED) as challenge:
                assert "/3ds/" in challenge.url.path
                there = str(challenge.url)
        await answer_challenge(there, "123456")

    return given_by_bank(
        connector,
        gateway,
        pay_link=pay_link,
        pay_page=pay_page,
        webhook=webhook,
        raise_dispute=partial(raise_dispute, bank_url),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_contract(
    check: suite.Check, connector: SandboxAggregator | DirectAggregator, given: ConnectorCase
) -> None:
    await check(connector, given)


async def test_each_face_takes_cards_in_one_way(
    connector: SandboxAggregator | DirectAggregator,
) -> None:
    assert isinstance(connector, HostsCheckout) != isinstance(connector, ChargesCards)


async def test_a_failed_try_is_no_end_of_an_order_that_takes_others(
    bank_url: str, given: ConnectorCase
) -> None:
    connector = SandboxAggregator(bank_url, KEY.encode(), ShortMemory())
    charge = replace(Charge(new_reference(), AMOUNT), payee_name="Asha")
    link = await connector.upi_link(charge, expires_in_s=60)
    assert isinstance(link, UpiLink)
    async with aiohttp.ClientSession() as app:
        for payer in ("decline@hundi", "success@hundi"):
            before = await connector.inquire(charge.reference)
            assert type(before).__name__ == "Unknown", before
            async with app.post(
                f"{bank_url}/upi/pay", json={"uri": link.url, "payer_vpa": payer}
            ) as answer:
                assert answer.status == 200
    assert type(await connector.inquire(charge.reference)).__name__ == "Approved"
    await connector.close()
