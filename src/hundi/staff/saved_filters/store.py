"""All SQL about saved filters."""

from hundi.infra.postgres.columns import Table
from hundi.infra.postgres.database import Connection, Queries
from hundi.staff.saved_filters.rules import SavedFilter

SAVED = Table(SavedFilter, {})

SELECT_OF_LIST = f"""
SELECT {SAVED.listed()} FROM saved_filters
WHERE merchant_id = $1 AND person_id = $2 AND list_name = $3 ORDER BY name
"""
UPSERT = f"""
INSERT INTO saved_filters ({SAVED.listed()}) VALUES ({SAVED.numbered(1)})
ON CONFLICT (merchant_id, person_id, list_name, name)
    DO UPDATE SET query = EXCLUDED.query, saved_at = EXCLUDED.saved_at
"""
DELETE = """
DELETE FROM saved_filters
WHERE merchant_id = $1 AND person_id = $2 AND list_name = $3 AND name = $4 RETURNING name
"""


async def of_list(
    source: Queries, merchant_id: int, person_id: int, list_name: str
) -> list[SavedFilter]:
    """Return a person's filters of one list, by name."""
    rows = await source.fetch(SELECT_OF_LIST, merchant_id, person_id, list_name)
    return [SAVED.read(row) for row in rows]


async def upsert(conn: Connection, saved: SavedFilter) -> None:
    """Write a filter; one of the same name is replaced."""
    await conn.execute(UPSERT, *SAVED.values(saved))


async def delete(
    conn: Connection, merchant_id: int, person_id: int, list_name: str, name: str
) -> bool:
    """Remove a person's own filter, and return whether there was one."""
    return await conn.fetchval(DELETE, merchant_id, person_id, list_name, name) is not None
