"""The actions of reminders: plan them with a link, let one fall due, and say that one was sent."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.links import rules as links
from hundi.payments.links import store as link_rows
from hundi.payments.links.reminders import rules, store
from hundi.payments.links.reminders.rules import LinkReminder, ReminderPlan, ReminderState
from hundi.payments.links.rules import Link

WAITING_MAX = 50
"""Reminders to send that a page shows."""


async def plan(conn: Connection, link: Link, wanted: ReminderPlan, now: datetime) -> None:
    """Write a new link's reminders in its transaction. Raises Refused (FIELD_INVALID)."""
    moments = rules.times_of(wanted, link.created_at, link.expires_at, now)
    reminders = [
        LinkReminder(link.merchant_id, link.link_id, number, moment, moment)
        for number, moment in enumerate(moments, 1)
    ]
    if reminders:
        await store.insert(conn, reminders)


async def fall_due(db: Database, merchant_id: int, link_id: int, now: datetime) -> bool:
    """Mark a link's due reminders as to be sent, or drop them; return whether there were any.

    A link that is paid, cancelled or over asks nobody for anything. A person sends what is to be
    sent: nobody is written to without somebody who chose it (docs/payment-links.md).
    """
    async with db.transaction() as conn:
        link = await link_rows.lock(conn, merchant_id, link_id)
        if link is None:
            return False
        is_payable = links.state_of(link, now) in links.PAYABLE
        state = ReminderState.TO_SEND if is_payable else ReminderState.DROPPED
        reminders = await store.due_of(conn, merchant_id, link_id, now)
        for reminder in reminders:
            await store.move(conn, reminder, state)
    return bool(reminders)


async def mark_sent(
    db: Database, key: tuple[int, int, int], by: str, now: datetime, beside: Beside
) -> LinkReminder:
    """Note that somebody sent a reminder; a repeat changes nothing.

    key: merchant, link and number of the reminder. beside: writes more in its transaction. Raises
    Refused: NO_RECORDS, STATE_FORBIDS before its time and after it was dropped.
    """
    async with db.transaction() as conn:
        if await note_sent(conn, key, by, now):
            await beside(conn, key[1])
        return await _known(conn, key)


async def note_sent(conn: Connection, key: tuple[int, int, int], by: str, now: datetime) -> bool:
    """Note in a transaction that a reminder was sent; False where that was noted before.

    Raises Refused, as `mark_sent`.
    """
    await link_rows.lock(conn, *key[:2])
    reminder = await _known(conn, key)
    if reminder.state is ReminderState.SENT:
        return False
    if ReminderState.SENT not in rules.MOVES[reminder.state]:
        raise refuse(
            RefusalCode.STATE_FORBIDS,
            field="reminder",
            received=reminder.state,
            allowed=ReminderState.TO_SEND,
        )
    await store.move(conn, reminder, ReminderState.SENT, now, by)
    return True


async def _known(conn: Connection, key: tuple[int, int, int]) -> LinkReminder:
    for reminder in await store.of_link(conn, *key[:2]):
        if reminder.reminder_no == key[2]:
            return reminder
    raise refuse(RefusalCode.NO_RECORDS)


async def waiting(db: Database, merchant_id: int, now: datetime) -> list[store.ReminderToSend]:
    """Return the merchant's reminders that wait to be sent, the longest waiting first."""
    return await store.to_send(db, merchant_id, now, WAITING_MAX)
