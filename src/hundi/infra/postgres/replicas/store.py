"""How far a primary has written its log, and how far a replica has replayed it."""

from hundi.infra.postgres.database import Queries

# Log that is not on the primary's disk yet is not sent.
WRITTEN = "SELECT pg_current_wal_flush_lsn()::text"
# The cluster and its timeline by its last checkpoint: log positions of two clusters, or of two
# timelines, cannot be compared.
LINE = "SELECT this_cluster() || ' ' || timeline_id FROM pg_control_checkpoint()"
IS_REPLICA = "SELECT pg_is_in_recovery()"
HAS_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn"


async def written(primary: Queries) -> str:
    """Return the position up to which the primary's log is on its disk."""
    return await primary.fetchval(WRITTEN)


async def line(db: Queries) -> str:
    """Return the cluster and timeline of the log that a server writes or replays."""
    return await db.fetchval(LINE)


async def is_replica(db: Queries) -> bool:
    """Return whether a server follows another one."""
    return await db.fetchval(IS_REPLICA)


async def has_replayed(replica: Queries, position: str) -> bool:
    """Return whether a replica has replayed the log up to a position."""
    return await replica.fetchval(HAS_REPLAYED, position)
