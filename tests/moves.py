"""Moves of merchants between the nodes of a cluster, played on one server."""

from hundi.infra.postgres.database import Database


async def move(db: Database, *tables: str) -> None:
    """Make tables anew with the same rows and names, as the move of a piece does."""
    async with db.transaction() as conn:
        for table in tables:
            await conn.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
            await conn.execute(f"CREATE TABLE {table} (LIKE {table}_before INCLUDING ALL)")
            await conn.execute(f"INSERT INTO {table} SELECT * FROM {table}_before")
            await conn.execute(f"DROP TABLE {table}_before CASCADE")
