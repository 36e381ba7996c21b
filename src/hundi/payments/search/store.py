"""All SQL of the search: keys that a worker writes, and looks at the payments' own tables."""

from collections.abc import Sequence

from asyncpg import Record

from hundi.infra.postgres.database import Connection, Database, Queries
from hundi.infra.postgres.looks import look
from hundi.payments.search.rules import Meanings, PaymentTraces, SearchKeyKind

SELECT_BEHIND = """
SELECT m.merchant_id FROM merchants m LEFT JOIN search_marks k ON k.merchant_id = m.merchant_id
WHERE k.archived_upto IS NOT NULL OR NOT is_home(k.cluster, k.tableoid) OR EXISTS (
    SELECT FROM payment_events e WHERE e.merchant_id = m.merchant_id
        AND e.xact >= coalesce(k.upto_xact, '0'))
ORDER BY m.merchant_id
"""
"""One step through an index for each merchant: those with something new."""
SELECT_ARCHIVED_UPTO = "SELECT archived_upto FROM search_marks WHERE merchant_id = $1"
MOVE_ARCHIVED = "UPDATE search_marks SET archived_upto = $2 WHERE merchant_id = $1"

SELECT_KNOWN = """
SELECT p.payment_id, p.amount_paise, coalesce(p.buyer ->> 'phone', '') AS phone,
    coalesce(p.buyer ->> 'email', '') AS email,
    coalesce(p.buyer ->> 'customer', '') AS customer,
    ARRAY(SELECT payer_vpa FROM attempts t WHERE t.merchant_id = $1 AND t.payment_id = p.payment_id
        AND payer_vpa <> '') AS upi_addresses,
    ARRAY(SELECT card ->> 'last4' FROM attempts t WHERE t.merchant_id = $1
        AND t.payment_id = p.payment_id
        AND card ->> 'last4' <> '') AS card_endings,
    ARRAY(SELECT rrn FROM refunds t WHERE t.merchant_id = $1 AND t.payment_id = p.payment_id
        AND rrn <> '') AS refund_rrns,
    ARRAY(SELECT request_id FROM refunds t WHERE t.merchant_id = $1 AND t.payment_id = p.payment_id
        AND request_id <> '') AS refund_requests
FROM payments p WHERE p.merchant_id = $1 AND p.payment_id = ANY ($2::bigint[])
"""
SELECT_ARCHIVED = """
SELECT payment_id, (contents #>> '{payments,0,amount_paise}')::bigint AS amount_paise,
    coalesce(contents #>> '{payments,0,buyer,phone}', '') AS phone,
    coalesce(contents #>> '{payments,0,buyer,email}', '') AS email,
    coalesce(contents #>> '{payments,0,buyer,customer}', '') AS customer,
    ARRAY(SELECT t ->> 'payer_vpa' FROM jsonb_array_elements(contents -> 'attempts') AS t
        WHERE t ->> 'payer_vpa' <> '') AS upi_addresses,
    ARRAY(SELECT t #>> '{card,last4}' FROM jsonb_array_elements(contents -> 'attempts') AS t
        WHERE t #>> '{card,last4}' <> '') AS card_endings,
    '{}'::text[] AS refund_rrns, '{}'::text[] AS refund_requests
FROM archived_payments WHERE merchant_id = $1 AND payment_id > $2 ORDER BY payment_id LIMIT $3
"""
"""A refunded payment is never archived, so it has no refunds."""
INSERT_KEYS = """
INSERT INTO search_keys (merchant_id, kind, key, payment_id)
SELECT $1, kind, key, payment_id FROM unnest($2::smallint[], $3::bigint[],
    $4::bigint[]) AS new (kind, key, payment_id)
ON CONFLICT DO NOTHING
"""

# --- looks ---

