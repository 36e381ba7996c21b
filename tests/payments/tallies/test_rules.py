"""Hours are India's, and a counted hour of long ago stays as it is."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.clock import ist
from hundi.kernel.ids import new_id, time_of
from hundi.payments.tallies.rules import (
    FINAL_AFTER,
    HOUR,
    KEPT,
    hour_of,
    hours_of,
    ids_of_hour,
    to_count,
)

NOW = datetime(2026, 11, 29, 9, 30, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2020, 1, 2), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 (hypothesis adds the zone)


@given(MOMENTS)
def test_an_hour_is_one_of_the_indian_day_and_has_the_ids_made_in_it(at: datetime) -> None:
    hour = hour_of(at)
    assert ist(hour).minute == 0
    assert hour <= at < hour + HOUR
    number = new_id(at)
    low, high = ids_of_hour(hour)
    assert low <= number < high
    assert hours_of([number]) == {hour} == {hour_of(time_of(number))}


def test_an_hour_is_counted_anew_until_its_payments_may_be_in_the_archive() -> None:
    new, old, older = NOW - HOUR, NOW - FINAL_AFTER, NOW - KEPT
    assert to_count([old, new, older], set(), NOW) == [old, new]
    assert to_count([old, new], {old, new}, NOW) == [new]
    assert to_count([old + timedelta(seconds=1)], {old}, NOW) == [old + timedelta(seconds=1)]
