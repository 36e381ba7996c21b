"""All SQL about letters, and the addresses that take none."""

from collections.abc import Sequence
from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.letters.rules import (
    Letter,
    LetterChange,
    LetterChannel,
    LetterKind,
    LetterState,
    NewLetter,
)

LETTER = Table(
    Letter,
    {"kind": choice(LetterKind), "channel": choice(LetterChannel), "state": choice(LetterState)},
)
INSERT = """
INSERT INTO letters (merchant_id, letter_id, cause, kind, channel, person_id, address, language,
    facts, attachment_name, attachment, state, created_at, due_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'waiting', $12, $13)
ON CONFLICT (merchant_id, cause, channel, address) DO NOTHING RETURNING letter_id
"""
SELECT_DUE = """
SELECT merchant_id, letter_id, channel AS peer, due_at FROM letters
WHERE state = 'waiting' AND due_at <= $1 AND channel <> ALL ($2::text[]) ORDER BY due_at LIMIT $3
"""
"""Across merchants: the letters to send now."""
CLAIM = f"""
UPDATE letters SET due_at = $4, tries = tries + 1
WHERE merchant_id = $1 AND letter_id = ANY ($2::bigint[]) AND state = 'waiting' AND due_at <= $3
RETURNING {LETTER.listed()}
"""
"""The guard on due_at lets one of two workers claim a letter."""
PUT_BACK = """
UPDATE letters SET due_at = $4, tries = greatest(tries - 1, 0)
WHERE merchant_id = $1 AND letter_id = $2 AND state = 'waiting' AND due_at = $3
"""
PUT_OFF = """
UPDATE letters SET due_at = $4, tries = greatest(tries - 1, 0), problem = $5
WHERE merchant_id = $1 AND letter_id = $2 AND tries = $3 AND state = 'waiting'
"""
RECORD = """
UPDATE letters SET state = $4::text, due_at = coalesce($5, due_at), problem = $6,
    sent_at = CASE WHEN $4::text = 'sent' THEN $7 ELSE sent_at END,
    said = CASE WHEN $8::text = '' THEN said ELSE $8 END
WHERE merchant_id = $1 AND letter_id = $2 AND tries = $3 AND state = 'waiting'
"""
"""Of a try that another worker repeated meanwhile, only the repeat is recorded."""
IS_DEAD = """
SELECT EXISTS (SELECT FROM dead_addresses WHERE merchant_id = $1 AND channel = $2 AND address = $3)
"""
MARK_DEAD = """
INSERT INTO dead_addresses (merchant_id, channel, address, since, answer)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING
"""
REVIVE = "DELETE FROM dead_addresses WHERE merchant_id = $1 AND channel = $2 AND address = $3"
SELECT_ONE = f"SELECT {LETTER.listed()} FROM letters WHERE merchant_id = $1 AND letter_id = $2"
SWEEP = "DELETE FROM letters WHERE created_at < $1 AND state <> 'waiting'"
"""Across merchants. An old letter that somebody sends again still waits."""
DROP_FILES = """
UPDATE letters SET attachment = NULL, attachment_name = ''
WHERE created_at < $1 AND attachment IS NOT NULL
"""
"""Across merchants."""
SELECT_NEWEST = f"""
SELECT {LETTER.listed()} FROM letters
WHERE merchant_id = $1 AND ($2::text IS NULL OR state::text = $2) ORDER BY letter_id DESC LIMIT $3
"""
RESEND = """
UPDATE letters SET state = 'waiting', due_at = $3, tries = 0, problem = ''
WHERE merchant_id = $1 AND letter_id = $2 AND state <> 'waiting'
    AND (sent_at IS NULL OR sent_at < $4)
RETURNING channel, address
"""
RELEASE = """
UPDATE letters SET state = 'waiting', due_at = $6, problem = '',
    tries = CASE WHEN state = 'waiting' THEN tries + 1 ELSE 0 END
WHERE merchant_id = $1 AND channel = $2 AND address = $3 AND cause = ANY ($4::text[])
    AND (state = 'waiting' OR state = 'withheld' AND problem = $5)
"""
"""A letter that waits may be in a worker's hands, about to be withheld: a try more makes that void.
"""


