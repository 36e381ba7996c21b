"""The server's counter of transactions, which must be beyond every transaction in the books.

Rows of the books carry the transaction that wrote them, and are sealed in that order. A server into
which the books were copied as SQL counts from its own beginning (decision 74).
"""

from collections.abc import Callable
from typing import NamedTuple

from hundi.infra.errors import OperatorError
from hundi.infra.postgres import citus
from hundi.infra.postgres.database import Queries, Rows
from hundi.infra.postgres.looks import NodeLostError

AT_ONCE = 50_000
"""Transactions of one statement that advances the counter: about a second."""
ADVANCE_MAX = 1_000_000_000
"""More would take hours, and force PostgreSQL to freeze every table meanwhile."""
_EPOCH = 1 << 32

# The newest row of each merchant, by the end of an index. Archived rows are older than those.
NEWEST = """
SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next, (
    SELECT max(rows.xact::text::numeric)::text FROM merchants m CROSS JOIN LATERAL (
        (SELECT xact FROM payment_events e WHERE e.merchant_id = m.merchant_id
            ORDER BY xact DESC LIMIT 1)
        UNION ALL (SELECT xact FROM ledger_postings p WHERE p.merchant_id = m.merchant_id
            ORDER BY xact DESC LIMIT 1)
        UNION ALL (SELECT xact FROM settlements s WHERE s.merchant_id = m.merchant_id
            ORDER BY settlement_no DESC LIMIT 1)
    ) AS rows
) AS newest
"""
# Nothing is written: a transaction that asks for its number has used it.
ADVANCE = f"""
DO $$ BEGIN
    FOR turn IN 1..{AT_ONCE} LOOP
        PERFORM pg_current_xact_id();
        COMMIT;
    END LOOP;
END $$
"""


class TransactionCounter(NamedTuple):
    """The next transaction of a server, and the newest one in the books; 0 for empty books."""

    next: int
    newest: int

    @property
    def behind(self) -> int:
        """Return how many transactions the server is behind the books; 0 as it should be."""
        return max(self.newest - self.next + 1, 0) if self.newest else 0

    @property
    def remedy(self) -> str:
        """Return what brings it beyond the books."""
        if self.behind <= ADVANCE_MAX:
            return "run `hundi database advance` (docs/database.md#counter)"
        epoch = self.newest // _EPOCH + 1
        return (
            f"stop the server and run `pg_resetwal --epoch={epoch}` on its data directory"
            " (docs/database.md#counter)"
        )


NOTHING_COMPARED = TransactionCounter(0, 0)


async def read_counter(db: Rows) -> TransactionCounter:
    """Return the counter of a server with the books' tables.

    On a Citus cluster each node counts, and a merchant may move between them (decision 65): nothing
    is compared.
    """
    if (await db.fetch(citus.IS_THERE))[0][0]:
        return NOTHING_COMPARED
    try:
        (row,) = await db.fetch(NEWEST)
    except NodeLostError:
        # Only a cluster has a node that can be lost.
        return NOTHING_COMPARED
    return TransactionCounter(int(row["next"]), int(row["newest"] or 0))


async def check_counter(db: Rows) -> None:
    """Raise OperatorError, in one sentence, if the server's counter is behind the books."""
    counter = await read_counter(db)
    if counter.behind:
        message = (
            f"this server's next transaction is {counter.next}, and the books have"
            f" {counter.newest}: they were copied here from another server, and what is written"
            f" now would count as older than what is sealed; {counter.remedy}"
        )
        raise OperatorError(message)


async def advance(db: Queries, progress: Callable[[int, int], None]) -> TransactionCounter:
    """Bring the counter beyond the books, and return it. Others may use the server meanwhile.

    No transaction may be open on the connection.

    progress: is given the transactions done, and those in total. Raises OperatorError if they are
    too many to be used up one by one.
    """
    counter = await read_counter(db)
    total = counter.behind
    if total > ADVANCE_MAX:
        message = f"the server's counter is {total:,} transactions behind: {counter.remedy}"
        raise OperatorError(message)
    while counter.behind:
        await db.execute(ADVANCE)
        counter = await read_counter(db)
        progress(total - counter.behind, total)
    return counter
