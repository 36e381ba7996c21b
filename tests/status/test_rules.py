"""The states of components, and what a look writes."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from hundi.payments.routing.health.rules import Outcomes
from hundi.status.rules import (
    GAP,
    NOTIFICATIONS,
    OWN,
    PAYMENTS,
    SETTLEMENTS,
    SHORTEST,
    WATCH,
    ComponentSpell,
    ComponentState,
    SpellChanges,
    changes,
    own_states,
    state_of,
)

NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
S = ComponentState
BANK = "acquirer:coop"


@pytest.mark.parametrize(
    ("parts", "silent", "state"),
    [
        ([], 0, S.OPERATIONAL),
        ([Outcomes(4, 4)], 0, S.OPERATIONAL),
        ([Outcomes(10, 2)], 0, S.OPERATIONAL),
        ([Outcomes(10, 3)], 0, S.DEGRADED),
        ([Outcomes(10, 7)], 0, S.OUTAGE),
        ([Outcomes(90, 0), Outcomes(10, 7)], 0, S.PARTIAL),
        ([Outcomes(90, 0), Outcomes(10, 3)], 0, S.DEGRADED),
        ([Outcomes(10, 9), Outcomes(10, 9)], 0, S.OUTAGE),
        ([Outcomes(0, 0)], 1, S.OUTAGE),
        ([Outcomes(0, 0), Outcomes(50, 0)], 1, S.PARTIAL),
    ],
)
def test_an_acquirer_stands_as_its_attempts_do(
    parts: list[Outcomes], silent: int, state: ComponentState
) -> None:
    assert state_of(parts, silent) is state


@pytest.mark.parametrize(
    ("overdue_s", "late_s", "states"),
    [
        ({}, {}, (S.OPERATIONAL, S.OPERATIONAL, S.OPERATIONAL)),
        ({"inquiries": 300.0, "deliveries": 300.0}, {"seal_books": 900.0}, (S.OPERATIONAL,) * 3),
        ({"refunds": 301.0}, {}, (S.DEGRADED, S.OPERATIONAL, S.OPERATIONAL)),
        ({"deliveries": 301.0}, {}, (S.OPERATIONAL, S.DEGRADED, S.OPERATIONAL)),
        ({"deliveries": 1801.0}, {}, (S.OPERATIONAL, S.OUTAGE, S.OPERATIONAL)),
        ({"payouts": 301.0}, {}, (S.OPERATIONAL, S.OPERATIONAL, S.DEGRADED)),
        ({}, {"settle_merchants": 901.0}, (S.OPERATIONAL, S.OPERATIONAL, S.DEGRADED)),
        ({"disputes": 9e9}, {"index_for_search": 9e9}, (S.OPERATIONAL,) * 3),
    ],
)
def test_our_own_components_stand_as_their_work_waits(
    overdue_s: Mapping[str, float],
    late_s: Mapping[str, float],
    states: tuple[ComponentState, ...],
) -> None:
    found = own_states(overdue_s, late_s)
    assert (found[PAYMENTS.key], found[NOTIFICATIONS.key], found[SETTLEMENTS.key]) == states


def look(
    before: Mapping[str, ComponentState],
    now: Mapping[str, ComponentState],
    *,
    lasted: timedelta = timedelta(hours=1),
    looked: timedelta | None = WATCH,
    was_lost: bool = False,
) -> SpellChanges:
    """Return what a look at NOW changes. looked: how long ago the one before was."""
    going_on = {key: ComponentSpell(key, NOW - lasted, state) for key, state in before.items()}
    looked_at = NOW - looked if looked is not None else None
    return changes(going_on, looked_at, now, NOW, was_lost=was_lost)


def test_the_first_look_begins_a_spell_of_each_component() -> None:
    assert look({}, {BANK: S.OPERATIONAL}, looked=None) == SpellChanges(
        {}, [ComponentSpell(BANK, NOW, S.OPERATIONAL)]
    )


def test_what_stays_is_not_written() -> None:
    assert look({BANK: S.OPERATIONAL}, {BANK: S.OPERATIONAL}) == SpellChanges({}, [])


def test_another_state_ends_a_spell_and_begins_one() -> None:
    assert look({BANK: S.OPERATIONAL}, {BANK: S.OUTAGE}) == SpellChanges(
        {BANK: NOW}, [ComponentSpell(BANK, NOW, S.OUTAGE)]
    )


def test_an_acquirer_that_is_gone_ends() -> None:
    assert look({BANK: S.OUTAGE}, {}) == SpellChanges({BANK: NOW}, [])


def test_a_worse_state_counts_at_once_and_a_better_one_after_a_while() -> None:
    short = SHORTEST - timedelta(seconds=1)
    assert look({BANK: S.DEGRADED}, {BANK: S.OUTAGE}, lasted=short).written
    assert look({BANK: S.OUTAGE}, {BANK: S.OPERATIONAL}, lasted=short) == SpellChanges({}, [])
    assert look({BANK: S.OUTAGE}, {BANK: S.OPERATIONAL}, lasted=SHORTEST).written


def test_without_a_worker_nothing_was_sent_or_settled_and_of_the_rest_nobody_knows() -> None:
    states = {**{each.key: S.OPERATIONAL for each in OWN}, BANK: S.OPERATIONAL}
    gap = GAP + timedelta(seconds=1)
    changed = look(states, states, looked=gap)
    assert changed.ended == dict.fromkeys(states, NOW - gap)
    assert changed.written == [
        *(
            ComponentSpell(key, NOW - gap, S.OUTAGE, NOW)
            for key in (NOTIFICATIONS.key, SETTLEMENTS.key)
        ),
        *(ComponentSpell(key, NOW, S.OPERATIONAL) for key in states),
    ]
    assert look(states, states, looked=GAP) == SpellChanges({}, [])


def test_a_worker_that_lived_without_a_database_knows_that_nothing_of_ours_worked() -> None:
    states = {**{each.key: S.OPERATIONAL for each in OWN}, BANK: S.OPERATIONAL}
    away = 2 * WATCH + timedelta(seconds=1)
    changed = look(states, states, looked=away, was_lost=True)
    down = [each.component for each in changed.written if each.state is S.OUTAGE]
    assert down == [each.key for each in OWN]
    assert look(states, states, looked=2 * WATCH, was_lost=True) == SpellChanges({}, [])
