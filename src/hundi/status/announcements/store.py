"""All SQL about announcements."""

from datetime import datetime

from hundi.infra.postgres.columns import Table, choice
from hundi.infra.postgres.database import Connection, Queries
from hundi.status.announcements.rules import AnnouncementKind, StatusAnnouncement

ANNOUNCEMENT = Table(StatusAnnouncement, {"kind": choice(AnnouncementKind)})

SELECT_SINCE = f"""
SELECT {ANNOUNCEMENT.listed()} FROM status_announcements WHERE ends_at IS NULL OR ends_at > $1
ORDER BY begins_at DESC, announcement_id DESC LIMIT $2
"""
INSERT = f"""
INSERT INTO status_announcements ({ANNOUNCEMENT.listed()}) VALUES ({ANNOUNCEMENT.numbered(1)})
"""
END = f"""
UPDATE status_announcements SET ends_at = greatest(begins_at, $2)
WHERE announcement_id = $1 AND (ends_at IS NULL OR ends_at > $2)
RETURNING {ANNOUNCEMENT.listed()}
"""
DELETE_OLD = "DELETE FROM status_announcements WHERE ends_at < $1"


async def since(db: Queries, moment: datetime, limit: int) -> list[StatusAnnouncement]:
    """Return the announcements that end after a moment or go on, the latest first."""
    return [ANNOUNCEMENT.read(row) for row in await db.fetch(SELECT_SINCE, moment, limit)]


async def insert(conn: Connection, announcement: StatusAnnouncement) -> None:
    """Write an announcement."""
    await conn.execute(INSERT, *ANNOUNCEMENT.values(announcement))


async def end(conn: Connection, announcement_id: int, now: datetime) -> StatusAnnouncement | None:
    """End an announcement that is not over, and return it; None where there is none."""
    row = await conn.fetchrow(END, announcement_id, now)
    return ANNOUNCEMENT.read(row) if row else None


async def delete_old(db: Queries, before: datetime) -> None:
    """Delete the announcements that ended before a moment."""
    await db.execute(DELETE_OLD, before)
