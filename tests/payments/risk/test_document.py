"""A rule set's document: what is read, and the coded fault that each mistake gets."""

from importlib.resources import files

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.payments.risk.conditions import LIST_ENTRIES_MAX
from hundi.payments.risk.document import RULES_MAX, read
from hundi.payments.risk.faults import RiskFault, RiskFaultCode
from hundi.payments.risk.rules import Action, Metric, RiskCount, RuleSet, Subject

RULE = """
[[rules]]
name = "large"
action = "hold"
when = [{ field = "amount_paise", above = 5_000_000 }]
"""


def faults(text: str) -> list[tuple[RiskFaultCode, str, str]]:
    """Return (code, rule, field) of everything that is wrong."""
    found = read(text)
    assert not isinstance(found, RuleSet)
    assert all(each.words for each in found)
    return [(each.code, each.rule, each.field) for each in found]


def one_rule(
    *lines: str, when: str = '{ field = "channel", is = "pg" }', name: str = "large"
) -> str:
    action = [] if any(each.startswith("action") for each in lines) else ['action = "hold"']
    return "\n".join(["[[rules]]", f'name = "{name}"', *action, *lines, f"when = [{when}]"])


def test_the_default_is_in_order() -> None:
    found = read(files("hundi.payments.risk").joinpath("default.toml").read_text("utf-8"))
    assert isinstance(found, RuleSet)
    assert {each.action for each in found.rules} == {Action.BLOCK}


def test_toml_and_json_say_the_same() -> None:
    json = (
        '{"rules": [{"name": "large", "action": "hold", "when": [{"field": "amount_paise", '
        '"above": 5000000}]}]}'
    )
    assert read(RULE) == read(json) != RuleSet(())


def test_a_document_without_rules_switches_everything_off() -> None:
    assert read("rules = []", owner=7, version=3) == RuleSet((), 7, 3)


def test_a_list_is_named_by_its_conditions() -> None:
    text = (
        'rules = [{name = "a", action = "block", when = [{field = "email", in_list = '
        '"known_bad"}]}]\n'
    )
    found = read(text + '[lists]\nknown_bad = ["Thief@Example.in"]')
    assert isinstance(found, RuleSet)
    assert found.rules[0].on_facts[0].value == frozenset({"thief@example.in"})
    assert faults(text) == [(RiskFaultCode.UNKNOWN_VALUE, "a", "when[0].in_list")]


@pytest.mark.parametrize(
    ("within", "minutes"), [("1m", 1), ("120m", 120), ("3h", 180), ("7d", 10_080), ("180m", 180)]
)
def test_a_count_says_how_far_back(within: str, minutes: int) -> None:
    found = read(one_rule(when=f'{{count = "tries", by = "card", within = "{within}", above = 3}}'))
    assert isinstance(found, RuleSet)
    assert found.counts == {RiskCount(Metric.TRIES, Subject.CARD, minutes)}


