"""Days of a component: Indian midnights, the worst state, the available share."""

from datetime import UTC, date, datetime, timedelta

from hundi.status.history.rules import DAYS, available, days_of, first_day
from hundi.status.rules import ComponentSpell, ComponentState

NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
S = ComponentState


def spell(state: ComponentState, began: datetime, ended: datetime | None) -> ComponentSpell:
    return ComponentSpell("payments", began, state, ended)


def test_ninety_indian_days_are_shown_and_today_is_the_last() -> None:
    late = datetime(2026, 11, 27, 19, 0, tzinfo=UTC)  # past midnight in India
    assert (first_day(NOW), first_day(late)) == (date(2026, 8, 31), date(2026, 8, 31))
    days = days_of([], NOW, NOW)
    assert (len(days), days[-1].day) == (DAYS, date(2026, 11, 28))
    assert {day.worst for day in days} == {S.UNKNOWN}
    assert available(days) is None


def test_a_spell_over_midnight_is_shared_among_its_days() -> None:
    began, ended = (
        datetime(2026, 11, 26, 17, 30, tzinfo=UTC),
        datetime(2026, 11, 26, 20, 0, tzinfo=UTC),
    )
    *_, before, after, today = days_of([spell(S.OUTAGE, began, ended)], NOW, NOW)
    assert (before.day, after.day) == (date(2026, 11, 26), date(2026, 11, 27))
    assert (before.seconds, after.seconds, today.seconds) == (
        {S.OUTAGE: 3600.0},
        {S.OUTAGE: 5400.0},
        {},
    )


def test_the_worst_state_stands_for_a_day() -> None:
    began = NOW - timedelta(hours=2)
    spells = [
        spell(S.OPERATIONAL, began, NOW - timedelta(hours=1)),
        spell(S.PARTIAL, NOW - timedelta(hours=1), NOW - timedelta(minutes=59)),
        spell(S.DEGRADED, NOW - timedelta(minutes=59), None),
    ]
    assert days_of(spells, NOW, NOW)[-1].worst is S.PARTIAL


def test_what_goes_on_was_seen_until_the_last_look() -> None:
    looked_at = NOW - timedelta(minutes=10)
    days = days_of([spell(S.OPERATIONAL, NOW - timedelta(minutes=30), None)], looked_at, NOW)
    assert days[-1].seconds == {S.OPERATIONAL: 1200.0}
    assert days_of([spell(S.DEGRADED, NOW, None)], NOW, NOW)[-1].worst is S.DEGRADED


def test_older_days_and_a_look_before_its_spell_count_for_nothing() -> None:
    long_ago = NOW - timedelta(days=200)
    days = days_of([spell(S.OUTAGE, long_ago, NOW - timedelta(days=DAYS + 1))], NOW, NOW)
    assert available(days) is None
    days = days_of([spell(S.OUTAGE, NOW, None)], NOW - timedelta(minutes=1), NOW)
    assert available(days) is None


def test_outages_count_whole_and_maintenance_and_the_unseen_for_nothing() -> None:
    def hours(state: ComponentState, begin: int, end: int) -> ComponentSpell:
        return spell(state, NOW - timedelta(hours=begin), NOW - timedelta(hours=end))

    days = days_of(
        [
            hours(S.OPERATIONAL, 40, 34),
            hours(S.MAINTENANCE, 30, 10),
            hours(S.DEGRADED, 10, 8),
            hours(S.PARTIAL, 8, 7),
            hours(S.OUTAGE, 7, 6),
        ],
        NOW,
        NOW,
    )
    assert available(days) == 0.8
