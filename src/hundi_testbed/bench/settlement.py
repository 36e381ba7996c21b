"""Settling a day: many payments of many merchants, by one process on a server of its own.

`python -m hundi_testbed.bench.settlement --url ADDRESS` is that process: it settles and prints
seconds and memory.
"""

import argparse
import asyncio
import json
import resource
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.database import open_database
from hundi.infra.postgres.migrate import migrate
from hundi.money.audit.settlements.store import CHECKS
from hundi.money.settlements import actions
from hundi_testbed.bench import processes
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.progress import Step

DATABASE = "settlement"
MERCHANTS = 1_000
FIRST_MERCHANT = 20_000
CHUNK = 100_000
"""Payments of one transaction while filling."""
PAID_AT = datetime(2026, 11, 16, 4, tzinfo=UTC)
SETTLED_AT = PAID_AT + timedelta(days=1)
"""A Tuesday, on which all payments of Monday are due."""
POOL = 4
_KIBIBYTE = 1024
_MEGABYTE = 1_000_000
_LOOK_S = 0.5

_PLAN = {
    "aggregator": True,
    "turnover": "small",
    "rules": [
        {"name": "cards", "channels": ["pg"], "not_card_types": ["debit"], "basis_points": 200}
    ],
    "otherwise": {"basis_points": 150},
}
_MERCHANTS = """
INSERT INTO merchants (merchant_id, mode, name, sealed_keys, settings, created_at, changed_at)
SELECT n, 'live', 'Asha', '', '{}', $3, $3 FROM generate_series($1::bigint, $2::bigint) AS n
"""
_PLANS = """
INSERT INTO fee_plans (merchant_id, plan_no, first_day, document, published_by, published_at)
SELECT n, 1, '2026-01-01', $3::text::jsonb, 'bench', now() FROM generate_series($1::bigint,
    $2::bigint) AS n
"""
# Every second payment is by card; ids rise with time, and a merchant's ids differ.
_MADE = f"""
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT {FIRST_MERCHANT} + n % {MERCHANTS} AS merchant_id, 217000000000000 + n AS id,
    10000 + n * 7919 % 4000000 AS paise, n / {MERCHANTS} % 2 = 0 AS by_card,
    $3::timestamptz + n % 36000 * interval '1 second' AS at
FROM generate_series($1::bigint, $2::bigint) AS n
"""
_ROWS = (
    """
    INSERT INTO payments (merchant_id, payment_id, order_id, content_hash, amount_paise, currency,
        kind, state, captured_paise, buyer, revision, created_at, expires_at)
    SELECT merchant_id, id, 'o' || id, sha256(''), paise, 'INR', 'sale', 'paid', paise, '{}', 2, at,
    at FROM made
    """,
    """
    INSERT INTO attempts (merchant_id, attempt_id, payment_id, method, state, amount_paise,
        received_paise, currency, connector, created_at, expires_at, settled_at, rrn, card)
    SELECT merchant_id, id, id, CASE WHEN by_card THEN 'card' ELSE 'upi_qr' END, 'paid', paise,
        paise, 'INR', 'sandbox', at, at, at, id::text,
        CASE WHEN by_card THEN '{"scheme": "Visa", "type": "credit", "last4": "4242"}' ELSE '{}'
            END::jsonb
    FROM made
    """,
    """
    INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit, amount_paise, currency,
    at)
    SELECT merchant_id, id, 'payment', 'receivable:sandbox', 'payable', paise, 'INR', at FROM made
    """,
)
_TOTALS = """
SELECT (SELECT count(*) FROM settlement_items WHERE settlement_id IS NOT NULL) AS items,
    (SELECT count(*) FROM settlements) AS settlements,
    (SELECT sum(gross_paise - fee_paise - tax_paise - net_paise) FROM settlements)::bigint AS lost,
    (SELECT sum(fee_paise) FROM settlements)::bigint AS fees
"""


class NotSettledError(Exception):
    """Not every payment was settled, or the audit of settlements found something."""


