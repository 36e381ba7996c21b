"""How far a primary has written its log, and how far a replica has replayed it."""

from hundi.infra.postgres.database import Queries

# What is not on the primary's disk yet is not sent.
WRITTEN = "SELECT pg_current_wal_flush_lsn()::text"
# The cluster, and how often a standby of it was made the primary, by its last checkpoint: positions
# in the logs of two clusters, or of two such lines of one, cannot be compared.
LINE = "SELECT this_cluster() || ' ' || timeline_id FROM pg_control_checkpoint()"
IS_REPLICA = "SELECT pg_is_in_recovery()"
HAS_REPLAYED = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn"


async def written(primary: Queries) -> str:
    """Return up to where the primary's log is on its disk."""
    return await primary.fetchval(WRITTEN)


async def line(db: Queries) -> str:
    """Return whose log a server writes or replays: its cluster and timeline."""
    return await db.fetchval(LINE)


async def is_replica(db: Queries) -> bool:
    """Return whether a server follows another one."""
    return await db.fetchval(IS_REPLICA)


async def has_replayed(replica: Queries, position: str) -> bool:
    """Return whether a replica shows everything up to there."""
    return await replica.fetchval(HAS_REPLAYED, position)
