"""The registry finds connectors by name and by capability."""

import pytest

from hundi.acquirers.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port import InquirySchedule
from hundi.acquirers.registry import Registry, UnknownConnectorError
from hundi.acquirers.sandbox.connector import SandboxConnector


class OnlyInquires:
    """A connector without a single way to pay."""

    name = "mute"
    simulated = False
    inquiry_schedule = InquirySchedule((90,))

    async def inquire(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Know nothing."""
        return NothingThere()

    async def close(self) -> None:
        """Have nothing to close."""

    def reachable(self) -> bool:
        """Be there to be asked."""
        return True


def test_by_name_and_by_method():
    sandbox = SandboxConnector("http://127.0.0.1:9", b"k")
    registry = Registry([OnlyInquires(), sandbox])
    assert registry.get("sandbox") is sandbox
    assert registry.default_for("card") is sandbox
    assert registry.default_for("upi_qr") is sandbox
    assert registry.browser_origins == ("http://127.0.0.1:9",)
    assert registry.simulated_app("sandbox") is sandbox
    assert registry.simulated_app("mute") is None


def test_a_capability_nobody_has_is_absent():
    registry = Registry([OnlyInquires()])
    assert registry.default_for("card") is None
    assert registry.default_for("no-such-method") is None
    assert registry.browser_origins == ()


def test_an_unknown_name_is_the_operators_fault_and_says_so():
    with pytest.raises(UnknownConnectorError, match="gone"):
        Registry([]).get("gone")
