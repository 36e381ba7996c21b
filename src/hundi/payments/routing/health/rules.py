"""The health of banks and acquirers, by the outcomes of their latest attempts; pure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

LOOKED_BACK = timedelta(minutes=15)
"""The age of attempts that show a bank's health (docs/spec/payment-interfaces.md#bank-health)."""
LOOKED_AT_MIN = 5
"""Ended attempts that a judgement of a bank needs.

See docs/spec/payment-interfaces.md#bank-health.
"""
DEGRADED_FROM, DOWN_FROM = 0.3, 0.7
"""Fractions of attempts that failed through no fault of the customer.

See docs/spec/payment-interfaces.md#bank-health.
"""
NOBODYS_FAULT = frozenset({"91", "96", "15", "U20", "U30", "unreachable"})
"""Bank codes of failures caused by a bank, not by its customer (docs/spec/domain.md#upi-codes)."""


class Health(StrEnum):
    """The health of a bank."""

    UP = "up"
    """Nothing is known against it."""
    DEGRADED = "degraded"
    """Many attempts fail."""
    DOWN = "down"
    """Most attempts fail, or nobody can be reached."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes of one bank's latest attempts. ended: all.

    troubled: those that failed by no fault of the customer.
    """

    ended: int
    troubled: int

    @property
    def words(self) -> str:
        """Return it in words for people."""
        return f"{self.troubled} of its last {self.ended} attempts came to nothing"


def health(outcomes: Outcomes | None) -> Health:
    """Return a bank's health, by its latest attempts."""
    if outcomes is None or outcomes.ended < LOOKED_AT_MIN:
        return Health.UP
    part = outcomes.troubled / outcomes.ended
    if part >= DOWN_FROM:
        return Health.DOWN
    return Health.DEGRADED if part >= DEGRADED_FROM else Health.UP


ANY_BANK = "*"
Key = tuple[str, str, str]
"""Acquirer, method, and the bank's code: "" where none was chosen, ANY_BANK for all together."""


def with_totals(outcomes: Mapping[Key, Outcomes]) -> dict[Key, Outcomes]:
    """Return outcomes with the totals of all banks added."""
    ended, troubled = defaultdict[Key, int](int), defaultdict[Key, int](int)
    for (name, method, _), each in outcomes.items():
        ended[name, method, ANY_BANK] += each.ended
        troubled[name, method, ANY_BANK] += each.troubled
    return {**outcomes, **{key: Outcomes(ended[key], troubled[key]) for key in ended}}


def worst(outcomes: Mapping[Key, Outcomes], name: str, method: str, bank: str) -> Outcomes | None:
    """Return the outcomes that judge an acquirer.

    Those at the chosen bank if they are bad, else the total.
    """
    at_bank = outcomes.get((name, method, bank)) if bank else None
    return at_bank if health(at_bank) is not Health.UP else outcomes.get((name, method, ANY_BANK))
