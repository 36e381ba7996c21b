"""The plug-in of the simulated acquirer: an operator's settings, and how it is opened."""

from typing import Annotated, Literal

import msgspec

from hundi.acquirers.kinds import ADDRESS, SECRET, AcquirerContext, AcquirerKind
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.sandbox.aggregator import DirectAggregator, SandboxAggregator
from hundi.acquirers.sandbox.connector import SandboxConnector

KEY_LENGTH_MIN = 16


class SandboxSettings(msgspec.Struct, frozen=True):
    """The address of the simulated bank, and the shared key for signing calls.

    url: the address of the simulated bank. key: signs calls and callbacks. face: its role: a
    bank, or an aggregator that takes cards at its own page, or typed at ours.
    """

    url: Annotated[
        str,
        msgspec.Meta(
            pattern="^https?://", description="an address that begins with http:// or https://"
        ),
        ADDRESS,
    ]
    key: Annotated[str, msgspec.Meta(min_length=KEY_LENGTH_MIN), SECRET]
    face: Literal["bank", "aggregator", "aggregator_direct"] = "bank"


def _open(name: str, settings: SandboxSettings, context: AcquirerContext) -> Connector:
    # Simbank's own settings have its callback address.
    key = settings.key.encode()
    match settings.face:
        case "bank":
            return SandboxConnector(settings.url, key, name=name)
        case "aggregator":
            return SandboxAggregator(settings.url, key, context.memory, name=name)
        case "aggregator_direct":
            return DirectAggregator(settings.url, key, context.memory, name=name)


KIND = AcquirerKind(SandboxSettings, _open, brand="Simulated bank")
