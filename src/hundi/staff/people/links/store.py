"""All SQL about one-time links."""

from dataclasses import dataclass
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Queries

INSERT = """
INSERT INTO one_time_links (link_hash, person_id, purpose, made_at, ends_at, made_by, mark)
VALUES ($1, $2, $3, $4, $5, $6, $7)
"""
SELECT_GOOD = """
SELECT person_id, purpose, made_by, ends_at, mark FROM one_time_links
WHERE link_hash = $1 AND used_at IS NULL AND ends_at > $2
"""
USE = """
UPDATE one_time_links SET used_at = $2 WHERE link_hash = $1 AND used_at IS NULL AND ends_at > $2
RETURNING person_id, purpose
"""
WITHDRAW = "DELETE FROM one_time_links WHERE person_id = $1 AND used_at IS NULL"


@dataclass(frozen=True, slots=True)
class OneTimeLink:
    """A stored one-time link.

    purpose: invitation, reset or demo. made_by: who could use it instead of the person. mark:
    proves that it was made here.
    """

    link_hash: bytes
    person_id: int
    purpose: str
    made_at: datetime
    ends_at: datetime
    made_by: int
    mark: bytes


async def insert(conn: Connection, link: OneTimeLink) -> None:
    """Write a new link."""
    await conn.execute(
        INSERT,
        link.link_hash,
        link.person_id,
        link.purpose,
        link.made_at,
        link.ends_at,
        link.made_by,
        link.mark,
    )


async def select_good(source: Queries, link_hash: bytes, now: datetime) -> Record | None:
    """Return the columns of a valid one-time link, without checking its mark."""
    return await source.fetchrow(SELECT_GOOD, link_hash, now)


async def use(source: Queries, link_hash: bytes, now: datetime) -> Record | None:
    """Use up a one-time link and return its person_id and purpose.

    None if it is unknown, used or over.
    """
    return await source.fetchrow(USE, link_hash, now)


async def withdraw(conn: Connection, person_id: int) -> None:
    """Delete a person's unused links."""
    await conn.execute(WITHDRAW, person_id)
