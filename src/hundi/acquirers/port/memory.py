"""What a connector remembers of each reference: the acquirer's own names for it, written once."""

from collections.abc import Mapping
from typing import Protocol


class Memory(Protocol):
    """Keeps words about references of attempts and refunds; the gateway keeps them in its database.

    A name has one value for good. What a connector needs to ask about money, it keeps before it
    makes the call that may move the money, or can find again at the acquirer by our reference: a
    process may end between the acquirer's answer and `keep`.
    """

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        """Keep words that are not there yet, and return all of the reference's.

        The first value of a name counts. Names are of 1 to 32 small letters and underscores, values
        of 1 to 2,048 characters, without secrets.
        """
        ...

    async def known(self, reference: str) -> Mapping[str, str]:
        """Return what is kept about a reference; {} when that is nothing."""
        ...

    async def take(self, series: str, count: int) -> int:
        """Return the first of some numbers in a row that nobody else gets, in any process.

        A series begins with 1. series: 1 to 63 characters, such as the acquirer's name.
        """
        ...


class ShortMemory:
    """A memory that ends with its process: for tests of a connector."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._words: dict[str, dict[str, str]] = {}
        self._taken: dict[str, int] = {}

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        """Keep words that are not there yet, and return all of the reference's."""
        kept = self._words.setdefault(reference, {})
        for name, value in words.items():
            kept.setdefault(name, value)
        return dict(kept)

    async def known(self, reference: str) -> Mapping[str, str]:
        """Return what is kept about a reference."""
        return dict(self._words.get(reference, {}))

    async def take(self, series: str, count: int) -> int:
        """Return the first of some numbers that nobody else of this process gets."""
        before = self._taken.get(series, 0)
        self._taken[series] = before + count
        return before + 1
