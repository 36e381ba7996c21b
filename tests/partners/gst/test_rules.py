"""What GST comes to."""

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hundi.partners.gst import rules


def test_the_published_sample() -> None:
    found = rules.calculate(10_000_00, Decimal(500), Decimal("100.50"), same_state=True)
    assert (found.cost.sgst_paise, found.profit.paise, found.profit.cgst_paise) == (
        5_025_00,
        50_000_00,
        25_125_00,
    )
    assert (found.total_tax_paise, found.total_paise) == (60_300_00, 1_20_300_00)


PER_CENT = st.decimals(0, 99_999, places=4)


@given(cost=st.integers(1, 10**12 - 1), profit=PER_CENT, rate=PER_CENT, same_state=st.booleans())
def test_every_part_is_exact_to_the_paisa(
    cost: int, profit: Decimal, rate: Decimal, *, same_state: bool
) -> None:
    found = rules.calculate(cost, profit, rate, same_state=same_state)
    assert found.profit.paise == half_up(Fraction(cost) * Fraction(profit) / 100)
    for part in (found.cost, found.profit):
        if same_state:
            half = half_up(Fraction(part.paise) * Fraction(rate) / 200)
            assert (part.sgst_paise, part.cgst_paise, part.igst_paise) == (half, half, None)
        else:
            whole = half_up(Fraction(part.paise) * Fraction(rate) / 100)
            assert (part.sgst_paise, part.cgst_paise, part.igst_paise) == (None, None, whole)
    taxes = found.cost.tax_paise + found.profit.tax_paise
    assert (found.total_tax_paise, found.total_paise) == (taxes, cost + found.profit.paise + taxes)


def half_up(amount: Fraction) -> int:
    return int(amount + Fraction(1, 2))
