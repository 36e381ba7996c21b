"""All SQL about payment links and the orders that customers begin under them.

Orders are counted under the link's lock, so that two orders paid at once are counted one after the
other.
"""

from datetime import datetime

from hundi.infra.background.due_rows import Due, DueQuery
from hundi.infra.postgres.columns import Field, Table
from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.payments.links.items.rules import LinkItem
from hundi.payments.links.rules import Link, LinkOrder
from hundi.payments.orders.rules import Buyer

LINK = Table(
    Link,
    {
        "buyer": Field(lambda kept: Buyer(**kept)),
        "items": Field(lambda kept: tuple(LinkItem(**item) for item in kept)),
    },
)
ORDER = Table(LinkOrder, {})
_COUNTED = ORDER.only("payment_id", "counted_at", "counted_paise", "back_paise", "due_at")

STATE = """CASE WHEN paid_paise >= amount_paise THEN 'paid'
        WHEN cancelled_at IS NOT NULL THEN 'cancelled' WHEN expires_at <= {now} THEN 'expired'
        WHEN paid_paise > 0 THEN 'partly_paid' ELSE 'open' END"""
"""The state of a link at a moment, as `rules.state_of` has it."""
INSERT = f"""
INSERT INTO payment_links ({LINK.listed()}) VALUES ({LINK.numbered(1)})
    ON CONFLICT (merchant_id, reference) DO NOTHING
RETURNING link_id
"""
_ONE = f"SELECT {LINK.listed()} FROM payment_links"
SELECT_BY_ID = _ONE + " WHERE merchant_id = $1 AND link_id = $2"
SELECT_BY_CODE = _ONE + " WHERE merchant_id = $1 AND code = $2"
SELECT_BY_REFERENCE = _ONE + " WHERE merchant_id = $1 AND reference = $2"
SELECT_LIST = _ONE + " WHERE merchant_id = $1 AND link_id < $2 ORDER BY link_id DESC LIMIT $3"
LOCK = SELECT_BY_ID + " FOR UPDATE"
CANCEL = """
UPDATE payment_links SET cancelled_at = $3
WHERE merchant_id = $1 AND link_id = $2 AND cancelled_at IS NULL AND paid_paise < amount_paise
    RETURNING link_id
"""
ADD_PAID = (
    "UPDATE payment_links SET paid_paise = paid_paise + $3 WHERE merchant_id = $1 AND link_id = $2"
)
SELECT_NEXT_NO = """
SELECT coalesce(max(order_no), 0)::int + 1 FROM payment_link_orders WHERE merchant_id = $1
    AND link_id = $2
"""
COUNT_OPEN = """
SELECT count(*)::int FROM payment_link_orders
WHERE merchant_id = $1 AND link_id = $2 AND counted_at IS NULL AND created_at > $3
"""
INSERT_ORDER = f"INSERT INTO payment_link_orders ({ORDER.listed()}) VALUES ({ORDER.numbered(1)})"
_ORDERS = f"SELECT {ORDER.listed()} FROM payment_link_orders"
SELECT_ORDERS = _ORDERS + " WHERE merchant_id = $1 AND link_id = $2 ORDER BY order_no"
SELECT_PAID = (
    _ORDERS
    + """ o WHERE merchant_id = $1 AND link_id = $2 AND counted_at IS NULL AND EXISTS (
    SELECT FROM payments p WHERE p.merchant_id = $1
        AND p.order_id = 'link-' || o.link_id || '-' || o.order_no
        AND p.state IN ('paid', 'captured'))
ORDER BY order_no"""
)
"""Finds the few paid orders among hundreds of unpaid ones at once.

A link's page is viewed often.
"""
SELECT_DUE_OF = (
    _ORDERS + " WHERE merchant_id = $1 AND link_id = $2 AND due_at <= $3 ORDER BY order_no"
)
LOCK_ORDER = _ORDERS + " WHERE merchant_id = $1 AND link_id = $2 AND order_no = $3 FOR UPDATE"
COUNT = f"""
UPDATE payment_link_orders SET {_COUNTED.assigned(4)} WHERE merchant_id = $1 AND link_id = $2
    AND order_no = $3
"""
PUT_OFF = """
UPDATE payment_link_orders SET due_at = $4
WHERE merchant_id = $1 AND link_id = $2 AND order_no = $3 AND counted_at IS NULL
"""
TRIED = """
UPDATE payment_link_orders SET tries = $5, due_at = $6
WHERE merchant_id = $1 AND link_id = $2 AND order_no = $3 AND tries = $4
"""
SELECT_DUE = """
SELECT merchant_id, link_id, '' AS peer, due_at FROM payment_link_orders WHERE due_at <= $1
    ORDER BY due_at LIMIT $2
"""
"""Across merchants: the links with an order to look at now."""


