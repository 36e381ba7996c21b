"""The connectors this gateway runs, by name and by what they can do."""

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from hundi.acquirers import port
from hundi.acquirers.live import keep_test_instruments_out
from hundi.acquirers.port import AuthenticatesCards, Connector, SendsToBanks, SimulatesUpiApp, SpeaksBack
from hundi.instruments.methods import CHANNELS, METHODS

_Capability = TypeVar("_Capability")
CAPABILITY: Mapping[str, type] = {name: getattr(port, method.capability) for name, method in METHODS.items()}
"""What a connector must be able to do for a method of attempt."""
EVERY_METHOD: Mapping[str, Collection[str]] = {}
"""No connector is restricted."""


class DuplicateConnectorError(ValueError):
    """Two connectors have one name: an attempt would not say which of them made it."""


class UnknownConnectorError(LookupError):
    """An attempt names a connector that is not configured; its payments need it to be settled."""


class Registry:
    """All configured connectors; the first one that can do a method is its default.

    No test card and no test address reaches a live one of them: see `acquirers.live`.
    """

    def __init__(self, connectors: Iterable[Connector], methods: Mapping[str, Collection[str]] = EVERY_METHOD) -> None:
        """Index the connectors once: capability checks on protocols are too slow for every payment.

        methods: by a connector's name, the methods it is restricted to.
        """
        self._by_name: dict[str, Connector] = {}
        for connector in connectors:
            if connector.name in self._by_name:
                raise DuplicateConnectorError(connector.name)
            self._by_name[connector.name] = keep_test_instruments_out(connector)
        self._default = {
            method: next(
                (
                    each
                    for name, each in self._by_name.items()
                    if isinstance(each, capability) and method in methods.get(name, METHODS)
                ),
                None,
            )
            for method, capability in CAPABILITY.items()
        }
        self.channels = frozenset(code for code, each in CHANNELS.items() if self._default[each.method.name])
        """The channel codes that some connector can serve (docs/spec/states-and-codes.md#channels)."""
        self._app = {name: one for name, one in self._by_name.items() if isinstance(one, SimulatesUpiApp)}
        self._speaking = {name: one for name, one in self._by_name.items() if isinstance(one, SpeaksBack)}
        origins = [one.browser_origins for one in self._by_name.values() if isinstance(one, AuthenticatesCards)]
        origins += [one.redirect_origins for one in self._by_name.values() if isinstance(one, SendsToBanks)]
        self.browser_origins = tuple(dict.fromkeys(origin for group in origins for origin in group))

    def get(self, name: str) -> Connector:
        """Return the connector an attempt was made with; raises UnknownConnectorError."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownConnectorError(name) from None

    def default_for(self, method: str) -> Connector | None:
        """Return the connector for a new attempt by a method; None: none can."""
        return self._default.get(method)

    def first(self, capability: type[_Capability]) -> _Capability | None:
        """Return the first connector with a capability; None: none has it."""
        return next((each for each in self._by_name.values() if isinstance(each, capability)), None)

    def speaking(self, name: str) -> SpeaksBack | None:
        """Return the connector whose network calls back, or None when there is none of this name that does."""
        return self._speaking.get(name)

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
