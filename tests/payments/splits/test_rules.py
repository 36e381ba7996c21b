"""Shares to the paisa: whatever is shared adds up, before and after refunds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import SplitKind
from hundi.payments.splits.rules import (
    PRIMARY,
    WHOLE,
    SharePart,
    Shares,
    SplitOrder,
    check_linked_account,
    reduced,
    shares,
)

BASES = st.integers(1, 10**12)


@st.composite
def per_cents(draw: st.DrawFn) -> tuple[int, ...]:
    """Parts of 1 to 50 accounts, in hundredths of a per cent, that sum to 100 % at most."""
    parts: list[int] = []
    left = WHOLE
    for _ in range(draw(st.integers(1, 50))):
        if left < 1:
            break
        parts.append(draw(st.integers(1, left)))
        left -= parts[-1]
    return tuple(parts)


def request(kind: SplitKind, primary: int, *values: int) -> SplitOrder:
    parts = tuple(SharePart(f"V{place}", value) for place, value in enumerate(values))
    return SplitOrder(1, "1", kind, primary, parts, bytes(32))


@given(BASES, per_cents())
def test_per_cents_of_anything_add_up_and_what_rounding_leaves_stays_with_the_merchant(
    base: int, values: tuple[int, ...]
) -> None:
    found = shares(request(SplitKind.PERCENTAGE, WHOLE - sum(values), *values), base)
    assert found.primary_paise + sum(found.parts_paise) == base
    for value, paise in zip(values, found.parts_paise, strict=True):
        assert 0 <= base * value - paise * WHOLE < WHOLE, "no part loses a whole paisa to another"
    assert found.primary_paise * WHOLE >= base * (WHOLE - sum(values))


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=50), st.integers(0, 10**9), st.data())
def test_a_refund_reduces_every_part_and_nothing_is_lost(
    parts: list[int], primary: int, data: st.DataObject
) -> None:
    standing = Shares(primary, tuple(parts))
    before = primary + sum(parts)
    left = data.draw(st.integers(0, before))
    after = reduced(standing, left)
    assert after.primary_paise + sum(after.parts_paise) == left
    assert all(now <= then for now, then in zip(after.parts_paise, parts, strict=True))
    assert reduced(standing, before) == standing


@pytest.mark.parametrize(("primary", "part"), [(0, 99_999), (0, 100_001), (1, 100_000)])
def test_amounts_that_do_not_add_up_are_refused_with_both_sums(primary: int, part: int) -> None:
    with pytest.raises(Refused) as refused:
        shares(request(SplitKind.ABSOLUTE, primary, part), 100_000)
    assert refused.value.refusal.code is RefusalCode.FIELD_INVALID
    assert refused.value.refusal.allowed.startswith("amounts that add up to ₹1,000.00")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"identifier": "a b"}, "identifier"),
        ({"identifier": ""}, "identifier"),
        ({"identifier": "12345"}, "identifier"),
        ({"identifier": PRIMARY}, "identifier"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"ifsc": "HDFC1000001"}, "ifsc"),
        ({"ifsc": "QQQQ0000001"}, "ifsc"),
        ({"ifsc": "hdfc0000001"}, "ifsc"),
        ({"number": "12345678"}, "number"),
        ({"number": "1" * 19}, "number"),
        ({"number": "12345 67890"}, "number"),
    ],
)
def test_what_cannot_be_an_account_is_refused_and_its_number_never_repeated(
    changed: dict[str, str], field: str
) -> None:
    right = {"identifier": "V1", "name": "Weavers", "number": "123456789012", "ifsc": "HDFC0000001"}
    check_linked_account(12345, **right)
    with pytest.raises(Refused) as refused:
        check_linked_account(12345, **(right | changed))
    assert refused.value.refusal.field == field
    assert field != "number" or changed["number"] not in str(refused.value.refusal)
