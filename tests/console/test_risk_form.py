"""Risk rules go into their form and back as the same rules, and faults stand at their fields."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hundi.console.risk_form import ACTIONS, SUBJECTS, risk_fields, typed_rules
from hundi.kernel.typed_toml import read_toml, write_toml
from hundi.payments.risk.actions import default_document
from hundi.payments.risk.document import read
from hundi.payments.risk.rules import FIELDS, NUMBER_FIELDS, NUMBER_OPERATORS, Metric, RuleSet

names = st.from_regex(r"[a-z0-9][a-z0-9-]{0,10}", fullmatch=True)
words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
numbers = st.integers(0, 10**12)


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    number = st.sampled_from(sorted(NUMBER_OPERATORS))
    if draw(st.booleans()):
        count = {
            "count": str(draw(st.sampled_from(Metric))),
            "by": draw(st.sampled_from(SUBJECTS)),
            "within": draw(st.sampled_from(["10m", "1h", "1d"])),
        }
        return {**count, draw(number): draw(numbers)}
    name = draw(st.sampled_from(sorted(FIELDS)))
    if name in NUMBER_FIELDS:
        return {"field": name, draw(number): draw(numbers)}
    operator = draw(st.sampled_from(["is", "is_not", "starts_with", "in", "not_in", "in_list"]))
    value = st.lists(words, min_size=1, max_size=3) if operator in {"in", "not_in"} else words
    return {"field": name, operator: draw(value)}


rules = st.fixed_dictionaries(
    {
        "name": names,
        "action": st.sampled_from(ACTIONS),
        "when": st.lists(conditions(), min_size=1, max_size=4),
    },
    optional={"note": st.text(min_size=1, max_size=20)},
)
documents = st.fixed_dictionaries(
    {"rules": st.lists(rules, max_size=4)},
    optional={
        "note": st.text(min_size=1, max_size=20),
        "lists": st.dictionaries(names, st.lists(words, min_size=1, max_size=3), min_size=1),
    },
)


@given(documents)
@settings(max_examples=60, deadline=None)
def test_rules_are_the_same_after_their_form(document: dict[str, Any]) -> None:
    text = write_toml(document)
    assert read_toml(text) == document
    fields = risk_fields(text)
    assert fields is not None
    assert read_toml(typed_rules(fields).text) == document


def test_the_default_rules_have_a_form() -> None:
    fields = risk_fields(default_document())
    assert fields is not None
    typed = typed_rules(fields)
    assert isinstance(typed.rule_set, RuleSet)
    assert typed.rule_set == read(default_document())


@pytest.mark.parametrize(
    "text",
    ['rules = [{name = "a"}]', "rules = 5", '[lists]\na = ["two\\nlines"]\n', "x ="],
)
def test_what_a_form_would_lose_has_no_form(text: str) -> None:
    assert risk_fields(text) is None


def test_each_fault_is_at_its_field() -> None:
    fields = {
        "r1_name": "Big",
        "r1_action": "hold",
        "r1w1_what": "field amount_paise",
        "r1w1_op": "above",
        "r1w1_value": "lots",
    }
    operator = min(NUMBER_OPERATORS)
    assert set(typed_rules({**fields, "r1w1_op": operator}).faults) == {"r1w1_value"}
    fields |= {"r1w1_op": operator, "r1w1_value": "5000"}
    fields |= {"r1w2_what": "count cards", "r1w2_by": "order", "r1w2_within": "9x"}
    fields |= {"r1w2_op": operator, "r1w2_value": "3"}
    faults = typed_rules(fields).faults
    assert set(faults) == {"r1_name", "r1w2_within"}
    right = typed_rules({**fields, "r1_name": "big", "r1w2_within": "1d"})
    assert right.rule_set
    assert f"{operator} = 500000" in right.text
