"""All SQL about sessions and wrong tries."""

from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Queries
from hundi.staff.sign_in.rules import Session

SESSION = Table(Session, {})

INSERT = f"INSERT INTO staff_sessions ({SESSION.listed()}) VALUES ({SESSION.numbered(1)})"
SELECT_ONE = f"SELECT {SESSION.listed()} FROM staff_sessions WHERE session_hash = $1"
SELECT_OF_PERSON = f"""
SELECT {SESSION.listed()} FROM staff_sessions
WHERE person_id = $1 AND stage = 'complete' AND ends_at > $2 AND seen_at > $3 ORDER BY seen_at DESC
"""
SEE = "UPDATE staff_sessions SET seen_at = $2 WHERE session_hash = $1"
SHOW_FACTOR = """
UPDATE staff_sessions SET factor_at = $2, factor_mark = $3 WHERE session_hash = $1
    AND stage = 'complete'
"""
SET_CHALLENGE = "UPDATE staff_sessions SET challenge = $2 WHERE session_hash = $1"
END = "DELETE FROM staff_sessions WHERE session_hash = $1 AND person_id = $2 RETURNING person_id"
END_OTHERS = "DELETE FROM staff_sessions WHERE person_id = $1 AND session_hash <> $2"
SWEEP = "DELETE FROM staff_sessions WHERE ends_at < $1"

COUNT_FAILURE = """
INSERT INTO sign_in_failures (subject, failures, first_at) VALUES ($1, 1, $2)
ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN sign_in_failures.first_at < $3 THEN 1 ELSE sign_in_failures.failures + 1
        END,
    first_at = CASE WHEN sign_in_failures.first_at < $3 THEN $2 ELSE sign_in_failures.first_at END
RETURNING failures, first_at
"""
"""$3: failures before it are forgotten."""
USE_CHALLENGE = """
INSERT INTO sign_in_failures (subject, failures, first_at) VALUES ($1, 1, $2) ON CONFLICT DO NOTHING
    RETURNING failures
"""
"""A passkey's challenge is answered once.

Its hash is among the rows that are deleted after a quarter of an hour.
"""
UNCOUNT_FAILURE = (
    "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0"
)
FORGET_FAILURES = "DELETE FROM sign_in_failures WHERE subject = $1"
SWEEP_FAILURES = "DELETE FROM sign_in_failures WHERE first_at < $1"


async def insert(source: Queries, session: Session) -> None:
    """Write a new session."""
    await source.execute(INSERT, *SESSION.values(session))


async def select(source: Queries, session_hash: bytes) -> Session | None:
    """Return a session by the hash of its token."""
    row = await source.fetchrow(SELECT_ONE, session_hash)
    return SESSION.read(row) if row else None


async def end_others(source: Queries, person_id: int, kept: bytes = b"") -> None:
    """End a person's sessions. kept: the hash of the one that continues."""
    await source.execute(END_OTHERS, person_id, kept)


async def select_of(
    source: Queries, person_id: int, now: datetime, seen_since: datetime
) -> list[Session]:
    """Return a person's sessions that are not over, used last first."""
    return [
        SESSION.read(row)
        for row in await source.fetch(SELECT_OF_PERSON, person_id, now, seen_since)
    ]


async def see(source: Queries, session_hash: bytes, now: datetime) -> None:
    """Record a use of a session."""
    await source.execute(SEE, session_hash, now)


async def show_factor(source: Queries, session_hash: bytes, now: datetime, mark: bytes) -> None:
    """Record that a complete session showed a second factor. mark: proves it."""
    await source.execute(SHOW_FACTOR, session_hash, now, mark)


async def set_challenge(source: Queries, session_hash: bytes, challenge: bytes | None) -> None:
    """Store the challenge of a session's new passkey; None once it is answered."""
    await source.execute(SET_CHALLENGE, session_hash, challenge)


async def end(source: Queries, session_hash: bytes, person_id: int) -> bool:
    """Delete a person's session; return False if there is none."""
    return await source.fetchval(END, session_hash, person_id) is not None


async def sweep(source: Queries, now: datetime, failures_before: datetime) -> None:
    """Delete sessions that are over, and wrong tries that began before a moment."""
    await source.execute(SWEEP, now)
    await source.execute(SWEEP_FAILURES, failures_before)


async def count_failure(
    source: Queries, subject: bytes, now: datetime, forgotten_before: datetime
) -> Record:
    """Count a wrong try; return failures and first_at, the time of the first."""
    row = await source.fetchrow(COUNT_FAILURE, subject, now, forgotten_before)
    assert row is not None
    return row


async def uncount_failure(source: Queries, subject: bytes) -> None:
    """Undo the count of a try that was not made."""
    await source.execute(UNCOUNT_FAILURE, subject)


async def forget_failures(source: Queries, subject: bytes) -> None:
    """Delete the count of wrong tries after a right one."""
    await source.execute(FORGET_FAILURES, subject)


async def use_challenge(source: Queries, challenge_hash: bytes, now: datetime) -> bool:
    """Use up the challenge of a sign-in by passkey; return False if it was answered before."""
    return await source.fetchval(USE_CHALLENGE, challenge_hash, now) is not None
