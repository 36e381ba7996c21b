"""Follows the changes of a merchant's payments, apart from the writing of payments."""

from collections.abc import Awaitable, Callable

from hundi.infra.postgres.database import Connection, Database
from hundi.payments.orders.changes import store
from hundi.payments.orders.changes.rules import ChangeFollower

CHUNK = 2_000
"""Events that one transaction follows; so many archived payments, too, are indexed by one."""
Following = Callable[[Connection, list[int]], Awaitable[object]]
"""Takes over some payments that changed, in a transaction of its own."""
Ending = Callable[[Connection], Awaitable[object]]


async def follow(
    db: Database,
    follower: ChangeFollower,
    merchant_id: int,
    following: Following,
    ending: Ending | None = None,
) -> int:
    """Follow what changed for one merchant, a chunk a transaction, and return how many payments.

    It may run anywhere, several times at once, and may be killed. ending: in the last transaction.
    """
    read, reached, is_all = 0, None, False
    while not is_all:
        async with db.transaction_of(merchant_id) as conn:
            mark = await store.lock_mark(conn, follower, merchant_id)
            # A foreign mark is not replaced until all is read: only this run remembers how far it
            # is.
            after = (reached or ("0", -1)) if mark.is_foreign else (mark.upto_xact, mark.upto_id)
            before = None if mark.is_foreign else mark.horizon
            rows, is_all = await store.changed(conn, merchant_id, after, before, CHUNK)
            await following(conn, [payment_id for _, payment_id in rows])
            reached = rows[-1] if rows else after
            whose = conn, follower, merchant_id
            if is_all:
                if ending is not None:
                    await ending(conn)
                await store.move_mark(*whose, (mark.horizon, -1), mark.in_cluster)
            elif not mark.is_foreign:
                await store.move_mark(*whose, reached, mark.in_cluster)
            read += len(rows)
    return read
