"""SQL of callbacks that wait to be sent."""

from dataclasses import dataclass
from datetime import datetime

from hundi_testbed.bank.database import BankDatabase


@dataclass(frozen=True, slots=True)
class Callback:
    """A callback to send.

    due_at: the end of its lease; an undelivered one is then sent again. last_answer: the gateway's
    reason for the last refusal. hold_s, copies: faults of its first sending.
    """

    event_id: str
    reference: str
    body: str
    created_at: datetime
    due_at: datetime
    tries: int = 0
    last_answer: str = ""
    hold_s: float = 0.0
    copies: int = 1


async def claim_callbacks(
    db: BankDatabase, now: datetime, lease_until: datetime, limit: int
) -> list[Callback]:
    """Claim due callbacks; no other process sends them before lease_until."""
    query = """
        UPDATE callbacks SET due_at = $2 WHERE event_id IN (
            SELECT event_id FROM callbacks WHERE due_at <= $1
            ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
        RETURNING event_id, reference, body, created_at, due_at, tries, last_answer"""
    return [Callback(**dict(row)) for row in await db.fetch(query, now, lease_until, limit)]


async def drop_delivered(db: BankDatabase, event_ids: list[str]) -> None:
    """Delete delivered callbacks from the outbox."""
    await db.fetch("DELETE FROM callbacks WHERE event_id = ANY($1)", event_ids)


async def postpone_callback(
    db: BankDatabase, event_id: str, tries: int, answer: str, due_at: datetime | None
) -> None:
    """Note a failed sending and when to try again; due_at None gives up."""
    query = "UPDATE callbacks SET tries = $2, last_answer = $3, due_at = $4 WHERE event_id = $1"
    await db.fetch(query, event_id, tries, answer, due_at)


async def make_all_callbacks_due(db: BankDatabase, now: datetime) -> None:
    """Make every undelivered callback due at start; one may be sent twice, but none is lost."""
    await db.fetch("UPDATE callbacks SET due_at = $1 WHERE due_at > $1", now)


async def forget_callbacks(db: BankDatabase, before: datetime) -> None:
    """Delete abandoned callbacks older than this."""
    await db.fetch("DELETE FROM callbacks WHERE created_at < $1 AND due_at IS NULL", before)