async def measure(folder: Path, payments: int, step: Step) -> dict[str, list[Run]]:
    """Return the cost of settling so many payments. Raises NotSettledError."""
    with embedded_postgres.start(folder / "settlement", databases=[DATABASE]) as server:
        url = server.url(DATABASE)
        await migrate(url)
        step(f"settlement: filling in {payments:,} payments")
        await _fill(url, payments)
        step("settlement: settling")
        before = _server_cpu_s(server.pid)
        figures, server_mb = await _settle(url, server.pid)
        server_cpu_s = _server_cpu_s(server.pid) - before
        step("settlement: auditing")
        await _audit(url, payments)
    results = {
        "settlement_s": figures["seconds"],
        "settlement_cpu": figures["cpu_s"],
        "settlement_memory": figures["memory_mb"],
        "settlement_server_cpu": server_cpu_s,
        "settlement_server": server_mb,
        "settlement_rate": payments / figures["seconds"],
    }
    return {"settlement": [Run(results)]}


async def _fill(url: str, payments: int) -> None:
    conn = await asyncpg.connect(url)
    try:
        span = (FIRST_MERCHANT, FIRST_MERCHANT + MERCHANTS - 1)
        await conn.execute(_MERCHANTS, *span, PAID_AT)
        await conn.execute(_PLANS, *span, json.dumps(_PLAN))
        for first in range(0, payments, CHUNK):
            async with conn.transaction():
                await conn.execute(_MADE, first, min(first + CHUNK, payments) - 1, PAID_AT)
                for rows in _ROWS:
                    await conn.execute(rows)
        await conn.execute("VACUUM (ANALYZE)")
    finally:
        await conn.close()


async def _settle(url: str, server: int) -> tuple[dict[str, float], float]:
    """Settle in a process of its own.

    Return its figures, and the server's peak memory in megabytes.
    """
    command = (sys.executable, "-m", "hundi_testbed.bench.settlement", "--url", url)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    reading = asyncio.create_task(process.communicate())
    most = 0.0
    try:
        while not reading.done():
            most = max(most, _server_mb(server))
            await asyncio.wait({reading}, timeout=_LOOK_S)
        output, _ = await reading
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        message = f"the settling process ended with {process.returncode}"
        raise NotSettledError(message)
    return json.loads(output), most


def _server_mb(server: int) -> float:
    snapshot = processes.snapshot()
    ours = [each.pid for each in snapshot.values() if server in (each.pid, each.parent)]
    return processes.memory_of(ours).pss / _MEGABYTE


def _server_cpu_s(server: int) -> float:
    return sum(
        each.cpu_s for each in processes.snapshot().values() if server in (each.pid, each.parent)
    )


async def _audit(url: str, payments: int) -> None:
    conn = await asyncpg.connect(url)
    try:
        totals = await conn.fetchrow(_TOTALS)
        assert totals is not None
        if (totals["items"], totals["settlements"], totals["lost"]) != (
            payments,
            MERCHANTS,
            0,
        ) or not totals["fees"]:
            message = f"{payments} payments of {MERCHANTS} merchants were settled as {dict(totals)}"
            raise NotSettledError(message)
        await conn.execute("SET work_mem = '64MB'; SET enable_nestloop = off")
        for violation, query in CHECKS.items():
            if row := await conn.fetchrow(query):
                message = f"{violation}: {dict(row)}"
                raise NotSettledError(message)
    finally:
        await conn.close()


async def _work(url: str) -> None:
    began = time.monotonic()
    async with await open_database(url, pool_size=POOL) as db:
        outcome = await actions.run(db, SETTLED_AT)
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "seconds": time.monotonic() - began,
        "cpu_s": used.ru_utime + used.ru_stime,
        "memory_mb": used.ru_maxrss * _KIBIBYTE / _MEGABYTE,
        "settlements": outcome,
    }
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    asyncio.run(_work(parser.parse_args().url))
