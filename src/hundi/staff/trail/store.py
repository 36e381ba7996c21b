"""All SQL about the trail."""

from collections.abc import Sequence
from datetime import datetime

from asyncpg import Record

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Queries
from hundi.staff.trail.rules import NOTHING, Entry

ENTRY = Table(Entry, {})

NEWEST = (
    "SELECT entry_no, digest FROM trail_entries WHERE merchant_id = $1 ORDER BY entry_no DESC"
    " LIMIT 1"
)
INSERT = f"""
INSERT INTO trail_entries ({ENTRY.listed()}) VALUES ({ENTRY.numbered(1)}) ON CONFLICT DO NOTHING
    RETURNING entry_no
"""
SELECT_PAGE = f"""
SELECT {ENTRY.listed()} FROM trail_entries
WHERE merchant_id = $1 AND ($2::int IS NULL OR entry_no < $2)
    AND ($3::bigint IS NULL OR person_id = $3)
    AND ($4 = '' OR act = $4 OR act LIKE $4 || '.%') AND ($5 = '' OR about = $5)
    AND ($6::timestamptz IS NULL OR at >= $6) AND ($7::timestamptz IS NULL OR at < $7)
ORDER BY entry_no DESC LIMIT $8
"""


_ENTRIES = f"""
SELECT {ENTRY.listed("entry")}, before.digest AS before
FROM trail_entries entry LEFT JOIN trail_entries before
    ON before.merchant_id = entry.merchant_id AND before.entry_no = entry.entry_no - 1
"""
SELECT_ABOUT_PEOPLE = f"""
{_ENTRIES} WHERE entry.about = ANY ($1::text[]) AND entry.act LIKE 'person.%'
ORDER BY entry.merchant_id, entry.entry_no
"""
"""Across merchants: the entries that prove where a person belongs."""
SELECT_ABOUT_PEOPLE_AT = f"""
{_ENTRIES} WHERE entry.merchant_id = $1 AND entry.about = ANY ($2::text[])
    AND entry.act LIKE 'person.%'
ORDER BY entry.entry_no
"""
SELECT_ABOUT = f"""
{_ENTRIES} WHERE entry.merchant_id = $1 AND entry.about = $2 AND entry.act LIKE $3 || '.%'
ORDER BY entry.entry_no
"""
SELECT_OF_ACT = f"{_ENTRIES} WHERE entry.merchant_id = $1 AND entry.act = $2"
SELECT_WITH_DETAIL = f"""
{_ENTRIES} WHERE entry.merchant_id = $1 AND ($3::text IS NULL OR entry.about = $3)
    AND position(format('"%s":', $2::text) IN entry.detail) > 0
ORDER BY entry.entry_no DESC
"""


async def newest(source: Queries, merchant_id: int) -> Record | None:
    """Return number and digest of a merchant's newest entry."""
    return await source.fetchrow(NEWEST, merchant_id)


async def insert(source: Queries, entry: Entry) -> bool:
    """Write an entry; return False if its number was taken meanwhile."""
    return await source.fetchval(INSERT, *ENTRY.values(entry)) is not None


def _with_before(rows: Sequence[Record]) -> list[tuple[Entry, bytes]]:
    return [(ENTRY.read(row), row["before"] or NOTHING) for row in rows]


async def about_people(source: Queries, abouts: Sequence[str]) -> list[tuple[Entry, bytes]]:
    """Return the entries about people, oldest first at each place, with previous digests."""
    return _with_before(await source.fetch(SELECT_ABOUT_PEOPLE, abouts))


async def about_people_at(
    source: Queries, merchant_id: int, abouts: Sequence[str]
) -> list[tuple[Entry, bytes]]:
    """Return the entries about people at one place, oldest first, with previous digests."""
    return _with_before(await source.fetch(SELECT_ABOUT_PEOPLE_AT, merchant_id, abouts))


async def about(
    source: Queries, merchant_id: int, noun: str, about: str
) -> list[tuple[Entry, bytes]]:
    """Return the entries about one thing of a merchant, oldest first, with previous digests."""
    return _with_before(await source.fetch(SELECT_ABOUT, merchant_id, about, noun))


async def of_act(source: Queries, merchant_id: int, act: str) -> list[tuple[Entry, bytes]]:
    """Return the entries of one act, with previous digests."""
    return _with_before(await source.fetch(SELECT_OF_ACT, merchant_id, act))


async def with_detail(
    source: Queries, merchant_id: int, name: str, about: str | None
) -> list[tuple[Entry, bytes]]:
    """Return the entries with a detail of this name, newest first, with previous digests.

    about: None for any subject.
    """
    return _with_before(await source.fetch(SELECT_WITH_DETAIL, merchant_id, name, about))


async def select_page(  # noqa: PLR0913 (one parameter a filter)
    source: Queries,
    merchant_id: int,
    *,
    before: int | None = None,
    person_id: int | None = None,
    act: str = "",
    about: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
) -> list[Entry]:
    """Return a merchant's entries, newest first. act: a whole act or its noun."""
    rows = await source.fetch(
        SELECT_PAGE, merchant_id, before, person_id, act, about, since, until, limit
    )
    return [ENTRY.read(row) for row in rows]
