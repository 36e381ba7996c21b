"""`python -m hundi_testbed.bench.peers`: a full payment beside one bare write of other ledgers."""

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from hundi.infra.embedded.cluster import EmbeddedPostgresError
from hundi_testbed.bench import load, measures, peer_ledgers, serving
from hundi_testbed.bench.chain import ShopInbox, connect
from hundi_testbed.bench.databases import BaselineError
from hundi_testbed.bench.load import BrokenChainError, Span
from hundi_testbed.bench.measures import CUSTOMERS, SHOPS, Bench, Spans
from hundi_testbed.bench.peer_host import PeerError, PeerHost
from hundi_testbed.bench.peer_ledgers import PeerLedger
from hundi_testbed.bench.processes import Component, TreeMeter
from hundi_testbed.bench.progress import Step, progress
from hundi_testbed.bench.report import WIDTH
from hundi_testbed.bench.serving import ServeError, Serving

HUNDI = "Hundi, a full payment"
ALONE = "a payment's writes by pgbench alone"
CONTENDERS_MAX = 5
WARM_UP_S = 1.0
BASELINE_S = 2.0
AUDIT_TRIES = 5
"""The last deliveries are recorded shortly after the merchants' server has them."""
AUDIT_PAUSE_S = 1.0
SERVER = (Component.GATEWAY, Component.WORKER, Component.SUPERVISOR, Component.POSTGRESQL)
"""The cost of a payment beside a peer's: without the simulated bank and the load generator."""
FAILURES = (
    BaselineError,
    BrokenChainError,
    EmbeddedPostgresError,
    OSError,
    PeerError,
    ServeError,
    TimeoutError,
)


@dataclass(frozen=True, slots=True)
class PeerTurn:
    """What one contender did in one turn. cpu_ms: of one operation, without load generator."""

    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    yardstick_ms: float
    load: float


Turns = Mapping[str, list[PeerTurn]]
"""The turns of each contender by its words; Hundi is the first."""


async def write(ledger: PeerLedger, seconds: float) -> PeerTurn:
    """Load a peer by every customer. Raises BrokenChainError."""
    meter = TreeMeter(ledger.roots)
    seats = [connect(ledger.address) for _ in range(CUSTOMERS)]
    customers = [ledger.customer(place, seat) for place, seat in enumerate(seats)]
    sample = await load.closed_loop(customers, Span(WARM_UP_S, seconds), meter)
    for seat in seats:
        seat.close()
    writes = len(sample.took_s)
    cost = meter.cost(writes)
    return PeerTurn(
        sample.per_second,
        sample.quantile_ms(0.50),
        sample.quantile_ms(0.99),
        meter.spent_s * 1000 / writes,
        cost.yardstick_ms,
        cost.load,
    )


async def pay(bench: Bench, alone: list[float]) -> PeerTurn:
    """Load Hundi by every customer. alone: takes what pgbench wrote a second just before."""
    run = await bench.payments_closed()
    figures, cost = run.figures, run.cost
    assert cost is not None
    alone.append(figures["payments_alone"])
    return PeerTurn(
        figures["payments_rate"],
        figures["payments_p50"],
        figures["payments_p99"],
        sum(cost.cpu_ms[part] for part in SERVER),
        cost.yardstick_ms,
        cost.load,
    )


async def take_turns(
    contenders: Mapping[str, Callable[[], Awaitable[PeerTurn]]], rounds: int, step: Step
) -> Turns:
    """Let each contender have its turn in every round; every second round runs backwards.

    A first round of fresh processes and empty tables counts for nothing.
    """
    turns: dict[str, list[PeerTurn]] = {words: [] for words in contenders}
    for number in range(rounds + 1):
        for words in list(contenders)[:: 1 if number % 2 else -1]:
            step(f"{words}, round {number} of {rounds}" if number else f"{words}, to warm up")
            turn = await contenders[words]()
            if number:
                turns[words].append(turn)
    return turns


async def measure(
    options: argparse.Namespace, folder: Path, step: Step
) -> tuple[Turns, list[float]]:
    """Start everything, load in turns, and compare all books; also return pgbench's figures.

    Raises one of FAILURES.
    """
    alone: list[float] = []
    async with AsyncExitStack() as stack:
        ledgers = await start_peers(options, folder, stack, step)
        step("hundi serve")
        running = await serving.serve(folder / "hundi")
        stack.callback(running.stop)
        inbox = ShopInbox()
        url = await stack.enter_async_context(measures.merchants_server(inbox))
        shops = await serving.open_shops(running, SHOPS, url)
        inbox.shops = {shop.credentials.merchant_id: shop for shop in shops}
        spans = Spans(WARM_UP_S, options.seconds, 0, 0, 0, BASELINE_S)
        bench = Bench(running, shops, inbox, spans, folder)
        contenders: dict[str, Callable[[], Awaitable[PeerTurn]]] = {
            HUNDI: lambda: pay(bench, alone)
        }
        for ledger in ledgers:
            contenders[ledger.words] = lambda ledger=ledger: write(ledger, options.seconds)
        turns = await take_turns(contenders, options.rounds, step)
        step("comparing all books")
        await prove(running, bench, inbox)
        for ledger in ledgers:
            await ledger.prove()
    return turns, alone


