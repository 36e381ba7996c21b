"""Routing plans: which rule applies to an attempt, and the order of its acquirers; pure.

`document.py` reads a plan from its document. docs/routing.md explains every term.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import msgspec

from hundi.acquirers.plans.rules import PROBED_ONE_IN, Prefer, in_hours, in_order, parts_of, share
from hundi.acquirers.registry import Way
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import ist
from hundi.kernel.records import replace
from hundi.payments.routing.health.rules import Health
from hundi.payments.routing.needs.rules import NO_NEEDS, RUPEES, Needs


class RoutingCase(msgspec.Struct, frozen=True):
    """The facts that decide about the acquirer of an attempt.

    tries: earlier attempts of the payment. network: the card's, as customers know it. bank: the
    code of the chosen bank or wallet. Texts are "" where nothing is known.
    """

    merchant_id: int
    needs: Needs = NO_NEEDS
    payment_id: int = 0
    tries: int = 0
    channel: str = ""
    network: str = ""
    bank: str = ""
    amount_paise: int = 0
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class When:
    """The conditions of a rule; all have to hold, and an empty one always does.

    above_paise: exclusive; up_to_paise: inclusive; 0: no bound. They are for rupees alone. hours:
    of the day in India, the second one exclusive; a range may go over midnight. weekdays: 0 is
    Monday.
    """

    merchants: frozenset[int] = frozenset()
    channels: frozenset[str] = frozenset()
    networks: frozenset[str] = frozenset()
    banks: frozenset[str] = frozenset()
    above_paise: int = 0
    up_to_paise: int = 0
    hours: tuple[int, int] | None = None
    weekdays: frozenset[int] = frozenset()

    def holds(self, case: RoutingCase, hour: int, weekday: int) -> bool:
        """Return whether all conditions but those on the channel hold."""
        return (
            (not self.merchants or case.merchant_id in self.merchants)
            and (not self.banks or case.bank in self.banks)
            and (not self.networks or case.network in self.networks)
            and self._holds_amount(case)
            and (self.hours is None or in_hours(hour, self.hours))
            and (not self.weekdays or weekday in self.weekdays)
        )

    def _holds_amount(self, case: RoutingCase) -> bool:
        if not self.above_paise and not self.up_to_paise:
            return True
        paise = case.amount_paise
        within = self.above_paise < paise <= (self.up_to_paise or paise)
        return within and case.needs.currency == RUPEES


@dataclass(frozen=True, slots=True)
class RoutingRule:
    """One rule. use: weights by acquirer. then: the acquirers tried after them, in this order."""

    name: str
    use: Mapping[str, int]
    then: tuple[str, ...] = ()
    when: When = field(default_factory=When)
    prefer: Prefer = Prefer.WEIGHT

    @property
    def acquirers(self) -> tuple[str, ...]:
        """Return every acquirer that the rule may send attempts to."""
        return (*self.use, *self.then)


@dataclass(frozen=True, slots=True)
class Cost:
    """An acquirer's charge for one payment.

    network: "" for those without a line of their own.
    """

    acquirer: str
    channel: str
    network: str = ""
    basis_points: int = 0
    fixed_paise: int = 0

    def parts_of(self, paise: int) -> int:
        """Return the cost of an amount in parts of a paisa; WHOLE of them are a paisa."""
        return parts_of(paise, self.basis_points, self.fixed_paise)


@dataclass(frozen=True)
class RoutingPlan:
    """A routing plan. version: 0 was never put into force."""

    rules: tuple[RoutingRule, ...] = ()
    costs: tuple[Cost, ...] = ()
    version: int = 0

    @cached_property
    def by_channel(self) -> Mapping[str, tuple[RoutingRule, ...]]:
        """Return the rules that can apply to each channel, in their order."""
        return {
            code: tuple(
                each for each in self.rules if not each.when.channels or code in each.when.channels
            )
            for code in CHANNELS
        }

    @cached_property
    def _costs(self) -> Mapping[tuple[str, str, str], Cost]:
        return {(each.acquirer, each.channel, each.network): each for each in self.costs}

    def cost_of(self, acquirer: str, case: RoutingCase) -> int | None:
        """Return an attempt's cost at an acquirer in parts of a paisa.

        None where the plan gives none.
        """
        cost = self._costs.get((acquirer, case.channel, case.network)) or self._costs.get(
            (acquirer, case.channel, "")
        )
        return cost and cost.parts_of(case.amount_paise)


NO_PLAN = RoutingPlan()


class Passed(msgspec.Struct, frozen=True):
    """An acquirer that was passed over for the chosen one, and why."""

    acquirer: str
    why: str


class Routed(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why an attempt is made at its acquirer, as it is stored.

    plan: its version, 0 for none. rule: "" for the configured order. because: by what the rule
    chose. instead_of: the attempt whose acquirer certainly took nothing, 0 for none.
    """

    plan: int = 0
    rule: str = ""
    because: str = ""
    passed: tuple[Passed, ...] = ()
    instead_of: int = 0


