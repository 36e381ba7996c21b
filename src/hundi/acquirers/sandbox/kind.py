"""The plug-in of the simulated acquirer: what an operator says of it, and how it is opened."""

from typing import Annotated

import msgspec

from hundi.acquirers.kinds import AcquirerContext, AcquirerKind
from hundi.acquirers.sandbox.connector import SandboxConnector

KEY_LENGTH_MIN = 16


class SandboxSettings(msgspec.Struct, frozen=True):
    """Where the simulated bank is, and the key that both sides sign their calls with."""

    url: Annotated[str, msgspec.Meta(pattern="^https?://")]
    key: Annotated[str, msgspec.Meta(min_length=KEY_LENGTH_MIN)]


def _open(name: str, settings: SandboxSettings, context: AcquirerContext) -> SandboxConnector:  # noqa: ARG001 (simbank is told by its own settings where to call back)
    return SandboxConnector(settings.url, settings.key.encode(), name=name)


KIND = AcquirerKind(SandboxSettings, _open)
