"""The connectors this gateway runs, by name and by what they can do."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from hundi.acquirers.capabilities import CAPABILITIES
from hundi.acquirers.checkout import ChargesCards, HostsCheckout, SendsTriggers
from hundi.acquirers.live import keep_test_instruments_out
from hundi.acquirers.port import (
    AuthenticatesCards,
    Connector,
    SendsToBanks,
    SimulatesUpiApp,
    SpeaksBack,
)
from hundi.instruments.methods import CHANNELS, METHODS, Method

_Capability = TypeVar("_Capability")
CAPABILITY: Mapping[str, type] = {name: CAPABILITIES[method.capability] for name, method in METHODS.items()}
"""What a connector must be able to do for a method of attempt."""
EVERY_METHOD: Mapping[str, Collection[str]] = {}
"""No connector is restricted."""
EVERY_MERCHANT: Mapping[str, Collection[int]] = {}
"""No connector is some merchants' own."""
ANYBODY = 0
"""No merchant in particular: all connectors count."""


class DuplicateConnectorError(ValueError):
    """Two connectors have one name: an attempt would not say which of them made it."""


class UnknownConnectorError(LookupError):
    """An attempt names a connector that is not configured; its payments need it to be settled."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a channel is served now: by which method of attempt, at which connector."""

    method: Method
    connector: Connector


class Registry:
    """All configured connectors; the first one that can do a method is its default.

    No test card and no test address reaches a live one of them: see `acquirers.live`.
    """

    def __init__(
        self,
        connectors: Iterable[Connector],
        methods: Mapping[str, Collection[str]] = EVERY_METHOD,
        merchants: Mapping[str, Collection[int]] = EVERY_MERCHANT,
    ) -> None:
        """Index the connectors once: capability checks on protocols are too slow for every payment.

        methods: by a connector's name, the methods it is restricted to. merchants: those whose own it is.
        """
        self._merchants = {name: frozenset(whose) for name, whose in merchants.items()}
        self._by_name: dict[str, Connector] = {}
        for connector in connectors:
            if connector.name in self._by_name:
                raise DuplicateConnectorError(connector.name)
            self._by_name[connector.name] = keep_test_instruments_out(connector)
        self._able = {
            method: tuple(
                each
                for name, each in self._by_name.items()
                if isinstance(each, capability) and method in methods.get(name, METHODS)
            )
            for method, capability in CAPABILITY.items()
        }
        self._ways = {code: next(iter(self.ways(each.first_steps)), None) for code, each in CHANNELS.items()}
        self.channels = frozenset(code for code, way in self._ways.items() if way)
        """The channel codes that some connector can serve (docs/spec/states-and-codes.md#channels)."""
        self._app = {name: one for name, one in self._by_name.items() if isinstance(one, SimulatesUpiApp)}
        self._speaking = {name: one for name, one in self._by_name.items() if isinstance(one, SpeaksBack)}
        self._triggering = {name: one for name, one in self._by_name.items() if isinstance(one, SendsTriggers)}
        origins = [one.browser_origins for one in self._by_name.values() if isinstance(one, AuthenticatesCards)]
        origins += [one.redirect_origins for one in self._by_name.values() if isinstance(one, SendsToBanks)]
        origins += [one.checkout_origins for one in self._by_name.values() if isinstance(one, HostsCheckout)]
        origins += [one.direct_origins for one in self._by_name.values() if isinstance(one, ChargesCards)]
        self.browser_origins = tuple(dict.fromkeys(origin for group in origins for origin in group))

    def get(self, name: str) -> Connector:
        """Return the connector an attempt was made with; raises UnknownConnectorError."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownConnectorError(name) from None

    def ways(self, among: Collection[Method], merchant_id: int = ANYBODY) -> tuple[Way, ...]:
        """Return every way to begin by any of some methods, in the configured order.

        Of one connector they are in the order of `among`. merchant_id: whose customer begins.
        """
        return tuple(
            Way(method, connector)
            for connector in self._by_name.values()
            for method in among
            if connector in self._able[method.name] and self._serves(connector, merchant_id)
        )

    def _serves(self, connector: Connector, merchant_id: int) -> bool:
        whose = self._merchants.get(connector.name)
        return whose is None or merchant_id == ANYBODY or merchant_id in whose

    def default_for(self, method: str) -> Connector | None:
        """Return the first connector that can do a method; None: none can."""
        return next(iter(self._able.get(method, ())), None)

    def way(self, channel: str) -> Way | None:
        """Return how a channel is served: by the first connector that can; None: none can."""
        return self._ways[channel]

    def first(self, capability: type[_Capability]) -> _Capability | None:
        """Return the first connector with a capability; None: none has it."""
        return next((each for each in self._by_name.values() if isinstance(each, capability)), None)

    def speaking(self, name: str) -> SpeaksBack | None:
        """Return the connector whose network calls back, or None when there is none of this name that does."""
        return self._speaking.get(name)

    def triggering(self, name: str) -> SendsTriggers | None:
        """Return the connector of a name whose webhooks say when to ask, or None."""
        return self._triggering.get(name)

    def simulated_app(self, name: str) -> SimulatesUpiApp | None:
        """Return the simulated UPI app of a connector, or None when it moves real money."""
        return self._app.get(name)

    def all(self) -> tuple[Connector, ...]:
        """Return every connector, in the order they were given."""
        return tuple(self._by_name.values())

    async def close(self) -> None:
        """Close every connector."""
        for connector in self._by_name.values():
            await connector.close()
