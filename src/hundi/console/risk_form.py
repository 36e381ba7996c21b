"""The form of risk rules: rows of rules, conditions and lists, read into their document, and back.

A document that the form could not give back as it is has no form, and is changed as text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hundi.console.form_rows import numbers_in
from hundi.console.price_form import paise_of
from hundi.kernel.typed_toml import read_toml, write_toml
from hundi.payments.risk.conditions import CONDITIONS_MAX
from hundi.payments.risk.document import RULES_MAX, RiskFault, read
from hundi.payments.risk.rules import (
    FIELDS,
    NUMBER_FIELDS,
    NUMBER_OPERATORS,
    Action,
    Metric,
    RuleSet,
    Subject,
)

LISTS_MAX = 100
"""Lists that a form shows; more are changed as text. Of rules and conditions it has all."""
TEXT_OPERATORS = ("is", "is_not", "starts_with", "ends_with")
LIST_OPERATORS = ("in", "not_in")
NAMED_OPERATORS = ("in_list", "not_in_list")
OPERATORS = tuple(
    dict.fromkeys((*LIST_OPERATORS, *TEXT_OPERATORS, *NAMED_OPERATORS, *sorted(NUMBER_OPERATORS)))
)
ACTIONS, SUBJECTS = tuple(map(str, Action)), tuple(map(str, Subject))
WHATS = (
    *(f"field {name}" for name in sorted(FIELDS)),
    *(f"count {name}" for name in map(str, Metric)),
)
"""What a condition is about: a field of the try, or a count."""
_RULE = re.compile(r"r([0-9]{1,3})_name\Z")
_LIST = re.compile(r"l([0-9]{1,3})_name\Z")
_MONEY = "amount_paise"
_NUMBER_DIGITS_MAX = 16


@dataclass(frozen=True, slots=True)
class TypedRules:
    """What a form has. faults: by the field, "" for the whole. rule_set: None with faults."""

    text: str
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    rule_set: RuleSet | None = None


def risk_fields(text: str) -> dict[str, str] | None:
    """Return the fields of a form for rules in TOML; None where the form would lose something."""
    try:
        raw = read_toml(text)
        fields = _fields(raw)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    too_many = (
        len(rules_in(fields)) > RULES_MAX
        or len(lists_in(fields)) > LISTS_MAX
        or any(len(each.get("when", ())) > CONDITIONS_MAX for each in raw.get("rules", ()))
    )
    return None if too_many or _raw(fields, {}) != _plain(raw) else fields


def _plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document's values without empty notes and lists, which say nothing."""
    rules = [
        {name: value for name, value in rule.items() if name != "note" or value}
        for rule in raw.get("rules", ())
    ]
    kept = {name: raw[name] for name in ("note", "lists") if raw.get(name)}
    return {**kept, "rules": rules}


def _fields(raw: Mapping[str, Any]) -> dict[str, str]:
    fields = {"note": raw.get("note", "")}
    for number, (name, entries) in enumerate(raw.get("lists", {}).items(), 1):
        fields |= {f"l{number}_name": name, f"l{number}_entries": "\n".join(entries)}
    for number, rule in enumerate(raw.get("rules", ()), 1):
        prefix = f"r{number}_"
        fields |= {
            f"{prefix}name": rule["name"],
            f"{prefix}action": rule["action"],
            f"{prefix}note": rule.get("note", ""),
        }
        for place, condition in enumerate(rule["when"], 1):
            fields |= _condition_fields(f"r{number}w{place}_", condition)
    return fields


def _condition_fields(prefix: str, condition: Mapping[str, Any]) -> dict[str, str]:
    kind = "count" if "count" in condition else "field"
    operators = [name for name in condition if name in OPERATORS]
    (operator,) = operators
    about, value = condition[kind], condition[operator]
    if isinstance(value, list):
        text = "\n".join(value)
    elif about == _MONEY:
        text = f"{value // 100}.{value % 100:02d}"
    else:
        text = str(value)
    fields = {"what": f"{kind} {about}", "op": operator, "value": text}
    fields |= {name: condition[name] for name in ("by", "within") if kind == "count"}
    return {prefix + name: each for name, each in fields.items()}


