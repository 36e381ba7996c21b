"""`python -m hundi_testbed.bench.growth`: what the gateway's statements cost as the books grow.

The gateway's own CPU a payment does not depend on how many there are; PostgreSQL's may. So this
runs the gateway's statements on a server alone, with clients of pgbench, on a book of each size in
turns: a machine changes by the minute.
"""

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import asyncpg

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.embedded.server import EmbeddedPostgres
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.migrate import migrate
from hundi.money.audit import actions as auditing
from hundi.money.ledger import actions as ledger
from hundi.payments.orders.finding import store
from hundi_testbed.bench import databases, growth_rows, processes
from hundi_testbed.bench.databases import Baseline, filled
from hundi_testbed.bench.growth_rows import CHUNK, FIRST_MERCHANT, MERCHANTS, ORDER_ID

DATABASE = "growth"
LEVELS = 0, 1_000_000
DAYS = 180
"""The days up to yesterday over which a full book's payments are spread."""
ROUNDS, RUN_S = 3, 6.0
NEWEST = 10_000
"""Orders that shops verify: most verifies come within minutes of the payment."""
STATEMENT_MS_MAX = 600_000
_SETTLE_S_MAX = 300
_TIERS = 5
"""The number of named slowest checks of the audit."""


def verifies(name: str, first: int, end: int) -> Baseline:
    """Return the read of a verify, for any order of these numbers."""
    order = ORDER_ID.format(":n")
    merchant = f"{FIRST_MERCHANT} + (:n % {MERCHANTS})"
    script = f"\\set n random({first}, {max(end, 1) - 1})\n" + filled(
        store.SELECT_BY_ORDER, [merchant, order]
    )
    return Baseline(name, script, {})


@dataclass(slots=True)
class _Book:
    """A database with a number of payments, and its measurements.

    runs: (a second, server's CPU ms) by script.
    """

    payments: int
    url: str
    figures: dict[str, object]
    runs: dict[str, list[tuple[float, float]]] = field(
        default_factory=dict[str, list[tuple[float, float]]]
    )

    def scripts(self) -> tuple[Baseline, ...]:
        """Return the scripts of each round: writes get payments of their own time.

        An empty book has no payments to find.
        """
        newest = verifies("verify_newest", max(0, self.payments - NEWEST), self.payments)
        return databases.payment_writes(), verifies("verify", 0, self.payments), newest


async def measure(
    levels: Sequence[int], days: int, rounds: int, folder: Path, *, audited: bool
) -> list[dict[str, object]]:
    """Fill a book for each level, measure all in turns, and return the figures of each.

    days: the span of the payments. audited: whether each book is audited as well.
    """
    names = {level: f"{DATABASE}_{level}" for level in sorted(levels)}
    with embedded_postgres.start(folder / "data", databases=list(names.values())) as server:
        books = [await _filled(server.url(name), level, days) for level, name in names.items()]
        for round_no in range(1, rounds + 1):
            for book in books:
                _say(f"round {round_no} of {rounds}, {book.payments:,} payments")
                for script in book.scripts():
                    run = await _run(server, book.url, script, folder)
                    book.runs.setdefault(script.name, []).append(run)
        return [await _finished(book, audited=audited) for book in books]


async def _filled(url: str, level: int, days: int) -> _Book:
    """Return a book of so many payments, rolled up, after the server has settled."""
    _say(f"filling {level:,}")
    await migrate(url)
    took_s = await _fill(url, level, days)
    async with await open_database(url, statement_timeout_ms=STATEMENT_MS_MAX) as db:
        rolled = await _roll_up(db, "roll_all")
        await _settle(db)
    return _Book(level, url, {"payments": level, "fill_s": round(took_s)} | rolled)


