"""Read the conditions of a risk rule: on a field, or on a count."""

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from hundi.payments.risk.faults import (
    TEXT_LENGTH_MAX,
    Reading,
    RiskFaultCode,
    as_shown,
    one_of,
    read_text,
    unknown_keys,
)
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
    CountCondition,
    FieldCondition,
    Metric,
    Network,
    RiskCount,
    Subject,
)

CONDITIONS_MAX = 20
LIST_ENTRIES_MAX = 10_000
COUNT_MAX = 1_000
"""The largest threshold of a count of cards; the store counts no further."""
_AMOUNT_MAX = 10**15
Value = int | str | frozenset[str] | tuple[Network, ...]
_WITHIN = re.compile(r"([1-9][0-9]{0,4})([mhd])\Z")
_MINUTES = {"m": 1, "h": MINUTES_IN_HOUR, "d": 24 * MINUTES_IN_HOUR}
_TEXT_OPERATORS = frozenset(
    {"is", "is_not", "in", "not_in", "in_list", "not_in_list", "starts_with", "ends_with"}
)
_LIST_OPERATORS = frozenset({"in", "not_in", "in_list", "not_in_list"})


def list_texts(reading: Reading, rule: str, path: str, value: object) -> list[str] | None:
    """Return the texts of a list in lower case; add a fault and return None for anything else."""
    if not isinstance(value, list) or not value or len(value) > LIST_ENTRIES_MAX:
        words = f"expected a list of 1 to {LIST_ENTRIES_MAX} texts, received {as_shown(value)}"
        reading.add(RiskFaultCode.WRONG_TYPE, rule, path, words)
        return None
    read_ = [read_text(reading, rule, f"{path}[{place}]", each) for place, each in enumerate(value)]
    return [each.lower() for each in read_ if each is not None] if None not in read_ else None


def read_conditions(
    reading: Reading, rule: str, value: object
) -> Iterator[FieldCondition | CountCondition | None]:
    """Yield the conditions of a rule, None for each with a fault."""
    if value is None or value == []:
        reading.add(
            RiskFaultCode.NO_CONDITION,
            rule,
            "when",
            "a rule without conditions would match every payment",
        )
        return
    if not isinstance(value, list) or len(value) > CONDITIONS_MAX:
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            rule,
            "when",
            f"expected a list of 1 to {CONDITIONS_MAX} conditions",
        )
        yield None
        return
    for place, each in enumerate(value):
        path = f"when[{place}]"
        if not isinstance(each, dict):
            reading.add(
                RiskFaultCode.WRONG_TYPE, rule, path, f"expected a table, received {as_shown(each)}"
            )
            yield None
        elif "count" in each:
            yield _count_condition(reading, rule, path, each)
        else:
            yield _field_condition(reading, rule, path, each)


def _operator(
    reading: Reading, rule: str, path: str, table: Mapping[str, Any], allowed: Sequence[str]
) -> str | None:
    """Return the one comparison of a condition."""
    operators = [key for key in table if key in _TEXT_OPERATORS or key in NUMBER_OPERATORS]
    if len(operators) == 1 and operators[0] in allowed:
        return operators[0]
    words = f"expected one of {', '.join(allowed)}; received {', '.join(operators) or 'none'}"
    reading.add(RiskFaultCode.WRONG_OPERATOR, rule, path, words)
    return None


def _field_condition(
    reading: Reading, rule: str, path: str, table: Mapping[str, Any]
) -> FieldCondition | None:
    unknown_keys(
        reading, rule, path, table, {"field", "count", *_TEXT_OPERATORS, *NUMBER_OPERATORS}
    )
    name = table.get("field")
    if name is None:
        reading.add(
            RiskFaultCode.MISSING_KEY, rule, f"{path}.field", "a condition has a field, or a count"
        )
        return None
    if not isinstance(name, str) or name not in FIELDS:
        words = f"received {as_shown(name)}; allowed: {', '.join(sorted(FIELDS))}"
        reading.add(RiskFaultCode.UNKNOWN_VALUE, rule, f"{path}.field", words)
        return None
    if name in NUMBER_FIELDS:
        operator = _operator(reading, rule, path, table, sorted(NUMBER_OPERATORS))
        value = operator and _number(
            reading, rule, f"{path}.{operator}", table[operator], *NUMBER_FIELDS[name]
        )
        return (
            None
            if operator is None or value is None
            else _of_field(name, operator, value, str(value))
        )
    allowed = sorted(_LIST_OPERATORS if name in ADDRESS_FIELDS else _TEXT_OPERATORS)
    operator = _operator(reading, rule, path, table, allowed)
    return (
        None
        if operator is None
        else _text_condition(reading, rule, f"{path}.{operator}", name, operator, table)
    )


