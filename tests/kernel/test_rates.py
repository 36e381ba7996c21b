"""Amounts in rupees: exact rates, and refunds that together come to what was charged."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.money import RATE_ONE, Money, in_rupees, shown

RATES = st.integers(1_000_000, 999_000_000)
AMOUNTS = st.integers(1, 10**12)


@pytest.mark.parametrize(
    ("minor", "rate", "paise"),
    [
        (100_00, 85_406_113, 8_540_61),
        (1, 85_406_113, 85),
        (3, 500_000, 2),
        (1, 500_000, 1),
        (149_950, RATE_ONE, 149_950),
    ],
)
def test_known_amounts(minor: int, rate: int, paise: int) -> None:
    assert in_rupees(Money(minor, "USD"), rate) == Money(paise)


@given(AMOUNTS, RATES)
def test_a_half_paisa_is_rounded_up_and_nothing_else_is_lost(minor: int, rate: int) -> None:
    exact = Fraction(minor * rate, RATE_ONE)
    assert Fraction(-1, 2) < in_rupees(Money(minor, "EUR"), rate).paise - exact <= Fraction(1, 2)


@given(AMOUNTS)
def test_rupees_come_to_themselves(paise: int) -> None:
    assert in_rupees(Money(paise), RATE_ONE) == Money(paise)


def test_amounts_are_shown_with_their_currency() -> None:
    assert shown(Money(1_00_000_00)) == "₹1,00,000.00"
    assert shown(Money(1_234_567_05, "USD")) == "USD 1,234,567.05"
    assert shown(Money(-5, "GBP")) == "GBP −0.05"
