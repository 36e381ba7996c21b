"""One run: a seed, so many hours, the days after them, a quiet time, and the auditor's findings."""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog
from asyncpg import PostgresError

from hundi.infra.embedded import server as embedded_postgres
from hundi.infra.postgres.database import UNREACHABLE
from hundi.infra.postgres.migrate import migrate
from hundi.kernel import clock, ids
from hundi_testbed.simulation.auditor import AuditFinding
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.life import Progress, Simulation, SimulationPlan
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.virtual_time import SpinningError, StalledError, VirtualLoop
from hundi_testbed.simulation.world import World

FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
}
"""Nothing of a simulation has to survive a power cut."""
UNEXPECTED = frozenset(
    {
        "account_not_checked",
        "dispute_answer_not_backed",
        "dispute_not_taken",
        "dispute_of_another_payment",
        "dispute_took_more",
        "payout_not_backed",
        "payout_without_connector",
        "settlement_failed",
    }
)
"""Log lines of a gateway whose own books, or the bank's answers, make no sense."""
EXPECTED = (PostgresError, *UNREACHABLE)
"""Errors in the log that faults of the world cause."""


@dataclass(slots=True)
class RunOutcome:
    """The result of one run.

    stories: of the orders with findings. told: notifications by event. logged: the gateway's log
    lines.
    """

    seed: int
    hours: float
    trace: str
    steps: int
    orders: int
    done: Counter[str]
    faults: Mapping[Fault, int]
    told: Counter[str]
    findings: list[AuditFinding]
    stories: dict[str, list[str]]
    logged: Counter[str]
    real_s: float = 0.0


@contextmanager
def _driven(loop: VirtualLoop, seed: int) -> Iterator[Callable[[World], None]]:
    """Let a run's world drive clocks, ids and chance of this process, until it is over."""
    source = random.Random(f"ids of {seed}")  # noqa: S311 (ids are no secrets, and a run is to be repeated)
    state, ahead = random.getstate(), clock.ahead_by()
    random.seed(seed)
    ids.draw_by(source.randrange)
    try:
        yield lambda world: clock.run_by(world.wall, loop.time)
    finally:
        clock.run_by(ahead=ahead)
        ids.draw_by()
        random.setstate(state)


@contextmanager
def own_server() -> Iterator[Callable[[str], str]]:
    """Start a database server for simulations alone.

    Yield a function that creates a database and returns its address.
    """
    with tempfile.TemporaryDirectory(prefix="hundi-simulation-") as folder:
        Path(folder).chmod(0o755)
        with embedded_postgres.start(Path(folder) / "data", options=FAST) as server:

            def make(name: str) -> str:
                asyncio.run(migrate(server.url(name)))
                return server.url(name)

            yield make


def simulate(plan: SimulationPlan, url: str, progress: Progress = lambda _: None) -> RunOutcome:
    """Run a plan on an empty database with the newest schema, and return the result."""
    began = time.monotonic()
    logged: Counter[str] = Counter()
    serious: list[str] = []
    _watch_logs(logged, serious)
    loop, server = VirtualLoop(), Server(url)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hundi-simulation-") as folder,
            _driven(loop, plan.seed) as drive,
        ):
            simulation = Simulation(plan, loop, server, Path(folder))
            drive(simulation.world)
            try:
                findings = loop.run_until_complete(simulation.run(progress))
            except (SpinningError, StalledError) as problem:
                findings = [
                    AuditFinding(f"the run did not end: {type(problem).__name__}: {problem}")
                ]
            trace = simulation.world.trace
            _bury(loop)
    finally:
        server.close()
        structlog.reset_defaults()
    findings += [AuditFinding(f"the gateway's own fault: {each}") for each in serious]
    return _outcome(plan, simulation, trace, findings, logged, time.monotonic() - began)


def _bury(loop: VirtualLoop) -> None:
    """End all remaining tasks, so that nothing of one run is left for the next."""
    left = sorted(asyncio.all_tasks(loop), key=hash)
    for each in left:
        each.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _watch_logs(logged: Counter[str], serious: list[str]) -> None:
    """Count the gateway's log lines instead of printing them.

    A failed assertion of ours is a finding.
    """

    def take(_logger: object, level: str, line: Mapping[str, object]) -> Mapping[str, object]:
        problem = line.get("exc_info")
        if problem is True:
            problem = sys.exc_info()[1]
        while isinstance(problem, BaseExceptionGroup):
            problem = problem.exceptions[0]
        logged[f"{level} {line['event']}{f': {type(problem).__name__}' if problem else ''}"] += 1
        unforeseen = not isinstance(problem, EXPECTED) if problem else line["event"] in UNEXPECTED
        if unforeseen:
            serious.append(f"{line['event']}: {type(problem).__name__}: {problem}")
        raise structlog.DropEvent

    structlog.configure(processors=[take], cache_logger_on_first_use=False)


def _outcome(
    plan: SimulationPlan,
    simulation: Simulation,
    trace: str,
    findings: list[AuditFinding],
    logged: Counter[str],
    real_s: float,
) -> RunOutcome:
    world = simulation.world
    orders = [each for shop in simulation.shops for each in shop.orders.values()]
    counts = Counter(each.event for shop in simulation.shops for each in shop.heard)
    stories = {each.about: world.story(each.about) for each in findings if each.about}
    return RunOutcome(
        plan.seed,
        plan.hours,
        trace,
        world.steps,
        len(orders),
        world.done,
        world.faults.counted,
        counts,
        findings,
        stories,
        logged,
        real_s,
    )
