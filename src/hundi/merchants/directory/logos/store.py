"""All SQL about merchants' logos."""

from datetime import datetime

from hundi.infra.postgres.database import Connection, Queries
from hundi.merchants.directory.logos.rules import LogoPicture

UPSERT = """
INSERT INTO merchant_logos (merchant_id, mark, picture, width, height, added_by, added_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (merchant_id) DO UPDATE SET mark = EXCLUDED.mark, picture = EXCLUDED.picture,
    width = EXCLUDED.width, height = EXCLUDED.height, added_by = EXCLUDED.added_by,
    added_at = EXCLUDED.added_at
"""
SELECT_PICTURE = "SELECT picture FROM merchant_logos WHERE merchant_id = $1 AND mark = $2"


async def write(
    conn: Connection, merchant_id: int, logo: LogoPicture, by: str, now: datetime
) -> None:
    """Write a merchant's logo in place of its last one."""
    picture = logo.mark, logo.content, logo.width, logo.height
    await conn.execute(UPSERT, merchant_id, *picture, by, now)


async def picture(db: Queries, merchant_id: int, mark: str) -> bytes | None:
    """Return the PNG of a merchant's present logo by its mark; None for another one."""
    return await db.fetchval(SELECT_PICTURE, merchant_id, mark)