NOT_ROUTED = Routed()


class AttemptRoute(msgspec.Struct, frozen=True):
    """The ways of an attempt, in the order of trying, and the reasons for it."""

    ways: tuple[Way, ...] = ()
    routed: Routed = NOT_ROUTED

    @property
    def first(self) -> Way | None:
        """Return the first way, None where no acquirer can take the attempt."""
        return self.ways[0] if self.ways else None

    def only(self, *ways: Way) -> "AttemptRoute":
        """Return this route with only these ways, in its own order."""
        return replace(self, ways=tuple(each for each in self.ways if each in ways))


@dataclass(frozen=True, slots=True)
class AcquirerStanding:
    """An acquirer's health for an attempt.

    why: for people, "" where nothing is known against it.
    """

    reachable: bool = True
    health: Health = Health.UP
    why: str = ""


FINE = AcquirerStanding()
UNREACHABLE = AcquirerStanding(reachable=False, why="it cannot be reached")
NOT_FOR_THIS = "it is not configured, or not for this"
TAKES_NOTHING_NEW = "it takes no new payments now"
_SEVERITY = {Health.UP: 0, Health.DEGRADED: 1, Health.DOWN: 2}
_LAST = 3


def decide(
    plan: RoutingPlan,
    case: RoutingCase,
    ways: Sequence[Way],
    standings: Mapping[str, AcquirerStanding],
    why_not: Callable[[str], str],
) -> AttemptRoute:
    """Return the route of an attempt.

    ways: those that can take it, in the configured order, one for each acquirer. standings: of
    acquirers in trouble. why_not: returns why an acquirer of a rule cannot take this attempt.
    """
    able = {way.connector.name: way for way in ways}
    rule = matching(plan, case, able)
    chosen = [each for each in _in_order(plan, rule, case) if each in able] if rule else list(able)
    left_out = [
        Passed(each, why_not(each)) for each in (rule.use if rule else ()) if each not in able
    ]
    ordered = _worst_last(chosen, case, standings)
    behind = (
        [Passed(each, standings[each].why) for each in chosen[: chosen.index(ordered[0])]]
        if ordered
        else []
    )
    if rule is None and not behind:
        return AttemptRoute(tuple(able[each] for each in ordered))
    routed = Routed(
        plan.version if rule else 0,
        rule.name if rule else "",
        rule.prefer if rule else "",
        (*left_out, *behind),
    )
    return AttemptRoute(tuple(able[each] for each in ordered), routed)


def matching(plan: RoutingPlan, case: RoutingCase, able: Collection[str]) -> RoutingRule | None:
    """Return the first rule that holds and names an acquirer that can take the attempt."""
    rules = plan.by_channel.get(case.channel, ())
    if not rules:
        return None
    at = ist(case.at) if case.at else None
    hour, weekday = (at.hour, at.weekday()) if at else (0, 0)
    for rule in rules:
        if rule.when.holds(case, hour, weekday) and any(each in able for each in rule.acquirers):
            return rule
    return None


def _in_order(plan: RoutingPlan, rule: RoutingRule, case: RoutingCase) -> list[str]:
    """Return the acquirers of a rule in its order of preference."""

    def cost_of(name: str) -> int | None:
        return plan.cost_of(name, case)

    return in_order(rule.use, rule.then, rule.prefer, _key(case), cost_of)


def _key(case: RoutingCase) -> str:
    return f"{case.payment_id} {case.tries}"


def _worst_last(
    names: list[str], case: RoutingCase, standings: Mapping[str, AcquirerStanding]
) -> list[str]:
    """Return acquirers with the unhealthy ones last.

    One in PROBED_ONE_IN attempts goes there nevertheless.
    """
    if not standings:
        return names
    probes = share(_key(case), "") * PROBED_ONE_IN < 1

    def badness(name: str) -> int:
        standing = standings.get(name, FINE)
        if not standing.reachable:
            return _LAST
        return 0 if probes else _SEVERITY[standing.health]

    return sorted(names, key=badness)
