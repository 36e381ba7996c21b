"""All SQL about the public names of acquirers."""

from hundi.infra.postgres.database import Connection, Queries

SELECT_ALL = "SELECT acquirer, public_name FROM status_names ORDER BY acquirer"
PUT = """
INSERT INTO status_names (acquirer, public_name) VALUES ($1, $2)
ON CONFLICT (acquirer) DO UPDATE SET public_name = excluded.public_name
"""


async def select_all(db: Queries) -> dict[str, str]:
    """Return the public names that an operator chose, by the acquirer's own name."""
    return {row["acquirer"]: row["public_name"] for row in await db.fetch(SELECT_ALL)}


async def put(conn: Connection, acquirer: str, public_name: str) -> None:
    """Write the public name of an acquirer; "" for none."""
    await conn.execute(PUT, acquirer, public_name)