SELECT_BY_KEY = """
SELECT payment_id FROM search_keys WHERE merchant_id = $1 AND kind = $2 AND key = $3
ORDER BY payment_id DESC LIMIT $4
"""
SELECT_BY_REFERENCE = """
SELECT payment_id FROM payments WHERE merchant_id = $1 AND order_id = $2
UNION SELECT payment_id FROM archived_orders WHERE merchant_id = $1 AND order_id = $2
UNION (SELECT payment_id FROM attempts WHERE merchant_id = $1 AND rrn = $2 AND rrn <> '' LIMIT $3)
UNION (SELECT payment_id FROM archived_payments WHERE rrns @> ARRAY[$2::text] AND merchant_id = $1
    LIMIT $3)
"""
SELECT_BY_ID = """
SELECT payment_id FROM payments WHERE merchant_id = $1 AND payment_id = $2
UNION SELECT payment_id FROM attempts WHERE merchant_id = $1 AND attempt_id = $2
UNION SELECT payment_id FROM refunds WHERE merchant_id = $1 AND refund_id = $2
UNION SELECT payment_id FROM dispute_stages WHERE merchant_id = $1 AND stage_id = $2
UNION SELECT payment_id FROM archived_payments WHERE merchant_id = $1 AND payment_id = $2
UNION (SELECT payment_id FROM archived_payments
    WHERE attempt_ids @> ARRAY[$2::bigint] AND merchant_id = $1
        AND payment_id <= $2::bigint + 60000000)
"""
SELECT_NEWEST_LIKE = """
SELECT payment_id FROM (
    SELECT payment_id, amount_paise, buyer FROM payments
    WHERE merchant_id = $1 AND payment_id >= $2 ORDER BY payment_id DESC LIMIT $3
) AS newest
WHERE amount_paise = $4 OR lower(buyer ->> 'email') = $5
    OR right(regexp_replace(buyer ->> 'phone', '[^0-9]', '', 'g'), 10) = $6
    OR trim(buyer ->> 'customer') = $8
UNION SELECT payment_id FROM (
    SELECT payment_id, payer_vpa, card FROM attempts
    WHERE merchant_id = $1 AND attempt_id >= $2 ORDER BY attempt_id DESC LIMIT $3
) AS tried
WHERE (payer_vpa <> '' AND lower(payer_vpa) = $5) OR card ->> 'last4' = $7
"""
"""Payments of the last seconds, which no worker has read yet.

A span of time is a span of both keys.
"""
_SHOWN = "payment_id, order_id, amount_paise, currency, state, method, created_at"
SELECT_SHOWN = f"""
SELECT {_SHOWN}, false AS is_archived FROM payments WHERE merchant_id = $1
    AND payment_id = ANY ($2::bigint[])
UNION ALL
SELECT payment_id, order_id, (p ->> 'amount_paise')::bigint, p ->> 'currency',
    (p ->> 'state')::payment_state, p ->> 'method', (p ->> 'created_at')::timestamptz, true
FROM (SELECT payment_id, order_id, contents -> 'payments' -> 0 AS p FROM archived_payments
    WHERE merchant_id = $1 AND payment_id = ANY ($2::bigint[])) AS archived
ORDER BY payment_id DESC
"""
SELECT_PAYOUTS = """
SELECT p.payout_id, h.settlement_id, p.beneficiary, p.amount_paise, p.state,
    coalesce(nullif(p.late_utr, ''), p.utr) AS utr, p.created_at
FROM payouts p JOIN settlement_shares h ON h.merchant_id = $1 AND h.share_id = p.share_id
WHERE p.merchant_id = $1 AND ($2 <> '' AND $2 IN (p.utr, p.late_utr) OR p.payout_id = $3
    OR h.settlement_id = $3)
ORDER BY p.payout_id DESC LIMIT $4
"""


async def behind(db: Database) -> list[int]:
    """Return the merchants with new events, or not indexed to the end yet."""
    return [row["merchant_id"] for row in await look(db, SELECT_BEHIND)]


