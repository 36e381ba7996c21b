"""All SQL about sessions and wrong tries."""

from datetime import datetime

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
"""$3: what began before it is forgotten."""
USE_CHALLENGE = """
INSERT INTO sign_in_failures (subject, failures, first_at) VALUES ($1, 1, $2) ON CONFLICT DO NOTHING
    RETURNING failures
"""
"""A passkey's challenge is answered once.

Its hash stands among what is forgotten after a quarter of an hour.
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
    """End a person's sessions. kept: the hash of the one that goes on."""
    await source.execute(END_OTHERS, person_id, kept)


async def select_of(
    source: Queries, person_id: int, now: datetime, seen_since: datetime
) -> list[Session]:
    """Return a person's sessions that are not over, used last first."""
    return [
        SESSION.read(row)
        for row in await source.fetch(SELECT_OF_PERSON, person_id, now, seen_since)
    ]
