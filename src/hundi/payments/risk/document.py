"""Read a rule set from its TOML or JSON document, and find all its faults.

Every fault has a code and names the rule and the field, so that an operator can mend it without
reading this file.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hundi.kernel.typed_toml import read_toml
from hundi.payments.risk.conditions import list_texts, read_conditions
from hundi.payments.risk.conflicts import rules as conflicts
from hundi.payments.risk.faults import (
    Reading,
    RiskFault,
    RiskFaultCode,
    as_shown,
    one_of,
    read_text,
    unknown_keys,
)
from hundi.payments.risk.rules import Action, CountCondition, FieldCondition, RiskRule, RuleSet

DOCUMENT_BYTES_MAX = 1024 * 1024
RULES_MAX = 200
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")


def read(text: str, *, owner: int = 0, version: int = 0) -> RuleSet | tuple[RiskFault, ...]:
    """Return the rule set of a document, or all its faults.

    A `{` begins JSON, all else is TOML.
    """
    reading = Reading()
    table = _parsed(text, reading)
    if table is None:
        return tuple(reading.faults)
    unknown_keys(reading, "", "", table, {"rules", "lists", "note"})
    read_text(reading, "", "note", table.get("note", ""))
    _read_lists(reading, table.get("lists", {}))
    rules_value = table.get("rules")
    if not isinstance(rules_value, list) or not 0 <= len(rules_value) <= RULES_MAX:
        reading.add(
            RiskFaultCode.WRONG_TYPE, "", "rules", f"expected a list of at most {RULES_MAX} rules"
        )
        return tuple(reading.faults)
    rules = [_rule(reading, place, each) for place, each in enumerate(rules_value)]
    whole = [each for each in rules if each is not None]
    _check_names(reading, [each.name for each in whole])
    for rule, words in conflicts.contradictions(whole):
        reading.add(RiskFaultCode.CONTRADICTION, rule, "when", words)
    for rule, words in conflicts.twins(whole):
        reading.add(RiskFaultCode.CONFLICT, rule, "when", words)
    return tuple(reading.faults) if reading.faults else RuleSet(tuple(whole), owner, version)


def _parsed(text: str, reading: Reading) -> Mapping[str, Any] | None:
    if len(text.encode()) > DOCUMENT_BYTES_MAX:
        reading.add(
            RiskFaultCode.UNREADABLE,
            "",
            "",
            f"the document is larger than {DOCUMENT_BYTES_MAX} bytes",
        )
        return None
    is_json = text.lstrip().startswith("{")
    try:
        value = msgspec.json.decode(text) if is_json else read_toml(text)
    except (ValueError, RecursionError) as error:
        # Both libraries raise a ValueError; for a number of thousands of digits tomllib raises a
        # plain one.
        reading.add(
            RiskFaultCode.UNREADABLE,
            "",
            "",
            f"not readable as {'JSON' if is_json else 'TOML'}: {error}",
        )
        return None
    return value


def _read_lists(reading: Reading, value: object) -> None:
    if not isinstance(value, dict):
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            "",
            "lists",
            f"expected a table of lists, received {as_shown(value)}",
        )
        return
    for name, entries in value.items():
        if not _NAME.match(name.replace("_", "-")):
            reading.add(
                RiskFaultCode.OUT_OF_RANGE,
                "",
                f"lists.{name}",
                "a list's name is a-z, 0-9, - and _, at most 64",
            )
        texts = list_texts(reading, "", f"lists.{name}", entries)
        if texts is not None:
            reading.lists[name] = texts


def _rule(reading: Reading, place: int, value: object) -> RiskRule | None:
    if not isinstance(value, dict):
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            f"rule {place + 1}",
            "",
            f"expected a table, received {as_shown(value)}",
        )
        return None
    given_name = value.get("name")
    name = (
        given_name
        if isinstance(given_name, str) and _NAME.match(given_name)
        else f"rule {place + 1}"
    )
    unknown_keys(reading, name, "", value, {"name", "action", "when", "note"})
    if given_name is None:
        reading.add(RiskFaultCode.MISSING_KEY, name, "name", "every rule has a name")
    elif name != given_name:
        reading.add(
            RiskFaultCode.OUT_OF_RANGE, name, "name", "expected a text of 1 to 64 of a-z, 0-9 and -"
        )
    action = one_of(reading, name, "action", value.get("action"), Action)
    note = read_text(reading, name, "note", value.get("note", ""))
    conditions = list(read_conditions(reading, name, value.get("when")))
    if action is None or note is None or not conditions or None in conditions:
        return None
    on_facts = tuple(each for each in conditions if isinstance(each, FieldCondition))
    on_counts = tuple(each for each in conditions if isinstance(each, CountCondition))
    return RiskRule(name, action, on_facts, on_counts, note)


def _check_names(reading: Reading, names: Sequence[str]) -> None:
    for name in sorted({each for each in names if names.count(each) > 1}):
        reading.add(
            RiskFaultCode.DUPLICATE_NAME, name, "name", f"{names.count(name)} rules have this name"
        )
