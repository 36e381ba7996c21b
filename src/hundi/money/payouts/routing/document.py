"""Read a plan of payouts from its TOML or JSON document, and find all its faults."""

from collections.abc import Iterator, Mapping, Sequence

from hundi.acquirers.plans.document import (
    BASIS_POINTS_MAX,
    PAISE_MAX,
    WEEKDAYS,
    PlanStruct,
    RoutingFault,
    RoutingFaultCode,
    UseWords,
    bound_faults,
    outside,
    size_faults,
    twice,
    unknown_values,
    use_faults,
    words_of,
)
from hundi.acquirers.plans.rules import Prefer
from hundi.acquirers.port.payouts import RailTerms
from hundi.money.payouts.rails.rules import Rail
from hundi.money.payouts.routing.rules import (
    PayoutCost,
    PayoutPlan,
    PayoutRule,
    PayoutWhen,
    never_carries,
)


class PayoutWhenWords(PlanStruct, frozen=True):
    """The conditions of a rule, as a document writes them."""

    merchants: tuple[int, ...] = ()
    above_paise: int = 0
    up_to_paise: int = 0
    hours: tuple[int, int] | None = None
    weekdays: tuple[str, ...] = ()

    @property
    def when(self) -> PayoutWhen:
        """Return the conditions."""
        weekdays = frozenset(map(WEEKDAYS.index, self.weekdays))
        amounts = (self.above_paise, self.up_to_paise)
        return PayoutWhen(frozenset(self.merchants), *amounts, self.hours, weekdays)


class PayoutRuleWords(PlanStruct, frozen=True):
    """A rule, as a document writes it."""

    name: str
    use: tuple[UseWords, ...]
    then: tuple[str, ...] = ()
    rails: tuple[str, ...] = ()
    when: PayoutWhenWords = PayoutWhenWords()
    prefer: Prefer = Prefer.WEIGHT
    only: bool = False
    note: str = ""

    @property
    def rule(self) -> PayoutRule:
        """Return the rule."""
        weights = {part.acquirer: part.weight for part in self.use}
        chosen = (weights, self.then, self.rails, self.when.when, self.prefer, self.only)
        return PayoutRule(self.name, *chosen)


class PayoutCostWords(PlanStruct, frozen=True):
    """What a provider takes, as a document writes it."""

    acquirer: str
    rail: str = ""
    basis_points: int = 0
    fixed_paise: int = 0

    @property
    def cost(self) -> PayoutCost:
        """Return the cost."""
        return PayoutCost(self.acquirer, self.rail, self.basis_points, self.fixed_paise)


class PayoutPlanWords(PlanStruct, frozen=True):
    """A plan, as a document writes it."""

    rules: tuple[PayoutRuleWords, ...]
    costs: tuple[PayoutCostWords, ...] = ()
    note: str = ""


def read(
    text: str, carried: Mapping[str, Sequence[RailTerms]] | None = None, *, version: int = 0
) -> PayoutPlan | tuple[RoutingFault, ...]:
    """Return the plan of a document, or all its faults.

    A `{` begins JSON, all else is TOML. carried: what the rails of each provider carry; None for a
    plan that was in force once.
    """
    words = words_of(text, PayoutPlanWords)
    if isinstance(words, RoutingFault):
        return (words,)
    faults = tuple(_faults(words, carried))
    if faults:
        return faults
    rules = tuple(rule.rule for rule in words.rules)
    costs = tuple(cost.cost for cost in words.costs)
    plan = PayoutPlan(rules, costs, version)
    return plan if carried is None else tuple(_of_no_amount(plan, carried)) or plan


def _of_no_amount(
    plan: PayoutPlan, carried: Mapping[str, Sequence[RailTerms]]
) -> Iterator[RoutingFault]:
    """Yield a fault for each rule by which no payout could ever leave."""
    for rule in plan.rules:
        if never_carries(rule, carried):
            of = ", ".join(rule.providers)
            words = f"no amount of the rule leaves over its rails at {of}: its payouts would wait"
            field = "rails" if rule.rails else "use"
            yield RoutingFault(RoutingFaultCode.CARRIES_NOTHING, rule.name, field, words)


def _faults(
    words: PayoutPlanWords, providers: Mapping[str, object] | None
) -> Iterator[RoutingFault]:
    yield from size_faults(words.rules, words.costs)
    for rule in words.rules:
        yield from use_faults(rule, providers)
        yield from bound_faults(rule.name, rule.when)
        yield from unknown_values(rule.name, "rails", rule.rails, Rail)
        for rail in twice(rule.rails):
            yield RoutingFault(
                RoutingFaultCode.DUPLICATE, rule.name, "rails", f"{rail} is named twice"
            )
    for place, cost in enumerate(words.costs):
        field = f"costs[{place}]"
        if providers is not None:
            yield from unknown_values("", f"{field}.acquirer", (cost.acquirer,), providers)
        yield from unknown_values("", f"{field}.rail", filter(None, (cost.rail,)), Rail)
        yield from outside("", f"{field}.basis_points", cost.basis_points, 0, BASIS_POINTS_MAX)
        yield from outside("", f"{field}.fixed_paise", cost.fixed_paise, 0, PAISE_MAX)
    for key in twice((cost.acquirer, cost.rail) for cost in words.costs):
        words_of_key = " ".join(filter(None, key))
        yield RoutingFault(
            RoutingFaultCode.DUPLICATE, "", "costs", f"several costs are for {words_of_key}"
        )