def rules_in(fields: Mapping[str, str]) -> list[int]:
    """Return the numbers of the rules that a form has, in their order."""
    return numbers_in(_RULE, fields)


def lists_in(fields: Mapping[str, str]) -> list[int]:
    """Return the numbers of the lists that a form has, in their order."""
    return numbers_in(_LIST, fields)


def conditions_in(fields: Mapping[str, str], rule: int) -> list[int]:
    """Return the numbers of the conditions of a rule, in their order."""
    return numbers_in(re.compile(rf"r{rule}w([0-9]{{1,3}})_what\Z"), fields)


def typed_rules(fields: Mapping[str, str]) -> TypedRules:
    """Return the text of a form's rules, and each fault at its field."""
    faults: dict[str, str] = {}
    text = write_toml(_raw(fields, faults))
    if faults:
        return TypedRules(text, faults)
    found = read(text)
    if isinstance(found, RuleSet):
        return TypedRules(text, {}, found)
    return TypedRules(text, _at_fields(found, fields))


def _at_fields(found: Iterable[RiskFault], fields: Mapping[str, str]) -> dict[str, str]:
    words: dict[str, list[str]] = {}
    rules = rules_in(fields)
    names = {fields[f"r{number}_name"].strip(): number for number in rules}
    names |= {f"rule {place}": number for place, number in enumerate(rules, 1)}
    for fault in found:
        number = names.get(fault.rule)
        when = re.match(r"when\[(\d+)\](?:\.(\w+))?", fault.field)
        place = ""
        if number is not None and when:
            own = (
                when[2] if when[2] in {"by", "within"} else "value" if when[2] in OPERATORS else ""
            )
            own_conditions = conditions_in(fields, number)
            # Where two rules have one name, the fault may be of the other.
            condition = own_conditions[min(int(when[1]), len(own_conditions) - 1)]
            place = f"r{number}w{condition}_{own or 'what'}"
        elif number is not None:
            place = f"r{number}_{'action' if fault.field == 'action' else 'name'}"
        words.setdefault(place, []).append(fault.words)
    return {name: "; ".join(dict.fromkeys(several)) for name, several in words.items()}


def _raw(fields: Mapping[str, str], faults: dict[str, str]) -> dict[str, Any]:
    raw: dict[str, Any] = {"note": fields["note"]} if fields.get("note") else {}
    lists = {
        fields[f"l{number}_name"].strip(): _texts(fields.get(f"l{number}_entries", ""))
        for number in lists_in(fields)
    }
    if lists:
        raw["lists"] = lists
    raw["rules"] = [_rule(fields, number, faults) for number in rules_in(fields)]
    return raw


def _texts(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _rule(fields: Mapping[str, str], number: int, faults: dict[str, str]) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "name": fields[f"r{number}_name"].strip(),
        "action": fields.get(f"r{number}_action", ""),
        "when": [
            _condition(fields, f"r{number}w{place}_", faults)
            for place in conditions_in(fields, number)
        ],
    }
    note = fields.get(f"r{number}_note", "")
    return {**rule, "note": note} if note else rule


def _condition(fields: Mapping[str, str], prefix: str, faults: dict[str, str]) -> dict[str, Any]:
    kind, _, about = fields[f"{prefix}what"].partition(" ")
    condition: dict[str, Any] = {kind or "field": about}
    if kind == "count":
        condition |= {name: fields.get(prefix + name, "").strip() for name in ("by", "within")}
    operator = fields.get(f"{prefix}op", "")
    name, typed = f"{prefix}value", fields.get(f"{prefix}value", "")
    if operator in LIST_OPERATORS:
        condition[operator] = _texts(typed)
    elif operator not in NUMBER_OPERATORS or not (kind == "count" or about in NUMBER_FIELDS):
        condition[operator or "is"] = typed.strip()
    elif about == _MONEY:
        condition[operator] = paise_of(fields, name, faults)
    else:
        condition[operator] = _whole(typed.strip(), name, faults)
    return condition


def _whole(text: str, name: str, faults: dict[str, str]) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < _NUMBER_DIGITS_MAX):
        faults[name] = f"{text[:20]!r} is no whole number"
        return 0
    return int(text)
