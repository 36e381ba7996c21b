"""A simulated switch and connectors that call it, for the tests of this folder."""

import asyncio
import ssl
from itertools import count
from typing import Any

from hundi.acquirers.iso8583.connector import SwitchConnector
from hundi.acquirers.iso8583.kind import KIND, SwitchSettings
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.port.memory import Memory, ShortMemory
from hundi.acquirers.port.payments import Charge
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi_testbed.switch.cards import CARDS, Play
from hundi_testbed.switch.server import Host, SwitchBehaviour

KEY = "0123456789ABCDEFFEDCBA9876543210"
AMOUNT = Money(149_950)
NUMBERS = {play: number for number, play in CARDS.items()} | {Play.APPROVE: "4000120000000008"}


def card(play: Play = Play.APPROVE) -> CardNumber:
    """Return the test card that makes the switch do something."""
    return CardNumber(NUMBERS[play], 12, 2060, "123")


class Clock:
    """A clock that stands until it is moved on; Unix seconds."""

    def __init__(self) -> None:
        self.now_s = 1_795_000_000.0

    def __call__(self) -> float:
        return self.now_s


class Line:
    """A switch that listens, one memory, and as many connectors as a test opens.

    Each is a process of a gateway.
    """

    def __init__(self, version: str, terms: SwitchBehaviour) -> None:
        self.version = version
        self.host, self.memory, self.clock = Host(terms), ShortMemory(), Clock()
        self.port = 0
        self._numbers = count(1)
        self._opened: list[SwitchConnector] = []

    async def open(self, tls: ssl.SSLContext | None = None) -> "Line":
        self.port = await self.host.open(port=self.port, tls=tls)
        return self

    async def close(self) -> None:
        for each in self._opened:
            await each.close()
        await self.host.close()

    def settings(self, **other: Any) -> SwitchSettings:
        terms = self.host.terms
        given: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.port,
            "tls": False,
            "version": self.version,
            "acquirer_id": "408999",
            "terminal_id": "HUNDI001",
            "acceptor_id": "HUNDI0000000001",
            "acceptor_name": "ASHA HANDLOOMS        JAIPUR      RJ IN",
            "category": "5651",
            "mac": terms.mac,
            "mac_key": terms.key.hex(),
            "answer_s": 0.25,
        }
        return SwitchSettings(**{**given, **other})

    def process(
        self, memory: Memory | None = None, name: str = "switch", **other: Any
    ) -> SwitchConnector:
        """Return the connector of another process of the same gateway."""
        made = KIND.open(name, self.settings(**other), AcquirerContext("", memory or self.memory))
        assert isinstance(made, SwitchConnector)
        made._now = self.clock  # noqa: SLF001 (KIND gives it the system's clock)
        self._opened.append(made)
        return made

    def charge(self, amount: Money = AMOUNT) -> Charge:
        return Charge(f"10001-{200_000_000_000_000 + next(self._numbers)}", amount)

    def later(self, seconds: float) -> None:
        self.clock.now_s += seconds

    @property
    def entries(self) -> list[dict[str, Any]]:
        return self.host.books.shown()["entries"]

    def heard(self, *types: str) -> int:
        """Return how many messages of some types the switch has read."""
        return sum(each in types for each in self.host.counts.types)


async def until(found: Any, within_s: float = 60.0) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(within_s):
        while not found():
            await asyncio.sleep(0.01)
