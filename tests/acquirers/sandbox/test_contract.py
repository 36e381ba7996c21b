"""The sandbox connector keeps every promise of the port, against the real simulated bank."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import aiohttp
import pytest

from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase, ContractBrokenError
from hundi.acquirers.port.answers import Approved, Declined, Unknown, Voided
from hundi.acquirers.port.capabilities import CAPABILITIES
from hundi.acquirers.port.disputes import DisputeWord, PhaseName, Standing
from hundi.acquirers.port.payments import Charge, Connector, Inquires, RefundOrder, RegisteredName
from hundi.acquirers.port.transfers import Voucher
from hundi.acquirers.sandbox.aggregator import DirectAggregator, SandboxAggregator
from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.acquirers.simulator import sign
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import DisputePhase
from tests.testbed.bank.harness import KEY, Gateway, new_reference, running_bank

WAIT_S = 60
GOOD_CARD = CardNumber("4111111111111111", 12, 2060, "123", "Asha")
PORTS = {
    name: CAPABILITIES[name]
    for name in (
        "OffersUpi",
        "AuthenticatesCards",
        "ChargesMoto",
        "CompletesAuthorisations",
        "Refunds",
        "SendsToBanks",
        "OffersInstalments",
        "ChecksAddresses",
        "SpeaksBack",
        "TakesMandates",
        "TakesCardMandates",
        "TakesBankMandates",
        "TokenisesCards",
        "ReceivesTransfers",
        "IssuesVouchers",
    )
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


@pytest.fixture
async def connector(bank_url: str) -> AsyncIterator[SandboxConnector]:
    made = SandboxConnector(bank_url, KEY.encode())
    yield made
    await made.close()


async def answer_challenge(url: str, otp: str) -> None:
    async with (
        aiohttp.ClientSession() as browser,
        browser.post(url, data={"otp": otp}, allow_redirects=False) as page,
    ):
        assert page.status in {200, 303}


async def press(url: str, *forms: dict[str, str]) -> None:
    """Press buttons at a bank's page until it sends the browser back to the shop."""
    async with aiohttp.ClientSession() as browser:
        for form in forms:
            async with browser.post(url, data=form, allow_redirects=False) as page:
                assert page.status == 303
                if "visit_id=" in page.headers["Location"]:
                    return
    raise AssertionError(url)


async def pay_at_bank(url: str) -> None:
    # A wallet has no first step, and of a company two people press.
    await press(
        url, {"act": "log_in", "customer": "asha"}, *({"act": "pay", "customer": "asha"},) * 2
    )


async def pay_voucher(bank_url: str, gateway: Gateway, charge: Charge, voucher: Voucher) -> None:
    taken = {
        "number": voucher.number,
        "amount": "1499.50",
        "mobile": "9876543210",
        "counter": "asha",
    }
    async with (
        aiohttp.ClientSession() as counter,
        counter.post(f"{bank_url}/counter", data=taken) as page,
    ):
        assert page.status == 200
    await gateway.hears(charge.reference)


async def raise_dispute(bank_url: str, reference: str) -> PhaseName:
    asked = {"reference": reference, "reason": "10.4"}
    async with (
        aiohttp.ClientSession() as bank,
        bank.post(f"{bank_url}/control/dispute", json=asked) as page,
    ):
        assert page.status == 200, await page.text()
        raised = await page.json()
    return PhaseName(raised["dispute"], DisputePhase(raised["phase"]))


async def known(ask: Callable[[], Awaitable[object]]) -> None:
    deadline = time.monotonic() + WAIT_S
    while isinstance(await ask(), Unknown):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)


def given_by_bank(
    connector: SandboxConnector | SandboxAggregator | DirectAggregator,
    gateway: Gateway,
    **more: Any,
) -> ConnectorCase:
    """Return how the simulated bank's customers are played, whatever it is spoken to as.

    more: what differs.
    """
    return ConnectorCase(
        new_reference=new_reference,
        good_card=GOOD_CARD,
        declined_card=CardNumber("4000000000000002", 12, 2060, "123"),
        card_of=lambda _bank_code: GOOD_CARD,
        good_vpa="success@hundi",
        nobody_vpa="unregistered@hundi",
        pass_challenge=lambda url: answer_challenge(url, "123456"),
        fail_challenge=lambda url: answer_challenge(url, "000000"),
        pay_at_bank=pay_at_bank,
        leave_bank=lambda url: press(url, {"act": "cancel"}),
        settled=lambda reference: known(lambda: connector.inquire(reference)),
        refund_settled=lambda reference: known(lambda: connector.inquire_refund(reference)),
        return_url=f"{gateway.url}/pay/v4/s/x/3ds/1",
        **{"webhook": payout_webhook, **more},
    )


