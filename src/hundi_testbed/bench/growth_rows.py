"""Rows of plausible payments, made inside PostgreSQL: a shop's months in minutes.

Four of five are paid by UPI, with event, posting, notification and its try; the customer leaves the
fifth. Their books hold: `hundi audit` finds nothing.
"""

import asyncpg

MERCHANTS = 100
FIRST_MERCHANT = 10_000
CHUNK = 100_000
"""Payments of one transaction."""

ORDER_ID = "'g' || substr(md5({0}::text), 1, 14)"
"""The order id of payment number `{0}`: without any order, as many shops make them.

The worst case for an index.
"""

# Numbers begin at 0. Ids rise with time, as the gateway's do; a merchant's ids in one second
# differ.
_MADE = f"""
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT n, {FIRST_MERCHANT} + n % {MERCHANTS} AS merchant_id, at,
    extract(epoch FROM at - '2020-01-01Z'::timestamptz)::bigint * 1000000 + n % 1000000 AS id,
    {ORDER_ID.format("n")} AS order_id, 10000 + n % 400000 AS paise,
    n / {MERCHANTS} % 5 <> 0 AS paid, '6' || lpad(n::text, 11, '0') AS rrn,
    jsonb_build_object('email', 'asha.kumari' || n || '@example.in',
        'phone', '9' || lpad((n % 1000000000)::text, 9, '0'),
        'firstname', 'Asha', 'lastname', 'Kumari', 'address', '14 Mahatma Gandhi Road',
        'city', 'Pune', 'state', 'Maharashtra', 'country', 'India', 'pincode', '411001') AS buyer
FROM (SELECT n, date_trunc('milliseconds',
    $3::timestamptz + ($4::timestamptz - $3) * (n::float8 / $5)) AS at
    FROM generate_series($1::bigint, $2::bigint) AS n) AS numbered
"""

_PAYMENTS = """
INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency, kind,
    state, captured_paise, method, buyer, custom_var, channels, bank_code, bank_message, revision,
    created_at, expires_at, settled_at)
SELECT merchant_id, id, order_id, sha256(order_id::bytea), paise, 'INR', 'sale',
    CASE WHEN paid THEN 'paid' ELSE 'expired' END, CASE WHEN paid THEN paise ELSE 0 END,
    CASE WHEN paid THEN 'upi' ELSE '' END, buyer, 'basket-7', '{upi,pg}', CASE
        WHEN paid THEN '00' ELSE '' END,
    CASE WHEN paid THEN 'Approved' ELSE '' END, CASE WHEN paid THEN 2 ELSE 3 END, at,
    at + interval '15 minutes',
    CASE WHEN paid THEN at + interval '40 seconds' END
FROM made ORDER BY n
"""
_ATTEMPTS = """
INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
    received_paise, currency, connector, rrn, bank_code, bank_message, payer_vpa, created_at,
    expires_at, settled_at)
SELECT merchant_id, id, id, 'upi_qr', CASE WHEN paid THEN 'paid' ELSE 'expired' END, paise,
    CASE WHEN paid THEN paise ELSE 0 END, 'INR', 'sandbox', CASE WHEN paid THEN rrn ELSE '' END,
    CASE WHEN paid THEN '00' ELSE '' END, CASE WHEN paid THEN 'Approved' ELSE '' END,
    CASE WHEN paid THEN 'asha' || n || '@okbank' ELSE '' END, at, at + interval '8 minutes',
    at + CASE WHEN paid THEN interval '40 seconds' ELSE interval '10 minutes' END
FROM made ORDER BY n
"""
_EVENTS = """
INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor, attempt_id)
SELECT merchant_id, id, event_no, at + later, kind, state, actor, CASE WHEN event_no < 3 THEN id END
FROM made JOIN (VALUES
    (true, 1, interval '0', 'created', 'open', 'merchant'), (true, 2, '40 seconds', 'paid', 'paid',
    'bank'),
    (false, 1, '0', 'created', 'open', 'merchant'), (false, 2, '10 minutes', 'attempt_expired',
    'open', 'inquiry'),
    (false, 3, '15 minutes', 'expired', 'expired', 'clock')
) AS e (of_paid, event_no, later, kind, state, actor) ON of_paid = paid
ORDER BY n, event_no
"""
_DELIVERIES = """
INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at, due_at,
    tries, scheduled_from, delivered_at)
SELECT merchant_id, id, 2, 'paid', jsonb_build_object('merchant_id', merchant_id, 'payment_id', id,
    'order_id', order_id, 'state', 'paid', 'kind', 'sale', 'method', 'upi', 'amount_paise', paise,
    'currency', 'INR', 'buyer', buyer,
    'custom_var', 'basket-7', 'bank_code', '00', 'bank_message', 'Approved', 'created_at', at,
    'attempts', 1, 'rrn', rrn, 'payer_vpa', 'asha' || n || '@okbank', 'captured_paise', paise,
    'refunds', 0, 'refunded_paise', 0, 'paid_at', at + interval '40 seconds'),
    'delivered', at + interval '40 seconds', at + interval '70 seconds', 1,
    at + interval '40 seconds', at + interval '41 seconds'
FROM made WHERE paid ORDER BY n
"""
_TRIES = """
INSERT INTO delivery_attempts (merchant_id, payment_id, event_no, attempt_no, at, url, status,
    latency_ms, answer)
SELECT merchant_id, id, 2, 1, at + interval '41 seconds', 'https://shop.example.in/notifications',
    200, 12, 'ok'
FROM made WHERE paid ORDER BY n
"""
_POSTINGS = """
INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency, at)
SELECT merchant_id, id, 'payment', 'receivable:sandbox', 'payable', paise, 'INR',
    at + interval '40 seconds'
FROM made WHERE paid ORDER BY n
"""
_CALL_LOG = """
INSERT INTO refused_requests (merchant_id, reference, at, operation, code, words, address)
SELECT merchant_id, 'req_' || md5(n::text), at, 'verify', 'NO_RECORDS', 'no records', '203.0.113.7'
FROM made WHERE n % 20 = 0 ORDER BY n
"""
_ROWS = (_PAYMENTS, _ATTEMPTS, _EVENTS, _DELIVERIES, _TRIES, _POSTINGS, _CALL_LOG)

_SIZES = """
SELECT relname::text AS name, pg_total_relation_size(oid)::bigint AS bytes FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    AND pg_total_relation_size(oid) > 1000000 ORDER BY 2 DESC
"""


async def fill(
    conn: asyncpg.Connection, first: int, last: int, span: tuple[object, object, int]
) -> None:
    """Write the payments of these numbers.

    span: the first and last time, and the number of payments between.
    """
    async with conn.transaction():
        await conn.execute(_MADE, first, last, *span)
        for rows in _ROWS:
            await conn.execute(rows)


async def sizes(conn: asyncpg.Connection) -> dict[str, int]:
    """Return the bytes of each table with its indexes, the largest first.

    Small ones are left out.
    """
    return {row["name"]: row["bytes"] for row in await conn.fetch(_SIZES)}
