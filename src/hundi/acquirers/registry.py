"""The connectors that this gateway runs, by name and by capability."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import msgspec

from hundi.acquirers.calls.front import answers, in_front_of
from hundi.acquirers.port.capabilities import CAPABILITIES
from hundi.acquirers.port.cards import AuthenticatesCards
from hundi.acquirers.port.checkout import (
    BringsBack,
    ChargesCards,
    HostsCheckout,
    SendsTriggers,
    Trigger,
)
from hundi.acquirers.port.disputes import PhaseName, TellsDisputes
from hundi.acquirers.port.payments import (
    Connector,
    OffersUpi,
    SendsToBanks,
    SimulatesUpiApp,
    SpeaksBack,
)
from hundi.instruments.methods import CHANNELS, METHODS, Method
from hundi.kernel.records import replace

_Capability = TypeVar("_Capability")
_Webhook = TypeVar("_Webhook")
CAPABILITY: Mapping[str, type] = {
    name: CAPABILITIES[method.capability] for name, method in METHODS.items()
}
"""The capability that a connector needs for a method of attempt."""
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


class Way(msgspec.Struct, frozen=True):
    """A way to serve a channel: a method of attempt, at a connector."""

    method: Method
    connector: Connector


@dataclass(frozen=True, slots=True)
class EarlierConnector:
    """An account with its secrets before a rotation.

    Its webhooks are valid until a time (UTC).
    """

    connector: Connector
    until: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """A connector in the registry.

    methods: it is restricted to them; (): to nothing. merchants: it is theirs; (): everybody's.
    takes_new: new attempts are made with it. older: the same account with the secrets before each
    of its last rotations, the latest first. brand: what everybody calls its kind.
    """

    connector: Connector
    methods: Collection[str] = ()
    merchants: Collection[int] = ()
    takes_new: bool = True
    older: tuple[EarlierConnector, ...] = ()
    brand: str = ""

    @property
    def connectors(self) -> tuple[Connector, ...]:
        """The connector and those with earlier secrets."""
        return self.connector, *(each.connector for each in self.older)

    @property
    def can(self) -> tuple[str, ...]:
        """The methods of attempt that it may take."""
        able = (
            name
            for name, capability in CAPABILITY.items()
            if isinstance(self.connector, capability)
        )
        return tuple(name for name in able if name in (self.methods or METHODS))

    def believed(self, now_s: int) -> Iterable[Connector]:
        """Yield the connector, then those with earlier secrets that are still valid."""
        yield self.connector
        yield from (each.connector for each in self.older if each.until.timestamp() > now_s)

    def is_for(self, merchant_id: int) -> bool:
        """Return whether a merchant's payments may be at this connector, now or earlier."""
        return not self.merchants or merchant_id in self.merchants

    def serves(self, merchant_id: int) -> bool:
        """Return whether new attempts of a merchant's customers may be made with it."""
        return self.takes_new and (merchant_id == ANYBODY or self.is_for(merchant_id))


