"""Fees to the paisa: the law's bounds, rounding, and tax."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments.methods import METHODS
from hundi.money.fees.rules import (
    CELLS,
    LAW_ZERO,
    NO_PLAN,
    OTHERWISE,
    Cell,
    FeeFacts,
    FeePrice,
    FeeRule,
    PaymentFee,
    Plans,
    PricePlan,
    compiled,
    exemption_of,
    explained,
    facts_of,
    is_free_by_law,
    quote,
)

DAY = date(2026, 11, 20)
REST = FeePrice(190, 1_00)
CREDIT = FeeRule(
    "credit",
    FeePrice(200, maximum_paise=500_00),
    frozenset({"pg"}),
    not_card_types=frozenset({"debit"}),
)


def plan(*rules: FeeRule, otherwise: FeePrice | None = REST, aggregator: bool = True) -> PricePlan:
    return compiled(3, DAY, rules, otherwise, aggregator=aggregator)


def card(paise: int, scheme: str = "Visa", kind: str = "credit", discount: int = 0) -> FeeFacts:
    return FeeFacts("pg", scheme, kind, paise, DAY, discount)


@pytest.mark.parametrize(
    ("price", "paise", "fee"),
    [
        (FeePrice(200), 100_00, 2_00),
        (FeePrice(1), 49_99, 0),  # 0.4999 paise
        (FeePrice(1), 50_00, 1),  # half a paisa
        (FeePrice(150), 33_33, 50),  # 49.995
        (FeePrice(fixed_paise=3_00), 1, 3_00),
        (FeePrice(200, 3_00), 100_00, 5_00),
        (FeePrice(200, minimum_paise=10_00), 100_00, 10_00),
        (FeePrice(200, minimum_paise=10_00), 1_000_00, 20_00),
        (FeePrice(200, maximum_paise=15_00), 1_000_00, 15_00),
        (FeePrice(0, 0, 10_00, 15_00), 1_000_00, 10_00),
    ],
)
def test_a_price_is_a_part_and_a_fixed_part_within_bounds(
    price: FeePrice, paise: int, fee: int
) -> None:
    assert price.fee_paise(paise) == fee


def test_a_rule_is_found_by_kind_and_amount() -> None:
    small = FeeRule("small", FeePrice(100), frozenset({"nb"}), up_to_paise=1_000_00)
    large = FeeRule("large", FeePrice(50), frozenset({"nb"}), above_paise=5_000_00)
    found = plan(CREDIT, small, large)
    rules = {
        paise: quote(found, FeeFacts("nb", "", "", paise, DAY)).rule
        for paise in (1, 1_000_00, 1_000_01, 5_000_00)
    }
    assert rules == {1: "small", 1_000_00: "small", 1_000_01: OTHERWISE, 5_000_00: OTHERWISE}
    assert quote(found, FeeFacts("nb", "", "", 5_000_01, DAY)) == PaymentFee(
        25_00, 4_50, "large", 3
    )
    assert quote(found, card(10_000_00)) == PaymentFee(200_00, 36_00, "credit", 3)
    assert quote(found, card(10_000_00, kind="debit")).rule == OTHERWISE


@pytest.mark.parametrize(
    "facts",
    [
        FeeFacts("upi", "", "", 5_000_00, DAY),
        FeeFacts("btqr", "", "", 5_000_00, DAY),
        card(5_000_00, "RuPay", "debit"),
    ],
)
def test_what_the_law_frees_costs_nothing(facts: FeeFacts) -> None:
    assert quote(plan(), facts) == PaymentFee(0, 0, LAW_ZERO, 3)


def test_a_network_or_type_that_nobody_knows_is_priced_as_unknown() -> None:
    unknown = FeeRule(
        "unknown", FeePrice(300), frozenset({"pg"}), frozenset({""}), card_types=frozenset({""})
    )
    assert quote(plan(unknown), card(10_000_00, "UnionPay", "charge")).rule == "unknown"
    assert quote(plan(), FeeFacts("nb", "Visa", "credit", 10_000_00, DAY)).rule == OTHERWISE


@pytest.mark.parametrize(
    ("facts", "aggregator", "exemption"),
    [
        (card(2_000_00), True, "card_up_to_2000"),
        (card(2_000_01), True, ""),
        (card(2_000_00), False, ""),
        (FeeFacts("nb", "", "", 2_000_00, DAY), True, ""),
        (card(2_000_00)._replace(day=date(2017, 6, 30)), True, ""),
    ],
)
def test_small_card_payments_through_an_aggregator_bear_no_tax(
    facts: FeeFacts, *, aggregator: bool, exemption: str
) -> None:
    found = plan(aggregator=aggregator)
    assert exemption_of(found, facts) == exemption
    fee = quote(found, facts)
    untaxed = bool(exemption) or facts.day.year == 2017
    assert fee.tax_paise == (0 if untaxed else (fee.fee_paise * 18 + 50) // 100)


def test_the_discount_of_instalments_is_part_of_the_fee_and_bears_no_tax() -> None:
    found, bare = quote(plan(), card(10_000_00, discount=250_00)), quote(plan(), card(10_000_00))
    assert (found.fee_paise, found.tax_paise) == (bare.fee_paise + 250_00, bare.tax_paise)
    assert quote(None, card(10_000_00, discount=250_00)) == PaymentFee(250_00, 0, NO_PLAN, 0)


def test_the_newest_plan_that_has_begun_is_in_force() -> None:
    first, second = (
        compiled(no, date(2026, 11, day), (), FeePrice(), aggregator=True)
        for no, day in ((1, 20), (2, 25))
    )
    plans = Plans((first, second))
    found = {day: plans.on(date(2026, 11, day)) for day in (19, 20, 24, 25, 30)}
    assert found == {19: None, 20: first, 24: first, 25: second, 30: second}


@pytest.mark.parametrize(
    ("rule", "facts", "words"),
    [
        (CREDIT, card(3_000_00), "2.00 % of ₹3,000.00; at most ₹500.00; GST 18.00 %"),
        (CREDIT, card(2_000_00),
         "2.00 % of ₹2,000.00; at most ₹500.00; no GST: card payments up to ₹2,000 are exempt"),
        (CREDIT, card(3_000_00, "Visa", "debit", 5_00),
         "₹1.00 + 1.90 % of ₹3,000.00 + ₹5.00 of instalments; GST"),
        (CREDIT, FeeFacts("upi", "", "", 1_00, DAY), "No fee: the law forbids one (section 10A"),
        (FeeRule("flat", FeePrice(0, 3_00, 4_00)), FeeFacts("nb", "", "", 1_00, DAY),
         "₹3.00; at least ₹4.00; GST"),
        (None, card(3_000_00, discount=5_00), "no price plan + ₹5.00 of instalments"),
    ],
)  # fmt: skip
def test_a_fee_is_explained(rule: FeeRule | None, facts: FeeFacts, words: str) -> None:
    assert explained(None if rule is None else plan(rule), facts).startswith(words)


def test_every_method_of_attempt_has_a_cell() -> None:
    for method in METHODS:
        assert quote(plan(), facts_of(method, {}, 100_00, DAY)).plan_no == 3
    assert facts_of("card", {"scheme": "RuPay", "type": "debit"}, 100_00, DAY, 5)[1:] == (
        "RuPay",
        "debit",
        100_00,
        DAY,
        5,
    )


PRICES = st.builds(
    FeePrice,
    st.integers(0, 10_000),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
    st.just(0) | st.integers(10_000, 99_999),
)
FACTS = st.builds(
    lambda cell, paise, day, discount: FeeFacts(*cell, paise, day, discount),
    st.sampled_from(CELLS),
    st.integers(1, 10**12),
    st.dates(date(2018, 1, 1), date(2030, 1, 1)),
    st.just(0) | st.integers(0, 10**6),
)


@given(PRICES, PRICES, st.integers(1, 10**9), FACTS)
def test_fee_tax_and_net_are_the_gross(
    price: FeePrice, other: FeePrice, bound: int, facts: FeeFacts
) -> None:
    rule = FeeRule("all", price, up_to_paise=bound)
    fee = quote(compiled(1, DAY, [rule], other, aggregator=facts.amount_paise % 2 == 0), facts)
    assert fee.fee_paise + fee.tax_paise + fee.net_paise(facts.amount_paise) == facts.amount_paise
    charged = fee.fee_paise - facts.discount_paise
    meant = (
        FeePrice()
        if is_free_by_law(Cell(*facts[:3]))
        else price
        if facts.amount_paise <= bound
        else other
    )
    exact = meant.fixed_paise * 10_000 + facts.amount_paise * meant.basis_points
    top = meant.maximum_paise * 10_000 or 10**30
    exact = min(max(exact, meant.minimum_paise * 10_000), top)
    assert 0 <= charged * 10_000 - exact + 5_000 <= 10_000, "the nearest paisa"
    assert (charged * 10_000 - exact) != -5_000, "a half goes up"
    assert fee.tax_paise in {0, (charged * 36 + 100) // 200}
