"""No test card and no test address reaches a live acquirer, whatever its connector forgets."""

from dataclasses import dataclass
from typing import Any

import pytest

from hundi.acquirers.calls.test_instruments import decline_test_card, decline_test_vpa, is_test_vpa
from hundi.acquirers.contract import suite
from hundi.acquirers.contract.steps import ConnectorCase, ContractBrokenError
from hundi.acquirers.port.answers import Declined, NotRegistered, Redirect, RegisteredName, Unknown
from hundi.acquirers.port.capabilities import CAPABILITIES
from hundi.acquirers.port.cards import AuthenticatesCards, ChargesMoto
from hundi.acquirers.port.payments import Charge, ChecksAddresses, OffersUpi, SendsToBanks
from hundi.acquirers.registry import DuplicateConnectorError, Registry
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.acquirer import ScriptedAcquirer
from tests.acquirers.playing import given_at

TEST_CARD = CardNumber("4242424242424242", 12, 2060, "123")
CARD = CardNumber("4539578763621486", 12, 2060, "123")
CHARGE = Charge("10001-1", Money(100))


@dataclass
class Forgetful(ScriptedAcquirer):
    """A connector to a live acquirer that never asks whether a card or an address is a test's."""

    name: str = "live"
    simulated: bool = False


async def test_test_cards_are_declined_without_a_call() -> None:
    bank = Forgetful()
    live = Registry([bank]).default_for("card")
    assert isinstance(live, AuthenticatesCards)
    assert isinstance(await live.authenticate(CHARGE, TEST_CARD, return_url=""), Declined)
    assert isinstance(await live.authenticate(CHARGE, card=TEST_CARD, return_url=""), Declined)
    unattended = Registry([bank]).first(ChargesMoto)
    assert unattended is not None
    assert isinstance(await unattended.charge_moto(CHARGE, TEST_CARD, capture=True), Declined)
    assert bank.calls == []
    assert isinstance(await live.authenticate(CHARGE, CARD, return_url=""), Redirect)
    assert bank.calls == [("authenticate", "10001-1")]


async def test_test_addresses_are_declined_without_a_call() -> None:
    bank = Forgetful(addresses={"asha@okaxis": "Asha", "success@hundi": "Nobody"})
    registry = Registry([bank])
    live, knows = registry.first(OffersUpi), registry.first(ChecksAddresses)
    assert live is not None
    assert knows is not None
    asked = {"payee_name": "Shop", "note": "", "expires_in_s": 300}
    answer = await live.collect(CHARGE, payer_vpa="SUCCESS@hundi", **asked)
    assert isinstance(answer, Declined)
    assert answer.not_registered
    assert await knows.check_address("success@hundi") == NotRegistered()
    assert bank.calls == []
    assert await knows.check_address("asha@okaxis") == RegisteredName("Asha")
    assert isinstance(await live.collect(CHARGE, payer_vpa="asha@okaxis", **asked), Unknown)


class Careful(Forgetful):
    """A connector to a live acquirer that keeps the rule itself."""

    async def authenticate(self, charge: Charge, card: CardNumber, *, return_url: str) -> Any:
        return decline_test_card(card.number) or await super().authenticate(
            charge, card, return_url=return_url
        )

    async def charge_moto(self, charge: Charge, card: CardNumber, *, capture: bool) -> Any:
        return decline_test_card(card.number) or await super().charge_moto(
            charge, card, capture=capture
        )

    async def collect(self, charge: Charge, *, payer_vpa: str, **asked: Any) -> Any:
        return decline_test_vpa(payer_vpa) or await super().collect(
            charge, payer_vpa=payer_vpa, **asked
        )

    async def check_address(self, vpa: str) -> Any:
        return NotRegistered() if is_test_vpa(vpa) else await super().check_address(vpa)


class DeclinesAfterwards(Careful):
    """Declines a test card, but only after its network was asked."""

    async def charge_moto(self, charge: Charge, card: CardNumber, *, capture: bool) -> Any:
        await ScriptedAcquirer.charge_moto(self, charge, card, capture=capture)
        return Declined("14")


def given_for(bank: ScriptedAcquirer, *, counted: bool = True) -> ConnectorCase:
    return given_at(bank.calls if counted else None, CARD)


async def test_the_contract_accepts_a_connector_that_keeps_the_rule() -> None:
    bank = Careful()
    await suite.check_test_instruments(bank, given_for(bank))
    assert bank.calls == []


@pytest.mark.parametrize(
    ("bank", "promise"),
    [(Forgetful(), "a test card is declined"), (DeclinesAfterwards(), "reaches a live acquirer")],
    ids=["forgets", "declines_afterwards"],
)
async def test_the_contract_catches_a_connector_that_does_not(
    bank: ScriptedAcquirer, promise: str
) -> None:
    with pytest.raises(ContractBrokenError, match=promise):
        await suite.check_test_instruments(bank, given_for(bank))


async def test_the_contract_wants_the_calls_of_a_live_connector_counted() -> None:
    bank = Careful()
    with pytest.raises(ContractBrokenError, match="count the calls"):
        await suite.check_test_instruments(bank, given_for(bank, counted=False))


def test_a_live_connector_has_the_capabilities_it_had() -> None:
    registry = Registry([Forgetful()])
    assert registry.first(SendsToBanks) is None
    assert registry.channels == {"upi", "btqr", "pg"}
    assert registry.get("live").inquiry_schedule == Forgetful().inquiry_schedule
    assert not registry.get("live").simulated


async def test_the_simulator_takes_test_cards() -> None:
    bank = ScriptedAcquirer()
    simulator = Registry([bank]).default_for("card")
    assert isinstance(simulator, AuthenticatesCards)
    assert isinstance(await simulator.authenticate(CHARGE, TEST_CARD, return_url=""), Redirect)
    assert bank.calls == [("authenticate", "10001-1")]


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(DuplicateConnectorError, match="sandbox"):
        Registry([ScriptedAcquirer(), ScriptedAcquirer()])


def test_a_live_connector_keeps_every_capability_that_it_has() -> None:
    bank = Forgetful()
    live = Registry([bank]).all()[0]
    kept = {name for name, each in CAPABILITIES.items() if has(bank, each)}
    assert {"PaysOut", "TellsDisputes", "TakesMandates", "Refunds"} <= kept
    assert kept == {name for name, each in CAPABILITIES.items() if has(live, each)}


def has(connector: object, capability: type) -> bool:
    """Return whether a connector has a capability.

    `Connector` and `Inquires`, which all have, cannot be asked for.
    """
    return getattr(capability, "_is_runtime_protocol", False) and isinstance(connector, capability)
