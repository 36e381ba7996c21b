"""The admission of a process: how often a network may ask, and whose request is next.

See docs/decisions/0021-every-sender-gets-its-turn.md.
"""

import asyncio

import structlog
from cachetools import TTLCache

from hundi.infra.http.rates import Rates
from hundi.infra.http.turns import Turn, Turns
from hundi.kernel.clock import ticks_s
from hundi.kernel.refusals import Refused
from hundi.merchants.access.rules import network_of

PROVEN_FOR_S = 600.0
"""Seconds for which a network that showed a sender's keys has no limit.

It is a server, which may ask as much as it needs.
"""
LEARNED_AGAIN_AFTER_S = 30.0
"""Minimum seconds between two refreshes of a proven network's entry."""
SUSPECT_FOR_S = 60.0
"""Seconds for which a network's claims are ignored.

It named a sender without showing that sender's keys.
"""
DELAY_S = 1.0
"""Seconds by which the answer to a network over its limit is delayed."""
BEHIND_PROXY = 10
"""The factor of a network's limit for an unnamed proxy.

Anybody can pretend to be one.
"""
PROVEN_SENDER_FACTOR = 10
"""The factor of a network's limit at the address of a sender whose signature it brought.

There is still a limit: some acquirers sign without a time, and whoever has seen such a message can
send it again.
"""
PLACE_BYTES = 16 * 1024
"""Bytes of a request for each place.

Opening and checking 64 kB takes as long as about four short requests.
"""
DELAYED_MAX = 1_000
"""The most delayed answers at once; more are given at once."""
_NETWORKS_MAX = 50_000
_TOLD_AGAIN_AFTER_S = 60.0
_UNPROVEN = "unproven"
_REQUESTS = "requests"
_log = structlog.get_logger(__name__)


class Admission:
    """Limits networks and gives turns to senders, in one process."""

    def __init__(self, turns: Turns, requests_a_minute: int) -> None:
        """Start with no known networks.

        requests_a_minute: of one network that has proven nothing; 0: any number.
        """
        self._turns = turns
        self._most = requests_a_minute
        self._rates = Rates()
        self._delayed = 0
        self._servers: TTLCache[str, bool, float] = TTLCache(
            _NETWORKS_MAX, PROVEN_FOR_S, timer=ticks_s
        )
        self._proven: TTLCache[tuple[str, str], bool, float] = TTLCache(
            _NETWORKS_MAX, PROVEN_FOR_S, timer=ticks_s
        )
        self._told: TTLCache[str, bool, float] = TTLCache(
            _NETWORKS_MAX, _TOLD_AGAIN_AFTER_S, timer=ticks_s
        )
        self._suspects: TTLCache[str, bool, float] = TTLCache(
            _NETWORKS_MAX, SUSPECT_FOR_S, timer=ticks_s
        )
        self._suspected_until_s = 0.0
        # The entries refreshed in this minute: another refresh would cost a busy server more than
        # its turn.
        self._lately: set[tuple[str, str]] = set()
        self._lately_until_s = 0.0

    def count(self, address: str, peer: str, now_s: float, sender: str = "") -> None:
        """Count a request of an address. Raises Refused (TOO_MANY_REQUESTS).

        address: "" behind an unnamed proxy; then all that come through it are counted together.
        peer: where the connection comes from. sender: the message's sender, where the requested
        address says so.
        """
        network, most = (
            network_of(address or peer),
            self._most if address else self._most * BEHIND_PROXY,
        )
        if sender and (network, sender) in self._proven:
            most *= PROVEN_SENDER_FACTOR
        if most and network not in self._servers:
            try:
                self._rates.count(network, _REQUESTS, most, now_s)
            except Refused:
                self._tell(network)
                raise

    def _tell(self, network: str) -> None:
        """Log one line a minute about a network.

        A line for each request would be a flood of its own.
        """
        if network not in self._told:
            self._told[network] = True
            _log.warning("network_limited", network=network, requests_a_minute=self._most)

    async def delay(self) -> None:
        """Delay the answer to a network over its limit.

        While it waits, a caller sends nothing more.
        """
        if self._delayed < DELAYED_MAX:
            self._delayed += 1
            try:
                await asyncio.sleep(DELAY_S)
            finally:
                self._delayed -= 1

    def turn(self, sender: str, address: str, body_bytes: int = 0) -> Turn:
        """Return the `async with` of a turn; raises Refused (TOO_MANY_REQUESTS) on entering.

        sender: as the request claims. A network that names others without their keys has one turn
        for all of them. body_bytes: until it is read, a request has a place for each PLACE_BYTES
        that it began.
        """
        network = network_of(address)
        suspected = ticks_s() < self._suspected_until_s and network in self._suspects
        claimed = not suspected or (network, sender) in self._proven
        return self._turns.of(
            sender if claimed else (_UNPROVEN, network), 1 + body_bytes // PLACE_BYTES
        )

    def learn(self, sender: str, address: str, *, proven: bool, is_server: bool = True) -> None:
        """Store whether a request from an address showed the keys of the sender it named.

        is_server: its network then has no limit; otherwise it has a higher one, only at this
        sender's address.
        """
        network, now_s = network_of(address), ticks_s()
        if proven:
            if now_s >= self._lately_until_s or len(self._lately) >= _NETWORKS_MAX:
                self._lately.clear()
                self._lately_until_s = now_s + LEARNED_AGAIN_AFTER_S
            if (network, sender) not in self._lately:
                self._lately.add((network, sender))
                self._proven[network, sender] = True
                if is_server:
                    self._servers[network] = True
        elif address:
            self._suspects[network] = True
            self._suspected_until_s = now_s + SUSPECT_FOR_S
