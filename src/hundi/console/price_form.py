"""The form of a price plan: a row for each rule, read into the document that text has, and back."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from hundi.instruments.card import CARD_TYPES, Scheme
from hundi.instruments.methods import CHANNELS
from hundi.kernel.typed_toml import write_toml
from hundi.money.fees.document.rules import (
    UNNAMED,
    PlanDocument,
    PlanFault,
    PriceRuleWords,
    PriceWords,
    read,
)

ROWS_MAX = 40
"""Rules that a form shows; a longer plan is changed as text."""
ADD, REMOVE = "add", "remove-"
OTHERWISE = "otherwise"
_ROW = re.compile(r"r([0-9]{1,3})_name\Z")
_AMOUNT = re.compile(r"([0-9]{1,13})(?:\.([0-9]{1,2}))?\Z")
"""Rupees up to the largest amount that a rule can name."""
_PER_CENT = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,2}))?\Z")
_CARDS = (*Scheme, UNNAMED)
_TYPES = (*CARD_TYPES, UNNAMED)
LISTS: Mapping[str, Sequence[str]] = {
    "channels": tuple(CHANNELS),
    "networks": tuple(map(str, _CARDS)),
    "not_networks": tuple(map(str, _CARDS)),
    "card_types": tuple(map(str, _TYPES)),
    "not_card_types": tuple(map(str, _TYPES)),
}
"""The fields of a rule with a tick for each value, in the order in which a form writes them."""
AMOUNTS = ("fixed_paise", "minimum_paise", "maximum_paise")
BOUNDS = ("above_paise", "up_to_paise")


@dataclass(frozen=True, slots=True)
class TypedPlan:
    """What a form has. faults: by the field, "" for the whole plan. document: None with faults."""

    text: str
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    document: PlanDocument | None = None


def text_of(document: PlanDocument) -> str:
    """Return a plan as text."""
    return write_toml(msgspec.to_builtins(document))


def fields_of(document: PlanDocument) -> dict[str, str]:
    """Return the fields of a form for a plan."""
    fields = {"turnover": document.turnover, "note": document.note}
    fields |= {"aggregator": "1"} if document.aggregator else {}
    for number, rule in enumerate(document.rules, 1):
        fields |= _rule_fields(f"r{number}_", rule)
    if document.otherwise is not None:
        fields |= {"has_otherwise": "1", **_price_fields("otherwise_", document.otherwise)}
    return fields


def _rule_fields(prefix: str, rule: PriceRuleWords) -> dict[str, str]:
    fields = {f"{prefix}name": rule.name, **_price_fields(prefix, rule)}
    for name in LISTS:
        fields |= {f"{prefix}{name}_{value}": "1" for value in getattr(rule, name)}
    return fields | {f"{prefix}{name}": _rupees(getattr(rule, name)) for name in BOUNDS}


def _price_fields(prefix: str, price: PriceWords) -> dict[str, str]:
    whole, part = divmod(price.basis_points, 100)
    fields = {f"{prefix}basis_points": f"{whole}.{part:02d}"}
    return fields | {f"{prefix}{name}": _rupees(getattr(price, name)) for name in AMOUNTS}


def _rupees(paise: int) -> str:
    return f"{paise // 100}.{paise % 100:02d}" if paise else ""


def rows_of(fields: Mapping[str, str]) -> list[int]:
    """Return the numbers of the rules that a form has, in their order."""
    return sorted(int(match[1]) for name in fields if (match := _ROW.match(name)))


def without_row(fields: Mapping[str, str], number: int) -> dict[str, str]:
    """Return the fields of a form with one rule less."""
    return {name: text for name, text in fields.items() if not name.startswith(f"r{number}_")}


def with_row(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a form with one more, empty rule at the end."""
    number = max(rows_of(fields), default=0) + 1
    return {**fields, f"r{number}_name": ""}


def typed_plan(fields: Mapping[str, str]) -> TypedPlan:
    """Return the plan of a form with its text, or each fault at its field."""
    faults: dict[str, str] = {}
    raw: dict[str, Any] = {
        "aggregator": fields.get("aggregator") == "1",
        "turnover": fields.get("turnover", ""),
        "note": fields.get("note", "").replace("\r\n", "\n"),
    }
    rows = rows_of(fields)
    raw["rules"] = [_rule(fields, f"r{number}_", faults) for number in rows]
    if fields.get("has_otherwise") == "1":
        raw["otherwise"] = _price(fields, "otherwise_", faults)
    try:
        document = msgspec.convert(raw, PlanDocument)
    except msgspec.ValidationError as error:
        return TypedPlan("", {**faults, "turnover": str(error)})
    text = text_of(document)
    if faults:
        return TypedPlan(text, faults)
    found = read(text)
    if isinstance(found, PlanDocument):
        return TypedPlan(text, {}, found)
    names = {fields[f"r{number}_name"].strip(): f"r{number}_" for number in rows}
    return TypedPlan(text, _at_fields(found, names))


def _at_fields(found: Iterable[PlanFault], names: Mapping[str, str]) -> dict[str, str]:
    """Return the words of faults by the field that each is of. names: the rows' prefixes."""
    words: dict[str, list[str]] = {}
    for fault in found:
        word, _, rest = fault.words.partition(": ")
        for rule in [fault.rule] if fault.rule in names else fault.rule.split(", "):
            prefix = "otherwise_" if rule == OTHERWISE else names.get(rule, "")
            if not prefix:
                words.setdefault("", []).append(fault.words)
            elif word in LISTS or word in {*AMOUNTS, *BOUNDS, "basis_points"}:
                words.setdefault(prefix + word, []).append(rest)
            else:
                own = "name" if prefix != "otherwise_" else "basis_points"
                words.setdefault(prefix + own, []).append(fault.words)
    return {name: "; ".join(dict.fromkeys(several)) for name, several in words.items()}


def _rule(fields: Mapping[str, str], prefix: str, faults: dict[str, str]) -> dict[str, Any]:
    rule: dict[str, Any] = {"name": fields[f"{prefix}name"].strip()}
    for name, values in LISTS.items():
        rule[name] = [each for each in values if fields.get(f"{prefix}{name}_{each}") == "1"]
    rule |= {name: paise_of(fields, prefix + name, faults) for name in BOUNDS}
    return rule | _price(fields, prefix, faults)


def _price(fields: Mapping[str, str], prefix: str, faults: dict[str, str]) -> dict[str, int]:
    points = points_of(fields, f"{prefix}basis_points", faults)
    amounts = {name: paise_of(fields, prefix + name, faults) for name in AMOUNTS}
    return {"basis_points": points, **amounts}


def points_of(fields: Mapping[str, str], name: str, faults: dict[str, str]) -> int:
    """Return the basis points that a field has as a percentage; a fault is added to the others."""
    part = fields.get(name, "").replace("%", "").strip()
    match = _PER_CENT.match(part or "0")
    if match is None:
        faults[name] = f"{part[:20]!r} is no percentage such as 2.10"
        return 0
    return int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0"))


def paise_of(fields: Mapping[str, str], name: str, faults: dict[str, str]) -> int:
    """Return the paise that a field has as rupees; a fault is added to the others."""
    text = fields.get(name, "").strip()
    match = _AMOUNT.match(text.replace(",", "").replace("₹", "").strip() or "0")
    if match is None:
        faults[name] = f"{text[:20]!r} is no amount in rupees such as 2.00"
        return 0
    return int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0"))