async def insert(db: Queries, letter_id: int, letter: NewLetter, now: datetime) -> bool:
    """Write a letter; False when its cause wrote it before.

    Raises UniqueViolationError when its id is taken.
    """
    attachment = letter.attachment
    values = (
        *(letter.merchant_id, letter_id, letter.cause, letter.kind, letter.channel),
        *(letter.person_id, letter.address, letter.language, letter.facts),
        *((attachment.name, attachment.content) if attachment else ("", None)),
    )
    return await db.fetchval(INSERT, *values, now, now) is not None


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the letters to send now or soon, most overdue first."""
    rows = await look(db, SELECT_DUE, query.until, query.without, query.limit)
    return [Due(*row) for row in rows]


async def claim(
    db: Database, merchant_id: int, letter_ids: Sequence[int], now: datetime, lease_until: datetime
) -> list[Letter]:
    """Claim those of a merchant's letters that are still due."""
    rows = await db.fetch(CLAIM, merchant_id, letter_ids, now, lease_until)
    return [LETTER.read(row) for row in rows]


async def put_back(db: Database, letter: Letter, due_at: datetime) -> None:
    """Release a claimed letter that was not sent; the try does not count."""
    await db.execute(PUT_BACK, letter.merchant_id, letter.letter_id, letter.due_at, due_at)


async def put_off(db: Queries, letter: Letter, until: datetime, why: str) -> None:
    """Let a claimed letter wait until a time; the try does not count."""
    key = letter.merchant_id, letter.letter_id, letter.tries
    await db.execute(PUT_OFF, *key, until, why)


async def record(
    db: Queries, letter: Letter, change: LetterChange, said: str, now: datetime
) -> None:
    """Write what a try made of a claimed letter. said: the text of a message, "" for a mail."""
    key = letter.merchant_id, letter.letter_id, letter.tries
    await db.execute(RECORD, *key, change.state, change.due_at, change.problem, now, said)


async def is_dead(db: Queries, letter: Letter) -> bool:
    """Return whether a letter's address is known to take none."""
    return await db.fetchval(IS_DEAD, letter.merchant_id, letter.channel, letter.address)


async def mark_dead(conn: Connection, letter: Letter, answer: str, now: datetime) -> None:
    """Remember that an address takes no letters."""
    await conn.execute(MARK_DEAD, letter.merchant_id, letter.channel, letter.address, now, answer)


async def select(db: Queries, merchant_id: int, letter_id: int) -> Letter | None:
    """Return one letter."""
    row = await db.fetchrow(SELECT_ONE, merchant_id, letter_id)
    return LETTER.read(row) if row else None


async def sweep(db: Database, before: datetime) -> None:
    """Delete letters that were written before a time and do not wait."""
    await db.execute(SWEEP, before)


async def drop_files(db: Database, before: datetime) -> None:
    """Remove the files of letters that were written before a time; the letters stay."""
    await db.execute(DROP_FILES, before)


async def newest(
    db: Queries, merchant_id: int, state: LetterState | None, limit: int
) -> list[Letter]:
    """Return a merchant's letters, newest first. state: only those in it, None for any."""
    rows = await db.fetch(SELECT_NEWEST, merchant_id, state, limit)
    return [LETTER.read(row) for row in rows]


async def resend(
    conn: Connection, merchant_id: int, letter_id: int, now: datetime, sent_before: datetime
) -> bool:
    """Begin a new round of tries of a letter that does not wait, and forget a dead address.

    sent_before: one that was sent later is left alone.
    """
    row = await conn.fetchrow(RESEND, merchant_id, letter_id, now, sent_before)
    if row is None:
        return False
    await conn.execute(REVIVE, merchant_id, row["channel"], row["address"])
    return True


async def release(
    conn: Connection,
    whose: tuple[int, LetterChannel, str],
    causes: Sequence[str],
    problem: str,
    now: datetime,
) -> None:
    """Send the letters of some causes that were withheld for a problem, and those that wait.

    whose: merchant, channel, address.
    """
    await conn.execute(RELEASE, *whose, causes, problem, now)
