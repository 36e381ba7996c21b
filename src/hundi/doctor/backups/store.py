"""Statements of the doctor about the archive of a server's log."""

from hundi.infra.postgres.database import Queries, Record

SELECT_ARCHIVER = """
SELECT last_archived_time, last_failed_time,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS fails,
    current_setting('archive_mode') AS mode
FROM pg_stat_archiver
"""


async def select_archiver(db: Queries) -> Record | None:
    """Return how the server's archive of its log does."""
    return await db.fetchrow(SELECT_ARCHIVER)
