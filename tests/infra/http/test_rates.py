"""Limits by the minute: counted, begun anew, and right after a clock that was ahead."""

from hundi.infra.http.rates import LATE_MINUTES_MAX, Rates

NOW_S = 1_790_000_000.0


def test_each_minute_has_its_own_count() -> None:
    rates = Rates()
    assert [rates.has_room("a", "thing", 2, NOW_S) for _ in range(3)] == [True, True, False]
    assert rates.has_room("b", "thing", 2, NOW_S)
    assert rates.has_room("a", "thing", 2, NOW_S + 60)


def test_a_call_that_took_long_to_arrive_begins_no_minute_anew() -> None:
    rates = Rates()
    assert rates.has_room("a", "thing", 1, NOW_S)
    assert not rates.has_room("a", "thing", 1, NOW_S - 60 * LATE_MINUTES_MAX)
    assert not rates.has_room("a", "thing", 1, NOW_S)


def test_a_clock_that_was_hours_ahead_refuses_nobody_for_hours() -> None:
    """It jumps forth by three hours, callers use up their minute there, and it jumps back."""
    rates = Rates()
    assert [rates.has_room("a", "thing", 1, NOW_S + 3 * 3600) for _ in range(2)] == [True, False]
    assert [rates.has_room("a", "thing", 1, NOW_S) for _ in range(2)] == [True, False]
    assert rates.has_room("a", "thing", 1, NOW_S + 60)
