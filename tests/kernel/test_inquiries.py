"""Plans of inquiries about what ended: their times, and silence."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.kernel.inquiries import (
    LAST_FOR,
    LAST_GAP,
    UNANSWERED_GAP,
    next_planned,
    next_unanswered,
)

SINCE = datetime(2026, 11, 29, 6, tzinfo=UTC)
GAPS_S = (60, 600, 86_400)
LAST = timedelta(seconds=sum(GAPS_S))
SECOND = timedelta(seconds=1)


def after(seconds: float) -> datetime:
    """Return a time so long after the end."""
    return SINCE + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("now_s", "next_s"),
    [(0, 60), (59.9, 60), (60, 660), (61, 660), (659, 660), (660, 87_060), (87_059, 87_060)],
)
def test_the_next_time_of_a_plan_is_after_now(now_s: float, next_s: float) -> None:
    assert next_planned(SINCE, after(now_s), GAPS_S) == after(next_s)


def test_nothing_comes_after_the_last_time_of_a_plan() -> None:
    assert next_planned(SINCE, SINCE + LAST, GAPS_S) is None
    assert next_planned(SINCE, SINCE, ()) is None


def test_asking_early_uses_up_no_time_of_a_plan() -> None:
    times = {next_planned(SINCE, after(seconds), GAPS_S) for seconds in range(60, 660, 45)}
    assert times == {after(660)}


def test_silence_is_asked_again_soon_and_no_later_than_planned() -> None:
    assert next_unanswered(SINCE, after(30), GAPS_S) == after(60), "the plan's time is nearer"
    assert next_unanswered(SINCE, after(700), GAPS_S) == after(700) + UNANSWERED_GAP


def test_silence_after_the_last_time_is_asked_about_for_a_day() -> None:
    last = SINCE + LAST
    assert next_unanswered(SINCE, last, GAPS_S) == last + LAST_GAP
    assert next_unanswered(SINCE, last + LAST_FOR - SECOND, GAPS_S) == (
        last + LAST_FOR - SECOND + LAST_GAP
    )
    assert next_unanswered(SINCE, last + LAST_FOR, GAPS_S) is None
