"""Money, identifiers and the clock."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel import clock, ids
from hundi.kernel.money import CurrencyMismatchError, Money, rupees
from hundi.kernel.refusals import RefusalCode


@pytest.mark.parametrize(
    ("paise", "text"),
    [
        (0, "₹0.00"),
        (5, "₹0.05"),
        (149_950, "₹1,499.50"),
        (1_00_000_00, "₹1,00,000.00"),
        (12_34_56_789_01, "₹12,34,56,789.01"),
        (-100, "−₹1.00"),
    ],
)
def test_rupees_are_grouped_the_indian_way(paise: int, text: str) -> None:
    assert rupees(paise) == text


@given(st.integers(-(10**15), 10**15))
def test_no_digit_is_lost_in_display(paise: int) -> None:
    assert (
        int(rupees(paise).replace("₹", "").replace("−", "-").replace(",", "").replace(".", ""))
        == paise
    )


def test_money_refuses_floats_booleans_and_other_currencies() -> None:
    for wrong in (1.0, True):
        with pytest.raises(TypeError):
            Money(wrong)  # type: ignore[arg-type]
    with pytest.raises(CurrencyMismatchError):
        Money(1) + Money(1, "USD")
    assert Money(3) + Money(4) - Money(2) == Money(5)
    assert Money(3) < Money(4)


@given(st.datetimes(datetime(2020, 1, 2), datetime(2051, 1, 1)))  # noqa: DTZ001 (made aware below)
def test_ids_have_at_most_15_digits_and_grow_with_time(moment: datetime) -> None:
    now = moment.replace(tzinfo=UTC)
    first, later = ids.new_id(now), ids.new_id(now + timedelta(seconds=2))
    assert 0 < first < later < 10**15


def test_a_reference_finds_its_merchant_again() -> None:
    attempt_id = ids.new_id(datetime(2026, 11, 20, tzinfo=UTC))
    reference = ids.reference(999_999_999_999, attempt_id)
    assert len(reference) <= ids.REFERENCE_LENGTH_MAX
    assert ids.parse_reference(reference) == (999_999_999_999, attempt_id)


def test_a_reference_of_a_certification_is_of_no_merchant() -> None:
    assert ids.parse_reference("0-217324800352064") == (ids.NO_MERCHANT, 217324800352064)
    assert ids.parse_refund_reference("0-R217324800352064") == (0, 217324800352064)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0-1764341000000",
        "00-217324800352064",
        "1-2",
        "12345",
        "01-217324800352064",
        "1-217324800352064\n",
        "１-217324800352064",
        "-1-217324800352064",
    ],
)
def test_a_text_that_is_no_reference_is_told_apart(text: str) -> None:
    assert ids.parse_reference(text) is None


def test_the_business_day_is_the_indian_one() -> None:
    assert clock.business_day(datetime(2026, 11, 20, 18, 29, tzinfo=UTC)) == date(2026, 11, 20)
    assert clock.business_day(datetime(2026, 11, 20, 18, 30, tzinfo=UTC)) == date(2026, 11, 21)
    assert clock.for_people(datetime(2026, 11, 5, 8, 35, tzinfo=UTC)) == "5 Nov 2026, 14:05 IST"


def test_every_refusal_has_its_own_log_name() -> None:
    names = Counter(each.log_name for each in RefusalCode)
    assert {name: times for name, times in names.items() if times > 1} == {}


def test_a_number_after_another_one_is_above_it_also_within_its_second():
    now = datetime(2026, 11, 23, tzinfo=UTC)
    last_of_second = ids.first_id(now) + 999_999
    for before in (0, ids.new_id(now), last_of_second, ids.new_id(now + timedelta(seconds=9))):
        assert ids.next_id(now, before) > before
    assert ids.time_of(ids.next_id(now, 0)) == now
