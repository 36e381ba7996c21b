"""Erase what is kept of a customer in one transaction with its entry, and say before what goes."""

from hundi.infra.postgres.database import Beside, Database
from hundi.payments.customers.erasing import store
from hundi.payments.customers.erasing.rules import ErasableRows
from hundi.payments.customers.erasing.store import ErasureScope


async def erase(db: Database, scope: ErasureScope, beside: Beside) -> ErasableRows:
    """Erase the rows of a scope, and return how many there were.

    beside: writes the entry, in the same transaction; not where nothing was left, so an act that is
    repeated after a crash has one entry.
    """
    async with db.transaction() as conn:
        erased = await store.erase(conn, scope)
        if erased.in_all:
            await beside(conn, erased.in_all)
        return erased
