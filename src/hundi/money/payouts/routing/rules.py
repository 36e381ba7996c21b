"""Which provider pays a payout out, and on which rail; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time

from hundi.acquirers.port.payouts import RailTerms
from hundi.kernel.clock import ist
from hundi.money.payouts.rules import PayoutWay


@dataclass(frozen=True, slots=True)
class PayoutProvider:
    """A connector that pays out. reachable: it answers this process."""

    name: str
    rails: tuple[RailTerms, ...]
    reachable: bool = True


def carries(terms: RailTerms, paise: int) -> bool:
    """Return whether a rail carries an amount."""
    return terms.least_paise <= paise and (terms.most_paise is None or paise <= terms.most_paise)


def is_open(terms: RailTerms, at: datetime, *, working_day: bool) -> bool:
    """Return whether a payout leaves on a rail now."""
    if terms.working_days and not working_day:
        return False
    if terms.opens == terms.closes:
        return True
    now = ist(at).time()
    if terms.closes == time.min or terms.opens < terms.closes:
        return terms.opens <= now and (terms.closes == time.min or now < terms.closes)
    return now >= terms.opens or now < terms.closes


def default_ways(
    providers: Sequence[PayoutProvider], paise: int, at: datetime, *, working_day: bool
) -> tuple[PayoutWay, ...]:
    """Return the ways of a payout without a plan: each provider's first rail, in their order.

    A rail that is open now is before one that is closed, and a provider that answers before one
    that does not.
    """
    ways: list[tuple[bool, bool, PayoutWay]] = []
    for provider in providers:
        able = [each for each in provider.rails if carries(each, paise)]
        opened = [each for each in able if is_open(each, at, working_day=working_day)]
        if able:
            way = PayoutWay(provider.name, (opened or able)[0].rail)
            ways.append((not provider.reachable, not opened, way))
    return tuple(way for *_, way in sorted(ways, key=lambda each: each[:2]))
