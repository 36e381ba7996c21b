"""Other ledgers to measure beside Hundi: how each is started, takes one write, and is counted."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import asyncpg
import msgspec

from hundi_testbed.bench import load
from hundi_testbed.bench.load import BrokenChainError, Chain
from hundi_testbed.bench.measures import CUSTOMERS, SHOPS
from hundi_testbed.bench.peer_host import JSON, PeerError, PeerHost, call, must
from hundi_testbed.bench.serving import HOST, free_ports

WRITE_S_MAX = 30.0
"""A write that takes longer counts as broken."""
FORMANCE_CONNECTIONS = 2 * CUSTOMERS + 6
"""To its database: with its usual 20, all wait for a row whose holder waits for a connection."""
_ASK_GAP_S = 0.01
_AMOUNT_STEP, _AMOUNTS = 7_919, 500_000
MINIMAL = {
    "MOVES_HISTORY": "OFF",
    "MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES": "DISABLED",
    "HASH_LOGS": "DISABLED",
    "ACCOUNT_METADATA_HISTORY": "DISABLED",
    "TRANSACTION_METADATA_HISTORY": "DISABLED",
}
"""Formance Ledger without what it keeps besides transactions and balances."""
_FORMANCE_BOOKS = """
SELECT (SELECT count(*) FROM _default.transactions WHERE ledger = $1),
    (SELECT coalesce(sum(input), 0) FROM _default.accounts_volumes
    WHERE ledger = $1 AND accounts_address LIKE 'merchants:%')
"""
_BLNK_BOOKS = """
SELECT (SELECT count(*) FROM blnk.transactions WHERE status = 'APPLIED' AND destination = ANY($1)),
    (SELECT coalesce(sum(credit_balance), 0) FROM blnk.balances WHERE balance_id = ANY($1))
"""
_ENDED = """
SELECT reference, status FROM blnk.transactions
WHERE reference = ANY($1) AND status IN ('APPLIED', 'REJECTED')
"""
_QUEUED_SUFFIX = "_q"
"""blnk adds it to the reference of the transaction that applies a queued one."""


class PeerWrite(NamedTuple):
    """One write: the place of its customer among all, its name, its number, and its amount."""

    customer: int
    reference: str
    number: int
    paise: int


@dataclass(slots=True)
class PeerLedger:
    """One peer with one setting, and the generator's own books of what it wrote there.

    roots: process ids; their CPU, and that of all processes below them, is the peer's. body: the
    JSON of a write. books: SQL for the number and the paise of all writes, and its arguments.
    applied: waits until a queued write is in the books; None where the answer says that it is.
    """

    words: str
    address: str
    path: str
    roots: frozenset[int]
    body: Callable[[PeerWrite], Mapping[str, object]]
    database: asyncpg.Connection
    books: Sequence[Any]
    applied: Callable[[str], Awaitable[None]] | None = None
    written: int = 0
    written_paise: int = 0
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def customer(self, place: int, connection: load.Connection) -> Chain:
        """Return what one customer does again and again: one write."""

        async def write() -> None:
            number = next(self.numbers)
            paise = 100 + number * _AMOUNT_STEP % _AMOUNTS
            one = PeerWrite(place, f"{self.words}-{number}", number, paise)
            body = msgspec.json.encode(self.body(one))
            try:
                async with asyncio.timeout(WRITE_S_MAX):
                    request = load.post(self.address, self.path, JSON, body)
                    must(await connection.send(request), self.words)
                    if self.applied:
                        await self.applied(one.reference)
            except TimeoutError:
                message = f"{one.reference} took longer than {WRITE_S_MAX:.0f} s"
                raise BrokenChainError(message) from None
            self.written += 1
            self.written_paise += paise

        return write

    async def prove(self) -> None:
        """Compare the peer's books with our own. Raises PeerError."""
        row = await self.database.fetchrow(*self.books)
        booked = tuple(map(int, row or ()))
        if booked != (self.written, self.written_paise):
            message = (
                f"{self.words}: {self.written:,} writes of {self.written_paise:,} paise by our own"
                f" count, {booked} in its books"
            )
            raise PeerError(message)


