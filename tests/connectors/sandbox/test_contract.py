"""The sandbox connector keeps every promise of the port, against the real simulated bank."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from hundi.connectors import contract
from hundi.connectors.contract import Given
from hundi.connectors.port import Approved, CardNumber, Charge, Declined, Unknown
from hundi.connectors.sandbox.connector import SandboxConnector
from tests.simbank.harness import KEY, Gateway, new_reference, running_bank

WAIT_S = 10


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    listener = Gateway()
    yield listener
    listener.close()


@pytest.fixture(scope="module")
def bank_url(postgres_url: str, gateway: Gateway) -> Iterator[str]:
    with running_bank(postgres_url, gateway) as process:
        yield process.url


@pytest.fixture
async def connector(bank_url: str) -> AsyncIterator[SandboxConnector]:
    made = SandboxConnector(bank_url, KEY.encode())
    yield made
    await made.close()


async def answer_challenge(url: str, otp: str) -> None:
    async with aiohttp.ClientSession() as browser, browser.post(url, data={"otp": otp}, allow_redirects=False) as page:
        assert page.status in {200, 303}


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
async def test_contract(check: contract.Check, connector: SandboxConnector, gateway: Gateway) -> None:
    async def settled(reference: str) -> None:
        deadline = time.monotonic() + WAIT_S
        while isinstance(await connector.inquire(reference), Unknown):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)

    given = Given(
        new_reference=new_reference,
        good_card=CardNumber("4111111111111111", 12, 2060, "123", "Asha"),
        declined_card=CardNumber("4000000000000002", 12, 2060, "123"),
        good_vpa="success@hundi",
        pass_challenge=lambda url: answer_challenge(url, "123456"),
        fail_challenge=lambda url: answer_challenge(url, "000000"),
        settled=settled,
        return_url=f"{gateway.url}/pay/v4/s/x/3ds/1",
    )
    await check(connector, given)


async def test_the_bank_signs_what_it_says_by_itself(connector: SandboxConnector, gateway: Gateway) -> None:
    reference = new_reference()
    charge = Charge(reference, 149_950, "INR")
    await connector.collect(charge, payer_vpa="success@hundi", payee_name="", note="", expires_in_s=300)
    await gateway.hears(reference)
    header, body = next(each for each in gateway.signed if reference.encode() in each[1])
    word = connector.read_callback({"simbank-signature": header}, body, now_s=int(time.time()))
    assert word is not None
    assert word.reference == reference
    assert isinstance(word.answer, Approved)
    assert (word.answer.amount_paise, word.answer.payer_vpa) == (149_950, "success@hundi")


@pytest.mark.parametrize(
    ("vpa", "code"), [("decline@hundi", "ZA"), ("insufficient@hundi", "Z9"), ("expired@hundi", "U69")]
)
async def test_triggers_decline_with_the_networks_codes(
    connector: SandboxConnector, gateway: Gateway, vpa, code
) -> None:
    reference = new_reference()
    charge = Charge(reference, 149_950, "INR")
    await connector.collect(charge, payer_vpa=vpa, payee_name="", note="", expires_in_s=300)
    await gateway.hears(reference)
    answer = await connector.inquire(reference)
    assert isinstance(answer, Declined)
    assert answer.code == code


async def test_nobody_has_this_address(connector: SandboxConnector) -> None:
    charge = Charge(new_reference(), 149_950, "INR")
    answer = await connector.collect(charge, payer_vpa="unregistered@hundi", payee_name="", note="", expires_in_s=300)
    assert isinstance(answer, Declined)
    assert answer.not_registered
