"""The console's search over a million payments of one merchant: its index and its answers."""

import asyncio
import resource
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import asyncpg

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.migrate import migrate
from hundi.infra.secrets.vault import Vault
from hundi.payments.search import actions
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.progress import Step

DATABASE = "search"
MERCHANT = 10_000
CHUNK = 100_000
BEGAN = datetime(2026, 8, 1, tzinfo=UTC)
SPACING = timedelta(seconds=5)
"""The time between two payments: a million of them take two months."""
ASKED = 40
"""Searches of each kind, each for another payment."""
POOL = 4
_MS = 1_000
_MEGABYTE = 1_000_000

_MERCHANT = """
INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
VALUES ($1, 'live', 'Asha', '', '{}', $2, $2)
"""
# Every second payment is by card; one in ten customers pays again and again.
_MADE = """
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT n, at, extract(epoch
    FROM at - '2020-01-01Z'::timestamptz)::bigint * 1000000 + n % 1000000 AS id,
    10000 + n * 7919 % 4000000 AS paise, n % 2 = 0 AS by_card,
    CASE WHEN n % 10 = 0 THEN n % 1000 ELSE n END AS customer, '6' || lpad(n::text, 11, '0') AS rrn
FROM (SELECT n, $3::timestamptz + n * $4::interval AS at FROM generate_series($1::bigint,
    $2::bigint) AS n) AS numbered
"""
_ROWS = (
    f"""
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency,
        kind, state, captured_paise, method, buyer, revision, created_at, expires_at)
    SELECT {MERCHANT}, id, 'order-' || n, sha256(''), paise, 'INR', 'sale', 'paid', paise,
        CASE WHEN by_card THEN 'pg' ELSE 'upi' END, jsonb_build_object('email',
            'asha' || customer || '@example.in', 'phone', '9' || lpad(customer::text, 9, '0')), 2,
            at, at FROM made
    """,
    f"""
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
        received_paise, currency, connector, created_at, expires_at, settled_at, rrn, payer_vpa,
    card)
    SELECT {MERCHANT}, id, id, CASE WHEN by_card THEN 'card' ELSE 'upi_qr' END, 'paid', paise,
        paise, 'INR', 'sandbox', at, at, at, rrn, CASE
        WHEN by_card THEN '' ELSE 'asha' || customer || '@okbank' END,
        CASE WHEN by_card THEN jsonb_build_object('last4', lpad((customer % 10000)::text, 4,
            '0')) ELSE '{{}}' END
    FROM made
    """,
    f"""
    INSERT INTO payment_events (merchant_id, payment_id, event_no, at, kind, state, actor)
    SELECT {MERCHANT}, id, e.event_no, at, e.kind, e.state, 'bank'
    FROM made CROSS JOIN (VALUES (1, 'created', 'open'), (2, 'paid', 'paid')) AS e (event_no, kind,
    state)
    """,
)
_SAMPLE = """
SELECT p.payment_id::text AS gateway_id, p.order_id, a.rrn, a.payer_vpa AS upi_address,
    a.card ->> 'last4' AS ending, p.buyer ->> 'phone' AS phone, p.buyer ->> 'email' AS email,
    (p.amount_paise * 0.01)::numeric(20, 2)::text AS amount
FROM payments p JOIN attempts a ON a.merchant_id = $1 AND a.attempt_id = p.payment_id
WHERE p.merchant_id = $1 AND p.order_id = ANY ($2::text[])
"""
_INDEX_BYTES = "SELECT pg_total_relation_size('search_keys')::bigint"


class SearchMissError(Exception):
    """A search did not find an existing payment."""


@dataclass(frozen=True, slots=True)
class _Index:
    seconds: float
    cpu_s: float
    bytes_per_payment: float


async def measure(folder: Path, payments: int, step: Step) -> dict[str, list[Run]]:
    """Return the time of indexing so many payments, and of an answer.

    Raises SearchMissError.
    """
    with embedded_postgres.start(folder / "search", databases=[DATABASE]) as server:
        url = server.url(DATABASE)
        await migrate(url)
        step(f"search: filling in {payments:,} payments")
        await _fill(url, payments)
        vault = Vault({"bench": bytes(32)})
        async with await open_database(url, pool_size=POOL) as db:
            step("search: indexing")
            index = await _build(db, vault, payments)
            step("search: searching")
            times = await _ask(db, vault, payments)
    figures = {
        "search_index_s": index.seconds,
        "search_index_cpu": index.cpu_s,
        "search_index_bytes": index.bytes_per_payment,
    }
    return {"search": [Run(figures | times)]}


async def _fill(url: str, payments: int) -> None:
    conn = await asyncpg.connect(url)
    try:
        await conn.execute(_MERCHANT, MERCHANT, BEGAN)
        for first in range(0, payments, CHUNK):
            async with conn.transaction():
                await conn.execute(_MADE, first, min(first + CHUNK, payments) - 1, BEGAN, SPACING)
                for rows in _ROWS:
                    await conn.execute(rows)
        await conn.execute("VACUUM (ANALYZE)")
    finally:
        await conn.close()


async def _build(db: Database, vault: Vault, payments: int) -> _Index:
    began, cpu_s = time.monotonic(), _cpu_s()
    read = await actions.follow(db, vault)
    if read < payments:
        message = f"{read} of {payments} payments were indexed"
        raise SearchMissError(message)
    seconds, used_s = time.monotonic() - began, _cpu_s() - cpu_s
    await db.execute("VACUUM (ANALYZE) search_keys")
    return _Index(seconds, used_s, await db.fetchval(_INDEX_BYTES) / payments)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def _ask(db: Database, vault: Vault, payments: int) -> dict[str, float]:
    """Search for payments of all ages by each name; return median and maximum by kind."""
    orders = [f"order-{number * payments // ASKED}" for number in range(ASKED)]
    orders += [f"order-{number * payments // ASKED + 1}" for number in range(ASKED)]
    sample = await db.fetch(_SAMPLE, MERCHANT, orders)
    now = BEGAN + payments * SPACING
    took: dict[str, list[float]] = {}
    for row in sample:
        for kind, text in row.items():
            if not text:
                continue
            began = time.perf_counter()
            hits = await actions.search(db, vault, MERCHANT, text, now)
            took.setdefault(kind, []).append((time.perf_counter() - began) * _MS)
            if not hits.payments or (
                not hits.more and row["order_id"] not in {f["order_id"] for f in hits.payments}
            ):
                message = f"{kind} {text} does not lead to {row['order_id']}"
                raise SearchMissError(message)
        await asyncio.sleep(0)
    middles = {kind: median(each) for kind, each in took.items()}
    return {
        "search_ms": median(each for times in took.values() for each in times),
        "search_slowest_kind_ms": max(middles.values()),
        "search_worst_ms": max(each for times in took.values() for each in times),
    }
