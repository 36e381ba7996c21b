"""Gives PostgreSQL statistics of empty tables, so that a new gateway reads by whole keys.

Every key begins with the merchant. Without statistics the planner expects one row for a merchant,
as for a whole key, takes the newest index, and a session keeps that plan: with a hundred shops it
read 24 payments in place of one, until autovacuum analysed the tables a minute later.
"""

from collections.abc import Collection

import asyncpg

from hundi.infra.logs import get_logger
from hundi.infra.postgres.database import Connection

POSTGRESQL_MIN = 18
"""The first version with functions that set statistics."""
LOCK_WAIT = "1s"
_log = get_logger(__name__)

# One distinct merchant: the planner expects all rows of the table for a merchant alone, and one for
# a whole key. Only for empty tables: in a full one with many merchants it would be wrong, and a
# merchant's rows would be searched among all.
SEED = """
SELECT pg_catalog.pg_restore_attribute_stats('schemaname', 'public', 'relname', c.relname::text,
    'attname', 'merchant_id', 'inherited', false, 'null_frac', 0::real, 'avg_width', 8,
        'n_distinct', 1::real)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = 'merchant_id'
    AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname = ANY ($1::text[])
    AND pg_catalog.pg_relation_size(c.oid) = 0
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_stats s
        WHERE s.schemaname = 'public' AND s.tablename = c.relname AND s.attname = 'merchant_id')
"""


async def seed(connection: Connection, tables: Collection[str]) -> None:
    """Set statistics of those tables that are empty and have none.

    Nothing depends on it: if one of them is locked or has another owner, all are left to
    autovacuum.
    """
    if connection.get_server_version().major < POSTGRESQL_MIN:
        return
    try:
        async with connection.transaction():
            await connection.execute(f"SET LOCAL lock_timeout = '{LOCK_WAIT}'")
            await connection.fetch(SEED, list(tables))
    except (asyncpg.LockNotAvailableError, asyncpg.InsufficientPrivilegeError) as error:
        _log.warning("statistics_not_seeded", error=type(error).__name__, words=str(error))
