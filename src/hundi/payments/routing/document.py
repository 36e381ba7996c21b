"""Read a routing plan from its TOML or JSON document, and find all its faults.

Every fault has a code and names the rule and the field, what was received and what is allowed.
"""

import re
from collections.abc import Collection, Iterator

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
from hundi.instruments.card import Scheme
from hundi.instruments.methods import CARDS, CHANNELS, EMI, LISTED
from hundi.payments.routing.rules import Cost, RoutingPlan, RoutingRule, When

_BANK = re.compile(r"[A-Z]{4}(_C)?\Z")
_WITH_NETWORKS = frozenset({CARDS.code, EMI.code})


class WhenWords(PlanStruct, frozen=True):
    """The conditions of a rule, as a document writes them."""

    merchants: tuple[int, ...] = ()
    channels: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    banks: tuple[str, ...] = ()
    above_paise: int = 0
    up_to_paise: int = 0
    hours: tuple[int, int] | None = None
    weekdays: tuple[str, ...] = ()

    @property
    def when(self) -> When:
        """Return the conditions."""
        return When(
            frozenset(self.merchants),
            frozenset(self.channels),
            frozenset(self.networks),
            frozenset(self.banks),
            self.above_paise,
            self.up_to_paise,
            self.hours,
            frozenset(map(WEEKDAYS.index, self.weekdays)),
        )


class RoutingRuleWords(PlanStruct, frozen=True):
    """A rule, as a document writes it."""

    name: str
    use: tuple[UseWords, ...]
    then: tuple[str, ...] = ()
    when: WhenWords = WhenWords()
    prefer: Prefer = Prefer.WEIGHT
    note: str = ""

    @property
    def rule(self) -> RoutingRule:
        """Return the rule."""
        weights = {each.acquirer: each.weight for each in self.use}
        return RoutingRule(self.name, weights, self.then, self.when.when, self.prefer)


class CostWords(PlanStruct, frozen=True):
    """What an acquirer takes, as a document writes it."""

    acquirer: str
    channel: str
    network: str = ""
    basis_points: int = 0
    fixed_paise: int = 0

    @property
    def cost(self) -> Cost:
        """Return the cost."""
        return Cost(self.acquirer, self.channel, self.network, self.basis_points, self.fixed_paise)


class PlanWords(PlanStruct, frozen=True):
    """A plan, as a document writes it."""

    rules: tuple[RoutingRuleWords, ...]
    costs: tuple[CostWords, ...] = ()
    note: str = ""


def read(
    text: str, acquirers: Collection[str] | None = None, *, version: int = 0
) -> RoutingPlan | tuple[RoutingFault, ...]:
    """Return the plan of a document, or all its faults.

    A `{` begins JSON, all else is TOML. acquirers: the names of all; None for a plan that was in
    force once. Warnings alone do not refuse a plan.
    """
    words = words_of(text, PlanWords)
    if isinstance(words, RoutingFault):
        return (words,)
    faults = tuple(_faults(words, acquirers))
    if faults:
        return faults
    return RoutingPlan(
        tuple(each.rule for each in words.rules), tuple(each.cost for each in words.costs), version
    )


def _faults(words: PlanWords, acquirers: Collection[str] | None) -> Iterator[RoutingFault]:
    yield from size_faults(words.rules, words.costs)
    for each in words.rules:
        yield from use_faults(each, acquirers)
        yield from _of_when(each.name, each.when)
    for place, each in enumerate(words.costs):
        yield from _of_cost(f"costs[{place}]", each, acquirers)
    for key in twice((each.acquirer, each.channel, each.network) for each in words.costs):
        yield RoutingFault(
            RoutingFaultCode.DUPLICATE,
            "",
            "costs",
            f"several costs are for {' '.join(filter(None, key))}",
        )


def _of_when(rule: str, when: WhenWords) -> Iterator[RoutingFault]:
    yield from unknown_values(rule, "when.channels", when.channels, CHANNELS)
    yield from unknown_values(rule, "when.networks", when.networks, Scheme)
    for bank in when.banks:
        if not _BANK.match(bank):
            words = f"received {bank[:16]}; allowed: four capital letters, for companies with _C"
            yield RoutingFault(RoutingFaultCode.OUT_OF_RANGE, rule, "when.banks", words)
    yield from bound_faults(rule, when)
    yield from _contradictions(rule, when)


def _contradictions(rule: str, when: WhenWords) -> Iterator[RoutingFault]:
    for field, values, having in (
        ("networks", when.networks, _WITH_NETWORKS),
        ("banks", when.banks, LISTED),
    ):
        if values and when.channels and not having & set(when.channels):
            words = (
                f"received with channels {', '.join(when.channels)}; allowed with "
                f"{', '.join(sorted(having))}"
            )
            yield RoutingFault(RoutingFaultCode.CONTRADICTION, rule, f"when.{field}", words)


def _of_cost(
    place: str, cost: CostWords, acquirers: Collection[str] | None
) -> Iterator[RoutingFault]:
    if acquirers is not None:
        yield from unknown_values("", f"{place}.acquirer", (cost.acquirer,), acquirers)
    yield from unknown_values("", f"{place}.channel", (cost.channel,), CHANNELS)
    yield from unknown_values("", f"{place}.network", filter(None, (cost.network,)), Scheme)
    yield from outside("", f"{place}.basis_points", cost.basis_points, 0, BASIS_POINTS_MAX)
    yield from outside("", f"{place}.fixed_paise", cost.fixed_paise, 0, PAISE_MAX)
