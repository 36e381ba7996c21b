"""Wraps every connector: counts its calls, and keeps test instruments from live acquirers."""

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
    Underway,
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
    Underway: "underway",
    Voided: "voided",
}
ANSWERED = "answered"
"""The outcome of every answer that decides about no money: a list, a name, a link."""
AWAITING = "awaiting_customer"
UNKNOWN_SENT, UNKNOWN_NOT_SENT = "unknown_sent", "unknown_not_sent"
CREDENTIALS = "credentials_refused"
REFUSED_HERE, ERROR, CANCELLED = "refused_here", "error", "cancelled"
_NOT_TIMED = frozenset({REFUSED_HERE, UNKNOWN_NOT_SENT})
"""Outcomes without a call to the acquirer, which say nothing about its speed."""
_NO_ANSWER = _NOT_TIMED | {UNKNOWN_SENT, CREDENTIALS, ERROR, CANCELLED}
_told: dict[str, bool] = {}
"""The gauge's value for each acquirer, whichever connector of its name was called last."""
ERROR_MAX = 200


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a call to an acquirer failed, in our words, and when (UTC)."""

    error: str
    at: datetime


_troubles: dict[str, Trouble] = {}
"""Each acquirer's latest trouble that is not stored yet."""


def troubles() -> Mapping[str, Trouble]:
    """Return by acquirer the last call that failed since `forget`."""
    return dict(_troubles)


def forget(stored: Mapping[str, Trouble]) -> None:
    """Forget stored troubles, but keep newer ones."""
    for name, each in stored.items():
        if _troubles.get(name) is each:
            del _troubles[name]


def _failed(name: str, error: str) -> None:
    if error:
        _troubles[name] = Trouble(error[:ERROR_MAX], world_now())


def _error_of(answer: object) -> str:
    """Return why an answer is Unknown.

    "" for every answer of the acquirer about a payment, which has a code.
    """
    if isinstance(answer, Unknown) and not answer.code and not answer.awaiting_customer:
        return answer.message
    return ""


def outcome_of(answer: object) -> str:
    """Return a call's outcome, as metrics name it."""
    if isinstance(answer, Unknown):
        if answer.awaiting_customer:
            return AWAITING
        if answer.credentials_refused:
            return CREDENTIALS
        return UNKNOWN_SENT if answer.sent else UNKNOWN_NOT_SENT
    return _OUTCOMES.get(type(answer), ANSWERED)


class Front:
    """A connector as the gateway uses it: the same capabilities, each call checked and counted.

    The registry makes one for every connector, so that none can forget either.
    """

    def __init__(self, connector: Connector) -> None:
        """Take only the port's names of a connector."""
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
        async def watched(*arguments: object, **named: object) -> object:
            refused = live.refusal(name, signature, arguments, named) if signature else None
            began_s, outcome, tried = time.perf_counter(), CANCELLED, reachable()
            try:
                answer = await call(*arguments, **named) if refused is None else refused
                outcome = outcome_of(answer) if refused is None else REFUSED_HERE
            except Exception as error:
                outcome = ERROR
                _failed(connector.name, type(error).__name__)
                raise
            else:
                # A call that an open breaker stopped is no new failure.
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

    False from the opening of its breaker until its next answer.
    """
    return _told.get(name, True)


def in_front_of(connector: Connector) -> Connector:
    """Return a connector for use by the gateway."""
    return connector if isinstance(connector, Front) else cast("Connector", Front(connector))


def _members(protocol: type) -> set[str]:
    return {
        name for name in {*vars(protocol), *protocol.__annotations__} if not name.startswith("_")
    }
