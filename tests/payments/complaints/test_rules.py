"""Complaints: their moves, their deadline, and the words that are kept."""

from datetime import UTC, datetime

import pytest

from hundi.kernel.records import replace
from hundi.payments.complaints.rules import (
    ANSWER_WITHIN,
    COMPLAINTS_MAX,
    MOVES,
    WORDS_LENGTH_MAX,
    Complaint,
    ComplaintKind,
    ComplaintState,
    may_complain,
    states_before,
    words_of,
)

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
COMPLAINT = Complaint(
    7,
    217_000_000_000_003,
    217_000_000_000_001,
    ComplaintKind.OTHER,
    "It did not come.",
    "en",
    ComplaintState.OPEN,
    NOW,
    NOW + ANSWER_WITHIN,
)


def test_an_answered_or_closed_complaint_never_waits_again() -> None:
    assert set(MOVES) == set(ComplaintState)
    assert states_before(ComplaintState.OPEN) == []
    assert states_before(ComplaintState.ANSWERED) == [ComplaintState.OPEN]
    assert MOVES[ComplaintState.CLOSED] == frozenset()


def test_only_a_waiting_complaint_is_late_and_not_on_its_last_moment() -> None:
    ends = COMPLAINT.answer_by
    assert not COMPLAINT.is_late(ends)
    assert COMPLAINT.is_late(ends.replace(microsecond=1))
    assert not replace(COMPLAINT, state=ComplaintState.ANSWERED).is_late(ends + ANSWER_WITHIN)


def test_one_waits_at_a_time_and_there_is_a_last_one() -> None:
    closed = replace(COMPLAINT, state=ComplaintState.CLOSED, closed_at=NOW)
    assert may_complain([])
    assert may_complain([closed] * (COMPLAINTS_MAX - 1))
    assert not may_complain([closed] * COMPLAINTS_MAX)
    assert not may_complain([closed, COMPLAINT])


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" It broke.\r\nTwice. ", "It broke.\nTwice."),
        ("x" * WORDS_LENGTH_MAX, "x" * WORDS_LENGTH_MAX),
        ("x" * (WORDS_LENGTH_MAX + 1), ""),
        (" \r\n ", ""),
        ("It\x00broke.", ""),
    ],
)
def test_words_are_kept_whole_or_not_at_all(typed: str, kept: str) -> None:
    assert words_of(typed) == kept