async def start_peers(
    options: argparse.Namespace, folder: Path, stack: AsyncExitStack, step: Step
) -> list[PeerLedger]:
    """Start the peers whose programs are given, each with a PostgreSQL of its own."""
    ledgers: list[PeerLedger] = []
    if options.formance:
        step("Formance Ledger")
        host = PeerHost(stack, folder / "formance", options.postgresql)
        ledgers += await peer_ledgers.start_formance(host, options.formance)
    if options.blnk:
        step("blnk")
        host = PeerHost(stack, folder / "blnk", options.postgresql)
        ledgers += await peer_ledgers.start_blnk(host, options.blnk, options.redis)
    return ledgers


async def prove(running: Serving, bench: Bench, inbox: ShopInbox) -> None:
    """Compare Hundi's books, the bank's and our own by `hundi audit`. Raises PeerError."""
    faults: list[str] = []
    for _ in range(AUDIT_TRIES):
        audited = await serving.audit(running)
        faults = measures.violations(audited)
        faults += measures.differences(bench.payments, inbox, audited)
        if not faults:
            return
        await asyncio.sleep(AUDIT_PAUSE_S)
    raise PeerError("\n".join(faults))


def table(turns: Turns) -> list[tuple[str, ...]]:
    """Return the cells of each row: medians, lowest and highest, and the ratio round by round."""
    hundi = turns[HUNDI]
    rows: list[tuple[str, ...]] = []
    for words, taken in turns.items():
        rates = [turn.per_second for turn in taken]
        ratios = [turn.cpu_ms / ours.cpu_ms for turn, ours in zip(taken, hundi, strict=True)]
        rows.append(
            (
                words,
                f"{median(rates):,.0f} ({min(rates):,.0f}-{max(rates):,.0f})",
                f"{median(turn.p50_ms for turn in taken):,.0f}",
                f"{median(turn.p99_ms for turn in taken):,.0f}",
                f"{median(turn.cpu_ms for turn in taken):.2f}",
                f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})",
                f"{median(turn.yardstick_ms for turn in taken):.2f}",
                f"{median(turn.load for turn in taken):.1f}",
            )
        )
    return rows


def show(turns: Turns, alone: Sequence[float]) -> None:
    """Print the table."""
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    printed = Table(title=f"{len(turns[HUNDI])} rounds in turns, medians", title_justify="left")
    for name in (
        *("operation", "a second", "p50 ms", "p99 ms", "CPU ms", "CPU to Hundi's"),
        *("yardstick ms", "load"),
    ):
        printed.add_column(name, justify="left" if name == "operation" else "right")
    for row in table(turns):
        printed.add_row(*row)
    console.print(printed)
    console.print(
        f"{ALONE}: {median(alone):,.0f} a second. CPU: of one operation, server with its"
        " PostgreSQL and Redis. All books agree with what was counted.",
        highlight=False,
    )


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options; programs as absolute paths."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench.peers", description=__doc__)
    parser.add_argument("--formance", metavar="PROGRAM", type=_program, help="Formance Ledger")
    parser.add_argument("--blnk", metavar="PROGRAM", type=_program, help="blnk")
    parser.add_argument(
        "--redis",
        metavar="PROGRAM",
        default="redis-server",
        type=_program,
        help="for blnk (default: %(default)s)",
    )
    parser.add_argument(
        "--postgresql",
        metavar="FOLDER",
        type=lambda text: Path(text).absolute(),
        help="a PostgreSQL's programs for the peers (default: Hundi's own)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=5, help="measured in one turn (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    if not (options.formance or options.blnk):
        parser.error("give --formance, --blnk or both")
    return options


def _program(name: str) -> str:
    """Return the absolute path of a program: each peer runs in a folder of its own."""
    found = shutil.which(name)
    return str(Path(found).absolute()) if found else name


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; return 0, or 1 without figures when something failed."""
    options = parse(arguments)
    steps = (options.rounds + 1) * CONTENDERS_MAX + 4
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hundi-peers-") as folder,
            progress(steps) as step,
        ):
            turns, alone = _run(measure(options, Path(folder), step))
    except FAILURES as failure:
        print(f"bench: no figures: {failure or type(failure).__name__}", file=sys.stderr)
        return 1
    show(turns, alone)
    return 0


def _run(work: Coroutine[None, None, tuple[Turns, list[float]]]) -> tuple[Turns, list[float]]:
    """Run on uvloop where it is installed, as the other measurements do."""
    try:
        import uvloop  # noqa: PLC0415
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


if __name__ == "__main__":
    sys.exit(main())
