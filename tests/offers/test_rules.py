"""How many coupons an amount is worth."""

import pytest

from hundi.offers import rules


@pytest.mark.parametrize(
    ("paise", "coupons"),
    [(2_000_01, 8), (2_000_00, 4), (1_000_00, 4), (999_99, 2), (500_00, 2), (499_99, 3), (0, 3)],
)
def test_boundaries_belong_where_they_were_decided(paise: int, coupons: int) -> None:
    assert rules.coupon_count(paise, 3) == coupons


def test_codes_are_not_guessed_and_read_well() -> None:
    codes = {rules.new_coupon() for _ in range(1_000)}
    assert len(codes) == 1_000
    assert all(len(code) == rules.COUPON_LENGTH and not set(code) & set("01IO") for code in codes)