class QueueWatch:
    """Wakes customers when blnk has applied their queued writes.

    It asks blnk's database for all of them at once: customers that ask over HTTP, each for itself,
    would cost more than the writes.
    """

    def __init__(self, database: asyncpg.Connection) -> None:
        """Start with nobody waiting."""
        self._database = database
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def applied(self, reference: str) -> None:
        """Return when the write is applied. Raises BrokenChainError if it is not."""
        name = reference + _QUEUED_SUFFIX
        waiting = self._waiting[name] = asyncio.get_running_loop().create_future()
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
        status = await waiting
        if status != "APPLIED":
            message = f"{reference}: {status}"
            raise BrokenChainError(message)

    async def _ask(self) -> None:
        while self._waiting:
            await asyncio.sleep(_ASK_GAP_S)
            for name, status in await self._database.fetch(_ENDED, list(self._waiting)):
                waiting = self._waiting.pop(name)
                if not waiting.done():
                    waiting.set_result(status)


async def start_formance(host: PeerHost, program: str) -> list[PeerLedger]:
    """Start Formance Ledger; return a ledger as it comes, and one with the least features."""
    address = f"{HOST}:{free_ports(1)[0]}"
    flags = ("--bind", address, "--postgres-uri", host.url, "--auto-upgrade")
    kept = str(FORMANCE_CONNECTIONS)
    connections = ("--postgres-max-open-conns", kept, "--postgres-max-idle-conns", kept)
    host.run([program, "serve", *flags, *connections, "--experimental-features"], {})
    await host.until_ready(address, "/_healthcheck")
    ledgers: list[PeerLedger] = []
    for name, words, settings in (
        ("default", "Formance Ledger, default features", {}),
        ("minimal", "Formance Ledger, minimal features, own source", {"features": MINIMAL}),
    ):
        await call(address, f"/v2/{name}", settings)

        def body(write: PeerWrite, *, own_source: bool = bool(settings)) -> Mapping[str, object]:
            posting = {
                "source": f"customers:{write.number}" if own_source else "world",
                "destination": f"merchants:{write.number % SHOPS}",
                "amount": write.paise,
                "asset": "INR/2",
            }
            return {"postings": [posting], "reference": write.reference}

        path = f"/v2/{name}/transactions?force=true"
        books = [_FORMANCE_BOOKS, name]
        ledgers.append(
            PeerLedger(words, address, path, host.roots, body, await host.database(), books)
        )
    return ledgers


async def start_blnk(host: PeerHost, program: str, redis: str) -> list[PeerLedger]:
    """Start blnk and its Redis; return a ledger without its queue, and one through it."""
    redis_port, port, monitoring_port = free_ports(3)
    address = f"{HOST}:{port}"
    host.run([redis, "--port", str(redis_port), "--bind", HOST], {})
    await host.strengthen_password()
    settings = {
        "BLNK_DATA_SOURCE_DNS": host.url,
        "BLNK_REDIS_DNS": f"{HOST}:{redis_port}",
        "BLNK_SERVER_PORT": str(port),
        "BLNK_QUEUE_MONITORING_PORT": str(monitoring_port),
        "BLNK_ENABLE_TELEMETRY": "false",
    }
    host.finish([program, "migrate", "up"], settings)
    host.run([program, "start"], settings)
    host.run([program, "workers"], settings)
    await host.until_ready(address, "/health")
    ledgers: list[PeerLedger] = []
    for words, skip in (("blnk, queue skipped", True), ("blnk, through its queue", False)):
        made = await call(address, "/ledgers", {"name": words})
        wanted = {"ledger_id": made["ledger_id"], "currency": "INR"}
        balances = [
            (await call(address, "/balances", wanted))["balance_id"]
            for _ in range(CUSTOMERS + SHOPS)
        ]
        sources, merchants = balances[:CUSTOMERS], balances[CUSTOMERS:]

        def body(
            write: PeerWrite,
            sources: Sequence[str] = sources,
            merchants: Sequence[str] = merchants,
            *,
            skip: bool = skip,
        ) -> Mapping[str, object]:
            return {
                "source": sources[write.customer],
                "destination": merchants[write.number % SHOPS],
                "precise_amount": write.paise,
                "precision": 100,
                "currency": "INR",
                "reference": write.reference,
                "description": "bench",
                "allow_overdraft": True,
                "skip_queue": skip,
            }

        database = await host.database()
        applied = None if skip else QueueWatch(database).applied
        books = [_BLNK_BOOKS, merchants]
        ledgers.append(
            PeerLedger(words, address, "/transactions", host.roots, body, database, books, applied)
        )
    return ledgers
