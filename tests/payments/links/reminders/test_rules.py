"""Reminders of payment links: on which days they are due, and what becomes of them."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.kernel.refusals import Refused
from hundi.payments.links.reminders import rules
from hundi.payments.links.reminders.rules import MOVES, ReminderPlan, ReminderState

MADE = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
END = datetime(2026, 12, 23, 18, 29, tzinfo=UTC)
"""23:59 in India."""


def test_reminders_are_due_at_ten_in_india_on_their_days() -> None:
    moments = rules.times_of(ReminderPlan((1, 3), (7,)), MADE, END, MADE)
    assert [moment.astimezone(UTC) for moment in moments] == [
        datetime(2026, 11, 30, 4, 30, tzinfo=UTC),
        datetime(2026, 12, 20, 4, 30, tzinfo=UTC),
        datetime(2026, 12, 22, 4, 30, tzinfo=UTC),
    ]


def test_two_ways_to_the_same_day_are_one_reminder() -> None:
    assert len(rules.times_of(ReminderPlan((30 - 7,), (7,)), MADE, END, MADE)) == 1


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        (ReminderPlan((0,)), "remind_before"),
        (ReminderPlan((91,)), "remind_before"),
        (ReminderPlan((30,)), "remind_before"),
        (ReminderPlan((), (31,)), "remind_after"),
        (ReminderPlan((1, 2, 3, 4), (1, 2)), "remind_before"),
    ],
)
def test_a_day_outside_the_links_life_is_refused(plan: ReminderPlan, field: str) -> None:
    with pytest.raises(Refused) as refused:
        rules.times_of(plan, MADE, END, MADE)
    assert refused.value.refusal.field == field


def test_the_hour_of_a_day_that_is_over_is_refused() -> None:
    late = MADE + timedelta(hours=9)
    with pytest.raises(Refused):
        rules.times_of(ReminderPlan((), (1,)), MADE, late + timedelta(hours=1), late)


@pytest.mark.parametrize(("text", "days"), [("", ()), ("1 3", (1, 3)), ("3,1, 3", (3, 1))])
def test_days_are_read_as_people_write_them(text: str, days: tuple[int, ...]) -> None:
    assert rules.parse_days(text, "remind_before") == days


@pytest.mark.parametrize("text", ["tomorrow", "-1", "1.5", "१"])
def test_what_are_no_days_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        rules.parse_days(text, "remind_before")


def test_what_was_sent_or_dropped_stays() -> None:
    assert set(MOVES) == set(ReminderState)
    assert not MOVES[ReminderState.SENT]
    assert not MOVES[ReminderState.DROPPED]
    assert ReminderState.SENT not in MOVES[ReminderState.PLANNED]
