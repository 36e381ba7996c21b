"""Find rules that can never match, and rules that contradict each other."""

from collections.abc import Iterator, Sequence

from hundi.payments.risk.rules import (
    NUMBER_FIELDS,
    CountCondition,
    FieldCondition,
    Metric,
    RiskRule,
)

_COUNT_RANGE = (0, 10**18)
_TRY_AT_HAND = frozenset({Metric.TRIES, Metric.CARDS, Metric.AMOUNT_PAISE})
"""Metrics that count the current try, so that they are never 0."""


def contradictions(rules: Sequence[RiskRule]) -> Iterator[tuple[str, str]]:
    """Yield (rule, words) for each subject whose conditions can never hold together."""
    for rule in rules:
        numbers: dict[object, tuple[int, int]] = {}
        words: dict[object, list[str]] = {}
        for each in (*rule.on_facts, *rule.on_counts):
            key, whole = _range_of(each)
            if whole is not None and isinstance(each.value, int):
                low, high = numbers.get(key, whole)
                least, most = _bounds(each.operator, each.value, whole)
                numbers[key] = max(low, least), min(high, most)
                words.setdefault(key, []).append(each.words)
        impossible = [key for key, (low, high) in numbers.items() if low > high]
        yield from ((rule.name, _never(words[key])) for key in impossible)
        yield from ((rule.name, _never(each)) for each in _texts(rule.on_facts))


def _never(words: Sequence[str]) -> str:
    return f"can never hold: {' and '.join(words)}"


def _range_of(condition: FieldCondition | CountCondition) -> tuple[object, tuple[int, int] | None]:
    if isinstance(condition, CountCondition):
        least = 1 if condition.count.metric in _TRY_AT_HAND else 0
        return condition.count, (least, _COUNT_RANGE[1])
    return condition.field, NUMBER_FIELDS.get(condition.field)


def _bounds(operator: str, value: int, whole: tuple[int, int]) -> tuple[int, int]:
    """Return the least and the largest number that a comparison allows."""
    low, high = whole
    return {
        "is": (value, value),
        "at_least": (value, high),
        "above": (value + 1, high),
        "at_most": (low, value),
        "below": (low, value - 1),
    }[operator]


def _texts(conditions: Sequence[FieldCondition]) -> Iterator[list[str]]:
    """Yield contradictory conditions on one text field.

    Only with `is` or `in` are all possible texts known.
    """
    by_field: dict[str, list[FieldCondition]] = {}
    for each in conditions:
        if isinstance(each.value, str | frozenset):
            by_field.setdefault(each.field, []).append(each)
    for group in by_field.values():
        sets: list[frozenset[str]] = [
            _named(each) for each in group if each.operator in {"is", "in"}
        ]
        if sets and not any(
            all(_allows(each, text) for each in group) for text in sets[0].intersection(*sets[1:])
        ):
            yield [each.words for each in group]


def _named(condition: FieldCondition) -> frozenset[str]:
    value = condition.value
    return value if isinstance(value, frozenset) else frozenset({str(value)})


def _allows(condition: FieldCondition, text: str) -> bool:
    value = condition.value
    match condition.operator:
        case "starts_with":
            return text.startswith(str(value))
        case "ends_with":
            return text.endswith(str(value))
        case "is_not" | "not_in":
            return text not in _named(condition)
        case _:
            return text in _named(condition)


def twins(rules: Sequence[RiskRule]) -> Iterator[tuple[str, str]]:
    """Yield (rule, words) for each rule that has the conditions of an earlier one."""
    seen: dict[frozenset[str], RiskRule] = {}
    for rule in rules:
        key = frozenset(each.words for each in (*rule.on_facts, *rule.on_counts))
        before = seen.setdefault(key, rule)
        if before is not rule:
            says = (
                "the same"
                if before.action is rule.action
                else f"{before.action}, and this one {rule.action}"
            )
            yield rule.name, f"the rule {before.name} has the same conditions and says {says}"
