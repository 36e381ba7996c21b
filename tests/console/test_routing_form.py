"""A routing plan goes into its form and back as the same plan, and faults stand at their fields."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.plans.document import UseWords, words_of
from hundi.acquirers.plans.rules import Prefer
from hundi.console.routing_form import PAYOUTS, TICKS, routing_fields, typed_routing
from hundi.instruments.card import Scheme
from hundi.instruments.methods import CHANNELS
from hundi.kernel.typed_toml import write_toml
from hundi.money.payouts.rails.rules import Rail
from hundi.money.payouts.routing.document import (
    PayoutCostWords,
    PayoutPlanWords,
    PayoutRuleWords,
    PayoutWhenWords,
)
from hundi.payments.routing.document import CostWords, PlanWords, RoutingRuleWords, WhenWords

NAMES = ("bank_a", "bank_b", "x_3", "abcx3")
paise = st.integers(0, 10**12)
hours = st.none() | st.tuples(st.integers(0, 24), st.integers(0, 24))
ticked = {
    name: st.sets(st.sampled_from(values)).map(
        lambda chosen, values=values: tuple(each for each in values if each in chosen)
    )
    for name, values in TICKS.items()
}
whens = st.builds(
    WhenWords,
    merchants=st.lists(st.integers(0, 10**15 - 1), max_size=3).map(tuple),
    banks=st.lists(st.from_regex(r"[A-Z]{4}(_C)?", fullmatch=True), max_size=3).map(tuple),
    above_paise=paise,
    up_to_paise=paise,
    hours=hours,
    **ticked,
)
rules = st.builds(
    RoutingRuleWords,
    name=st.from_regex(r"[a-z0-9][a-z0-9-]{0,10}", fullmatch=True),
    use=st.lists(
        st.builds(UseWords, st.sampled_from(NAMES), st.integers(0, 10_000)),
        max_size=3,
        unique_by=lambda each: each.acquirer,
    ).map(tuple),
    then=st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple),
    when=whens,
    prefer=st.sampled_from(Prefer),
    note=st.text(max_size=20),
)
costs = st.builds(
    CostWords,
    acquirer=st.sampled_from(NAMES),
    channel=st.sampled_from(list(CHANNELS)),
    network=st.sampled_from(["", *map(str, Scheme)]),
    basis_points=st.integers(0, 10_000),
    fixed_paise=paise,
)
plans = st.builds(
    PlanWords,
    rules=st.lists(rules, max_size=4).map(tuple),
    costs=st.lists(costs, max_size=3).map(tuple),
    note=st.text(max_size=20),
)

payout_plans = st.builds(
    PayoutPlanWords,
    rules=st.lists(
        st.builds(
            PayoutRuleWords,
            name=st.from_regex(r"[a-z0-9][a-z0-9-]{0,10}", fullmatch=True),
            use=st.lists(
                st.builds(UseWords, st.sampled_from(NAMES), st.integers(0, 10_000)),
                max_size=3,
                unique_by=lambda each: each.acquirer,
            ).map(tuple),
            then=st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple),
            rails=st.lists(st.sampled_from([*map(str, Rail)]), max_size=3, unique=True).map(tuple),
            when=st.builds(
                PayoutWhenWords,
                merchants=st.lists(st.integers(0, 10**15 - 1), max_size=3).map(tuple),
                above_paise=paise,
                up_to_paise=paise,
                hours=hours,
                weekdays=ticked["weekdays"],
            ),
            prefer=st.sampled_from(Prefer),
            only=st.booleans(),
            note=st.text(max_size=20),
        ),
        max_size=4,
    ).map(tuple),
    costs=st.lists(
        st.builds(
            PayoutCostWords,
            acquirer=st.sampled_from(NAMES),
            rail=st.sampled_from(["", *map(str, Rail)]),
            basis_points=st.integers(0, 10_000),
            fixed_paise=paise,
        ),
        max_size=3,
    ).map(tuple),
    note=st.text(max_size=20),
)


@given(payout_plans)
def test_a_plan_of_payouts_is_the_same_after_its_form(plan: PayoutPlanWords) -> None:
    text = write_toml(msgspec.to_builtins(plan))
    assert words_of(text, PayoutPlanWords) == plan
    fields = routing_fields(text, PAYOUTS)
    assert fields is not None
    typed = typed_routing(fields, dict.fromkeys(NAMES, ()), PAYOUTS)
    assert words_of(typed.text, PayoutPlanWords) == plan


@given(plans)
def test_a_plan_is_the_same_after_its_form(plan: PlanWords) -> None:
    text = write_toml(msgspec.to_builtins(plan))
    assert words_of(text, PlanWords) == plan
    fields = routing_fields(text)
    assert fields is not None
    assert words_of(typed_routing(fields, NAMES).text, PlanWords) == plan


def test_a_plan_that_repeats_a_name_has_no_form() -> None:
    repeated = 'name = "all"\nuse = [{acquirer = "bank_a"}, {acquirer = "bank_a", weight = 2}]\n'
    assert routing_fields(f"[[rules]]\n{repeated}") is None
    assert routing_fields("[[rules]]\n" + repeated.replace("bank_a", "bank_b", 1)) is not None


def test_each_fault_is_at_its_field() -> None:
    fields = {
        "r1_name": "Cards!",
        "r1_use_bank_a": "3",
        "r1_use_nobody": "1",
        "r1_up_to_paise": "ten",
        "r1_from_hour": "x",
        "c1_acquirer": "",
        "c1_channel": "pg",
    }
    assert set(typed_routing(fields, NAMES).faults) == {
        "r1_up_to_paise",
        "r1_from_hour",
        "r1_to_hour",
    }
    fields |= {"r1_up_to_paise": "5", "r1_above_paise": "9", "r1_from_hour": "9", "r1_to_hour": "9"}
    assert set(typed_routing(fields, NAMES).faults) == {
        "r1_name",
        "r1_use",
        "r1_up_to_paise",
        "r1_from_hour",
        "c1_acquirer",
    }
    right = {"r1_name": "all", "r1_use_bank_a": "3", "r1_use_bank_b": "1", "c1_acquirer": "bank_a"}
    typed = typed_routing({**right, "c1_channel": "pg", "c1_basis_points": "1.80"}, NAMES)
    assert not typed.faults
    assert "basis_points = 180" in typed.text