def _of_field(name: str, operator: str, value: Value, allowed: str) -> FieldCondition:
    return FieldCondition(name, operator, value, f"{name} {operator.replace('_', ' ')} {allowed}")


def _text_condition(
    reading: Reading, rule: str, path: str, name: str, operator: str, table: Mapping[str, Any]
) -> FieldCondition | None:
    value = table[operator]
    if operator not in _LIST_OPERATORS:
        text = read_text(reading, rule, path, value)
        return None if text is None else _of_field(name, operator, text.lower(), f'"{text}"')
    if operator.endswith("_list"):
        if not isinstance(value, str) or value not in reading.lists:
            words = (
                f"received {as_shown(value)}; lists of this document: "
                f"{', '.join(reading.lists) or 'none'}"
            )
            reading.add(RiskFaultCode.UNKNOWN_VALUE, rule, path, words)
            return None
        entries, allowed = reading.lists[value], f"the list {value}"
    else:
        read_ = list_texts(reading, rule, path, value)
        if read_ is None:
            return None
        entries, allowed = read_, ", ".join(read_)[:TEXT_LENGTH_MAX]
    plain_operator = operator.removesuffix("_list")
    if name not in ADDRESS_FIELDS:
        return _of_field(name, plain_operator, frozenset(entries), allowed)
    networks = [_network(reading, rule, path, each) for each in entries]
    parsed = tuple(each for each in networks if each is not None)
    return (
        _of_field(name, plain_operator, parsed, allowed) if len(parsed) == len(networks) else None
    )


def _network(reading: Reading, rule: str, path: str, text: str) -> Network | None:
    try:
        return ip_network(text)
    except ValueError:
        words = f"expected an address or a network such as 203.0.113.0/24, received {text[:40]!r}"
        reading.add(RiskFaultCode.OUT_OF_RANGE, rule, path, words)
        return None


def _number(
    reading: Reading, rule: str, path: str, value: object, least: int, most: int
) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        reading.add(
            RiskFaultCode.WRONG_TYPE,
            rule,
            path,
            f"expected a whole number, received {as_shown(value)}",
        )
        return None
    if not least <= value <= most:
        reading.add(
            RiskFaultCode.OUT_OF_RANGE, rule, path, f"expected {least} to {most}, received {value}"
        )
        return None
    return value


def _count_condition(
    reading: Reading, rule: str, path: str, table: Mapping[str, Any]
) -> CountCondition | None:
    unknown_keys(reading, rule, path, table, {"count", "by", "within", *NUMBER_OPERATORS})
    metric = one_of(reading, rule, f"{path}.count", table["count"], Metric)
    by = one_of(reading, rule, f"{path}.by", table.get("by"), Subject)
    longest = WITHIN_OF_CARDS_MAX if metric in OF_CARDS else WITHIN_MAX
    within = _within(reading, rule, f"{path}.within", table.get("within"), longest)
    operator = _operator(reading, rule, path, table, sorted(NUMBER_OPERATORS))
    most = COUNT_MAX if metric in OF_CARDS else _AMOUNT_MAX
    value = operator and _number(reading, rule, f"{path}.{operator}", table[operator], 0, most)
    if metric in OF_CARDS and by in {Subject.CARD, Subject.MERCHANT}:
        words = "cards are counted by upi_address, email, phone, ip_address, device or order"
        reading.add(RiskFaultCode.UNKNOWN_VALUE, rule, f"{path}.by", words)
        return None
    if metric is None or by is None or within is None or operator is None or value is None:
        return None
    words = f"{metric} by {by} within {table['within']} {operator.replace('_', ' ')} {value}"
    return CountCondition(RiskCount(metric, by, within), operator, int(value), words)


def _within(reading: Reading, rule: str, path: str, value: object, longest: int) -> int | None:
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
        f"{words}; received {'nothing' if value is None else as_shown(value)}",
    )
    return None
