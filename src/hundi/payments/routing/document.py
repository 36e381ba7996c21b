"""Read a routing plan from its TOML or JSON document, and find all its faults.

Every fault has a code and names the rule and the field, what was received and what is allowed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from hundi.instruments.card import Scheme
from hundi.instruments.methods import CARDS, CHANNELS, EMI, LISTED
from hundi.kernel.typed_toml import read_toml
from hundi.payments.routing.rules import Cost, Prefer, RoutingPlan, RoutingRule, When

DOCUMENT_BYTES_MAX = 1024 * 1024
RULES_MAX = 500
COSTS_MAX = 1_000
RULE_ACQUIRERS_MAX = 100
"""Every attempt of a rule sorts all its acquirers, so there is a limit."""
WEIGHT_MAX = 10_000
PAISE_MAX = 10**12
MERCHANT_MAX = 10**15
BASIS_POINTS_MAX = 10_000
HOURS = 24
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
_BANK = re.compile(r"[A-Z]{4}(_C)?\Z")
_WITH_NETWORKS = frozenset({CARDS.code, EMI.code})
_PLACE = re.compile(r" - at `\$\.?([^`]*)`\Z")


class RoutingFaultCode(StrEnum):
    """What can be wrong with a plan."""

    UNREADABLE = "unreadable"
    """It is neither TOML nor JSON, or too large."""
    WRONG_SHAPE = "wrong_shape"
    """A key that a plan does not have, one that is missing, or a value of another type than its key
    needs.
    """
    OUT_OF_RANGE = "out_of_range"
    """A value is outside what its key allows."""
    UNKNOWN_VALUE = "unknown_value"
    """An acquirer, channel, network or weekday that there is not."""
    DUPLICATE = "duplicate"
    """Two rules have one name, a rule names an acquirer twice, or two costs are for the same
    payments.
    """
    CONTRADICTION = "contradiction"
    """A rule can never be for an attempt."""
    UNREACHABLE = "unreachable"
    """A rule comes after one that is for all its attempts.

    Only a warning: that one's acquirers may all be unable.
    """
    PUBLISHED_MEANWHILE = "published_meanwhile"
    """Another version was published after the one that its author looked at."""
    NO_COST = "no_cost"
    """A rule prefers by cost, and the plan has none for one of its acquirers.

    Only a warning: it comes last.
    """
    DISABLED = "disabled"
    """A rule names an account that is disabled. Only a warning: it may be enabled again."""


WARNINGS = frozenset(
    {RoutingFaultCode.UNREACHABLE, RoutingFaultCode.NO_COST, RoutingFaultCode.DISABLED}
)
"""Faults with which a plan can be put into force."""


@dataclass(frozen=True, slots=True)
class RoutingFault:
    """One fault of a plan.

    rule: its name or place, "" for the whole plan. field: the path of the value.
    """

    code: RoutingFaultCode
    rule: str
    field: str
    words: str

    @property
    def is_warning(self) -> bool:
        """Return whether the plan can be put into force nevertheless."""
        return self.code in WARNINGS


class _Struct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class UseWords(_Struct, frozen=True):
    """An acquirer of a rule, as a document writes it."""

    acquirer: str
    weight: int = 1


class WhenWords(_Struct, frozen=True):
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


class RoutingRuleWords(_Struct, frozen=True):
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


class CostWords(_Struct, frozen=True):
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


class PlanWords(_Struct, frozen=True):
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
    words = words_of(text)
    if isinstance(words, RoutingFault):
        return (words,)
    faults = tuple(_faults(words, acquirers))
    if faults:
        return faults
    return RoutingPlan(
        tuple(each.rule for each in words.rules), tuple(each.cost for each in words.costs), version
    )


def words_of(text: str) -> PlanWords | RoutingFault:
    """Return a document as it is written, or why it does not have the shape of one."""
    if len(text.encode()) > DOCUMENT_BYTES_MAX:
        return RoutingFault(
            RoutingFaultCode.UNREADABLE,
            "",
            "",
            f"the document is larger than {DOCUMENT_BYTES_MAX} bytes",
        )
    is_json = text.lstrip().startswith("{")
    try:
        value = msgspec.json.decode(text) if is_json else read_toml(text)
    except (ValueError, RecursionError) as error:
        return RoutingFault(
            RoutingFaultCode.UNREADABLE,
            "",
            "",
            f"not readable as {'JSON' if is_json else 'TOML'}: {error}",
        )
    try:
        return msgspec.convert(value, PlanWords)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        path = place[1] if place else ""
        return RoutingFault(
            RoutingFaultCode.WRONG_SHAPE, _rule_at(value, path), path, _PLACE.sub("", str(error))
        )


def _rule_at(value: object, path: str) -> str:
    """Return the name or place of the rule that a path leads into."""
    match = re.match(r"rules\[(\d+)\]", path)
    if match is None or not isinstance(value, dict):
        return ""
    rule = value["rules"][int(match[1])]
    name = rule.get("name") if isinstance(rule, dict) else None
    return name if isinstance(name, str) else f"rule {int(match[1]) + 1}"


def _faults(words: PlanWords, acquirers: Collection[str] | None) -> Iterator[RoutingFault]:
    for name, count, most in (
        ("rules", len(words.rules), RULES_MAX),
        ("costs", len(words.costs), COSTS_MAX),
    ):
        if count > most:
            yield RoutingFault(
                RoutingFaultCode.OUT_OF_RANGE,
                "",
                name,
                f"received {count}; allowed: at most {most}",
            )
    for name in _twice(each.name for each in words.rules):
        yield RoutingFault(RoutingFaultCode.DUPLICATE, name, "name", "several rules have this name")
    for each in words.rules:
        yield from _of_rule(each, acquirers)
        yield from _of_when(each.name, each.when)
    for place, each in enumerate(words.costs):
        yield from _of_cost(f"costs[{place}]", each, acquirers)
    for key in _twice((each.acquirer, each.channel, each.network) for each in words.costs):
        yield RoutingFault(
            RoutingFaultCode.DUPLICATE,
            "",
            "costs",
            f"several costs are for {' '.join(filter(None, key))}",
        )


def _twice(value: Iterable) -> list:
    return sorted(each for each, times in Counter(value).items() if times > 1)


def _unknown(
    rule: str, field: str, received: Iterable[str], allowed: Iterable[str]
) -> Iterator[RoutingFault]:
    allowed_values = tuple(allowed)
    for each in received:
        if each not in allowed_values:
            words = f"received {each[:64]}; allowed: {', '.join(allowed_values) or 'none'}"
            yield RoutingFault(RoutingFaultCode.UNKNOWN_VALUE, rule, field, words)


def _outside(rule: str, field: str, received: int, least: int, most: int) -> Iterator[RoutingFault]:
    if not least <= received <= most:
        yield RoutingFault(
            RoutingFaultCode.OUT_OF_RANGE,
            rule,
            field,
            f"received {received}; allowed: {least} to {most}",
        )


def _of_rule(rule: RoutingRuleWords, acquirers: Collection[str] | None) -> Iterator[RoutingFault]:
    if not _NAME.match(rule.name):
        yield RoutingFault(
            RoutingFaultCode.OUT_OF_RANGE, rule.name, "name", "allowed: 1 to 64 of a-z, 0-9 and -"
        )
    if not rule.use:
        yield RoutingFault(
            RoutingFaultCode.OUT_OF_RANGE,
            rule.name,
            "use",
            "received none; allowed: one acquirer or more",
        )
    for each in rule.use:
        yield from _outside(rule.name, f"use.{each.acquirer}.weight", each.weight, 1, WEIGHT_MAX)
    acquirers_used = [*(each.acquirer for each in rule.use), *rule.then]
    yield from _outside(rule.name, "use and then", len(acquirers_used), 0, RULE_ACQUIRERS_MAX)
    for name in _twice(acquirers_used):
        yield RoutingFault(
            RoutingFaultCode.DUPLICATE, rule.name, "use and then", f"{name} is named twice"
        )
    if acquirers is not None:
        yield from _unknown(rule.name, "use", (each.acquirer for each in rule.use), acquirers)
        yield from _unknown(rule.name, "then", rule.then, acquirers)


def _of_when(rule: str, when: WhenWords) -> Iterator[RoutingFault]:
    yield from _unknown(rule, "when.channels", when.channels, CHANNELS)
    yield from _unknown(rule, "when.networks", when.networks, Scheme)
    yield from _unknown(rule, "when.weekdays", when.weekdays, WEEKDAYS)
    for bank in when.banks:
        if not _BANK.match(bank):
            words = f"received {bank[:16]}; allowed: four capital letters, for companies with _C"
            yield RoutingFault(RoutingFaultCode.OUT_OF_RANGE, rule, "when.banks", words)
    for each in when.merchants:
        yield from _outside(rule, "when.merchants", each, 1, MERCHANT_MAX)
    yield from _outside(rule, "when.above_paise", when.above_paise, 0, PAISE_MAX)
    yield from _outside(rule, "when.up_to_paise", when.up_to_paise, 0, PAISE_MAX)
    first, end = when.hours or (0, HOURS)
    if not (0 <= first < HOURS and 0 < end <= HOURS) or first == end:
        words = (
            f"received {first} to {end}; allowed: [from, up to] of 0 to {HOURS}, the "
            "second one left out"
        )
        yield RoutingFault(RoutingFaultCode.OUT_OF_RANGE, rule, "when.hours", words)
    yield from _contradictions(rule, when)


def _contradictions(rule: str, when: WhenWords) -> Iterator[RoutingFault]:
    if when.up_to_paise and when.up_to_paise <= when.above_paise:
        words = f"no amount is above {when.above_paise} and up to {when.up_to_paise}"
        yield RoutingFault(RoutingFaultCode.CONTRADICTION, rule, "when.up_to_paise", words)
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
        yield from _unknown("", f"{place}.acquirer", (cost.acquirer,), acquirers)
    yield from _unknown("", f"{place}.channel", (cost.channel,), CHANNELS)
    yield from _unknown("", f"{place}.network", filter(None, (cost.network,)), Scheme)
    yield from _outside("", f"{place}.basis_points", cost.basis_points, 0, BASIS_POINTS_MAX)
    yield from _outside("", f"{place}.fixed_paise", cost.fixed_paise, 0, PAISE_MAX)
