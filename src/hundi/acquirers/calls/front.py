"""Stands before every connector.

Counts each call, and keeps test instruments from live acquirers.
"""

import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, cast

from hundi.acquirers.calls import live
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    Redirect,
    SentBack,
    Unknown,
    Voided,
)
from hundi.acquirers.port.capabilities import CAPABILITIES
from hundi.acquirers.port.payments import Connector
from hundi.infra.monitoring.counters import ACQUIRER_CALLS, ACQUIRER_REACHABLE, ACQUIRER_SECONDS
from hundi.kernel.clock import world_now

_CALLS = {
    name
    for each in CAPABILITIES.values()
    for name, call in vars(each).items()
    if inspect.iscoroutinefunction(call)
}
_UNCOUNTED = "close"
_OUTCOMES = {
    Approved: "approved",
    Declined: "declined",
    NothingThere: "nothing_there",
    Redirect: "redirect",
    SentBack: "sent_back",
    Voided: "voided",
}
ANSWERED = "answered"
"""Every answer that decides about no money: a list, a name, a link."""
AWAITING = "awaiting_customer"
UNKNOWN_SENT, UNKNOWN_NOT_SENT = "unknown_sent", "unknown_not_sent"
CREDENTIALS = "credentials_refused"
REFUSED_HERE, ERROR, CANCELLED = "refused_here", "error", "cancelled"
_NOT_TIMED = frozenset({REFUSED_HERE, UNKNOWN_NOT_SENT})
"""Nothing reached the acquirer, so they say nothing about how fast it answers."""
_NO_ANSWER = _NOT_TIMED | {UNKNOWN_SENT, CREDENTIALS, ERROR, CANCELLED}
_told: dict[str, bool] = {}
"""What the gauge of each acquirer says, whichever connector of its name was asked last."""
ERROR_MAX = 200


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a call to an acquirer failed, in our words, and when (UTC)."""

    error: str
    at: datetime


_troubles: dict[str, Trouble] = {}
"""The last one of each acquirer that was not kept so far."""


def troubles() -> Mapping[str, Trouble]:
    """Return by acquirer the last call that failed since `forget`."""
    return dict(_troubles)


def forget(kept: Mapping[str, Trouble]) -> None:
    """Forget troubles that were kept, but for newer ones."""
    for name, each in kept.items():
        if _troubles.get(name) is each:
            del _troubles[name]


def _failed(name: str, error: str) -> None:
    if error:
        _troubles[name] = Trouble(error[:ERROR_MAX], world_now())


def _error_of(answer: object) -> str:
    """Return why nobody knows.

    "" of every word of the acquirer's about a payment, which has a code.
    """
    if isinstance(answer, Unknown) and not answer.code and not answer.awaiting_customer:
        return answer.message
    return ""


def outcome_of(answer: object) -> str:
    """Return what a call came to, as metrics name it."""
    if isinstance(answer, Unknown):
        if answer.awaiting_customer:
            return AWAITING
        if answer.credentials_refused:
            return CREDENTIALS
        return UNKNOWN_SENT if answer.sent else UNKNOWN_NOT_SENT
    return _OUTCOMES.get(type(answer), ANSWERED)


class Front:
    """A connector as the gateway uses it: the same capabilities, each call checked and counted.

    Made by the registry of every connector, so that none can forget either.
    """

    def __init__(self, connector: Connector) -> None:
        """Take what the port names of a connector, and nothing else."""
        _tell_reachable(connector.name, is_reachable=True)
        for name in {name for each in CAPABILITIES.values() for name in _members(each)}:
            if hasattr(connector, name):
                member = getattr(connector, name)
                counts = name in _CALLS and name != _UNCOUNTED
                setattr(self, name, self._watched(connector, member) if counts else member)

    def _watched(
        self, connector: Connector, call: Callable[..., Awaitable[Any]]
    ) -> Callable[..., Awaitable[Any]]:
        name, reachable = call.__name__, connector.reachable
        signature = None if connector.simulated else inspect.signature(call)
        counters: dict[str, Callable[[], None]] = {}

        def count(outcome: str, began_s: float) -> None:
            if outcome not in counters:
                counters[outcome] = ACQUIRER_CALLS.labels(connector.name, name, outcome).inc
            counters[outcome]()
            if outcome not in _NOT_TIMED:
                ACQUIRER_SECONDS.labels(connector.name, name).observe(time.perf_counter() - began_s)
            # A breaker that lets one call through says nothing yet: the acquirer's answer does.
            if not reachable() or outcome not in _NO_ANSWER:
                _tell_reachable(connector.name, is_reachable=reachable())

        @wraps(call)
        async def watched(*given: object, **named: object) -> object:
            refused = live.refusal(name, signature, given, named) if signature else None
            began_s, outcome, tried = time.perf_counter(), CANCELLED, reachable()
            try:
                answer = await call(*given, **named) if refused is None else refused
                outcome = outcome_of(answer) if refused is None else REFUSED_HERE
            except Exception as error:
                outcome = ERROR
                _failed(connector.name, type(error).__name__)
                raise
            else:
                # A call that was not made because of the failures before it says nothing that is
                # new.
                _failed(connector.name, _error_of(answer) if tried else "")
                return answer
            finally:
                count(outcome, began_s)

        return watched


def _tell_reachable(name: str, *, is_reachable: bool) -> None:
    if _told.get(name) is not is_reachable:
        _told[name] = is_reachable
        ACQUIRER_REACHABLE.labels(name).set(is_reachable)


def answers(name: str) -> bool:
    """Return whether an acquirer answers this process.

    False from the opening of its breaker until it has answered again.
    """
    return _told.get(name, True)


def in_front_of(connector: Connector) -> Connector:
    """Return a connector as the gateway may use it."""
    return connector if isinstance(connector, Front) else cast("Connector", Front(connector))


def _members(protocol: type) -> set[str]:
    return {
        name for name in {*vars(protocol), *protocol.__annotations__} if not name.startswith("_")
    }
