"""The actions of announcements: announce and end."""

from datetime import datetime

from hundi.infra.postgres.database import Beside, Database
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.status.announcements import store
from hundi.status.announcements.rules import StatusAnnouncement


async def announce(db: Database, announcement: StatusAnnouncement, beside: Beside) -> None:
    """Write an announcement, and what `beside` writes."""
    async with db.transaction() as conn:
        await store.insert(conn, announcement)
        await beside(conn, announcement.announcement_id)


async def end(
    db: Database, announcement_id: int, now: datetime, beside: Beside
) -> StatusAnnouncement:
    """End an announcement now, and write what `beside` writes.

    Maintenance that has not begun is withdrawn. Raises Refused: NO_RECORDS where none of this
    number is left to end.
    """
    async with db.transaction() as conn:
        ended = await store.end(conn, announcement_id, now)
        if ended is None:
            raise refuse(RefusalCode.NO_RECORDS)
        await beside(conn, announcement_id)
    return ended
