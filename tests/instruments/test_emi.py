"""Instalments to the paisa: known plans, and what holds for every plan."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments.emi import instalments, monthly, no_cost

AMOUNTS, RATES, MONTHS = st.integers(1_000_00, 10**11), st.integers(0, 4_800), st.integers(1, 60)


@pytest.mark.parametrize(
    ("amount", "rate", "months", "each"),
    [
        (5_00_000_00, 1_000, 60, 10_623_52),
        (1_00_000_00, 1_200, 12, 8_884_88),
        (12_000_00, 0, 12, 1_000_00),
        (10_000_00, 1_500, 3, 3_417_01),
        (1_00, 0, 3, 33),
    ],
)
def test_known_instalments(amount: int, rate: int, months: int, each: int) -> None:
    assert monthly(amount, rate, months) == each


@given(AMOUNTS, RATES, MONTHS)
def test_every_plan_pays_the_amount_and_its_interest_and_not_a_paisa_else(
    amount: int, rate: int, months: int
) -> None:
    plan = instalments(amount, rate, months)
    owed, rest = amount, []
    for month in range(1, months + 1):
        interest = (owed * rate * 2 + 120_000) // 240_000
        paid = plan.last_paise if month == months else plan.monthly_paise
        owed += interest - paid
        rest.append(owed)
    assert rest[-1] == 0
    assert plan.total_paise == amount + plan.interest_paise
    assert plan.interest_paise >= -months, "without a rate nothing but rounding is between them"
    assert abs(plan.last_paise - plan.monthly_paise) <= months * 2, (
        "the last instalment takes up rounding alone"
    )


@given(AMOUNTS, RATES, MONTHS)
def test_a_no_cost_plan_costs_the_customer_the_amount_and_the_merchant_what_the_bank_earns(
    amount: int, rate: int, months: int
) -> None:
    plan = no_cost(amount, rate, months)
    assert (plan.total_paise, plan.interest_paise) == (amount, 0)
    assert 0 <= plan.discount_paise < amount
    # What the bank lends today grows, at its rate, to what the instalments repay.
    lent = instalments(amount - plan.discount_paise, rate, months)
    assert abs(lent.total_paise - amount) <= 2 * months
    assert (plan.discount_paise > 0) == (rate > 0 and plan.discount_paise != 0)