async def _finished(book: _Book, *, audited: bool) -> dict[str, object]:
    figures = dict(book.figures)
    for name, runs in book.runs.items():
        rate, server_ms = (median(each) for each in zip(*runs, strict=True))
        figures |= {f"{name}_rate": round(rate), f"{name}_server_ms": round(server_ms, 3)}
        figures[f"{name}_rounds_ms"] = [round(each, 3) for _, each in runs]
    async with await open_database(book.url, statement_timeout_ms=STATEMENT_MS_MAX) as db:
        figures |= await _roll_up(db, "roll_new")
    if audited:
        figures |= await _audit(book.url)
    conn = await asyncpg.connect(book.url)
    try:
        figures["bytes"] = await growth_rows.sizes(conn)
    finally:
        await conn.close()
    _say(json.dumps(figures))
    return figures


async def _fill(url: str, level: int, days: int) -> float:
    began, until = time.monotonic(), datetime.now(UTC) - timedelta(days=1)
    conn = await asyncpg.connect(url)
    try:
        span = (until - timedelta(days=days), until, level)
        for start in range(0, level, CHUNK):
            await growth_rows.fill(conn, start, min(start + CHUNK, level) - 1, span)
        await conn.execute("VACUUM (ANALYZE)")
    finally:
        await conn.close()
    return time.monotonic() - began


async def _settle(db: Database) -> None:
    """Wait until the server has settled after the filling, which is no cost of a payment."""
    for _ in range(_SETTLE_S_MAX):
        if not await db.fetchval("SELECT count(*) FROM pg_stat_progress_vacuum"):
            return
        await asyncio.sleep(1)


async def _run(
    server: EmbeddedPostgres, url: str, script: Baseline, folder: Path
) -> tuple[float, float]:
    """Return transactions a second, and the server's CPU milliseconds for each."""
    before = _server_cpu_s(server.pid)
    rate = await databases.run(url, script, RUN_S, folder)
    spent = _server_cpu_s(server.pid) - before
    return rate, spent * 1000 / (rate * RUN_S)


def _server_cpu_s(pid: int) -> float:
    snapshot = processes.snapshot()
    return sum(each.cpu_s for each in snapshot.values() if pid in (each.pid, each.parent))


async def _roll_up(db: Database, name: str) -> dict[str, object]:
    began = time.monotonic()
    rolled = await ledger.roll_checkpoints(db, datetime.now(UTC))
    return {f"{name}_postings": rolled, f"{name}_s": round(time.monotonic() - began, 2)}


async def _audit(url: str) -> dict[str, object]:
    times: list[tuple[float, str]] = []

    def step(name: str, _done: int, _steps: int) -> None:
        times.append((time.monotonic(), name))

    began = time.monotonic()
    async with await open_database(url, statement_timeout_ms=STATEMENT_MS_MAX) as db:
        report = await auditing.audit(db, (), datetime.now(UTC), step)
    took = [(round(after - at, 1), name) for (at, name), (after, _) in itertools.pairwise(times)]
    broken = {each.violation.value: each.samples[0].found for each in report.checked if each.count}
    return {
        "audit_s": round(time.monotonic() - began, 1),
        "audit_slowest": sorted(took)[-_TIERS:],
        "broken": broken,
    }


def _say(words: str) -> None:
    print(f"growth: {words}", file=sys.stderr, flush=True)


def main() -> int:
    """Run; return the exit status."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench.growth", description=__doc__)
    parser.add_argument(
        "--level",
        type=int,
        action="append",
        help="payments at which to measure; may be given again",
    )
    parser.add_argument(
        "--days", type=int, default=DAYS, help="days that the payments are spread over"
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument(
        "--folder", type=Path, help="where the database is made; removed at the end"
    )
    parser.add_argument(
        "--no-audit", action="store_true", help="leave out the audits, which read all there is"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hundi-growth-", dir=options.folder) as folder:
        levels, audited = options.level or LEVELS, not options.no_audit
        figures = asyncio.run(
            measure(levels, options.days, options.rounds, Path(folder), audited=audited)
        )
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
