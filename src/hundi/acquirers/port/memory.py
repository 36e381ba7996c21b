"""A connector's memory of each reference: the acquirer's own names for it, written once."""

from collections.abc import Mapping
from typing import Protocol


class Memory(Protocol):
    """Stores words about references of attempts, refunds, notices, payouts and checks of accounts.

    The gateway's is in its database.

    A name has one value for ever. A connector stores what it needs for an inquiry about money
    before the call that may move it, or can find it again at the acquirer by our reference: a
    process may end between the acquirer's answer and `keep`.
    """

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        """Store words that are not there yet, and return all of the reference's.

        The words of one call are stored together, or none. The first value of a name counts. Names
        are of 1 to 32 small letters and underscores, values of 1 to 2,048 characters, without
        secrets.
        """
        ...

    async def known(self, reference: str) -> Mapping[str, str]:
        """Return the words of a reference; {} if there are none."""
        ...

    async def take(self, series: str, count: int) -> int:
        """Reserve consecutive numbers that no other process gets, and return the first.

        A series begins with 1. series: 1 to 63 characters, such as the acquirer's name.
        """
        ...


class ShortMemory:
    """A memory that ends with its process: for tests of a connector."""

    def __init__(self) -> None:
        """Start empty."""
        self._words: dict[str, dict[str, str]] = {}
        self._taken: dict[str, int] = {}

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        """Store words that are not there yet, and return all of the reference's."""
        stored = self._words.setdefault(reference, {})
        for name, value in words.items():
            stored.setdefault(name, value)
        return dict(stored)

    async def known(self, reference: str) -> Mapping[str, str]:
        """Return the words of a reference."""
        return dict(self._words.get(reference, {}))

    async def take(self, series: str, count: int) -> int:
        """Reserve consecutive numbers within this process, and return the first."""
        before = self._taken.get(series, 0)
        self._taken[series] = before + count
        return before + 1
