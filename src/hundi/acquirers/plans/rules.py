"""How plans choose among acquirers: by weight, by cost, by hour; pure."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from math import log

PROBED_ONE_IN = 20
"""One of this many attempts still goes to an unhealthy acquirer, so that its recovery is seen."""
WHOLE = 10_000
"""Basis points of a whole, and the parts of a paisa in which costs are compared."""
_HASH_BYTES = 8
_HASHES = 1 << (8 * _HASH_BYTES)


class Prefer(StrEnum):
    """How a rule chooses among its acquirers."""

    WEIGHT = "weight"
    """Each gets its share of the attempts."""
    COST = "cost"
    """The cheapest for the amount gets them; of those that cost the same, each its share."""


def in_hours(hour: int, hours: tuple[int, int]) -> bool:
    """Return whether an hour is in a range, which may go over midnight."""
    first, end = hours
    return first <= hour < end if first < end else hour >= first or hour < end


def whole_paise(parts: int) -> int:
    """Return parts of a paisa as whole paise, halves rounded up."""
    return (parts + WHOLE // 2) // WHOLE


def parts_of(paise: int, basis_points: int, fixed_paise: int) -> int:
    """Return a cost of an amount in parts of a paisa; WHOLE of them are a paisa."""
    return paise * basis_points + fixed_paise * WHOLE


def in_order(
    use: Mapping[str, int],
    then: Sequence[str],
    prefer: Prefer,
    key: str,
    cost_of: Callable[[str], int | None],
) -> list[str]:
    """Return the acquirers of a rule in its order of preference.

    use: weights by acquirer. key: of what is sent. Weights draw a number from the key alone, so the
    same question has the same answer in every process and later.
    """
    drawn = sorted(use, key=lambda each: -log(share(key, each)) / use[each])
    if prefer is Prefer.COST:
        costs = {each: cost_of(each) for each in drawn}
        drawn.sort(key=lambda each: (costs[each] is None, costs[each] or 0))
    return [*drawn, *then]


def share(key: str, name: str) -> float:
    """Return a number in (0, 1], always the same for a key and an acquirer's name."""
    text = f"{key} {name}".encode()
    return (int.from_bytes(blake2b(text, digest_size=_HASH_BYTES).digest(), "big") + 1) / _HASHES