def test_a_list_of_a_thousand_addresses_in_one_line_is_read():
    listed = ", ".join(f'"203.0.{each // 250}.{each % 250}"' for each in range(1_000))
    found = read(f"rules = []\n[lists]\nbad = [{listed}]", owner=0)
    assert isinstance(found, RuleSet), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rules = [", (RiskFaultCode.UNREADABLE, "", "")),
        ('{"rules": [}', (RiskFaultCode.UNREADABLE, "", "")),
        ("#" * 1_100_000, (RiskFaultCode.UNREADABLE, "", "")),
        ("rules = []\nnote = " + "9" * 5_000, (RiskFaultCode.UNREADABLE, "", "")),
        ("rules = 7", (RiskFaultCode.WRONG_TYPE, "", "rules")),
        ("", (RiskFaultCode.WRONG_TYPE, "", "rules")),
        ("rules = []\nruels = []", (RiskFaultCode.UNKNOWN_KEY, "", "ruels")),
        ("rules = []\nnote = 7", (RiskFaultCode.WRONG_TYPE, "", "note")),
        ("rules = []\nnote = 0x" + "f" * 20_000, (RiskFaultCode.WRONG_TYPE, "", "note")),
        ("rules = []\nnote = [0x" + "f" * 20_000 + "]", (RiskFaultCode.WRONG_TYPE, "", "note")),
        (
            "rules = []\nnote = { a = 0x" + "f" * 20_000 + " }",
            (RiskFaultCode.WRONG_TYPE, "", "note"),
        ),
        ("x." * 40_000 + "y = 1", (RiskFaultCode.UNREADABLE, "", "")),
        ("rules = []\nlists = 7", (RiskFaultCode.WRONG_TYPE, "", "lists")),
        ("rules = []\n[lists]\nbad = []", (RiskFaultCode.WRONG_TYPE, "", "lists.bad")),
        ("rules = []\n[lists]\nbad = [7]", (RiskFaultCode.WRONG_TYPE, "", "lists.bad[0]")),
        ("rules = []\n[lists]\nBAD = ['x']", (RiskFaultCode.OUT_OF_RANGE, "", "lists.BAD")),
        ("rules = [7]", (RiskFaultCode.WRONG_TYPE, "rule 1", "")),
        (one_rule(name="No Capitals"), (RiskFaultCode.OUT_OF_RANGE, "rule 1", "name")),
        (RULE.replace('name = "large"', ""), (RiskFaultCode.MISSING_KEY, "rule 1", "name")),
        (one_rule('action = "refuse"'), (RiskFaultCode.UNKNOWN_VALUE, "large", "action")),
        (one_rule("priority = 1"), (RiskFaultCode.UNKNOWN_KEY, "large", "priority")),
        (one_rule(when=""), (RiskFaultCode.NO_CONDITION, "large", "when")),
        (one_rule(when="7"), (RiskFaultCode.WRONG_TYPE, "large", "when[0]")),
        (one_rule(when='{ is = "pg" }'), (RiskFaultCode.MISSING_KEY, "large", "when[0].field")),
        (
            one_rule(when='{ field = "colour", is = "red" }'),
            (RiskFaultCode.UNKNOWN_VALUE, "large", "when[0].field"),
        ),
        (one_rule(when='{ field = "email" }'), (RiskFaultCode.WRONG_OPERATOR, "large", "when[0]")),
        (
            one_rule(when='{ field = "email", above = 3 }'),
            (RiskFaultCode.WRONG_OPERATOR, "large", "when[0]"),
        ),
        (
            one_rule(when='{ field = "hour", above = 3, below = 5 }'),
            (RiskFaultCode.WRONG_OPERATOR, "large", "when[0]"),
        ),
        (
            one_rule(when='{ field = "email", is = 3 }'),
            (RiskFaultCode.WRONG_TYPE, "large", "when[0].is"),
        ),
        (
            one_rule(when='{ field = "email", equals = "x" }'),
            (RiskFaultCode.UNKNOWN_KEY, "large", "when[0].equals"),
        ),
        (
            one_rule(when='{ field = "hour", at_least = 24 }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].at_least"),
        ),
        (
            one_rule(when='{ field = "amount_paise", above = "5" }'),
            (RiskFaultCode.WRONG_TYPE, "large", "when[0].above"),
        ),
        (
            one_rule(when='{ field = "amount_paise", above = 1.5 }'),
            (RiskFaultCode.WRONG_TYPE, "large", "when[0].above"),
        ),
        (
            one_rule(when='{ field = "amount_paise", above = true }'),
            (RiskFaultCode.WRONG_TYPE, "large", "when[0].above"),
        ),
        (
            one_rule(when='{ field = "ip_address", in = ["x"] }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].in"),
        ),
        (
            one_rule(when='{ field = "ip_address", in = ["10.0.0.1/8"] }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].in"),
        ),
        (
            one_rule(when='{ count = "tries", by = "shoe", within = "1h", above = 3 }'),
            (RiskFaultCode.UNKNOWN_VALUE, "large", "when[0].by"),
        ),
        (
            one_rule(when='{ count = "tries", by = "card", above = 3 }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].within"),
        ),
        (
            one_rule(when='{ count = "tries", by = "card", within = "8d", above = 3 }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].within"),
        ),
        (
            one_rule(when='{ count = "cards", by = "email", within = "2d", above = 3 }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].within"),
        ),
        (
            one_rule(when='{ count = "tries", by = "card", within = "121m", above = 3 }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].within"),
        ),
        (
            one_rule(when='{ count = "cards", by = "card", within = "1h", above = 3 }'),
            (RiskFaultCode.UNKNOWN_VALUE, "large", "when[0].by"),
        ),
        (
            one_rule(when='{ count = "cards", by = "email", within = "1h", above = 1001 }'),
            (RiskFaultCode.OUT_OF_RANGE, "large", "when[0].above"),
        ),
        (
            one_rule() + "\n" + one_rule(when='{ field = "kind", is = "moto" }'),
            (RiskFaultCode.DUPLICATE_NAME, "large", "name"),
        ),
    ],
)
def test_each_mistake_has_its_code_and_its_place(
    text: str, expected: tuple[RiskFaultCode, str, str]
) -> None:
    assert expected in faults(text)


@pytest.mark.parametrize(
    "when",
    [
        '{ field = "amount_paise", above = 500 }, { field = "amount_paise", below = 400 }',
        '{ field = "amount_paise", below = 1 }',
        '{ field = "hour", above = 22 }, { field = "hour", at_most = 3 }',
        '{ field = "channel", is = "pg" }, { field = "channel", is = "upi" }',
        '{ field = "channel", in = ["pg", "emi"] }, { field = "channel", not_in = ["emi", "pg"] }',
        '{ field = "email", is = "a@b.in" }, { field = "email", ends_with = "@c.in" }',
        '{ count = "tries", by = "card", within = "1h", below = 1 }',
        (
            '{ count = "declines", by = "card", within = "1h", above = 9 },'
            ' { count = "declines", by = "card", within = "60m", is = 9 }'
        ),
    ],
)
def test_conditions_that_can_never_hold_together_are_found(when: str) -> None:
    assert faults(one_rule(when=when)) == [(RiskFaultCode.CONTRADICTION, "large", "when")]


@pytest.mark.parametrize(
    "when",
    [
        '{ field = "amount_paise", above = 400 }, { field = "amount_paise", below = 500 }',
        '{ field = "channel", in = ["pg", "emi"] }, { field = "channel", is_not = "emi" }',
        (
            '{ count = "tries", by = "card", within = "1h", above = 9 },'
            ' { count = "tries", by = "card", within = "1d", below = 9 }'
        ),
        (
            '{ field = "ip_address", in = ["10.0.0.0/8"] }, { field = "ip_address", not_in '
            '= ["10.1.0.0/16"] }'
        ),
        '{ field = "email", starts_with = "a" }, { field = "email", ends_with = "b" }',
    ],
)
def test_conditions_that_can_hold_together_are_no_fault(when: str) -> None:
    assert isinstance(read(one_rule(when=when)), RuleSet)


def test_two_rules_with_the_same_conditions_conflict() -> None:
    text = one_rule() + "\n" + one_rule('action = "block"', name="other")
    assert faults(text) == [(RiskFaultCode.CONFLICT, "other", "when")]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    text = (
        one_rule('action = "refuse"')
        + "\n"
        + one_rule(when='{ field = "colour", is = "red" }', name="other")
    )
    assert faults(text) == [
        (RiskFaultCode.UNKNOWN_VALUE, "large", "action"),
        (RiskFaultCode.UNKNOWN_VALUE, "other", "when[0].field"),
    ]


def test_documents_have_limits() -> None:
    rules = [
        one_rule(name=f"r{n}", when=f'{{ field = "amount_paise", is = {n + 1} }}')
        for n in range(RULES_MAX + 1)
    ]
    assert isinstance(read("\n".join(rules[:RULES_MAX])), RuleSet)
    assert (RiskFaultCode.WRONG_TYPE, "", "rules") in faults("\n".join(rules))
    entries = str(["x"] * (LIST_ENTRIES_MAX + 1))
    assert (RiskFaultCode.WRONG_TYPE, "", "lists.bad") in faults(
        f"rules = []\n[lists]\nbad = {entries}"
    )


JSON_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=9),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "rules",
                    "name",
                    "action",
                    "when",
                    "field",
                    "count",
                    "by",
                    "within",
                    "is",
                    "in",
                    "lists",
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(document=JSON_VALUES)
def test_any_document_is_read_or_gets_faults(document) -> None:
    found = read(
        msgspec.json.encode(
            {"rules": document} if not isinstance(document, dict) else document
        ).decode()
    )
    assert isinstance(found, RuleSet) or all(isinstance(each, RiskFault) for each in found)
    assert found != ()
