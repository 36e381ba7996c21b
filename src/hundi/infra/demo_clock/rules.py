"""How long a move of a demo's clock waits for the worker; pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

LEASE = timedelta(seconds=30)
"""How long a worker holds a claimed row of the work that the clock must not pass."""
_CLAIMED_WITHIN = timedelta(seconds=5)
"""How far a lease's end may be from its expected time.

A row that was released without an answer is due earlier.
"""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a move waits for the worker, in seconds; work left after that stays due.

    due_s: for work that the clock must not pass. leased_s: for rows that only look claimed, since
    the worker claimed the last one: a row may really be due when a lease would end. besides_s: for
    other work, since the last of it was done.
    """

    due_s: float = 60.0
    leased_s: float = 10.0
    besides_s: float = 5.0


PATIENT = Patience()
HASTY = Patience(due_s=1.0, leased_s=0.3, besides_s=0.3)
"""For a move that only lets a call without an answer be tried again."""


@dataclass(frozen=True, slots=True)
class DueSpan:
    """The times of one look at the work that is due.

    since: work due then or earlier had its time already. moved_at: the clock's time right after the
    move. now: its time at the look; what the worker did meanwhile may have made more work due.
    """

    since: datetime
    moved_at: datetime
    now: datetime

    @property
    def lease_ends(self) -> tuple[datetime, datetime]:
        """Return the earliest and latest end of a lease that a worker took since the move."""
        earliest = self.moved_at + LEASE - _CLAIMED_WITHIN
        return max(self.now, earliest), self.now + LEASE + _CLAIMED_WITHIN


@dataclass(frozen=True, slots=True)
class DueCounts:
    """How much work one look found.

    due, claimed: what the clock must not pass, still to be claimed and with a worker. besides:
    other work.
    """

    due: int
    claimed: int
    besides: int


class MoveWait:
    """Decides from look to look how long a move waits; seconds are of a clock that never jumps."""

    def __init__(self, patience: Patience, began_s: float) -> None:
        """Begin to wait."""
        self._patience = patience
        self._began_s = self._due_s = self._done_s = began_s
        self._besides: int | None = None
        self._was_done = False

    def goes_on(self, counts: DueCounts, at_s: float) -> bool:
        """Return whether the move still waits after a look that began at a time.

        It ends with the second of two looks that find nothing: what the worker made due before the
        first of them was written is due by the time of the second.
        """
        if counts.due:
            self._due_s = at_s
        if self._besides is None or counts.besides < self._besides:
            self._besides, self._done_s = counts.besides, at_s
        done = not (
            counts.due
            or (counts.claimed and at_s - self._due_s < self._patience.leased_s)
            or (counts.besides and at_s - self._done_s < self._patience.besides_s)
        )
        ends = (done and self._was_done) or at_s - self._began_s >= self._patience.due_s
        self._was_done = done
        return not ends
