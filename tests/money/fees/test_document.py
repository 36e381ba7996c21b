"""What is wrong with a price plan is found, and named where it is."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.money.fees.document.rules import (
    PlanDocument,
    PlanFaultCode,
    amount_over_cap,
    cap_paise,
    plan_of,
    read,
)
from hundi.money.fees.rules import CELLS, DEBIT_CAPS, UNBOUNDED, FeeFacts, FeePrice, quote

DAY = date(2026, 11, 20)
CARDS = """
[[rules]]
name = "credit"
channels = ["pg"]
not_card_types = ["debit"]
basis_points = 200
[[rules]]
name = "debit"
channels = ["pg"]
card_types = ["debit"]
not_networks = ["RuPay"]
basis_points = 40
maximum_paise = 20000
"""
REST = """
[[rules]]
name = "rest"
channels = ["nb", "ppc", "payltr", "emi", "va", "rtgs", "remit", "cash", "enach"]
basis_points = 190
"""


def rule(name: str, text: str, otherwise: str = "[otherwise]") -> str:
    return f"[[rules]]\nname = '{name}'\n{text}\n{otherwise}\n"


def faults(text: str) -> list[tuple[str, str, str]]:
    found = read(text)
    assert isinstance(found, tuple), "in order"
    return [(each.code, each.rule, each.words) for each in found]


def only_fault(text: str) -> tuple[str, str, str]:
    (found,) = faults(text)
    return found


def test_rules_that_are_for_everything_are_in_order() -> None:
    document = read(CARDS + REST)
    assert isinstance(document, PlanDocument)
    plan = plan_of(document, 7, DAY)
    for cell in CELLS:
        for paise in (1, 2_000_00, 10**12):
            assert quote(plan, FeeFacts(*cell, paise, DAY)).plan_no == 7


def test_json_is_read_as_toml_is() -> None:
    assert read('{"otherwise": {"fixed_paise": 0}}') == read("[otherwise]\nfixed_paise = 0\n")


@pytest.mark.parametrize(
    ("text", "code", "rule", "words"),
    [
        ("rules = [", "unreadable", "", ""),
        ("{", "unreadable", "", ""),
        ("x" * 300_000, "unreadable", "", "more than"),
        ("a" + ".a" * 300 + " = 1", "unreadable", "", "200 parts"),
        ("price = 1", "wrong_shape", "", "price"),
        ("[[rules]]\nname = 'a'\nbasis_points = 1.5\n", "wrong_shape", "",
         "$.rules[0].basis_points"),
        ("[otherwise]\nbasis_points = 10001\n", "out_of_range", "otherwise", "basis_points"),
        ("[otherwise]\nfixed_paise = -1\n", "out_of_range", "otherwise", "fixed_paise"),
        ("[otherwise]\nminimum_paise = 2\nmaximum_paise = 1\n", "contradiction", "otherwise",
         "minimum_paise"),
        (rule("", ""), "out_of_range", "", "a name"),
        (rule("zero_by_law", ""), "duplicate_name", "zero_by_law", "reserved"),
        (rule("a", "channels = ['cards']"), "unknown_value", "a", "'cards'"),
        (rule("a", "networks = ['visa']"), "unknown_value", "a", "'visa'"),
        (rule("a", "up_to_paise = 5\nabove_paise = 5"), "contradiction", "a", "above"),
        (rule("a", "channels = ['nb']\ncard_types = ['debit']"), "contradiction", "a",
         "no payment"),
        (rule("a", "channels = ['upi']\nfixed_paise = 1"), "zero_by_law", "a", "upi: nothing"),
        (
            rule("a",
                ("networks = ['RuPay']\nchannels = ['pg']\ncard_types = ['debit']\nbasis_points"
" = 1")),
            "zero_by_law",
            "a",
            "pg RuPay debit: nothing",
        ),
        (CARDS.replace("= 40", "= 41") + REST, "over_debit_cap", "debit", "at most"),
        (CARDS.replace("= 20000", "= 20001") + REST, "over_debit_cap", "debit", "₹200.01"),
        ("[otherwise]\nbasis_points = 41\nmaximum_paise = 20000\n", "over_debit_cap", "otherwise",
         "debit card"),
        (CARDS, "hole", "", "no rule is for nb, ppc, payltr, emi, va and 4 more"),
        (CARDS.replace('["RuPay"]', '["RuPay", "Visa"]') + REST, "hole", "", "pg Visa debit"),
        (CARDS.replace("= 200\n", "= 200\nup_to_paise = 500\n") + REST, "hole", "", "above ₹5.00"),
        (CARDS + REST + rule("b", "channels = ['nb']\nabove_paise = 700", ""), "overlap", "rest, b",
         "nb above ₹7.00"),
        (CARDS + REST + rule("b", "channels = ['nb']\nup_to_paise = 700", ""), "overlap", "b, rest",
         "nb up to ₹7.00"),
    ],
)  # fmt: skip
def test_a_fault_is_named(text: str, code: str, rule: str, words: str) -> None:
    found = only_fault(text)
    assert found[:2] == (code, rule)
    assert words in found[2]


def test_a_rule_without_channels_meets_the_law_everywhere() -> None:
    assert {
        (code, rule) for code, rule, _ in faults("[[rules]]\nname = 'a'\nbasis_points = 200\n")
    } == {
        ("zero_by_law", "a"),
        ("over_debit_cap", "a"),
    }


def test_every_code_is_used() -> None:
    marks = test_a_fault_is_named.pytestmark  # type: ignore[attr-defined]
    assert {case[1] for case in marks[0].args[1]} == set(PlanFaultCode)


@given(
    st.builds(
        FeePrice,
        st.integers(0, 120),
        st.integers(0, 500),
        st.integers(0, 500),
        st.just(0) | st.integers(500, 120_000),
    ),
    st.sampled_from(sorted(DEBIT_CAPS)),
    st.integers(0, 2_000_00),
    st.integers(1, 400_000) | st.just(UNBOUNDED),
    st.lists(st.integers(1, 10**8), min_size=1, max_size=20),
)
def test_no_amount_is_over_the_cap_where_none_was_found(
    price: FeePrice, turnover: str, above: int, length: int, amounts: list[int]
) -> None:
    top = min(above + length, UNBOUNDED)
    found = amount_over_cap(price, turnover, above, top)
    if found:
        assert above < found <= top
        assert price.fee_paise(found) > cap_paise(turnover, found)
    else:
        for amount in (above + 1 + each % min(length, 10**8) for each in amounts):
            assert price.fee_paise(amount) <= cap_paise(turnover, amount)
