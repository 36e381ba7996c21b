"""How long a move of a demo's clock waits."""

from datetime import UTC, datetime, timedelta

import pytest

from hundi.infra.demo_clock.rules import LEASE, DueCounts, DueSpan, MoveWait, Patience

MOVED_AT = datetime(2026, 12, 29, 23, 30, tzinfo=UTC)
NOTHING, DUE, CLAIMED, BESIDES = (
    DueCounts(0, 0, 0),
    DueCounts(1, 0, 0),
    DueCounts(0, 1, 0),
    DueCounts(0, 0, 1),
)
PATIENCE = Patience(due_s=60.0, leased_s=10.0, besides_s=5.0)


def ends_s(looks: list[tuple[float, DueCounts]]) -> float | None:
    """Return the time of the look that ends a move; None where it still waits after all."""
    wait = MoveWait(PATIENCE, 0.0)
    return next((at_s for at_s, counts in looks if not wait.goes_on(counts, at_s)), None)


def test_a_move_ends_with_the_second_look_that_finds_nothing() -> None:
    assert ends_s([(0.0, NOTHING), (0.1, NOTHING)]) == 0.1


def test_work_that_came_up_between_two_looks_is_awaited() -> None:
    looks = [(0.0, DUE), (0.1, NOTHING), (0.2, DUE), (0.3, NOTHING), (0.4, NOTHING)]
    assert ends_s(looks) == 0.4


@pytest.mark.parametrize(
    ("counts", "last_s"),
    [(DUE, 60), (CLAIMED, 11), (BESIDES, 6)],
    ids=["due", "claimed", "besides"],
)
def test_each_kind_of_work_has_its_own_patience(counts: DueCounts, last_s: int) -> None:
    assert ends_s([(float(at_s), counts) for at_s in range(100)]) == last_s


def test_a_worker_that_claims_late_has_as_much_time_for_its_call() -> None:
    looks = [(float(at_s), DUE if at_s <= 20 else CLAIMED) for at_s in range(100)]
    assert ends_s(looks) == 31.0


def test_other_work_is_awaited_while_it_gets_less() -> None:
    looks = [(float(at_s), DueCounts(0, 0, max(20 - at_s, 3))) for at_s in range(100)]
    assert ends_s(looks) == 17 + 5 + 1


@pytest.mark.parametrize("claimed_after_s", [0, 8, 50])
def test_a_lease_that_was_taken_at_any_time_since_the_move_is_expected(
    claimed_after_s: int,
) -> None:
    claimed_at = MOVED_AT + timedelta(seconds=claimed_after_s)
    earliest, latest = DueSpan(
        MOVED_AT - LEASE, MOVED_AT, claimed_at + timedelta(seconds=1)
    ).lease_ends
    assert earliest < claimed_at + LEASE <= latest
