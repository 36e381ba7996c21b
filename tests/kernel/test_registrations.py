"""How registrations are written."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.in_ import gstin as stdnum_gstin
from stdnum.in_ import pan as stdnum_pan

from hundi.kernel import registrations

REAL_FORMS = ("27AAPFU0939F1ZV", "29AAGCB7383J1Z4")
LETTERS = st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """Return GSTINs of the usual kind with a right check character."""
    state = draw(st.sampled_from(sorted(registrations.STATES)))
    kind = draw(st.sampled_from("PCHFATBLJG"))
    pan = "".join(draw(LETTERS) for _ in range(3)) + kind + draw(LETTERS)
    pan += f"{draw(st.integers(1, 9999)):04d}" + draw(LETTERS)
    first = f"{state}{pan}{draw(st.sampled_from('123456789ABC'))}Z"
    return first + registrations.gstin_check_character(first)


@given(numbers())
def test_a_right_number_has_no_fault_and_any_other_check_character_has(gstin: str) -> None:
    assert registrations.gstin_fault(gstin) == ""
    assert registrations.pan_of(gstin) == gstin[2:12]
    for other in set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") - {gstin[-1]}:
        assert registrations.gstin_fault(gstin[:-1] + other)


@given(numbers())
def test_the_check_character_is_the_librarys_where_it_knows_the_state(gstin: str) -> None:
    if gstin[:2] in {"25", "38", "96", "97", "99"}:
        assert not stdnum_gstin.is_valid(gstin) or gstin[:2] == "25", "why the library is not asked"
    else:
        assert stdnum_gstin.is_valid(gstin)
        assert not stdnum_gstin.is_valid(gstin[:-1] + ("A" if gstin[-1] != "A" else "B"))


@pytest.mark.parametrize("gstin", REAL_FORMS)
def test_known_numbers_are_right(gstin: str) -> None:
    assert registrations.gstin_fault(gstin) == ""
    assert stdnum_gstin.is_valid(gstin)


@pytest.mark.parametrize(
    "gstin",
    ["", "27AAPFU0939F1ZW", "00AAPFU0939F1ZV", "39AAPFU0939F1ZV", "27AAPFU0939F1XV", "é" * 15],
)
def test_others_are_not(gstin: str) -> None:
    assert registrations.gstin_fault(gstin)


@given(numbers())
def test_the_pan_inside_is_one_for_the_library_too(gstin: str) -> None:
    pan = registrations.pan_of(gstin)
    assert registrations.pan_fault(pan) == ""
    assert stdnum_pan.is_valid(pan)


@pytest.mark.parametrize(
    ("judge", "right", "wrong"),
    [
        (
            registrations.pan_fault,
            ("AAPFU0939F", "ABCPE1234F"),
            ("", "AAPFU0000F", "AAPDU0939F", "AAPFU0939", "aapfu0939f"),
        ),
        (
            registrations.cin_fault,
            ("U74999MH2016PTC123456", "L17110MH1973PLC019786", "AAA-1234"),
            ("", "X74999MH2016PTC123456", "U74999MH2016ABC123456"),
        ),
        (
            registrations.ifsc_fault,
            ("HDFC0000001", "SBIN0ABC123"),
            ("", "HDFC1000001", "HDF00000001", "hdfc0000001"),
        ),
        (registrations.pin_code_fault, ("411001",), ("", "011001", "41100", "4110011", "४११००१")),
        (
            registrations.mobile_fault,
            ("9876543210",),
            ("", "5876543210", "987654321", "+919876543210"),
        ),
    ],
)
def test_right_ones_have_no_fault_and_others_are_told_what_is_right(
    judge: Callable[[str], str], right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    assert [judge(each) for each in right] == [""] * len(right)
    assert all(judge(each) for each in wrong)
    assert registrations.cin_kind("U74999MH2016PTC123456") == "PTC"


@pytest.mark.parametrize("kind", "D1Z")
def test_who_deducts_tax_has_a_tan_inside(kind: str) -> None:
    first = f"27MUMT12345E1{kind}"
    assert registrations.gstin_fault(first + registrations.gstin_check_character(first)) == ""
