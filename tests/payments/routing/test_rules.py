"""Which rule of a plan decides, and in which order its acquirers are tried."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.plans.rules import PROBED_ONE_IN, Prefer, in_hours, whole_paise
from hundi.acquirers.registry import Way
from hundi.instruments.methods import NETBANKING
from hundi.kernel.records import replace
from hundi.payments.routing.health.rules import Health
from hundi.payments.routing.needs.rules import Needs
from hundi.payments.routing.rules import (
    AcquirerStanding,
    Cost,
    Routed,
    RoutingCase,
    RoutingPlan,
    RoutingRule,
    When,
    decide,
)
from tests.acquirer import ScriptedAcquirer

AT = datetime(2026, 11, 23, 4, 0, tzinfo=UTC)
"""A Monday, half past nine in India."""
NAMES = ("axis", "hdfc", "icici", "sbi")
WAYS = tuple(Way(NETBANKING, ScriptedAcquirer(name)) for name in NAMES)
ASKED = RoutingCase(7, Needs(), 100_000_000_000_001, 0, "nb", "", "HDFC", 50_000, AT)
DOWN = AcquirerStanding(health=Health.DOWN, why="8 of its last 10 attempts came to nothing")
AWAY = AcquirerStanding(reachable=False, why="it cannot be reached")


def order(
    plan: RoutingPlan, asked: RoutingCase = ASKED, **standings: AcquirerStanding
) -> list[str]:
    return [way.connector.name for way in decide(plan, asked, WAYS, standings, str).ways]


def told(plan: RoutingPlan, asked: RoutingCase = ASKED, **standings: AcquirerStanding) -> Routed:
    return decide(plan, asked, WAYS, standings, lambda name: f"no {name}").routed


def test_without_a_plan_the_configured_order_counts_and_nothing_is_told():
    assert order(RoutingPlan()) == list(NAMES)
    assert told(RoutingPlan()) == Routed()


@pytest.mark.parametrize(
    ("when", "asked", "decided"),
    [
        (When(merchants=frozenset({7})), ASKED, True),
        (When(merchants=frozenset({8})), ASKED, False),
        (When(channels=frozenset({"nb"})), ASKED, True),
        (When(channels=frozenset({"pg"})), ASKED, False),
        (When(banks=frozenset({"HDFC"})), ASKED, True),
        (When(banks=frozenset({"SBIN"})), ASKED, False),
        (When(networks=frozenset({"Visa"})), replace(ASKED, network="Visa"), True),
        (When(networks=frozenset({"Visa"})), ASKED, False),
        (When(above_paise=49_999), ASKED, True),
        (When(above_paise=50_000), ASKED, False),
        (When(up_to_paise=50_000), ASKED, True),
        (When(up_to_paise=49_999), ASKED, False),
        (When(up_to_paise=50_000), replace(ASKED, needs=Needs(currency="USD")), False),
        (When(hours=(9, 10)), ASKED, True),
        (When(hours=(10, 9)), ASKED, False),
        (When(weekdays=frozenset({0})), ASKED, True),
        (When(weekdays=frozenset({6})), ASKED, False),
    ],
)
def test_a_rule_is_for_attempts_that_meet_all_its_conditions(
    when: When, asked: RoutingCase, decided: object
) -> None:
    plan = RoutingPlan((RoutingRule("r", {"sbi": 1}, when=when),), version=3)
    assert order(plan, asked) == (["sbi"] if decided else list(NAMES))
    assert told(plan, asked) == (Routed(3, "r", "weight") if decided else Routed())


def test_hours_may_go_over_midnight():
    night = [hour for hour in range(24) if in_hours(hour, (22, 6))]
    assert night == [0, 1, 2, 3, 4, 5, 22, 23]


rules = st.builds(
    RoutingRule,
    st.sampled_from("abcdefgh"),
    st.dictionaries(st.sampled_from((*NAMES, "gone")), st.integers(1, 10_000), min_size=1),
    when=st.builds(When, merchants=st.sampled_from([frozenset(), frozenset({7}), frozenset({8})])),
)


@given(st.lists(rules, max_size=6), st.integers(0, 5))
def test_the_first_rule_that_holds_and_has_an_able_acquirer_decides(
    made: list[RoutingRule], tries: int
) -> None:
    asked = replace(ASKED, tries=tries)
    fits = [
        each
        for each in made
        if each.when.merchants in (frozenset(), frozenset({7})) and set(each.use) & set(NAMES)
    ]
    found = decide(RoutingPlan(tuple(made), version=1), asked, WAYS, {}, str)
    assert found.routed.rule == (fits[0].name if fits else "")
    assert {way.connector.name for way in found.ways} == (
        set(fits[0].use) & set(NAMES) if fits else set(NAMES)
    )
    assert decide(RoutingPlan(tuple(made), version=1), asked, WAYS, {}, str) == found, (
        "asked again, the answer is the same"
    )


@given(st.lists(st.integers(1, 100), min_size=2, max_size=4))
def test_over_many_payments_each_acquirer_gets_its_share(weights: list[int]) -> None:
    plan = RoutingPlan((RoutingRule("r", dict(zip(NAMES, weights, strict=False))),))
    payments = 2_000
    first = [
        order(plan, replace(ASKED, payment_id=100_000_000_000_000 + number))[0]
        for number in range(payments)
    ]
    for name, weight in zip(NAMES, weights, strict=False):
        wanted = weight / sum(weights)
        # Six standard deviations of a fair draw: the ids are always the same, so is the answer.
        assert (
            abs(first.count(name) / payments - wanted)
            <= 6 * (wanted * (1 - wanted) / payments) ** 0.5
        )


def test_another_try_of_a_payment_draws_anew():
    plan = RoutingPlan((RoutingRule("r", dict.fromkeys(NAMES, 1)),))
    assert len({tuple(order(plan, replace(ASKED, tries=tries))) for tries in range(50)}) > 10


def test_the_cheapest_for_the_amount_comes_first_and_one_without_a_cost_last():
    costs = (
        Cost("axis", "nb", basis_points=200),
        Cost("hdfc", "nb", fixed_paise=500),
        Cost("sbi", "pg", fixed_paise=1),
    )
    plan = RoutingPlan(
        (RoutingRule("r", {"sbi": 9, "axis": 1, "hdfc": 1}, prefer=Prefer.COST),), costs
    )
    assert order(plan) == ["hdfc", "axis", "sbi"]
    assert order(plan, replace(ASKED, amount_paise=20_000)) == ["axis", "hdfc", "sbi"]


def test_a_cost_of_the_network_comes_before_the_one_of_the_channel():
    plan = RoutingPlan(costs=(Cost("axis", "pg", basis_points=200), Cost("axis", "pg", "RuPay")))
    assert plan.cost_of("axis", replace(ASKED, channel="pg", network="RuPay")) == 0
    assert (
        whole_paise(plan.cost_of("axis", replace(ASKED, channel="pg", network="Visa")) or 0)
        == 1_000
    )
    assert plan.cost_of("axis", ASKED) is None


def test_who_comes_then_is_tried_after_all_others_in_its_order():
    plan = RoutingPlan((RoutingRule("r", {"axis": 1}, ("sbi", "hdfc")),))
    assert order(plan) == ["axis", "sbi", "hdfc"]


def test_one_that_cannot_be_reached_goes_last_and_the_story_says_so():
    plan = RoutingPlan((RoutingRule("r", {"axis": 1}, ("sbi",)),), version=2)
    assert order(plan, axis=AWAY) == ["sbi", "axis"]
    assert [(each.acquirer, each.why) for each in told(plan, axis=AWAY).passed] == [
        ("axis", AWAY.why)
    ]
    without = told(RoutingPlan(), axis=AWAY)
    assert (without.plan, without.rule, without.passed[0].acquirer) == (0, "", "axis")


def test_one_that_cannot_take_it_is_left_out_and_the_story_says_why():
    plan = RoutingPlan((RoutingRule("r", {"gone": 10_000, "sbi": 1}),), version=2)
    assert order(plan) == ["sbi"]
    assert [(each.acquirer, each.why) for each in told(plan).passed] == [("gone", "no gone")]


def test_one_that_does_badly_still_gets_a_small_share():
    plan = RoutingPlan((RoutingRule("r", {"axis": 1}, ("sbi",)),))
    payments = 2_000
    first = [
        order(plan, replace(ASKED, payment_id=100_000_000_000_000 + number), axis=DOWN)[0]
        for number in range(payments)
    ]
    assert 0.5 / PROBED_ONE_IN < first.count("axis") / payments < 2 / PROBED_ONE_IN
    assert set(first) == {"axis", "sbi"}


def test_none_is_probed_that_cannot_be_reached():
    plan = RoutingPlan((RoutingRule("r", {"axis": 1}, ("sbi",)),))
    numbers = range(100_000_000_000_000, 100_000_000_000_200)
    assert {order(plan, replace(ASKED, payment_id=number), axis=AWAY)[0] for number in numbers} == {
        "sbi"
    }