async def archived_upto(conn: Connection, merchant_id: int) -> int | None:
    """Return how far the archive was read; None for all of it."""
    return await conn.fetchval(SELECT_ARCHIVED_UPTO, merchant_id)


async def move_archived(conn: Connection, merchant_id: int, upto: int | None) -> None:
    """Store how far the archive was read; None for all of it."""
    await conn.execute(MOVE_ARCHIVED, merchant_id, upto)


async def known_of(
    conn: Connection, merchant_id: int, payment_ids: Sequence[int]
) -> list[PaymentTraces]:
    """Return the traces of payments; archived ones are left out."""
    return [_known(row) for row in await conn.fetch(SELECT_KNOWN, merchant_id, list(payment_ids))]


async def archived_after(
    conn: Connection, merchant_id: int, payment_id: int, limit: int
) -> list[PaymentTraces]:
    """Return the traces of the next archived payments."""
    return [
        _known(row) for row in await conn.fetch(SELECT_ARCHIVED, merchant_id, payment_id, limit)
    ]


def _known(row: Record) -> PaymentTraces:
    return PaymentTraces(
        row["payment_id"],
        row["amount_paise"],
        row["phone"],
        row["email"],
        tuple(row["upi_addresses"]),
        tuple(row["card_endings"]),
        tuple(row["refund_rrns"]),
        tuple(row["refund_requests"]),
        row["customer"],
    )


async def insert_keys(
    conn: Connection, merchant_id: int, keys: Sequence[tuple[int, int, int]]
) -> None:
    """Add keys, each with its kind and payment; existing ones stay."""
    if keys:
        await conn.execute(INSERT_KEYS, merchant_id, *map(list, zip(*keys, strict=True)))


async def by_key(db: Queries, merchant_id: int, kind: int, key: int, limit: int) -> set[int]:
    """Return the newest payments under a key."""
    return {row[0] for row in await db.fetch(SELECT_BY_KEY, merchant_id, kind, key, limit)}


async def by_reference(db: Queries, merchant_id: int, text: str, limit: int) -> set[int]:
    """Return the payments with an order id, RRN or UTR."""
    return {row[0] for row in await db.fetch(SELECT_BY_REFERENCE, merchant_id, text, limit)}


async def by_id(db: Queries, merchant_id: int, gateway_id: int) -> set[int]:
    """Return the payment with one of our ids: its own, or an attempt's, refund's or dispute's."""
    return {row[0] for row in await db.fetch(SELECT_BY_ID, merchant_id, gateway_id)}


async def newest_like(
    db: Queries, merchant_id: int, since: int, limit: int, meanings: Meanings
) -> set[int]:
    """Return payments from an id on by what a text may mean, but its refunds."""
    paise, ending = (
        meanings.keys.get(SearchKeyKind.AMOUNT),
        meanings.keys.get(SearchKeyKind.CARD_ENDING),
    )
    rows = await db.fetch(
        SELECT_NEWEST_LIKE,
        merchant_id,
        since,
        limit,
        paise if isinstance(paise, int) else None,
        meanings.text_of(SearchKeyKind.EMAIL),
        meanings.text_of(SearchKeyKind.PHONE),
        f"{ending:04}" if isinstance(ending, int) else None,
        meanings.text_of(SearchKeyKind.CUSTOMER),
    )
    return {row[0] for row in rows}


async def shown(db: Queries, merchant_id: int, payment_ids: Sequence[int]) -> list[Record]:
    """Return payments as lists show them, newest first, archived or not."""
    return await db.fetch(SELECT_SHOWN, merchant_id, list(payment_ids))


async def payouts(
    db: Queries, merchant_id: int, utr: str, gateway_id: int | None, limit: int
) -> list[Record]:
    """Return the payouts with a UTR, or with our id of them or of their settlement."""
    return await db.fetch(SELECT_PAYOUTS, merchant_id, utr, gateway_id, limit)
