"""When something that ended is asked about again: by a plan from its end; pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

UNANSWERED_GAP = timedelta(minutes=1)
"""Before an unanswered inquiry is repeated: its next place in the plan may be days away."""
LAST_GAP = timedelta(minutes=30)
"""The same after the plan's last time."""
LAST_FOR = timedelta(days=1)
"""So long after the plan's last time an unanswered inquiry is repeated."""


def next_planned(since: datetime, now: datetime, gaps_s: Sequence[int]) -> datetime | None:
    """Return the first time of a plan after now, None after the last: webhooks use none of it up.

    since: from when the plan counts. gaps_s: the seconds between its times.
    """
    at = since
    for gap_s in gaps_s:
        at += timedelta(seconds=gap_s)
        if at > now:
            return at
    return None


def next_unanswered(since: datetime, now: datetime, gaps_s: Sequence[int]) -> datetime | None:
    """Return when to repeat an inquiry that nobody answered: silence uses up no time of a plan."""
    planned_at = next_planned(since, now, gaps_s)
    if planned_at is not None:
        return min(planned_at, now + UNANSWERED_GAP)
    last = since + timedelta(seconds=sum(gaps_s))
    return now + LAST_GAP if now < last + LAST_FOR else None
