"""The capability of acquirers with a line that stays open, and can be tested."""

from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Accepted, Unknown


@runtime_checkable
class AnswersEcho(Protocol):
    """Has a line of its own, on which the gateway signs on."""

    async def echo(self) -> Accepted | Unknown:
        """Open the line, sign on, and request an echo; no money moves."""
        ...
