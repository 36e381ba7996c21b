"""The registry finds connectors by name and by capability."""

import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.payments import InquirySchedule, OffersUpi
from hundi.acquirers.registry import (
    DuplicateConnectorError,
    Member,
    Registry,
    UnknownConnectorError,
)
from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.instruments.methods import CARD, CARD_MOTO, CARD_PAGE, NETBANKING


class OnlyInquires:
    """A connector without a single way to pay."""

    name = "mute"
    simulated = False
    inquiry_schedule = InquirySchedule((90,))

    async def inquire(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return no record."""
        return NothingThere()

    async def close(self) -> None:
        """Have nothing to close."""

    def reachable(self) -> bool:
        """Be there to be asked."""
        return True


def test_by_name_and_by_method():
    sandbox = SandboxConnector("http://127.0.0.1:9", b"k")
    registry = Registry([OnlyInquires(), sandbox])
    by_card, by_qr, app = (
        registry.default_for("card"),
        registry.default_for("upi_qr"),
        registry.simulated_app("sandbox"),
    )
    assert registry.get("sandbox").name == "sandbox"
    assert by_card is by_qr is app is registry.get("sandbox")
    assert registry.browser_origins == ("http://127.0.0.1:9",)
    assert registry.simulated_app("mute") is None
    assert registry.offering_upi("sandbox") is registry.get("sandbox")
    assert registry.offering_upi("mute") is None
    with pytest.raises(UnknownConnectorError):
        registry.offering_upi("gone")


def test_a_capability_nobody_has_is_absent():
    registry = Registry([OnlyInquires()])
    assert registry.default_for("card") is None
    assert registry.default_for("no-such-method") is None
    assert registry.browser_origins == ()


def test_every_way_in_the_configured_order_and_of_one_connector_in_the_order_that_was_asked():
    first, second = (
        SandboxConnector("http://127.0.0.1:9", b"k", name=name) for name in ("first", "second")
    )
    registry = Registry([first, OnlyInquires(), second], {"first": ["card", "netbanking"]})
    found = registry.ways((CARD_MOTO, CARD, NETBANKING))
    assert [(way.connector.name, way.method) for way in found] == [
        ("first", CARD),
        ("first", NETBANKING),
        ("second", CARD_MOTO),
        ("second", CARD),
        ("second", NETBANKING),
    ]
    assert registry.default_for("card") is registry.get("first")
    assert registry.default_for("card_moto") is registry.get("second")
    assert registry.ways((CARD_PAGE,)) == ()


def test_some_merchants_own_connector_is_nobody_elses():
    own, shared = (
        SandboxConnector("http://127.0.0.1:9", b"k", name=name) for name in ("own", "shared")
    )
    registry = Registry([own, shared], merchants={"own": [7]})
    assert [way.connector.name for way in registry.ways((CARD,), 7)] == ["own", "shared"]
    assert [way.connector.name for way in registry.ways((CARD,), 8)] == ["shared"]
    assert [way.connector.name for way in registry.ways((CARD,))] == ["own", "shared"]


def test_an_unknown_name_is_the_operators_fault_and_says_so():
    with pytest.raises(UnknownConnectorError, match="gone"):
        Registry([]).get("gone")


def _named(registry: Registry, merchant_id: int) -> list[str]:
    return [way.connector.name for way in registry.ways((CARD,), merchant_id)]


def test_what_is_a_merchants_own_or_takes_nothing_new_is_nobodys_first():
    own, ended, shared = (
        SandboxConnector("http://127.0.0.1:9", b"k", name=name)
        for name in ("own", "ended", "shared")
    )
    registry = Registry(())
    registry.take([Member(ended, takes_new=False), Member(own, merchants=(7,)), Member(shared)])
    assert registry.default_for("card") is registry.get("shared")
    assert registry.first(OffersUpi) is registry.get("shared")
    assert registry.first(OffersUpi, 7) is registry.get("own")
    assert registry.first(OffersUpi, 8) is registry.get("shared")
    assert (_named(registry, 7), _named(registry, 8)) == (["own", "shared"], ["shared"])
    assert [registry.takes_new(name) for name in ("own", "ended", "shared", "gone")] == [
        True,
        False,
        True,
        False,
    ]
    assert registry.speaking("ended") is registry.get("ended"), (
        "it is asked and heard about what it took"
    )


def test_a_merchants_own_comes_before_what_everybody_shares():
    shared, own = (
        SandboxConnector("http://127.0.0.1:9", b"k", name=name) for name in ("shared", "own")
    )
    registry = Registry(())
    registry.take([Member(shared), Member(own, merchants=(7,))])
    assert (_named(registry, 7), _named(registry, 8)) == (["own", "shared"], ["shared"])


def test_others_are_taken_over_whole_or_not_at_all():
    north, south, anew = (
        SandboxConnector("http://127.0.0.1:9", b"k", name=name)
        for name in ("north", "south", "north")
    )
    registry = Registry([north])
    before = registry.get("north")
    with pytest.raises(DuplicateConnectorError, match="south"):
        registry.take([Member(south), Member(south)])
    assert registry.all() == (before,)
    assert registry.take([Member(anew), Member(south)]) == (before,)
    after = registry.all()
    assert before not in after
    assert registry.take(registry.members) == ()
    assert registry.all() == after, (
        "what stays is the same, and is not put behind anything a second time"
    )
