"""Keeps test cards and test addresses from live acquirers, in front of every connector."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, cast

from hundi.acquirers.answers import NotRegistered
from hundi.acquirers.capabilities import CAPABILITIES
from hundi.acquirers.port import Connector
from hundi.acquirers.rules import decline_test_card, decline_test_vpa
from hundi.instruments.card import CardNumber

_CALLS = {
    name for each in CAPABILITIES.values() for name, call in vars(each).items() if inspect.iscoroutinefunction(call)
}
_ADDRESSES = ("vpa", "payer_vpa")
"""Parameters of the port that hold a UPI address of a customer."""


class LiveConnector:
    """A connector that moves real money: the same capabilities, each call checked first.

    Any card and any customer's address among the arguments is looked at, so that no connector and no capability that is
    added later can forget it. See docs/spec/domain.md#test-instruments.
    """

    def __init__(self, connector: Connector) -> None:
        """Take what the port names of a connector, and nothing else."""
        for name in {name for each in CAPABILITIES.values() for name in _members(each)}:
            if hasattr(connector, name):
                member = getattr(connector, name)
                setattr(self, name, _guarded(member) if name in _CALLS else member)


def keep_test_instruments_out(connector: Connector) -> Connector:
    """Return a connector as the gateway may use it: a live one behind the rule, a simulated one as it is."""
    if connector.simulated or isinstance(connector, LiveConnector):
        return connector
    return cast("Connector", LiveConnector(connector))


def _members(protocol: type) -> set[str]:
    return {name for name in {*vars(protocol), *protocol.__annotations__} if not name.startswith("_")}


def _guarded(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    signature = inspect.signature(call)

    @wraps(call)
    async def guarded(*given: object, **named: object) -> object:
        refusal = _refusal(call.__name__, signature.bind(*given, **named).arguments)
        return await call(*given, **named) if refusal is None else refusal

    return guarded


def _refusal(call: str, arguments: Mapping[str, object]) -> object | None:
    for name, value in arguments.items():
        if isinstance(value, CardNumber):
            refusal = decline_test_card(value.number)
        elif name in _ADDRESSES:
            refusal = decline_test_vpa(str(value))
        else:
            refusal = None
        if refusal is not None:
            return NotRegistered() if call == "check_address" else refusal
    return None
