"""A memory of one connector among several that may know the same reference.

A payout or a check that one provider certainly did not take is passed on under the same reference:
what the first one remembers of it is nothing that the second one may find.
"""

from collections.abc import Mapping
from hashlib import sha256
from string import ascii_lowercase

from hundi.acquirers.port.memory import Memory

_TAG_LENGTH = 8


class OwnWords:
    """Keeps words of references under names that no other connector uses."""

    def __init__(self, memory: Memory, owner: str) -> None:
        """Keep the memory of all. owner: the connector's name."""
        self._memory, self._ending = memory, f"_{_tag(owner)}"

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        """Store words that are not there yet, and return all of the reference's."""
        named = {f"{name}{self._ending}": value for name, value in words.items()}
        return self._own(await self._memory.keep(reference, named))

    async def known(self, reference: str) -> Mapping[str, str]:
        """Return the words of a reference; {} if there are none."""
        return self._own(await self._memory.known(reference))

    async def take(self, series: str, count: int) -> int:
        """Reserve consecutive numbers that no other process gets, and return the first."""
        return await self._memory.take(series, count)

    def _own(self, words: Mapping[str, str]) -> dict[str, str]:
        ending = self._ending
        return {
            name.removesuffix(ending): value
            for name, value in words.items()
            if name.endswith(ending)
        }


def _tag(owner: str) -> str:
    """Return small letters that stand for a connector's name: names of words have no others."""
    digest = sha256(owner.encode()).digest()[:_TAG_LENGTH]
    return "".join(ascii_lowercase[byte % len(ascii_lowercase)] for byte in digest)
