"""Rules of reminders: on which days they are due, and which moves one may make; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum

import msgspec

from hundi.kernel.clock import INDIA
from hundi.kernel.refusals import RefusalCode, Refused, refuse

REMINDERS_MAX = 5
"""Reminders of one link, those that are over included."""
DAYS_MAX = 90
AT = time(10, 0, tzinfo=INDIA)
"""The hour at which a reminder is due on its day: people are awake, and shops open."""


class ReminderPlan(msgspec.Struct, frozen=True):
    """The days of a link's reminders.

    before_end: days before the link's last day. after_start: days after the day it was made.
    """

    before_end: tuple[int, ...] = ()
    after_start: tuple[int, ...] = ()


NO_REMINDERS = ReminderPlan()


class ReminderState(StrEnum):
    """The state of a reminder."""

    PLANNED = "planned"
    """Its time has not come."""
    TO_SEND = "to_send"
    """Its time has come: somebody, or something, is to send it."""
    SENT = "sent"
    """Somebody said that they sent it."""
    DROPPED = "dropped"
    """Nothing was left to pay when its time came, or the link had ended."""


MOVES: Mapping[ReminderState, frozenset[ReminderState]] = {
    ReminderState.PLANNED: frozenset({ReminderState.TO_SEND, ReminderState.DROPPED}),
    ReminderState.TO_SEND: frozenset({ReminderState.SENT, ReminderState.DROPPED}),
    ReminderState.SENT: frozenset(),
    ReminderState.DROPPED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class LinkReminder:
    """A reminder of a link, times in UTC.

    remind_at: when it is to be sent. due_at: the same until the worker has seen it. sent_by: who
    said that they sent it, "" before.
    """

    merchant_id: int
    link_id: int
    reminder_no: int
    remind_at: datetime
    due_at: datetime | None
    state: ReminderState = ReminderState.PLANNED
    sent_at: datetime | None = None
    sent_by: str = ""


def parse_days(text: str, field: str) -> tuple[int, ...]:
    """Return the days that somebody typed, `1 3`. Raises Refused (FIELD_INVALID)."""
    words = text.replace(",", " ").split()
    if not all(word.isascii() and word.isdecimal() for word in words):
        raise _wrong(field, text, f"days such as 1 3, each from 1 to {DAYS_MAX}")
    return tuple(dict.fromkeys(int(word) for word in words))


def times_of(
    plan: ReminderPlan, created_at: datetime, expires_at: datetime, now: datetime
) -> tuple[datetime, ...]:
    """Return when a link's reminders are due, the earliest first, each moment once.

    Raises Refused (FIELD_INVALID) for one that would not come between now and the link's end.
    """
    moments: set[datetime] = set()
    for field, days, start in (
        ("remind_before", plan.before_end, expires_at),
        ("remind_after", plan.after_start, created_at),
    ):
        for number in days:
            if not 1 <= number <= DAYS_MAX:
                raise _wrong(field, str(number), f"1 to {DAYS_MAX} days")
            gap = timedelta(days=-number if field == "remind_before" else number)
            moment = datetime.combine((start + gap).astimezone(INDIA).date(), AT)
            if not now < moment < expires_at:
                raise _wrong(field, str(number), "a day between today and the link's last day")
            moments.add(moment)
    if len(moments) > REMINDERS_MAX:
        raise _wrong("remind_before", f"{len(moments)} reminders", f"{REMINDERS_MAX} at most")
    return tuple(sorted(moments))


def _wrong(field: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed)