class _WithOlder:
    """Reads webhooks with today's secrets, then with earlier ones that are still valid."""

    def __init__(self, member: Member) -> None:
        self._member = member

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        return self._first(
            SendsTriggers, now_s, lambda each: each.read_trigger(headers, body, now_s=now_s)
        )

    def read_dispute(
        self, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> tuple[PhaseName, str] | None:
        return self._first(
            TellsDisputes, now_s, lambda each: each.read_dispute(headers, body, now_s=now_s)
        )

    def _first(
        self,
        capability: type[_Capability],
        now_s: int,
        read: Callable[[_Capability], _Webhook | None],
    ) -> _Webhook | None:
        """Return what the first of them reads that takes the webhook for authentic, else None."""
        believed = self._member.believed(now_s)
        webhooks = (read(each) for each in believed if isinstance(each, capability))
        return next((webhook for webhook in webhooks if webhook is not None), None)


class Registry:
    """All connectors, in the order in which they serve.

    Each call is counted, and no test card and no test address reaches a live one of them: see
    `acquirers.calls.front`.
    """

    def __init__(
        self,
        connectors: Iterable[Connector],
        methods: Mapping[str, Collection[str]] = EVERY_METHOD,
        merchants: Mapping[str, Collection[int]] = EVERY_MERCHANT,
    ) -> None:
        """Take these connectors.

        methods: by a connector's name, the methods that it is restricted to. merchants: by a
        connector's name, the merchants it belongs to.
        """
        self.members: tuple[Member, ...] = ()
        """All connectors in their order, as this registry has them."""
        self.take(
            [
                Member(each, methods.get(each.name, ()), merchants.get(each.name, ()))
                for each in connectors
            ]
        )

    def take(self, members: Sequence[Member]) -> tuple[Connector, ...]:
        """Replace the connectors, and return the removed ones.

        They are indexed once: capability checks on protocols are too slow for every payment.
        Nothing is awaited, so nobody sees half of a change. Raises DuplicateConnectorError; then
        nothing is changed.
        """
        names = [each.connector.name for each in members]
        if len(set(names)) < len(names):
            raise DuplicateConnectorError(next(name for name in names if names.count(name) > 1))
        guarded = [replace(each, connector=in_front_of(each.connector)) for each in members]
        staying = {id(one) for each in guarded for one in each.connectors}
        gone = [one for each in self.members for one in each.connectors if id(one) not in staying]
        self.members = tuple(guarded)
        self._by_name = {each.connector.name: each.connector for each in guarded}
        can = {each.connector.name: frozenset(each.can) for each in guarded}
        self._able = {
            method: frozenset(name for name in can if method in can[name]) for method in METHODS
        }
        self._ways = {
            code: next(iter(self.ways(each.first_steps)), None) for code, each in CHANNELS.items()
        }
        self.channels = frozenset(code for code, way in self._ways.items() if way)
        """The channel codes that some connector can serve (docs/spec/states-and-codes.md#channels).
        """
        self.simulated = any(each.connector.simulated for each in guarded if each.takes_new)
        """Whether customers' payments now move no real money."""
        self._index_what_they_do()
        return tuple(gone)

    def _index_what_they_do(self) -> None:
        self._app = {
            name: one for name, one in self._by_name.items() if isinstance(one, SimulatesUpiApp)
        }
        self._upi = {name: one for name, one in self._by_name.items() if isinstance(one, OffersUpi)}
        self._speaking = {
            name: one for name, one in self._by_name.items() if isinstance(one, SpeaksBack)
        }
        self._triggering = {
            each.connector.name: _WithOlder(each) if each.older else each.connector
            for each in self.members
            if isinstance(each.connector, SendsTriggers)
        }
        self._disputing = {
            each.connector.name: _WithOlder(each) if each.older else each.connector
            for each in self.members
            if isinstance(each.connector, TellsDisputes)
        }
        origins = [
            one.browser_origins
            for one in self._by_name.values()
            if isinstance(one, AuthenticatesCards)
        ]
        origins += [
            one.redirect_origins for one in self._by_name.values() if isinstance(one, SendsToBanks)
        ]
        origins += [
            one.checkout_origins for one in self._by_name.values() if isinstance(one, HostsCheckout)
        ]
        origins += [
            one.direct_origins for one in self._by_name.values() if isinstance(one, ChargesCards)
        ]
        self.browser_origins = tuple(dict.fromkeys(origin for group in origins for origin in group))

    def get(self, name: str) -> Connector:
        """Return the connector of an attempt; raises UnknownConnectorError."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownConnectorError(name) from None

    def ways(self, among: Collection[Method], merchant_id: int = ANYBODY) -> tuple[Way, ...]:
        """Return every way to begin by any of some methods, in the order in which they serve.

        One connector's ways are in the order of `among`. merchant_id: the customer's merchant; its
        own connectors come first, and other merchants' are left out.
        """
        serving = [each for each in self.members if each.serves(merchant_id)]
        if merchant_id != ANYBODY:
            serving.sort(key=lambda each: not each.merchants)
        return tuple(
            [
                Way(method, each.connector)
                for each in serving
                for method in among
                if each.connector.name in self._able[method.name]
            ]
        )

    def default_for(self, method: str) -> Connector | None:
        """Return the first connector that can do a method for everybody; None: none can."""
        able = self._able.get(method, ())
        return next((each for each in self._shared() if each.name in able), None)

    def _shared(self) -> Iterable[Connector]:
        return (each.connector for each in self.members if each.takes_new and not each.merchants)

    def answers(self, name: str) -> bool:
        """Return whether the acquirer of a name answers, as far as this process has seen."""
        return answers(name)

    def has(self, name: str) -> bool:
        """Return whether a connector of this name is configured here.

        name: "" where none is chosen yet, so that any may do.
        """
        return not name or name in self._by_name

    def takes_new(self, name: str) -> bool:
        """Return whether new attempts may be made with the connector of a name."""
        return any(each.takes_new for each in self.members if each.connector.name == name)

    def is_for(self, name: str, merchant_id: int) -> bool:
        """Return whether a merchant's payments may be at the connector of a name."""
        return any(each.is_for(merchant_id) for each in self.members if each.connector.name == name)

    def way(self, channel: str) -> Way | None:
        """Return the way to serve a channel: the first connector that can; None: none can."""
        return self._ways[channel]

    def first(
        self, capability: type[_Capability], merchant_id: int = ANYBODY
    ) -> _Capability | None:
        """Return the first connector with a capability; None: none has it.

        merchant_id: the merchant's own connectors come before those that serve everybody.
        """
        serving = [each for each in self.members if each.takes_new and each.is_for(merchant_id)]
        serving.sort(key=lambda each: not each.merchants)
        connectors = (each.connector for each in serving)
        return next((each for each in connectors if isinstance(each, capability)), None)

    def speaking(self, name: str) -> SpeaksBack | None:
        """Return the connector of this name if its network calls back, else None."""
        return self._speaking.get(name)

    def triggering(self, name: str) -> SendsTriggers | None:
        """Return the connector of a name if its webhooks say when to ask, else None."""
        return self._triggering.get(name)

    def read_dispute(
        self, name: str, headers: dict[str, str], body: bytes, *, now_s: int
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute phase of an authentic webhook, as `TellsDisputes` reads it.

        Secrets before a rotation count as well, because the acquirer is asked in any case. None for
        any other webhook, and where the connector reports no disputes.
        """
        reader = self._disputing.get(name)
        return None if reader is None else reader.read_dispute(headers, body, now_s=now_s)

    def returning(self, name: str) -> BringsBack | None:
        """Return the connector of a name if it brings customers back to one address, else None."""
        connector = self._by_name.get(name)
        return connector if isinstance(connector, BringsBack) else None

    def offering_upi(self, name: str) -> OffersUpi | None:
        """Return the connector of a name, or None when it offers no UPI.

        Raises UnknownConnectorError.
        """
        self.get(name)
        return self._upi.get(name)

    def simulated_app(self, name: str) -> SimulatesUpiApp | None:
        """Return the simulated UPI app of a connector, or None when it moves real money."""
        return self._app.get(name)

    def all(self) -> tuple[Connector, ...]:
        """Return every connector in their order, also those that take no new attempts."""
        return tuple(self._by_name.values())

    async def close(self) -> None:
        """Close every connector."""
        for each in self.members:
            for one in each.connectors:
                await one.close()
