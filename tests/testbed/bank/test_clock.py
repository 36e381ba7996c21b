"""The steps of a move of the clock."""

from hundi_testbed.bank.clock.rules import AGAIN_S_MAX, AGAIN_S_MIN, STEP_S_MIN, ClockStep, Steps

DAY_S = 86_400.0


def test_the_clock_stops_wherever_something_falls_due() -> None:
    steps = Steps()
    assert steps.next(DAY_S, None, 0, None) == ClockStep(DAY_S)
    assert steps.next(DAY_S, 100.0, 0, None) == ClockStep(100.0)
    assert steps.next(DAY_S, 2 * DAY_S, 0, None) == ClockStep(DAY_S)
    assert steps.next(DAY_S, 0.0, 0, None) == ClockStep(STEP_S_MIN)


def test_what_may_be_due_for_the_first_time_soon_is_not_passed() -> None:
    assert Steps().next(DAY_S, 3_600.0, 2, 30.0) == ClockStep(30.0)


def test_tries_without_an_answer_grow_rare() -> None:
    steps = Steps()
    strides = [steps.next(1_000 * DAY_S, None, 1, 10.0) for _ in range(15)]
    assert strides[0] == ClockStep(10.0)
    assert [each.seconds for each in strides[1:4]] == [
        AGAIN_S_MIN,
        2 * AGAIN_S_MIN,
        4 * AGAIN_S_MIN,
    ]
    assert strides[-1] == ClockStep(AGAIN_S_MAX, hasty=True)


def test_an_answer_and_what_falls_due_meanwhile_end_the_haste() -> None:
    steps = Steps()
    steps.next(DAY_S, None, 2, 10.0)
    assert steps.next(DAY_S, None, 2, 10.0).hasty
    assert steps.next(DAY_S, 20.0, 2, 10.0) == ClockStep(20.0)
    assert steps.next(DAY_S, None, 1, 10.0) == ClockStep(10.0)


def test_a_year_without_a_bank_has_some_hundred_steps() -> None:
    steps, left_s, count = Steps(), 366 * DAY_S, 0
    while left_s > 0:
        left_s -= steps.next(left_s, None, 3, 30.0).seconds
        count += 1
    assert count < 400
