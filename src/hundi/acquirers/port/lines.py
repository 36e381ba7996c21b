"""Acquirers that are reached over a line that stays open, and can be asked whether it works."""

from typing import Protocol, runtime_checkable

from hundi.acquirers.port.answers import Accepted, Unknown


@runtime_checkable
class AnswersEcho(Protocol):
    """Has a line of its own, on which the gateway signs on."""

    async def echo(self) -> Accepted | Unknown:
        """Open the line, sign on, and ask for an echo; no money moves."""
        ...
