"""`python -m hundi_testbed.bench`: loads a gateway, and prints figures if its books agree."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from hundi_testbed.bench import (
    measures,
    operations,
    page,
    partners,
    payouts,
    processes,
    report,
    risk,
    routing,
    search,
    serving,
    settlement,
)
from hundi_testbed.bench.chain import ShopInbox
from hundi_testbed.bench.databases import BaselineError
from hundi_testbed.bench.load import BrokenChainError
from hundi_testbed.bench.measures import MEASUREMENTS, SHOPS, Bench, Run, Spans
from hundi_testbed.bench.payouts import NotPaidOutError
from hundi_testbed.bench.search import SearchMissError
from hundi_testbed.bench.serving import ServeError, Serving
from hundi_testbed.bench.settlement import NotSettledError

START, OPERATIONS, PARTNERS, RISK, ROUTING = "start", "operations", "partners", "risk", "routing"
SETTLEMENT, PAYOUTS, SEARCH = "settlement", "payouts", "search"
PAGE = "page"
"""Off by default: it needs a Chromium and the requirements of the tests."""
AUDIT_TRIES = 5
"""The last deliveries are recorded shortly after the merchants' server has them."""
AUDIT_PAUSE_S = 1.0
RUN_S_MAX = 900
"""A longer run hangs."""

