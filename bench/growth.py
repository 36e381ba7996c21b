"""`python -m bench.growth`: what writes, verify, roll-up and audit cost as the books grow.

The gateway's own CPU a payment does not depend on how many there are; PostgreSQL's may. So this runs the gateway's
statements on a server alone, with 8 clients of pgbench, after filling it step by step.
"""

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg

from bench import databases, growth_rows, processes
from bench.databases import Baseline, filled
from bench.growth_rows import CHUNK, FIRST_MERCHANT, MERCHANTS, ORDER_ID
from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.server import EmbeddedPostgres
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.migrate import migrate
from hundi.money.audit import actions as auditing
from hundi.money.ledger import actions as ledger
from hundi.payments.orders.finding import store

DATABASE = "growth"
LEVELS = 0, 1_000_000
DAYS = 180
"""Over how many days up to yesterday the payments of a full book are spread."""
ROUNDS, RUN_S = 3, 6.0
_SETTLE_S_MAX = 300
_TIERS = 5
"""Slowest checks of the audit that are named."""


def verifies(rows: int) -> Baseline:
    """Return the read of a verify, of any order there is."""
    order = ORDER_ID.format(":n")
    merchant = f"{FIRST_MERCHANT} + (:n % {MERCHANTS})"
    script = f"\\set n random(0, {max(rows, 1) - 1})\n" + filled(store.SELECT_BY_ORDER, [merchant, order])
    return Baseline("verify", script, {})


async def measure(levels: Sequence[int], days: int, rounds: int, folder: Path) -> list[dict[str, object]]:
    """Fill and measure level by level; return the figures of each."""
    with embedded_postgres.start(folder / "data", databases=[DATABASE]) as server:
        url = server.url(DATABASE)
        await migrate(url)
        found: list[dict[str, object]] = []
        filled_to = 0
        for level in sorted(levels):
            _say(f"filling up to {level:,}")
            took_s = await _fill(url, filled_to, level, days, max(levels))
            filled_to = level
            found.append(
                {"payments": level, "fill_s": round(took_s)} | await _measure(server, url, level, rounds, folder)
            )
            _say(json.dumps(found[-1]))
        return found


async def _fill(url: str, first: int, level: int, days: int, most: int) -> float:
    began, until = time.monotonic(), datetime.now(UTC) - timedelta(days=1)
    conn = await asyncpg.connect(url)
    try:
        for start in range(first, level, CHUNK):
            span = (until - timedelta(days=days), until, most)
            await growth_rows.fill(conn, start, min(start + CHUNK, level) - 1, span)
        await conn.execute("VACUUM (ANALYZE)")
    finally:
        await conn.close()
    return time.monotonic() - began


async def _measure(server: EmbeddedPostgres, url: str, level: int, rounds: int, folder: Path) -> dict[str, object]:
    figures: dict[str, object] = {}
    async with await open_database(url, statement_timeout_ms=600_000) as db:
        figures |= await _roll_up(db, "roll_all")
        await _settle(db)
        # Each round writes payments of its own time; in an empty book a verify finds nothing.
        for make in (databases.payment_writes, lambda: verifies(level)):
            runs = [await _run(server, url, make(), folder) for _ in range(rounds)]
            rate, server_ms = sorted(runs)[rounds // 2]
            figures[f"{make().name}_rate"], figures[f"{make().name}_server_ms"] = round(rate), round(server_ms, 3)
        figures |= await _roll_up(db, "roll_new")
        _say(json.dumps(figures))
        figures |= await _audit(db)
    conn = await asyncpg.connect(url)
    try:
        figures["bytes"] = await growth_rows.sizes(conn)
    finally:
        await conn.close()
    return figures


async def _settle(db: Database) -> None:
    """Wait until the server has tidied up after the filling: that is none of a payment's cost."""
    for _ in range(_SETTLE_S_MAX):
        if not await db.fetchval("SELECT count(*) FROM pg_stat_progress_vacuum"):
            return
        await asyncio.sleep(1)


async def _run(server: EmbeddedPostgres, url: str, script: Baseline, folder: Path) -> tuple[float, float]:
    """Return transactions a second, and the server's CPU milliseconds for each."""
    before = _server_cpu_s(server.pid)
    rate = await databases.run(url, script, RUN_S, folder)
    spent = _server_cpu_s(server.pid) - before
    return rate, spent * 1000 / (rate * RUN_S)


def _server_cpu_s(pid: int) -> float:
    found = processes.snapshot()
    return sum(each.cpu_s for each in found.values() if pid in (each.pid, each.parent))


async def _roll_up(db: Database, name: str) -> dict[str, object]:
    began = time.monotonic()
    rolled = await ledger.roll_checkpoints(db, datetime.now(UTC))
    return {f"{name}_postings": rolled, f"{name}_s": round(time.monotonic() - began, 2)}


async def _audit(db: Database) -> dict[str, object]:
    times: list[tuple[float, str]] = []

    def step(name: str, _done: int, _steps: int) -> None:
        times.append((time.monotonic(), name))

    began = time.monotonic()
    said = await auditing.audit(db, (), datetime.now(UTC), step)
    took = [(round(after - at, 1), name) for (at, name), (after, _) in itertools.pairwise(times)]
    broken = {each.violation.value: each.samples[0].found for each in said.checked if each.count}
    return {"audit_s": round(time.monotonic() - began, 1), "audit_slowest": sorted(took)[-_TIERS:], "broken": broken}


def _say(words: str) -> None:
    print(f"growth: {words}", file=sys.stderr, flush=True)


def main() -> int:
    """Run; return the exit status."""
    parser = argparse.ArgumentParser(prog="bench.growth", description=__doc__)
    parser.add_argument("--level", type=int, action="append", help="payments at which to measure; may be given again")
    parser.add_argument("--days", type=int, default=DAYS, help="days that the payments are spread over")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path, help="where the database is made; removed at the end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hundi-growth-", dir=options.folder) as folder:
        print(json.dumps(asyncio.run(measure(options.level or LEVELS, options.days, options.rounds, Path(folder)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
