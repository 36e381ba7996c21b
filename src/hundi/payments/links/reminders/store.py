"""All SQL about reminders of payment links."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.payments.links.reminders.rules import LinkReminder, ReminderState

REMINDER = Table(LinkReminder, {"state": choice(ReminderState)})

INSERT = f"""
INSERT INTO payment_link_reminders ({REMINDER.listed()}) VALUES ({REMINDER.numbered(1)})
"""
_REMINDERS = f"SELECT {REMINDER.listed()} FROM payment_link_reminders"
SELECT_OF_LINK = _REMINDERS + " WHERE merchant_id = $1 AND link_id = $2 ORDER BY reminder_no"
SELECT_DUE_OF = (
    _REMINDERS + " WHERE merchant_id = $1 AND link_id = $2 AND due_at <= $3 ORDER BY reminder_no"
)
SELECT_TO_SEND = """
SELECT r.link_id, r.reminder_no, r.remind_at, l.description,
    l.amount_paise - l.paid_paise AS left_paise
FROM payment_link_reminders r
JOIN payment_links l ON l.merchant_id = $1 AND l.link_id = r.link_id
WHERE r.merchant_id = $1 AND r.state = 'to_send' AND l.paid_paise < l.amount_paise
    AND l.cancelled_at IS NULL AND l.expires_at > $2
ORDER BY r.remind_at LIMIT $3
"""
"""Those whose link can still be paid: the others ask nobody for anything."""
MOVE = """
UPDATE payment_link_reminders SET state = $5, due_at = NULL, sent_at = $6, sent_by = $7
WHERE merchant_id = $1 AND link_id = $2 AND reminder_no = $3 AND state = $4 RETURNING reminder_no
"""
SELECT_DUE = """
SELECT merchant_id, link_id, '' AS peer, due_at FROM payment_link_reminders WHERE due_at <= $1
    ORDER BY due_at LIMIT $2
"""
"""Across merchants: the links with a reminder whose time has come."""


@dataclass(frozen=True, slots=True)
class ReminderToSend:
    """A reminder that waits to be sent, with what its link still asks for, in paise."""

    link_id: int
    reminder_no: int
    remind_at: datetime
    description: str
    left_paise: int


async def insert(conn: Connection, reminders: Sequence[LinkReminder]) -> None:
    """Write a link's new reminders."""
    await conn.executemany(INSERT, [REMINDER.values(reminder) for reminder in reminders])


async def of_link(db: Queries, merchant_id: int, link_id: int) -> list[LinkReminder]:
    """Return a link's reminders, the earliest planned first."""
    return [REMINDER.read(row) for row in await db.fetch(SELECT_OF_LINK, merchant_id, link_id)]


async def due_of(
    conn: Connection, merchant_id: int, link_id: int, now: datetime
) -> list[LinkReminder]:
    """Return a link's reminders whose time has come; the caller holds its lock."""
    rows = await conn.fetch(SELECT_DUE_OF, merchant_id, link_id, now)
    return [REMINDER.read(row) for row in rows]


async def to_send(
    db: Database, merchant_id: int, now: datetime, limit: int
) -> list[ReminderToSend]:
    """Return a merchant's reminders that wait to be sent, the longest waiting first."""
    rows = await db.fetch(SELECT_TO_SEND, merchant_id, now, limit)
    return [ReminderToSend(**row) for row in rows]


async def move(
    conn: Connection,
    reminder: LinkReminder,
    state: ReminderState,
    sent_at: datetime | None = None,
    sent_by: str = "",
) -> bool:
    """Give a reminder another state; return whether it still had the old one."""
    key = reminder.merchant_id, reminder.link_id, reminder.reminder_no, reminder.state
    return await conn.fetchval(MOVE, *key, state, sent_at, sent_by) is not None


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the links with a reminder whose time has come."""
    rows = await look(db, SELECT_DUE, query.until, query.limit)
    return list(dict.fromkeys(Due(*row) for row in rows))
