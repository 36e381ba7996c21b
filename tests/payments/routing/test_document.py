"""What a routing plan may say, and what its faults name."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.plans.document import RoutingFault, RoutingFaultCode
from hundi.acquirers.plans.rules import Prefer
from hundi.payments.routing.document import read
from hundi.payments.routing.rules import Cost, RoutingPlan, RoutingRule, When
from hundi.payments.routing.warnings.rules import warnings

ACQUIRERS = ("axis", "hdfc")
WHOLE = """
note = "since the new contract"

[[rules]]
name = "hdfc-by-night"
use = [{ acquirer = "hdfc", weight = 80 }, { acquirer = "axis", weight = 20 }]
[rules.when]
merchants = [7]
channels = ["nb"]
banks = ["HDFC"]
above_paise = 100
up_to_paise = 5000
hours = [22, 6]
weekdays = ["sat", "sun"]

[[rules]]
name = "cards"
when = { channels = ["pg"], networks = ["Visa"] }
use = [{ acquirer = "axis" }]
then = ["hdfc"]
prefer = "cost"

[[costs]]
acquirer = "axis"
channel = "pg"
basis_points = 180
"""


def test_a_plan_says_what_it_means():
    assert read(WHOLE, ACQUIRERS, version=4) == RoutingPlan(
        (
            RoutingRule(
                "hdfc-by-night",
                {"hdfc": 80, "axis": 20},
                when=When(
                    frozenset({7}),
                    frozenset({"nb"}),
                    frozenset(),
                    frozenset({"HDFC"}),
                    100,
                    5_000,
                    (22, 6),
                    frozenset({5, 6}),
                ),
            ),
            RoutingRule(
                "cards",
                {"axis": 1},
                ("hdfc",),
                When(channels=frozenset({"pg"}), networks=frozenset({"Visa"})),
                Prefer.COST,
            ),
        ),
        (Cost("axis", "pg", "", 180),),
        4,
    )


def test_json_says_the_same():
    made = read('{"rules": [{"name": "a", "use": [{"acquirer": "axis", "weight": 3}]}]}', ACQUIRERS)
    assert made == RoutingPlan((RoutingRule("a", {"axis": 3}),))


RULE = '[[rules]]\nname = "a"\n'
USE = 'use = [{ acquirer = "axis" }]\n'


@pytest.mark.parametrize(
    ("text", "code", "rule", "field", "said"),
    [
        ("rules = ", RoutingFaultCode.UNREADABLE, "", "", "not readable as TOML"),
        ("{", RoutingFaultCode.UNREADABLE, "", "", "not readable as JSON"),
        ("rules = " + "9" * 5_000, RoutingFaultCode.UNREADABLE, "", "", "not readable as TOML"),
        ("", RoutingFaultCode.WRONG_SHAPE, "", "", "rules"),
        (RULE + USE + "wen = {}", RoutingFaultCode.WRONG_SHAPE, "a", "rules[0]", "wen"),
        (
            RULE + 'use = [{ acquirer = "axis", weight = "9" }]',
            RoutingFaultCode.WRONG_SHAPE,
            "a",
            "rules[0].use[0].weight",
            "int",
        ),
        (
            RULE + USE + 'prefer = "luck"',
            RoutingFaultCode.WRONG_SHAPE,
            "a",
            "rules[0].prefer",
            "luck",
        ),
        (
            RULE + 'use = [{ acquirer = "icici" }]',
            RoutingFaultCode.UNKNOWN_VALUE,
            "a",
            "use",
            "icici; allowed: axis, hdfc",
        ),
        (
            RULE + USE + 'then = ["sbi"]',
            RoutingFaultCode.UNKNOWN_VALUE,
            "a",
            "then",
            "sbi; allowed: axis, hdfc",
        ),
        (RULE + "use = []", RoutingFaultCode.OUT_OF_RANGE, "a", "use", "received none"),
        (
            RULE + 'use = [{ acquirer = "axis", weight = 0 }]',
            RoutingFaultCode.OUT_OF_RANGE,
            "a",
            "use.axis.weight",
            "received 0",
        ),
        (
            RULE + 'use = [{ acquirer = "axis", weight = -1 }]',
            RoutingFaultCode.OUT_OF_RANGE,
            "a",
            "use.axis.weight",
            "1 to 10000",
        ),
        (RULE + USE + 'then = ["axis"]', RoutingFaultCode.DUPLICATE, "a", "use and then", "axis"),
        (RULE + USE + RULE + USE, RoutingFaultCode.DUPLICATE, "a", "name", "several"),
        (
            RULE + USE + 'when = { channels = ["xx"] }',
            RoutingFaultCode.UNKNOWN_VALUE,
            "a",
            "when.channels",
            "received xx",
        ),
        (
            RULE + USE + 'when = { networks = ["visa"] }',
            RoutingFaultCode.UNKNOWN_VALUE,
            "a",
            "when.networks",
            "RuPay, Visa",
        ),
        (
            RULE + USE + 'when = { weekdays = ["day"] }',
            RoutingFaultCode.UNKNOWN_VALUE,
            "a",
            "when.weekdays",
            "mon, tue",
        ),
        (
            RULE + USE + 'when = { banks = ["hdfc"] }',
            RoutingFaultCode.OUT_OF_RANGE,
            "a",
            "when.banks",
            "received hdfc",
        ),
        (
            RULE + USE + "when = { hours = [9, 9] }",
            RoutingFaultCode.OUT_OF_RANGE,
            "a",
            "when.hours",
            "9 to 9",
        ),
        (
            RULE + USE + "when = { hours = [9, 25] }",
            RoutingFaultCode.OUT_OF_RANGE,
            "a",
            "when.hours",
            "0 to 24",
        ),
        (
            RULE + USE + "when = { above_paise = -1 }",
            RoutingFaultCode.OUT_OF_RANGE,
            "a",
            "when.above_paise",
            "received -1",
        ),
        (
            RULE + USE + "when = { above_paise = 9, up_to_paise = 9 }",
            RoutingFaultCode.CONTRADICTION,
            "a",
            "when.up_to_paise",
            "above 9 and up to 9",
        ),
        (
            RULE + USE + 'when = { channels = ["upi"], banks = ["HDFC"] }',
            RoutingFaultCode.CONTRADICTION,
            "a",
            "when.banks",
            "upi",
        ),
        (
            'rules = []\n[[costs]]\nacquirer = "axis"\nchannel = "xx"',
            RoutingFaultCode.UNKNOWN_VALUE,
            "",
            "costs[0].channel",
            "received xx",
        ),
        (
            'rules = []\n[[costs]]\nacquirer = "axis"\nchannel = "nb"\nbasis_points = 10001',
            RoutingFaultCode.OUT_OF_RANGE,
            "",
            "costs[0].basis_points",
            "10001",
        ),
        (
            "rules = []\n" + '[[costs]]\nacquirer = "axis"\nchannel = "nb"\n' * 2,
            RoutingFaultCode.DUPLICATE,
            "",
            "costs",
            "axis nb",
        ),
    ],
)
def test_a_fault_has_a_code_and_names_rule_and_field(
    text: str, code: str, rule: str, field: str, said: str
) -> None:
    found = read(text, ACQUIRERS)
    assert isinstance(found, tuple)
    assert [(each.code, each.rule, each.field) for each in found] == [(code, rule, field)]
    assert said in found[0].words


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_no_text_breaks_the_reader(text: str) -> None:
    found = read(text, ACQUIRERS)
    assert isinstance(found, RoutingPlan) or (found and all(each.words for each in found))


def test_a_rule_behind_one_that_is_for_all_its_attempts_is_a_warning():
    text = (
        RULE
        + USE
        + 'when = { channels = ["nb", "pg"] }\n[[rules]]\nname = "b"\n'
        + USE
        + 'when = { channels = ["nb"] }'
    )
    plan = read(text, ACQUIRERS)
    assert isinstance(plan, RoutingPlan)
    assert [(each.code, each.rule, each.is_warning) for each in warnings(plan, ())] == [
        ("unreachable", "b", True)
    ]


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        ('{ channels = ["nb"] }', '{ channels = ["nb", "pg"] }'),
        ("{ up_to_paise = 5000 }", "{ up_to_paise = 6000 }"),
        ("{ up_to_paise = 5000 }", "{}"),
        ("{ hours = [9, 17] }", "{ hours = [9, 18] }"),
        ('{ weekdays = ["mon"] }', "{}"),
    ],
)
def test_a_rule_that_is_for_some_more_attempts_is_not(wide: str, narrow: str) -> None:
    plan = read(f'{RULE}{USE}when = {wide}\n[[rules]]\nname = "b"\n{USE}when = {narrow}', ACQUIRERS)
    assert isinstance(plan, RoutingPlan)
    assert warnings(plan, ()) == ()


def test_a_rule_that_prefers_by_cost_without_knowing_one_is_a_warning():
    plan = read(RULE + USE + 'prefer = "cost"\nwhen = { channels = ["nb"] }', ACQUIRERS)
    assert isinstance(plan, RoutingPlan)
    assert [(each.code, each.rule) for each in warnings(plan, ())] == [("no_cost", "a")]


def test_a_rule_that_names_a_disabled_account_is_a_warning_that_names_it():
    used, then = ACQUIRERS[:2]
    plan = read(f'{RULE}use = [{{ acquirer = "{used}" }}]\nthen = ["{then}"]', ACQUIRERS)
    assert isinstance(plan, RoutingPlan)
    assert warnings(plan, ["nobodys"]) == ()
    for name in (used, then):
        words = f"{name} is disabled: it takes no new payments until it is enabled"
        assert warnings(plan, [name]) == (
            RoutingFault(RoutingFaultCode.DISABLED, "a", "use and then", words),
        )


def test_a_key_of_thousands_of_parts_is_refused_before_it_is_read():
    # Sixty thousand characters of it took a page's process twenty seconds.
    for key in ("a" + ".a" * 300, "[a" + ".a" * 300 + "]"):
        (fault,) = read(WHOLE + key, ACQUIRERS)
        assert (fault.code, "200 parts" in fault.words) == (RoutingFaultCode.UNREADABLE, True)


def test_a_rule_names_a_hundred_acquirers_at_most():
    def said(count: int) -> list[str]:
        used = [{"acquirer": f"a{each}"} for each in range(count)]
        found = read(
            json.dumps(
                {
                    "rules": [
                        {
                            "name": "a",
                            "use": used[:50],
                            "then": [each["acquirer"] for each in used[50:]],
                        }
                    ]
                }
            )
        )
        return [] if isinstance(found, RoutingPlan) else [each.words for each in found]

    assert said(100) == []
    assert said(101) == ["received 101; allowed: 0 to 100"]
    # Each attempt would put them in order, and reading them took minutes.
    assert said(20_000) == ["received 20000; allowed: 0 to 100"]
