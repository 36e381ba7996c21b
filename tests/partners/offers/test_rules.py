"""How many coupons an amount is worth."""

import pytest

from hundi.partners.offers import rules


@pytest.mark.parametrize(
    ("paise", "coupons"),
    [(2_000_01, 8), (2_000_00, 4), (1_000_00, 4), (999_99, 2), (500_00, 2), (499_99, 3), (0, 3)],
)
def test_boundaries_belong_where_they_were_decided(paise: int, coupons: int) -> None:
    assert rules.coupon_count(paise, 3) == coupons
