"""The action of public names: choose one."""

from hundi.infra.postgres.database import Beside, Database
from hundi.status.acquirer_names import store


async def choose(db: Database, acquirer: str, public_name: str, beside: Beside) -> None:
    """Write the public name of an acquirer, "" for none, and what `beside` writes."""
    async with db.transaction() as conn:
        await store.put(conn, acquirer, public_name)
        await beside(conn, 0)
