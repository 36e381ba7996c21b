"""The form of a plan of payments or payouts: rows of rules and costs, into its document and back.

A `PlanShape` says what the form of each kind of plan has beyond the other.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hundi.acquirers.plans.document import (
    COSTS_MAX,
    RULES_MAX,
    WEEKDAYS,
    RoutingFault,
    words_of,
)
from hundi.acquirers.plans.rules import Prefer
from hundi.console.form_rows import numbers_in
from hundi.console.price_form import paise_of, points_of
from hundi.instruments.card import Scheme
from hundi.instruments.methods import CHANNELS
from hundi.kernel.typed_toml import write_toml
from hundi.money.payouts.routing.document import (
    PayoutCostWords,
    PayoutPlanWords,
    PayoutRuleWords,
)
from hundi.money.payouts.routing.document import read as read_payouts
from hundi.payments.routing.document import (
    CostWords,
    PlanWords,
    RoutingRuleWords,
    WhenWords,
    read,
)


@dataclass(frozen=True, slots=True)
class PlanShape:
    """What the form of one kind of plan has.

    read: returns the plan of a document, or its faults; its second argument is what acquirers there
    are. ticks: conditions that are ticked. banks: whether a rule may be for some banks. rails:
    whether a rule names rails, and may be the only one that counts. costs: what a cost is for.
    """

    document: type[PlanWords] | type[PayoutPlanWords]
    read: Callable[[str, Any], Any]
    ticks: Mapping[str, Sequence[str]]
    costs: tuple[str, ...]
    banks: bool = False
    rails: bool = False


TICKS: Mapping[str, Sequence[str]] = {
    "channels": tuple(CHANNELS),
    "networks": tuple(map(str, Scheme)),
    "weekdays": WEEKDAYS,
}
PAYMENTS = PlanShape(PlanWords, read, TICKS, ("acquirer", "channel", "network"), banks=True)
PAYOUTS = PlanShape(
    PayoutPlanWords,
    read_payouts,
    {"weekdays": WEEKDAYS},
    ("acquirer", "rail"),
    rails=True,
)
PREFERS = tuple(str(each) for each in Prefer)
_RULE, _COST = re.compile(r"r([0-9]{1,4})_name\Z"), re.compile(r"c([0-9]{1,4})_acquirer\Z")


@dataclass(frozen=True, slots=True)
class TypedRouting:
    """What a form has. faults: by the field, "" for the whole plan."""

    text: str
    faults: Mapping[str, str] = field(default_factory=dict[str, str])


def routing_fields(text: str, shape: PlanShape = PAYMENTS) -> dict[str, str] | None:
    """Return the fields of a form for a plan's text; None where it has not the shape of one.

    A form has one field for each name: a rule that repeats one has no form.
    """
    plan = words_of(text, shape.document)
    if isinstance(plan, RoutingFault) or len(plan.rules) > RULES_MAX or len(plan.costs) > COSTS_MAX:
        return None
    if any(len(set(names)) < len(names) for rule in plan.rules for names in _named(rule)):
        return None
    fields = {"note": plan.note}
    for number, rule in enumerate(plan.rules, 1):
        fields |= _rule_fields(f"r{number}_", rule, shape)
    for number, cost in enumerate(plan.costs, 1):
        fields |= _cost_fields(f"c{number}_", cost, shape)
    return fields


def _named(rule: RoutingRuleWords | PayoutRuleWords) -> tuple[Sequence[str], ...]:
    """Return the lists of names that a rule has."""
    rails = rule.rails if isinstance(rule, PayoutRuleWords) else ()
    return tuple(each.acquirer for each in rule.use), rule.then, rails


def _rule_fields(
    prefix: str, rule: RoutingRuleWords | PayoutRuleWords, shape: PlanShape
) -> dict[str, str]:
    when = rule.when
    first, last = when.hours or ("", "")
    fields = {
        "name": rule.name,
        "note": rule.note,
        "prefer": str(rule.prefer),
        **{f"use_{each.acquirer}": str(each.weight) for each in rule.use},
        **_places("then", rule.then),
        "merchants": " ".join(map(str, when.merchants)),
        "above_paise": _rupees(when.above_paise),
        "up_to_paise": _rupees(when.up_to_paise),
        "from_hour": str(first),
        "to_hour": str(last),
    }
    if isinstance(when, WhenWords):
        fields["banks"] = " ".join(when.banks)
    if isinstance(rule, PayoutRuleWords):
        fields |= {**_places("rails", rule.rails), "only": "1" if rule.only else ""}
    for name in shape.ticks:
        fields |= {f"{name}_{value}": "1" for value in getattr(when, name)}
    return {prefix + name: text for name, text in fields.items()}


def _places(name: str, values: Sequence[str]) -> dict[str, str]:
    """Return a field for each value, with its place in the order."""
    return {f"{name}_{value}": str(place) for place, value in enumerate(values, 1)}


def _cost_fields(
    prefix: str, cost: CostWords | PayoutCostWords, shape: PlanShape
) -> dict[str, str]:
    whole, part = divmod(cost.basis_points, 100)
    return {
        **{prefix + name: getattr(cost, name) for name in shape.costs},
        f"{prefix}basis_points": f"{whole}.{part:02d}",
        f"{prefix}fixed_paise": _rupees(cost.fixed_paise),
    }


def _rupees(paise: int) -> str:
    return f"{paise // 100}.{paise % 100:02d}" if paise else ""


def rules_in(fields: Mapping[str, str]) -> list[int]:
    """Return the numbers of the rules that a form has, in their order."""
    return numbers_in(_RULE, fields)


def costs_in(fields: Mapping[str, str]) -> list[int]:
    """Return the numbers of the costs that a form has, in their order."""
    return numbers_in(_COST, fields)


def filled_in(fields: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return what is typed in the fields that begin so, by the rest of their names."""
    return {
        name.removeprefix(prefix): text.strip()
        for name, text in fields.items()
        if name.startswith(prefix) and text.strip()
    }


