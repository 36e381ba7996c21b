"""What the documents of plans share: their faults, and the parts that every plan has.

Every fault has a code and names the rule and the field, what was received and what is allowed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

import msgspec

from hundi.kernel.typed_toml import read_toml

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
    CARRIES_NOTHING = "carries_nothing"
    """Of a plan of payouts: no provider of a rule carries any of its amounts over its rails."""
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
    def place(self) -> str:
        """Return where the fault is, "" for the whole plan."""
        return ", ".join(part for part in (self.rule, self.field) if part)

    @property
    def is_warning(self) -> bool:
        """Return whether the plan can be put into force nevertheless."""
        return self.code in WARNINGS


class PlanStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a document; a key that it does not have is a fault."""


class UseWords(PlanStruct, frozen=True):
    """An acquirer of a rule, as a document writes it."""

    acquirer: str
    weight: int = 1


class RuleParts(Protocol):
    """What every rule has: a name, and acquirers."""

    @property
    def name(self) -> str:
        """The rule's name."""
        ...

    @property
    def use(self) -> tuple[UseWords, ...]:
        """The acquirers with their weights."""
        ...

    @property
    def then(self) -> tuple[str, ...]:
        """The acquirers that are tried after them."""
        ...


class ConditionParts(Protocol):
    """The conditions that every rule may have."""

    @property
    def merchants(self) -> tuple[int, ...]:
        """Merchants' ids."""
        ...

    @property
    def above_paise(self) -> int:
        """Amounts above this one."""
        ...

    @property
    def up_to_paise(self) -> int:
        """Amounts up to this one; 0: no bound."""
        ...

    @property
    def hours(self) -> tuple[int, int] | None:
        """Hours in India, the second one exclusive."""
        ...

    @property
    def weekdays(self) -> tuple[str, ...]:
        """Days of the week."""
        ...


_Words = TypeVar("_Words", bound=PlanStruct)


def words_of(text: str, kind: type[_Words]) -> _Words | RoutingFault:
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
        return msgspec.convert(value, kind)
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


def size_faults(rules: Sequence[RuleParts], costs: Sequence[object]) -> Iterator[RoutingFault]:
    """Yield the faults of a plan with too many parts, or two rules of one name."""
    for name, count, most in (("rules", len(rules), RULES_MAX), ("costs", len(costs), COSTS_MAX)):
        if count > most:
            yield RoutingFault(
                RoutingFaultCode.OUT_OF_RANGE,
                "",
                name,
                f"received {count}; allowed: at most {most}",
            )
    for name in twice(each.name for each in rules):
        yield RoutingFault(RoutingFaultCode.DUPLICATE, name, "name", "several rules have this name")


def twice(value: Iterable) -> list:
    """Return what is there several times, sorted."""
    return sorted(each for each, times in Counter(value).items() if times > 1)


def unknown_values(
    rule: str, field: str, received: Iterable[str], allowed: Iterable[str]
) -> Iterator[RoutingFault]:
    """Yield a fault for each value that is not allowed."""
    allowed_values = tuple(allowed)
    for each in received:
        if each not in allowed_values:
            words = f"received {each[:64]}; allowed: {', '.join(allowed_values) or 'none'}"
            yield RoutingFault(RoutingFaultCode.UNKNOWN_VALUE, rule, field, words)


def outside(rule: str, field: str, received: int, least: int, most: int) -> Iterator[RoutingFault]:
    """Yield a fault for a number out of its bounds."""
    if not least <= received <= most:
        yield RoutingFault(
            RoutingFaultCode.OUT_OF_RANGE,
            rule,
            field,
            f"received {received}; allowed: {least} to {most}",
        )


def use_faults(rule: RuleParts, acquirers: Collection[str] | None) -> Iterator[RoutingFault]:
    """Yield the faults of a rule's name and acquirers. acquirers: None for a plan of the past."""
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
        yield from outside(rule.name, f"use.{each.acquirer}.weight", each.weight, 1, WEIGHT_MAX)
    acquirers_used = [*(each.acquirer for each in rule.use), *rule.then]
    yield from outside(rule.name, "use and then", len(acquirers_used), 0, RULE_ACQUIRERS_MAX)
    for name in twice(acquirers_used):
        yield RoutingFault(
            RoutingFaultCode.DUPLICATE, rule.name, "use and then", f"{name} is named twice"
        )
    if acquirers is not None:
        yield from unknown_values(rule.name, "use", (each.acquirer for each in rule.use), acquirers)
        yield from unknown_values(rule.name, "then", rule.then, acquirers)


def bound_faults(rule: str, when: ConditionParts) -> Iterator[RoutingFault]:
    """Yield the faults of amounts, hours, days and merchants."""
    yield from unknown_values(rule, "when.weekdays", when.weekdays, WEEKDAYS)
    for each in when.merchants:
        yield from outside(rule, "when.merchants", each, 1, MERCHANT_MAX)
    yield from outside(rule, "when.above_paise", when.above_paise, 0, PAISE_MAX)
    yield from outside(rule, "when.up_to_paise", when.up_to_paise, 0, PAISE_MAX)
    first, end = when.hours or (0, HOURS)
    if not (0 <= first < HOURS and 0 < end <= HOURS) or first == end:
        words = (
            f"received {first} to {end}; allowed: [from, up to] of 0 to {HOURS}, the "
            "second one left out"
        )
        yield RoutingFault(RoutingFaultCode.OUT_OF_RANGE, rule, "when.hours", words)
    if when.up_to_paise and when.up_to_paise <= when.above_paise:
        words = f"no amount is above {when.above_paise} and up to {when.up_to_paise}"
        yield RoutingFault(RoutingFaultCode.CONTRADICTION, rule, "when.up_to_paise", words)