async def insert(db: Queries, link: Link) -> bool:
    """Write a new link; False when its reference is taken.

    Raises UniqueViolationError when its id is.
    """
    return await db.fetchval(INSERT, *LINK.values(link)) is not None


async def select(db: Queries, merchant_id: int, link_id: int) -> Link | None:
    """Return one link by its id."""
    row = await db.fetchrow(SELECT_BY_ID, merchant_id, link_id)
    return LINK.read(row) if row else None


async def by_code(db: Queries, merchant_id: int, code: str) -> Link | None:
    """Return one link by the code of its address."""
    row = await db.fetchrow(SELECT_BY_CODE, merchant_id, code)
    return LINK.read(row) if row else None


async def by_reference(db: Queries, merchant_id: int, reference: str) -> Link | None:
    """Return one link by its merchant's own name of it."""
    row = await db.fetchrow(SELECT_BY_REFERENCE, merchant_id, reference)
    return LINK.read(row) if row else None


async def select_list(db: Queries, merchant_id: int, before: int, limit: int) -> list[Link]:
    """Return a merchant's links, newest first, from one on."""
    return [LINK.read(row) for row in await db.fetch(SELECT_LIST, merchant_id, before, limit)]


async def lock(conn: Connection, merchant_id: int, link_id: int) -> Link | None:
    """Return one link, locked until the caller's transaction ends."""
    row = await conn.fetchrow(LOCK, merchant_id, link_id)
    return LINK.read(row) if row else None


async def cancel(db: Queries, merchant_id: int, link_id: int, now: datetime) -> bool:
    """Cancel a link that is neither paid nor cancelled; return whether it was."""
    return await db.fetchval(CANCEL, merchant_id, link_id, now) is not None


async def add_paid(conn: Connection, link: Link, paise: int) -> None:
    """Add to a link's sum; the caller holds its lock."""
    await conn.execute(ADD_PAID, link.merchant_id, link.link_id, paise)


async def next_no(conn: Connection, link: Link) -> int:
    """Return the number of a link's next order; the caller holds its lock."""
    return await conn.fetchval(SELECT_NEXT_NO, link.merchant_id, link.link_id) or 1


async def count_open(conn: Connection, link: Link, since: datetime) -> int:
    """Return how many unpaid orders of a link began since a time.

    The caller holds its lock.
    """
    return await conn.fetchval(COUNT_OPEN, link.merchant_id, link.link_id, since) or 0


async def insert_order(conn: Connection, order: LinkOrder) -> None:
    """Write an order before its payment is opened; the caller holds its link's lock."""
    await conn.execute(INSERT_ORDER, *ORDER.values(order))


async def orders(db: Queries, merchant_id: int, link_id: int) -> list[LinkOrder]:
    """Return the orders of a link, oldest first."""
    return [ORDER.read(row) for row in await db.fetch(SELECT_ORDERS, merchant_id, link_id)]


async def paid_orders(db: Queries, merchant_id: int, link_id: int) -> list[LinkOrder]:
    """Return the orders of a link that are paid and not counted."""
    return [ORDER.read(row) for row in await db.fetch(SELECT_PAID, merchant_id, link_id)]


async def due_orders(db: Queries, merchant_id: int, link_id: int, now: datetime) -> list[LinkOrder]:
    """Return the orders of a link to look at now."""
    return [ORDER.read(row) for row in await db.fetch(SELECT_DUE_OF, merchant_id, link_id, now)]


async def lock_order(conn: Connection, order: LinkOrder) -> LinkOrder:
    """Return an order as it is now, locked; the caller holds its link's lock."""
    row = await conn.fetchrow(LOCK_ORDER, order.merchant_id, order.link_id, order.order_no)
    assert row is not None, "an order under a link is never deleted"
    return ORDER.read(row)


async def count(conn: Connection, after: LinkOrder) -> None:
    """Write how an order was counted; the caller holds its link's lock and its own."""
    key = after.merchant_id, after.link_id, after.order_no
    await conn.execute(COUNT, *key, *_COUNTED.values(after))


async def put_off(db: Queries, order: LinkOrder, due_at: datetime | None) -> None:
    """Delay the next look at an uncounted order."""
    await db.execute(PUT_OFF, order.merchant_id, order.link_id, order.order_no, due_at)


async def write_tries(db: Queries, order: LinkOrder, tries: int, due_at: datetime | None) -> None:
    """Write the refund tries of a surplus, unless somebody else has done so since."""
    await db.execute(
        TRIED, order.merchant_id, order.link_id, order.order_no, order.tries, tries, due_at
    )


async def due(db: Database, query: DueQuery) -> list[Due]:
    """Return the links with an order to look at now."""
    rows = await look(db, SELECT_DUE, query.until, query.limit)
    return list(dict.fromkeys(Due(*row) for row in rows))