def payout_webhook(reference: str) -> tuple[dict[str, str], bytes]:
    """Return the bank's webhook about a payout."""
    body = json.dumps({"event_id": "evt_1", "reference": reference, "kind": "payout"}).encode()
    return {"simbank-signature": sign(KEY.encode(), int(time.time()), body)}, body


@pytest.fixture
def given(connector: SandboxConnector, gateway: Gateway, bank_url: str) -> ConnectorCase:
    return given_by_bank(
        connector,
        gateway,
        pay_voucher=partial(pay_voucher, bank_url, gateway),
        raise_dispute=partial(raise_dispute, bank_url),
    )


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
async def test_contract(
    check: suite.Check, connector: SandboxConnector, given: ConnectorCase
) -> None:
    await check(connector, given)


@pytest.mark.parametrize("capability", PORTS.values(), ids=PORTS.keys())
def test_no_check_is_passed_for_want_of_a_capability(capability: type) -> None:
    assert isinstance(SandboxConnector("http://127.0.0.1:9", KEY.encode()), capability)


class Narrow:
    """A connector with some capabilities of another one, and without the rest."""

    def __init__(self, whole: SandboxConnector, *capabilities: str) -> None:
        """Take what every connector has, and what these capabilities are made of."""
        for protocol in (Connector, Inquires, *(PORTS[name] for name in capabilities)):
            names = {name for name in vars(protocol) if not name.startswith("_")} | set(
                protocol.__annotations__
            )
            for name in names:
                setattr(self, name, getattr(whole, name))


@pytest.mark.parametrize(
    "capabilities",
    [
        (),
        ("OffersUpi", "Refunds"),
        ("ChargesMoto", "CompletesAuthorisations", "Refunds"),
        ("SendsToBanks", "Refunds"),
    ],
    ids=str,
)
async def test_what_a_connector_cannot_do_is_not_asked_of_it(
    connector: SandboxConnector, given: ConnectorCase, capabilities: tuple[str, ...]
) -> None:
    narrow: Any = Narrow(connector, *capabilities)
    assert {name for name, protocol in PORTS.items() if isinstance(narrow, protocol)} == set(
        capabilities
    )
    for check in suite.CHECKS:
        await check(narrow, given)


class ChargesAgain(SandboxConnector):
    """Sends each unattended charge under a reference of its own."""

    async def charge_moto(self, charge: Charge, card: CardNumber, *, capture: bool) -> Any:
        return await super().charge_moto(
            replace(charge, reference=new_reference()), card, capture=capture
        )


class CapturesAll(SandboxConnector):
    """Says that all was captured, whatever the bank did."""

    async def capture(self, original: str, amount: Money) -> Any:
        answer = await super().capture(original, amount)
        return replace(answer, amount=Money(149_950)) if isinstance(answer, Approved) else answer


class VoidsByWord(SandboxConnector):
    """Says "voided" and asks nobody."""

    async def void(self, original: str) -> Voided:
        return Voided()


class RefundsTwice(SandboxConnector):
    """Makes a new reference for each call, so that asking again gives money back again."""

    async def refund(self, order: RefundOrder) -> Any:
        await super().refund(replace(order, reference=new_reference()))
        return await super().refund(order)


class GivesUpOnSilence(SandboxConnector):
    """Believes the browser: whoever is at the bank's page has left."""

    async def inquire(self, reference: str) -> Any:
        answer = await super().inquire(reference)
        return Declined("17", left=True) if isinstance(answer, Unknown) else answer


class RedirectsOfAnyAmount(SandboxConnector):
    """Forgets the amount when it sends a customer to a bank."""

    async def start_redirect(self, charge: Charge, **there: str) -> Any:
        return await super().start_redirect(replace(charge, amount=Money(149_950)), **there)


