"""Reads a rule set from its TOML or JSON document, and says everything that is wrong with it.

Every fault has a code and names the rule and the field, so that an operator can mend it without
reading this file.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from ipaddress import ip_network
from typing import Any

import msgspec

from hundi.kernel.typed_toml import read_toml
from hundi.payments.risk import conflicts
from hundi.payments.risk.rules import (
    ADDRESS_FIELDS,
    BY_THE_MINUTE_MAX,
    FIELDS,
    MINUTES_IN_HOUR,
    NUMBER_FIELDS,
    NUMBER_OPERATORS,
    OF_CARDS,
    WITHIN_MAX,
    WITHIN_OF_CARDS_MAX,
    Action,
    CountCondition,
    FieldCondition,
    Metric,
    Network,
    RiskCount,
    RiskRule,
    RuleSet,
    Subject,
)

DOCUMENT_BYTES_MAX = 1024 * 1024
RULES_MAX = 200
CONDITIONS_MAX = 20
LIST_ENTRIES_MAX = 10_000
TEXT_LENGTH_MAX = 255
COUNT_MAX = 1_000
"""The largest threshold of a count of cards; the store counts no further."""
_AMOUNT_MAX = 10**15
Value = int | str | frozenset[str] | tuple[Network, ...]
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
_WITHIN = re.compile(r"([1-9][0-9]{0,4})([mhd])\Z")
_MINUTES = {"m": 1, "h": MINUTES_IN_HOUR, "d": 24 * MINUTES_IN_HOUR}
_TEXT_OPERATORS = frozenset(
    {"is", "is_not", "in", "not_in", "in_list", "not_in_list", "starts_with", "ends_with"}
)
_LIST_OPERATORS = frozenset({"in", "not_in", "in_list", "not_in_list"})


class RiskFaultCode(StrEnum):
    """What can be wrong with a document."""

    UNREADABLE = "unreadable"
    """It is neither TOML nor JSON, or too large."""
    UNKNOWN_KEY = "unknown_key"
    """A key that a rule set does not have."""
    MISSING_KEY = "missing_key"
    """A key that is needed is not there."""
    WRONG_TYPE = "wrong_type"
    """A value is of another type than its key needs."""
    OUT_OF_RANGE = "out_of_range"
    """A value is outside what its key allows."""
    UNKNOWN_VALUE = "unknown_value"
    """An action, field, metric, subject or list that there is not."""
    WRONG_OPERATOR = "wrong_operator"
    """A condition has no comparison, several, or one that does not fit its field."""
    DUPLICATE_NAME = "duplicate_name"
    """Two rules have one name."""
    NO_CONDITION = "no_condition"
    """A rule without conditions would match every payment."""
    CONTRADICTION = "contradiction"
    """The conditions of a rule can never hold together."""
    CONFLICT = "conflict"
    """Two rules have the same conditions."""


@dataclass(frozen=True, slots=True)
class RiskFault:
    """One thing that is wrong.

    rule: its name or place, "" for the whole document. field: the path of the value.
    """

    code: RiskFaultCode
    rule: str
    field: str
    words: str


@dataclass
class _Reading:
    """The faults that were found so far, and the lists that conditions may name."""

    faults: list[RiskFault] = field(default_factory=list)
    lists: dict[str, list[str]] = field(default_factory=dict)

    def add(self, code: RiskFaultCode, rule: str, path: str, words: str) -> None:
        self.faults.append(RiskFault(code, rule, path, words))


def read(text: str, *, owner: int = 0, version: int = 0) -> RuleSet | tuple[RiskFault, ...]:
    """Return the rule set of a document, or everything that is wrong with it.

    A `{` begins JSON, all else is TOML.
    """
    reading = _Reading()
    found = _parsed(text, reading)
    if found is None:
        return tuple(reading.faults)
    _unknown_keys(reading, "", "", found, {"rules", "lists", "note"})
    _text(reading, "", "note", found.get("note", ""))
    _read_lists(reading, found.get("lists", {}))
    listed = found.get("rules")
    if not isinstance(listed, list) or not 0 <= len(listed) <= RULES_MAX:
        reading.add(
            RiskFaultCode.WRONG_TYPE, "", "rules", f"expected a list of at most {RULES_MAX} rules"
        )
        return tuple(reading.faults)
    rules = [_rule(reading, place, each) for place, each in enumerate(listed)]
    whole = [each for each in rules if each is not None]
    _check_names(reading, [each.name for each in whole])
    for rule, words in conflicts.contradictions(whole):
        reading.add(RiskFaultCode.CONTRADICTION, rule, "when", words)
    for rule, words in conflicts.twins(whole):
        reading.add(RiskFaultCode.CONFLICT, rule, "when", words)
    return tuple(reading.faults) if reading.faults else RuleSet(tuple(whole), owner, version)


def _parsed(text: str, reading: _Reading) -> Mapping[str, Any] | None:
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
        found = msgspec.json.decode(text) if is_json else read_toml(text)
    except (ValueError, RecursionError) as error:
        # Both libraries' errors are ValueErrors; for a number of thousands of digits tomllib raises
        # a plain one.
        reading.add(
            RiskFaultCode.UNREADABLE,
            "",
            "",
            f"not readable as {'JSON' if is_json else 'TOML'}: {error}",
        )
        return None
    return found


def _unknown_keys(
    reading: _Reading, rule: str, path: str, found: Mapping[str, Any], known: set[str]
) -> None:
    for key in found:
        if key not in known:
            allowed = ", ".join(sorted(known))
            reading.add(
                RiskFaultCode.UNKNOWN_KEY,
                rule,
                f"{path}.{key}".lstrip("."),
                f"allowed here: {allowed}",
            )


def _text(
    reading: _Reading, rule: str, path: str, value: object, *, empty: bool = True
) -> str | None:
    if not isinstance(value, str):
        reading.add(
            RiskFaultCode.WRONG_TYPE, rule, path, f"expected a text, received {_shown(value)}"
        )
        return None
    if len(value) > TEXT_LENGTH_MAX or (not value and not empty):
        least = 0 if empty else 1
        reading.add(
            RiskFaultCode.OUT_OF_RANGE,
            rule,
            path,
            f"expected {least} to {TEXT_LENGTH_MAX} characters",
        )
        return None
    return value


_BITS_SHOWN_MAX = 256


def _shown(value: object) -> str:
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number with a point",
        str: "a text",
        list: "a list",
    }
    kind = "a date or time" if isinstance(value, datetime) else kinds.get(type(value), "a table")
    if not isinstance(value, str | int | float):
        return kind
    # The decimal text of a number of thousands of digits is refused by Python.
    text = (
        hex(value)
        if isinstance(value, int) and value.bit_length() > _BITS_SHOWN_MAX
        else str(value)
    )
    return f"{kind} ({text[:40]})"


def _read_lists(reading: _Reading, found: object) -> None:
    if not isinstance(found, dict):
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            "",
            "lists",
            f"expected a table of lists, received {_shown(found)}",
        )
        return
    for name, entries in found.items():
        if not _NAME.match(name.replace("_", "-")):
            reading.add(
                RiskFaultCode.OUT_OF_RANGE,
                "",
                f"lists.{name}",
                "a list's name is a-z, 0-9, - and _, at most 64",
            )
        texts = _texts(reading, "", f"lists.{name}", entries)
        if texts is not None:
            reading.lists[name] = texts


def _texts(reading: _Reading, rule: str, path: str, found: object) -> list[str] | None:
    if not isinstance(found, list) or not found or len(found) > LIST_ENTRIES_MAX:
        words = f"expected a list of 1 to {LIST_ENTRIES_MAX} texts, received {_shown(found)}"
        reading.add(RiskFaultCode.WRONG_TYPE, rule, path, words)
        return None
    read_ = [_text(reading, rule, f"{path}[{place}]", each) for place, each in enumerate(found)]
    return [each.lower() for each in read_ if each is not None] if None not in read_ else None


def _rule(reading: _Reading, place: int, found: object) -> RiskRule | None:
    if not isinstance(found, dict):
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            f"rule {place + 1}",
            "",
            f"expected a table, received {_shown(found)}",
        )
        return None
    named = found.get("name")
    name = named if isinstance(named, str) and _NAME.match(named) else f"rule {place + 1}"
    _unknown_keys(reading, name, "", found, {"name", "action", "when", "note"})
    if named is None:
        reading.add(RiskFaultCode.MISSING_KEY, name, "name", "every rule has a name")
    elif name != named:
        reading.add(
            RiskFaultCode.OUT_OF_RANGE, name, "name", "expected a text of 1 to 64 of a-z, 0-9 and -"
        )
    action = _one_of(reading, name, "action", found.get("action"), Action)
    note = _text(reading, name, "note", found.get("note", ""))
    conditions = list(_conditions(reading, name, found.get("when")))
    if action is None or note is None or not conditions or None in conditions:
        return None
    on_facts = tuple(each for each in conditions if isinstance(each, FieldCondition))
    on_counts = tuple(each for each in conditions if isinstance(each, CountCondition))
    return RiskRule(name, action, on_facts, on_counts, note)


def _one_of(reading: _Reading, rule: str, path: str, value: object, kind: type[StrEnum]) -> Any:  # noqa: ANN401 (a member of kind)
    allowed = ", ".join(kind)
    if value is None:
        reading.add(RiskFaultCode.MISSING_KEY, rule, path, f"allowed: {allowed}")
    elif not isinstance(value, str) or value not in set(kind):
        reading.add(
            RiskFaultCode.UNKNOWN_VALUE, rule, path, f"received {_shown(value)}; allowed: {allowed}"
        )
    else:
        return kind(value)
    return None


def _conditions(
    reading: _Reading, rule: str, found: object
) -> Iterator[FieldCondition | CountCondition | None]:
    if found is None or found == []:
        reading.add(
            RiskFaultCode.NO_CONDITION,
            rule,
            "when",
            "a rule without conditions would match every payment",
        )
        return
    if not isinstance(found, list) or len(found) > CONDITIONS_MAX:
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            rule,
            "when",
            f"expected a list of 1 to {CONDITIONS_MAX} conditions",
        )
        yield None
        return
    for place, each in enumerate(found):
        path = f"when[{place}]"
        if not isinstance(each, dict):
            reading.add(
                RiskFaultCode.WRONG_TYPE, rule, path, f"expected a table, received {_shown(each)}"
            )
            yield None
        elif "count" in each:
            yield _count_condition(reading, rule, path, each)
        else:
            yield _field_condition(reading, rule, path, each)


def _operator(
    reading: _Reading, rule: str, path: str, found: Mapping[str, Any], allowed: Sequence[str]
) -> str | None:
    """Return the one comparison of a condition."""
    named = [key for key in found if key in _TEXT_OPERATORS or key in NUMBER_OPERATORS]
    if len(named) == 1 and named[0] in allowed:
        return named[0]
    words = f"expected one of {', '.join(allowed)}; received {', '.join(named) or 'none'}"
    reading.add(RiskFaultCode.WRONG_OPERATOR, rule, path, words)
    return None


def _field_condition(
    reading: _Reading, rule: str, path: str, found: Mapping[str, Any]
) -> FieldCondition | None:
    _unknown_keys(
        reading, rule, path, found, {"field", "count", *_TEXT_OPERATORS, *NUMBER_OPERATORS}
    )
    name = found.get("field")
    if name is None:
        reading.add(
            RiskFaultCode.MISSING_KEY, rule, f"{path}.field", "a condition has a field, or a count"
        )
        return None
    if not isinstance(name, str) or name not in FIELDS:
        words = f"received {_shown(name)}; allowed: {', '.join(sorted(FIELDS))}"
        reading.add(RiskFaultCode.UNKNOWN_VALUE, rule, f"{path}.field", words)
        return None
    if name in NUMBER_FIELDS:
        operator = _operator(reading, rule, path, found, sorted(NUMBER_OPERATORS))
        value = operator and _number(
            reading, rule, f"{path}.{operator}", found[operator], *NUMBER_FIELDS[name]
        )
        return (
            None
            if operator is None or value is None
            else _of_field(name, operator, value, str(value))
        )
    allowed = sorted(_LIST_OPERATORS if name in ADDRESS_FIELDS else _TEXT_OPERATORS)
    operator = _operator(reading, rule, path, found, allowed)
    return (
        None
        if operator is None
        else _text_condition(reading, rule, f"{path}.{operator}", name, operator, found)
    )


def _of_field(name: str, operator: str, value: Value, shown: str) -> FieldCondition:
    return FieldCondition(name, operator, value, f"{name} {operator.replace('_', ' ')} {shown}")


def _text_condition(
    reading: _Reading, rule: str, path: str, name: str, operator: str, found: Mapping[str, Any]
) -> FieldCondition | None:
    value = found[operator]
    if operator not in _LIST_OPERATORS:
        text = _text(reading, rule, path, value)
        return None if text is None else _of_field(name, operator, text.lower(), f'"{text}"')
    if operator.endswith("_list"):
        if not isinstance(value, str) or value not in reading.lists:
            words = f"received {_shown(value)}; lists of this document: {', '.join(reading.lists) or 'none'}"
            reading.add(RiskFaultCode.UNKNOWN_VALUE, rule, path, words)
            return None
        entries, shown = reading.lists[value], f"the list {value}"
    else:
        read_ = _texts(reading, rule, path, value)
        if read_ is None:
            return None
        entries, shown = read_, ", ".join(read_)[:TEXT_LENGTH_MAX]
    kept = operator.removesuffix("_list")
    if name not in ADDRESS_FIELDS:
        return _of_field(name, kept, frozenset(entries), shown)
    networks = [_network(reading, rule, path, each) for each in entries]
    known = tuple(each for each in networks if each is not None)
    return _of_field(name, kept, known, shown) if len(known) == len(networks) else None


def _network(reading: _Reading, rule: str, path: str, text: str) -> Network | None:
    try:
        return ip_network(text)
    except ValueError:
        words = f"expected an address or a network such as 203.0.113.0/24, received {text[:40]!r}"
        reading.add(RiskFaultCode.OUT_OF_RANGE, rule, path, words)
        return None


def _number(
    reading: _Reading, rule: str, path: str, value: object, least: int, most: int
) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            rule,
            path,
            f"expected a whole number, received {_shown(value)}",
        )
        return None
    if not least <= value <= most:
        reading.add(
            RiskFaultCode.OUT_OF_RANGE, rule, path, f"expected {least} to {most}, received {value}"
        )
        return None
    return value


def _count_condition(
    reading: _Reading, rule: str, path: str, found: Mapping[str, Any]
) -> CountCondition | None:
    _unknown_keys(reading, rule, path, found, {"count", "by", "within", *NUMBER_OPERATORS})
    metric = _one_of(reading, rule, f"{path}.count", found["count"], Metric)
    by = _one_of(reading, rule, f"{path}.by", found.get("by"), Subject)
    longest = WITHIN_OF_CARDS_MAX if metric in OF_CARDS else WITHIN_MAX
    within = _within(reading, rule, f"{path}.within", found.get("within"), longest)
    operator = _operator(reading, rule, path, found, sorted(NUMBER_OPERATORS))
    most = COUNT_MAX if metric in OF_CARDS else _AMOUNT_MAX
    value = operator and _number(reading, rule, f"{path}.{operator}", found[operator], 0, most)
    if metric in OF_CARDS and by in {Subject.CARD, Subject.MERCHANT}:
        words = "cards are counted by upi_address, email, phone, ip_address, device or order"
        reading.add(RiskFaultCode.UNKNOWN_VALUE, rule, f"{path}.by", words)
        return None
    if metric is None or by is None or within is None or operator is None or value is None:
        return None
    words = f"{metric} by {by} within {found['within']} {operator.replace('_', ' ')} {value}"
    return CountCondition(RiskCount(metric, by, within), operator, int(value), words)


def _within(reading: _Reading, rule: str, path: str, value: object, longest: int) -> int | None:
    match = _WITHIN.match(value) if isinstance(value, str) else None
    minutes = int(match[1]) * _MINUTES[match[2]] if match else 0
    whole = minutes <= BY_THE_MINUTE_MAX or minutes % MINUTES_IN_HOUR == 0
    if 0 < minutes <= longest and whole:
        return minutes
    hours = longest // MINUTES_IN_HOUR
    words = (
        f"expected 1m to {BY_THE_MINUTE_MAX}m, or whole hours up to {hours}h, such as 10m, 1h or 1d"
    )
    reading.add(
        RiskFaultCode.OUT_OF_RANGE,
        rule,
        path,
        f"{words}; received {'nothing' if value is None else _shown(value)}",
    )
    return None


def _check_names(reading: _Reading, names: Sequence[str]) -> None:
    for name in sorted({each for each in names if names.count(each) > 1}):
        reading.add(
            RiskFaultCode.DUPLICATE_NAME, name, "name", f"{names.count(name)} rules have this name"
        )
