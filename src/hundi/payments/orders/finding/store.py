"""All SQL that finds a payment by its references, for reading only.

Archived payments stay in the archive.
"""

from collections.abc import Collection
from itertools import groupby
from operator import itemgetter

from asyncpg import Record

from hundi.infra.postgres.database import Database, Queries
from hundi.payments.archive import store as archive
from hundi.payments.orders.rules import PaymentView
from hundi.payments.orders.store import (
    ATTEMPT,
    IN_ORDER,
    PAYMENT,
    SELECT_BY_PAYMENT,
    SHOWN,
    VIEW,
    view_of,
)

SELECT_BY_ORDER = VIEW + "WHERE p.merchant_id = $1 AND p.order_id = $2" + IN_ORDER
SELECT_BY_RRN = (
    VIEW
    + """WHERE p.merchant_id = $1
AND p.payment_id = (SELECT payment_id FROM attempts WHERE merchant_id = $1 AND rrn = $2
    AND rrn <> ''
                    ORDER BY created_at DESC LIMIT 1)"""
    + IN_ORDER
)
SELECT_ON_NODE = f"""
SELECT {PAYMENT.listed("(v.p)")},
    {ATTEMPT.listed("(v.a)")}
FROM payment_with_attempts($1, $2, $3) AS v
"""
"""By payment or by order on a cluster, where a node plans a join again at each call."""
_BY_ORDER = (PAYMENT.names.index("merchant_id"), PAYMENT.names.index("order_id"))
_BY_PAYMENT = (PAYMENT.names.index("merchant_id"), PAYMENT.names.index("payment_id"))
SELECT_ARCHIVED = SHOWN + archive.FROM_ARCHIVE + IN_ORDER

SELECT_NEWEST = """
SELECT payment_id, order_id, amount_paise, currency, state, method, created_at FROM payments
WHERE merchant_id = $1 AND ($2::text IS NULL OR state = $2) AND payment_id >= $3 AND payment_id < $4
ORDER BY payment_id DESC LIMIT $5
"""
"""Ids begin with the time, so a span of time is a span of the key."""

SELECT_VIEWS = (
    VIEW
    + """WHERE p.merchant_id = $1 AND p.payment_id = ANY ($2::bigint[])
ORDER BY p.payment_id DESC, a.created_at, a.attempt_id"""
)
SELECT_AMOUNTS = """
SELECT payment_id, order_id, amount_paise, currency FROM payments
WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])
"""


async def amounts_of(
    db: Queries, merchant_id: int, payment_ids: Collection[int]
) -> dict[int, Record]:
    """Return order ids and amounts by payment id; archived payments are left out."""
    return {
        row["payment_id"]: row
        for row in await db.fetch(SELECT_AMOUNTS, merchant_id, list(payment_ids))
    }


async def select_newest(
    db: Queries, merchant_id: int, state: str | None, span: tuple[int, int], limit: int
) -> list[Record]:
    """Return a merchant's payments between two ids, newest first, without the archive.

    state: only this state.
    """
    return await db.fetch(SELECT_NEWEST, merchant_id, state, *span, limit)


async def select_page(
    db: Queries, merchant_id: int, state: str | None, before: int, limit: int
) -> list[PaymentView]:
    """Return a merchant's payments before an id, newest first, without the archive.

    state: only this state.
    """
    newest = await select_newest(db, merchant_id, state, (0, before), limit)
    rows = await db.fetch(SELECT_VIEWS, merchant_id, [row["payment_id"] for row in newest])
    grouped = groupby(rows, key=itemgetter(_BY_PAYMENT[1]))
    return [view for _, group in grouped if (view := view_of(list(group)))]


async def select_by_references(
    db: Database, merchant_id: int, order_id: str | None, payment_id: int | None, rrn: str | None
) -> PaymentView | None:
    """Return the payment that every given reference agrees on, archived or not.

    One reference is looked up, the others are compared. Concurrent calls share a transaction.
    """
    if db.is_spread and (payment_id is not None or order_id is not None):
        rows = await db.shared.fetch(SELECT_ON_NODE, merchant_id, payment_id, order_id)
    elif payment_id is not None:
        rows = await db.shared.fetch(SELECT_BY_PAYMENT, merchant_id, payment_id, named=_BY_PAYMENT)
    elif order_id is not None:
        rows = await db.shared.fetch(SELECT_BY_ORDER, merchant_id, order_id, named=_BY_ORDER)
    else:
        rows = await db.fetch(SELECT_BY_RRN, merchant_id, rrn)
    view = view_of(rows) or await _archived(db, merchant_id, order_id, payment_id, rrn)
    if view is None:
        return None
    agrees = (order_id is None or view.payment.order_id == order_id) and (
        rrn is None or any(each.rrn == rrn for each in view.attempts)
    )
    return view if agrees else None


async def _archived(
    db: Queries, merchant_id: int, order_id: str | None, payment_id: int | None, rrn: str | None
) -> PaymentView | None:
    if payment_id is None and order_id is not None:
        payment_id = await archive.by_order(db, merchant_id, order_id)
    elif payment_id is None and rrn is not None:
        payment_id = await archive.by_rrn(db, merchant_id, rrn)
    if payment_id is None:
        return None
    # It may have left the archive between the first look and this one.
    return view_of(await db.fetch(SELECT_ARCHIVED, merchant_id, payment_id)) or view_of(
        await db.fetch(SELECT_BY_PAYMENT, merchant_id, payment_id)
    )
