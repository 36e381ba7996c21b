"""What tests do to databases that others are connected to."""

import asyncio
import time

import asyncpg

END_CLIENTS = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
"""Without the vacuum that PostgreSQL runs by itself, as a superuser.

A database's owner may not end it.
"""


async def drop_database(connection: asyncpg.Connection, name: str, within_s: float = 60.0) -> None:
    """Drop a database, whoever may still be connected to it.

    A vacuum, or Citus' daemon, is waited for.
    """
    give_up = time.monotonic() + within_s
    while True:
        try:
            await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        except (asyncpg.InsufficientPrivilegeError, asyncpg.ObjectInUseError):
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.1)
        else:
            return
