"""Surcharges: what a rule adds, and which rules nobody may set."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments.methods import CHANNELS
from hundi.instruments.surcharge import (
    FORBIDDEN,
    Surcharge,
    surcharge_paise,
    surcharges,
    wrong_with,
)
from hundi.kernel.refusals import Refused
from hundi.merchants.directory.rules import MerchantSettings, check_settings

AMOUNTS = st.integers(1, 10**12)
RULES = st.builds(
    Surcharge, st.integers(0, 1_000_00), st.integers(0, 1_000), st.integers(0, 10_000_00)
)


@pytest.mark.parametrize(
    ("rule", "amount", "added"),
    [
        (Surcharge(flat_paise=1_000), 1_000_00, 1_000),
        (Surcharge(basis_points=150), 1_000_00, 1_500),
        (Surcharge(flat_paise=500, basis_points=150), 1_000_00, 2_000),
        (Surcharge(basis_points=150, cap_paise=1_000), 1_000_00, 1_000),
        (Surcharge(basis_points=50), 100, 1),
        (Surcharge(basis_points=49), 100, 0),
    ],
)
def test_known_surcharges(rule: Surcharge, amount: int, added: int) -> None:
    assert surcharge_paise(rule, amount) == added


@given(RULES, AMOUNTS)
def test_a_surcharge_is_the_exact_part_rounded_half_up_and_never_above_its_cap(
    rule: Surcharge, amount: int
) -> None:
    exact = rule.flat_paise + Fraction(amount * rule.basis_points, 10_000)
    added = surcharge_paise(rule, amount)
    if rule.cap_paise and exact >= rule.cap_paise:
        assert added == rule.cap_paise
    else:
        assert Fraction(-1, 2) < added - exact <= Fraction(1, 2)


@given(st.dictionaries(st.sampled_from(sorted(CHANNELS)), RULES), AMOUNTS)
def test_cards_and_upi_cost_the_order_alone_whatever_is_stored(
    rules: dict[str, Surcharge], amount: int
) -> None:
    channels = tuple(CHANNELS)
    added = dict(zip(channels, surcharges(rules, channels, amount), strict=False))
    assert not any(added.get(each) for each in FORBIDDEN)
    assert added in ({}, {each: added[each] for each in channels if each in added})


@pytest.mark.parametrize("channel", ["upi", "btqr", "pg", "pgcc", "pgdc", "emi"])
def test_a_forbidden_rule_is_refused_with_its_reason(channel: str) -> None:
    with pytest.raises(Refused) as refused:
        check_settings(MerchantSettings(surcharges={channel: Surcharge(flat_paise=1)}))
    assert (refused.value.refusal.field, refused.value.refusal.received) == ("surcharge", channel)
    assert "prohibited in India" in refused.value.refusal.allowed


@pytest.mark.parametrize(
    ("channel", "rule", "field"),
    [
        ("xx", Surcharge(1), "surcharge"),
        ("enach", Surcharge(1), "surcharge"),
        ("nb", Surcharge(), "surcharge"),
        ("nb", Surcharge(flat_paise=-1), "flat_paise"),
        ("nb", Surcharge(flat_paise=1_000_01), "flat_paise"),
        ("nb", Surcharge(basis_points=1_001), "basis_points"),
        ("nb", Surcharge(1, cap_paise=-5), "cap_paise"),
    ],
)
def test_a_rule_out_of_bounds_names_its_field(channel: str, rule: Surcharge, field: str) -> None:
    wrong = wrong_with(channel, rule)
    assert wrong is not None
    assert wrong[0] == field