Step = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The size of a measurement.

    rounds: runs of each measurement. starts: number of starts from an empty directory, and of warm
    ones. settled: payments to settle, and in another measurement to search. paid_out: payouts.
    """

    spans: Spans
    rounds: int
    starts: int
    settled: int
    paid_out: int


FULL = BenchPlan(
    Spans(warm_up_s=1.5, payments_s=10, fixed_s=10, verify_s=5, skew_s=6, baseline_s=4),
    rounds=3,
    starts=3,
    settled=1_000_000,
    paid_out=100_000,
)
QUICK = BenchPlan(
    Spans(warm_up_s=0.5, payments_s=2, fixed_s=2, verify_s=2, skew_s=1.5, baseline_s=1),
    rounds=1,
    starts=1,
    settled=20_000,
    paid_out=1_000,
)


class BooksDifferError(Exception):
    """The audit failed, or the counts differ; the text holds the differences."""


async def measure(
    plan: BenchPlan, chosen: Sequence[str], folder: Path, step: Step
) -> dict[str, object]:
    """Start, load in interleaved rounds, audit, stop; return the report. Raises one of FAILURES."""
    runs: dict[str, list[Run]] = {}
    running = await _start(plan.starts if START in chosen else 1, folder, step, runs)
    inbox = ShopInbox()
    try:
        async with measures.merchants_server(inbox) as notification_url:
            step("opening shops")
            shops = await serving.open_shops(running, SHOPS, notification_url)
            inbox.shops = {shop.credentials.merchant_id: shop for shop in shops}
            bench = Bench(running, shops, inbox, plan.spans, folder)
            for round_no in range(1, plan.rounds + 1):
                for name, make in MEASUREMENTS.items():
                    if name in chosen:
                        step(f"{name}, run {round_no} of {plan.rounds}")
                        runs.setdefault(name, []).append(await make(bench))
                        running.require_running()
            used = processes.memory(running.process.pid)
            runs["memory"] = [report.memory_figures(used)]
            step("audit")
            audited = await _audit(running, bench, inbox)
    except BrokenChainError as broken:
        raise BrokenChainError(running.story(str(broken))) from None
    finally:
        await asyncio.to_thread(running.stop)
    if START not in chosen:
        del runs[START]
    runs |= await _on_their_own(plan, chosen, folder, step)
    return report.document(
        runs, used, audited, {"measured": list(chosen), "signatures_checked": inbox.checked}
    )


async def _on_their_own(
    plan: BenchPlan, chosen: Sequence[str], folder: Path, step: Step
) -> dict[str, list[Run]]:
    """Measure what needs a gateway or a database server of its own."""
    runs: dict[str, list[Run]] = {}
    if OPERATIONS in chosen:
        runs |= await operations.measure(folder, plan.spans, plan.rounds, step)
    if PARTNERS in chosen:
        runs |= await partners.measure(folder, plan.spans, plan.rounds, step)
    if RISK in chosen:
        runs |= await risk.measure(folder, plan.rounds, step)
    if ROUTING in chosen:
        runs |= await routing.measure(folder, plan.rounds, step)
    if SETTLEMENT in chosen:
        runs |= await settlement.measure(folder, plan.settled, step)
    if PAYOUTS in chosen:
        runs |= await payouts.measure(folder, plan.paid_out, step)
    if SEARCH in chosen:
        runs |= await search.measure(folder, plan.settled, step)
    if PAGE in chosen:
        runs |= await page.measure(folder, plan.rounds, step)
    return runs


async def _start(times: int, folder: Path, step: Step, runs: dict[str, list[Run]]) -> Serving:
    """Start the gateway from nothing and again, so many times; leave the last one running."""
    running = await _start_twice(f"1 of {times}", folder / "data-1", step, runs)
    for number in range(2, times + 1):
        await asyncio.to_thread(running.stop)
        running = await _start_twice(f"{number} of {times}", folder / f"data-{number}", step, runs)
    return running


async def _start_twice(
    number: str, data_dir: Path, step: Step, runs: dict[str, list[Run]]
) -> Serving:
    step(f"hundi serve, first start {number}")
    first = await serving.serve(data_dir)
    await asyncio.to_thread(first.stop)
    step(f"hundi serve, warm start {number}")
    warm = await serving.serve(data_dir)
    runs.setdefault(START, []).append(
        Run({"ready_first": first.ready_s, "ready_warm": warm.ready_s})
    )
    return warm


async def _audit(running: Serving, bench: Bench, inbox: ShopInbox) -> dict[str, object]:
    """Audit until all books agree, or raise BooksDifferError."""
    faults: list[str] = []
    for _ in range(AUDIT_TRIES):
        audited = await serving.audit(running)
        faults = measures.differences(bench.payments, inbox, audited)
        if not faults:
            return audited
        await asyncio.sleep(AUDIT_PAUSE_S)
    raise BooksDifferError("\n".join(faults))


@contextmanager
def progress(steps: int) -> Iterator[Step]:
    """Show the progress of the run: a bar in a terminal, else a line for each step."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: print(f"bench: {words}", file=sys.stderr, flush=True)
        return
    columns = (TextColumn("[bold]{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("bench", total=steps)
        steps_done = iter(range(steps + 1))
        yield lambda words: bar.update(task, description=words, completed=next(steps_done, steps))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="short runs, to see that everything works"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")
    names = (START, *MEASUREMENTS, OPERATIONS, PARTNERS, RISK, ROUTING, SETTLEMENT, PAYOUTS)
    names += (SEARCH, PAGE)
    parser.add_argument(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"measure only this: {', '.join(names)}; may be given again",
    )
    return parser.parse_args(arguments)


FAILURES = (
    BrokenChainError,
    ServeError,
    BaselineError,
    BooksDifferError,
    NotSettledError,
    NotPaidOutError,
    SearchMissError,
    OSError,
    msgspec.MsgspecError,
    TimeoutError,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; return the exit status: 0 when there are figures, 1 when the run or its audit failed."""
    options = parse(arguments)
    plan = QUICK if options.quick else FULL
    chosen = options.only or [
        START,
        *MEASUREMENTS,
        OPERATIONS,
        PARTNERS,
        RISK,
        ROUTING,
        SETTLEMENT,
        PAYOUTS,
        SEARCH,
    ]
    steps = 2 * plan.starts + plan.rounds * sum(name in chosen for name in MEASUREMENTS) + 2
    steps += (3 * plan.rounds + 1) * (OPERATIONS in chosen)
    steps += (
        3 * plan.rounds * (PARTNERS in chosen)
        + plan.rounds * ((RISK in chosen) + (ROUTING in chosen) + (PAGE in chosen))
        + 3 * ((SETTLEMENT in chosen) + (SEARCH in chosen))
        + 4 * (PAYOUTS in chosen)
    )
    try:
        with tempfile.TemporaryDirectory(prefix="hundi-bench-") as folder, progress(steps) as step:
            document = _run(measure(plan, chosen, Path(folder), step))
    except FAILURES as failure:
        print(
            f"bench: no figures, because the run failed: {failure or type(failure).__name__}",
            file=sys.stderr,
        )
        return 1
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
    else:
        report.show(document)
    return 0


async def _bounded(work: Coroutine[object, object, Mapping[str, object]]) -> Mapping[str, object]:
    limit = asyncio.timeout(RUN_S_MAX)
    try:
        async with limit:
            return await work
    except TimeoutError:
        if limit.expired():
            message = f"not done after {RUN_S_MAX} s"
            raise ServeError(message) from None
        raise


def _run(work: Coroutine[object, object, Mapping[str, object]]) -> Mapping[str, object]:
    """Run on uvloop where it is installed: the generator shares the cores with the gateway."""
    try:
        import uvloop  # noqa: PLC0415
    except ImportError:
        return asyncio.run(_bounded(work))
    return uvloop.run(_bounded(work))


if __name__ == "__main__":
    sys.exit(main())
