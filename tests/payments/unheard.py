"""A database whose answer to one commit does not arrive, or whose call is sent twice."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asyncpg import ConnectionDoesNotExistError, Record

from hundi.infra.postgres.batches import Batches
from hundi.infra.postgres.database import Connection, Database
from hundi.kernel.records import replace
from tests.shop import Shop

COMMIT = "COMMIT"
"""In place of a statement: the commit of a transaction of several."""


class Unheard:
    """A database that loses the answer to one statement, after its commit.

    again: it is not lost but sent again, and the second answer is the one that is heard.
    """

    def __init__(self, db: Database, query: str, *, again: bool) -> None:
        """Lose the first answer to this statement, or to COMMIT."""
        self._db = db
        self._query = query
        self._again = again
        self.shared = Batches(self, None)

    def __getattr__(self, name: str) -> object:
        """Return what the database has."""
        return getattr(self._db, name)

    async def fetch(self, query: str, *args: object) -> list[Record]:
        """Return the rows, unless they are lost."""
        rows = await self._db.fetch(query, *args)
        if query != self._query:
            return rows
        if self._again:
            return await self._db.fetch(query, *args)
        self._lose()
        return rows

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Commit, and perhaps lose the answer."""
        async with self._db.transaction() as conn:
            yield conn
        if self._query == COMMIT:
            self._lose()

    def _lose(self) -> None:
        self._query = ""
        message = "the connection was lost after the commit"
        raise ConnectionDoesNotExistError(message)


def not_hearing(shop: Shop, query: str, *, again: bool = False) -> Shop:
    """Return the shop as it is in the process that does not hear the answer."""
    db: Any = Unheard(shop.db, query, again=again)
    return replace(shop, context=replace(shop.context, db=db))
