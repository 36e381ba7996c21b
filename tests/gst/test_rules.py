"""How a GSTIN is written, and what GST comes to."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.in_ import gstin as stdnum_gstin

from hundi.gst import rules

REAL_FORMS = ("27AAPFU0939F1ZV", "29AAGCB7383J1Z4")
LETTERS = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """Return GSTINs of the usual kind with a right check character."""
    state = draw(st.sampled_from(sorted(rules.STATES)))
    kind = draw(st.sampled_from("PCHFATBLJG"))
    pan = "".join(draw(LETTERS) for _ in range(3)) + kind + draw(LETTERS)
    pan += f"{draw(st.integers(1, 9999)):04d}" + draw(LETTERS)
    first = f"{state}{pan}{draw(st.sampled_from('123456789ABC'))}Z"
    return first + rules.check_digit(first)


@given(numbers())
def test_a_right_number_has_no_fault_and_any_other_check_character_has(gstin: str) -> None:
    assert rules.fault_of(gstin) is None
    assert rules.pan_of(gstin) == gstin[2:12]
    for other in set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") - {gstin[-1]}:
        assert rules.fault_of(gstin[:-1] + other) is not None


@given(numbers())
def test_the_check_character_is_the_librarys_where_it_knows_the_state(gstin: str) -> None:
    if gstin[:2] in {"25", "38", "96", "97", "99"}:
        assert not stdnum_gstin.is_valid(gstin) or gstin[:2] == "25", "why the library is not asked"
    elif stdnum_gstin.is_valid(gstin):
        assert not stdnum_gstin.is_valid(gstin[:-1] + ("A" if gstin[-1] != "A" else "B"))


@pytest.mark.parametrize("gstin", REAL_FORMS)
def test_known_numbers_are_right(gstin: str) -> None:
    assert rules.fault_of(gstin) is None
    assert stdnum_gstin.is_valid(gstin)


@pytest.mark.parametrize(
    "gstin", ["", "27AAPFU0939F1ZW", "00AAPFU0939F1ZV", "39AAPFU0939F1ZV", "27AAPFU0939F1XV", "é" * 15]
)
def test_others_are_not(gstin: str) -> None:
    fault = rules.fault_of(gstin)
    assert fault is not None
    assert fault.allowed


def test_the_published_sample() -> None:
    found = rules.calculate(10_000_00, Decimal(500), Decimal("100.50"), same_state=True)
    assert (found.cost.sgst_paise, found.profit.paise, found.profit.cgst_paise) == (5_025_00, 50_000_00, 25_125_00)
    assert (found.total_tax_paise, found.total_paise) == (60_300_00, 1_20_300_00)


PER_CENT = st.decimals(0, 99_999, places=4)


@given(cost=st.integers(1, 10**12 - 1), profit=PER_CENT, rate=PER_CENT, same_state=st.booleans())
def test_every_part_is_exact_to_the_paisa(cost: int, profit: Decimal, rate: Decimal, *, same_state: bool) -> None:
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