class ForgetsInstalments(SandboxConnector):
    """Charges the whole amount at once, whatever the customer chose."""

    async def authenticate(self, charge: Charge, card: CardNumber, *, return_url: str) -> Any:
        return await super().authenticate(
            replace(charge, emi_months=0), card, return_url=return_url
        )


class IssuesAnew(SandboxConnector):
    """Makes a new reference for each voucher, so that asking again makes another one."""

    async def issue_voucher(self, charge: Charge, **more: Any) -> Any:
        return await super().issue_voucher(replace(charge, reference=new_reference()), **more)


class KnowsEverybody(SandboxConnector):
    """Has a name for every address."""

    async def check_address(self, vpa: str) -> RegisteredName:
        return RegisteredName(vpa)


class DecidesItself(SandboxConnector):
    """Says that the merchant has won what it gave up."""

    async def inquire_dispute(self, name):
        word = await super().inquire_dispute(name)
        lost = isinstance(word, DisputeWord) and word.standing is Standing.LOST
        return replace(word, standing=Standing.WON, taken_paise=0) if lost else word


class FindsEveryDispute(SandboxConnector):
    """Knows of every dispute that it is asked about."""

    async def inquire_dispute(self, name):
        return DisputeWord(name, new_reference(), Standing.OPEN, Money(1))


@pytest.mark.parametrize(
    ("check", "broken", "promise"),
    [
        (suite.check_moto, ChargesAgain, "again is the same answer"),
        (suite.check_capture, CapturesAll, "the amount it moved"),
        (suite.check_capture, VoidsByWord, "cannot be voided"),
        (suite.check_void, VoidsByWord, "cannot be captured"),
        (suite.check_hold_ends_one_way, VoidsByWord, "ends one way"),
        (suite.check_refunds, RefundsTwice, "the money moved|not declined"),
        (suite.check_redirects, GivesUpOnSilence, "waits for its customer"),
        (suite.check_redirects, RedirectsOfAnyAmount, "one amount"),
        (suite.check_instalments, ForgetsInstalments, "not offered"),
        (suite.check_vouchers, IssuesAnew, "the same voucher"),
        (suite.check_addresses, KnowsEverybody, "nobody has an address"),
        (suite.check_disputes, DecidesItself, "what was accepted is never won"),
        (suite.check_disputes, FindsEveryDispute, "an unused phase is none"),
    ],
)
async def test_a_broken_promise_is_noticed(
    bank_url: str,
    given: ConnectorCase,
    check: suite.Check,
    broken: type[SandboxConnector],
    promise: str,
) -> None:
    connector = broken(bank_url, KEY.encode())
    try:
        with pytest.raises(ContractBrokenError, match=promise):
            await check(connector, given)
    finally:
        await connector.close()


async def test_the_bank_signs_what_it_says_by_itself(
    connector: SandboxConnector, gateway: Gateway
) -> None:
    reference = new_reference()
    charge = Charge(reference, Money(149_950))
    await connector.collect(
        charge, payer_vpa="success@hundi", payee_name="", note="", expires_in_s=300
    )
    await gateway.hears(reference)
    header, body = next(each for each in gateway.signed if reference.encode() in each[1])
    word = connector.read_callback({"simbank-signature": header}, body, now_s=int(time.time()))
    assert word is not None
    assert word.reference == reference
    assert isinstance(word.answer, Approved)
    assert (word.answer.amount.paise, word.answer.payer_vpa) == (149_950, "success@hundi")


@pytest.mark.parametrize(
    ("vpa", "code"),
    [("decline@hundi", "ZA"), ("insufficient@hundi", "Z9"), ("expired@hundi", "U69")],
)
async def test_triggers_decline_with_the_networks_codes(
    connector: SandboxConnector, gateway: Gateway, vpa, code
) -> None:
    reference = new_reference()
    charge = Charge(reference, Money(149_950))
    await connector.collect(charge, payer_vpa=vpa, payee_name="", note="", expires_in_s=300)
    await gateway.hears(reference)
    answer = await connector.inquire(reference)
    assert isinstance(answer, Declined)
    assert answer.code == code


async def test_nobody_has_this_address(connector: SandboxConnector) -> None:
    charge = Charge(new_reference(), Money(149_950))
    answer = await connector.collect(
        charge, payer_vpa="unregistered@hundi", payee_name="", note="", expires_in_s=300
    )
    assert isinstance(answer, Declined)
    assert answer.not_registered
