"""Each clock ends on its day, is reported a day before, and costs what the rule says."""

from datetime import date, timedelta

import pytest

from hundi.money.reconciliation.clocks.rules import CLOCKS, ClockName, ClockStage, Hanging, clock_of

T = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("method", "days", "a_day"),
    [
        ("card", 5, 10_000),
        ("card_emi", 5, 10_000),
        ("netbanking", 5, 10_000),
        ("upi_qr", 5, 10_000),
        ("upi_collect", 5, 10_000),
        ("virtual_account", 1, 10_000),
    ],
)
def test_a_clock_ends_as_the_circular_says(method: str, days: int, a_day: int) -> None:
    clock = clock_of(method)
    end = T + timedelta(days=days)
    assert clock.ends_on(T) == end
    assert [clock.compensation_paise(T, end + timedelta(days=late)) for late in (-1, 0, 1, 7)] == [
        0,
        0,
        a_day,
        7 * a_day,
    ]


def test_a_clock_is_reported_a_day_before_it_ends() -> None:
    hangs = Hanging(1, 2, CLOCKS[ClockName.UPI], 100, T)
    stages = [hangs.stage(T + timedelta(days=days)) for days in range(7)]
    assert stages == [*[ClockStage.RUNNING] * 4, ClockStage.SOON, ClockStage.SOON, ClockStage.OVER]


def test_a_refund_is_looked_at_and_costs_nothing() -> None:
    clock = CLOCKS[ClockName.REFUND]
    assert (clock.days, clock.compensation_paise(T, T + timedelta(days=30))) == (7, 0)
