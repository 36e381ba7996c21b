"""Statements of the doctor about the database: its server, its clock, its roles' rights."""

from datetime import datetime

from hundi.infra.postgres.database import Queries, Record

SELECT_SERVER = """
SELECT current_user::text AS role, current_database()::text AS database,
    current_setting('server_version') AS version,
    current_setting('server_version_num')::int / 10000 AS major,
    current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS is_standby,
    ARRAY(SELECT name::text FROM pg_settings WHERE setting = 'off'
        AND name IN ('fsync', 'full_page_writes', 'synchronous_commit')
        ORDER BY name) AS switched_off,
    coalesce(inet_server_addr() <> '::1' AND NOT inet_server_addr() <<= '127.0.0.0/8', false)
        AS is_elsewhere,
    EXISTS (SELECT FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS is_encrypted,
    (SELECT system_identifier FROM pg_control_system()) AS cluster,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser
"""
SELECT_CLOCK = "SELECT clock_timestamp() AS now"
SELECT_OWNER = """
SELECT pg_get_userbyid(relowner)::text AS owner FROM pg_class
WHERE oid = to_regclass('schema_version')
"""


async def select_server(db: Queries) -> Record:
    """Return what the server says of itself and of this connection."""
    row = await db.fetchrow(SELECT_SERVER)
    assert row is not None
    return row


async def select_clock(db: Queries) -> datetime:
    """Return the time of the server's clock."""
    return await db.fetchval(SELECT_CLOCK)


async def select_owner(db: Queries) -> str:
    """Return the role that owns the tables, "" without a schema."""
    return await db.fetchval(SELECT_OWNER) or ""