def typed_routing(
    fields: Mapping[str, str], acquirers: object, shape: PlanShape = PAYMENTS
) -> TypedRouting:
    """Return the text of a form's plan, and each fault at its field.

    acquirers: that there are, as the shape's `read` takes them.
    """
    faults: dict[str, str] = {}
    rules, costs = rules_in(fields), costs_in(fields)
    raw = {
        "note": fields.get("note", ""),
        "rules": [_rule(fields, f"r{number}_", faults, shape) for number in rules],
        "costs": [_cost(fields, f"c{number}_", faults, shape) for number in costs],
    }
    try:
        plan = msgspec.convert(raw, shape.document)
    except msgspec.ValidationError as error:
        return TypedRouting("", {**faults, "": str(error)})
    text = write_toml(msgspec.to_builtins(plan))
    if faults:
        return TypedRouting(text, faults)
    found = shape.read(text, acquirers)
    if not isinstance(found, tuple):
        return TypedRouting(text)
    names = {fields[f"r{number}_name"].strip(): f"r{number}_" for number in rules}
    return TypedRouting(text, _at_fields(found, names, costs))


_FIELDS = {"when.hours": "from_hour", "use and then": "use"}


def _at_fields(
    found: Iterable[RoutingFault], names: Mapping[str, str], costs: Sequence[int]
) -> dict[str, str]:
    """Return the words of faults by their fields. names: the rows' prefixes by rule."""
    words: dict[str, list[str]] = {}
    for fault in found:
        cost = re.match(r"costs\[(\d+)\]\.(\w+)\Z", fault.field)
        place = ""
        if cost:
            place = f"c{costs[int(cost[1])]}_{cost[2]}"
        elif prefix := names.get(fault.rule, ""):
            own = _FIELDS.get(fault.field, fault.field.removeprefix("when."))
            place = prefix + (re.split(r"[.\[]", own)[0] or "name")
        words.setdefault(place, []).append(fault.words)
    return {name: "; ".join(dict.fromkeys(several)) for name, several in words.items()}


def _rule(
    fields: Mapping[str, str], prefix: str, faults: dict[str, str], shape: PlanShape
) -> dict[str, Any]:
    def text(name: str) -> str:
        return fields.get(prefix + name, "").strip()

    when: dict[str, Any] = {
        name: [each for each in values if text(f"{name}_{each}") == "1"]
        for name, values in shape.ticks.items()
    }
    when |= {
        name: paise_of(fields, prefix + name, faults) for name in ("above_paise", "up_to_paise")
    }
    if shape.banks:
        when["banks"] = text("banks").split()
    when["merchants"] = [
        _whole(each, f"{prefix}merchants", faults) for each in text("merchants").split()
    ]
    if text("from_hour") or text("to_hour"):
        when["hours"] = [
            _whole(text(name), prefix + name, faults) for name in ("from_hour", "to_hour")
        ]
    own: dict[str, Any] = {}
    if shape.rails:
        own = {"rails": _in_order(fields, f"{prefix}rails_", faults), "only": text("only") == "1"}
    return {
        **own,
        "name": text("name"),
        "note": fields.get(f"{prefix}note", ""),
        "prefer": text("prefer") or PREFERS[0],
        "use": [
            {"acquirer": name, "weight": _whole(share, f"{prefix}use_{name}", faults)}
            for name, share in filled_in(fields, f"{prefix}use_").items()
        ],
        "then": _in_order(fields, f"{prefix}then_", faults),
        "when": when,
    }


def _in_order(fields: Mapping[str, str], prefix: str, faults: dict[str, str]) -> list[str]:
    """Return the names that have a place, in its order."""
    places = {
        name: _whole(place, prefix + name, faults)
        for name, place in filled_in(fields, prefix).items()
    }
    return sorted(places, key=places.__getitem__)


def _cost(
    fields: Mapping[str, str], prefix: str, faults: dict[str, str], shape: PlanShape
) -> dict[str, Any]:
    named = {name: fields.get(prefix + name, "").strip() for name in shape.costs}
    points = points_of(fields, f"{prefix}basis_points", faults)
    return {
        **named,
        "basis_points": points,
        "fixed_paise": paise_of(fields, f"{prefix}fixed_paise", faults),
    }


def _whole(text: str, name: str, faults: dict[str, str]) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):  # noqa: PLR2004 (our ids have 15 digits at most)
        faults[name] = f"{text[:20]!r} is no whole number"
        return 0
    return int(text)
