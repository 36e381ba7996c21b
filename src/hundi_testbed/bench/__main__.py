"""`python -m hundi_testbed.bench`: loads a gateway, and prints figures if its books agree."""

import argparse
import asyncio
import signal
import sys
import tempfile
from collections.abc import Awaitable, Sequence
from functools import partial
from pathlib import Path

import msgspec

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
from hundi_testbed.bench.measures import MEASUREMENTS, SHOPS, Bench, Run
from hundi_testbed.bench.payouts import NotPaidOutError
from hundi_testbed.bench.plans import FULL, QUICK, SHORT, BenchPlan, BenchRecord
from hundi_testbed.bench.progress import Step, progress
from hundi_testbed.bench.search import SearchMissError
from hundi_testbed.bench.serving import ServeError, Serving
from hundi_testbed.bench.settlement import NotSettledError

START, OPERATIONS, PARTNERS, RISK, ROUTING = "start", "operations", "partners", "risk", "routing"
SETTLEMENT, PAYOUTS, SEARCH = "settlement", "payouts", "search"
PAGE = "page"
"""Off by default: it needs a Chromium and the requirements of the tests."""
APART = (OPERATIONS, PARTNERS, RISK, ROUTING, SETTLEMENT, PAYOUTS, SEARCH)
"""What needs a gateway or a database server of its own."""
AUDIT_TRIES = 5
"""The last deliveries are recorded shortly after the merchants' server has them."""
AUDIT_PAUSE_S = 1.0
RUN_S_MAX = 1_800
"""A longer run hangs. It ends as one that somebody stops."""
FIGURES, NO_FIGURES, STOPPED = 0, 1, 3
"""Exit statuses. Of a stopped run the figures are those of what had ended."""


class BooksDifferError(Exception):
    """The audit failed, or the counts differ; the text holds the differences."""


async def measure(
    plan: BenchPlan, chosen: Sequence[str], folder: Path, step: Step, record: BenchRecord
) -> None:
    """Start, load in interleaved rounds, audit, stop. Raises one of FAILURES.

    Cancelled after its first measurement, it audits the books and returns with what it has.
    """
    running = await _start(plan.starts if START in chosen else 1, folder, step, record)
    if START not in chosen:
        del record.runs[START]
    inbox = ShopInbox()
    try:
        async with measures.merchants_server(inbox) as notification_url:
            step("opening shops")
            shops = await serving.open_shops(running, SHOPS, notification_url)
            inbox.shops = {shop.credentials.merchant_id: shop for shop in shops}
            bench = Bench(running, shops, inbox, plan.spans, folder)
            await _unless_stopped(_rounds(plan, chosen, bench, running, step, record), record)
            record.memory = processes.memory(running.process.pid)
            record.add("memory", report.memory_figures(record.memory))
            step("audit")
            record.audited = await _audit(running, bench, inbox, record)
    except BrokenChainError as broken:
        raise BrokenChainError(running.story(str(broken))) from None
    finally:
        await asyncio.to_thread(running.stop)
    if not record.stopped_in:
        await _unless_stopped(_on_their_own(plan, chosen, folder, step, record), record)
    record.options = {"measured": list(chosen), "signatures_checked": inbox.checked}


async def _unless_stopped(work: Awaitable[None], record: BenchRecord) -> None:
    """Do it until it ends or is cancelled."""
    try:
        await work
    except asyncio.CancelledError:
        record.stop()


async def _rounds(
    plan: BenchPlan,
    chosen: Sequence[str],
    bench: Bench,
    running: Serving,
    step: Step,
    record: BenchRecord,
) -> None:
    for round_no in range(1, plan.rounds + 1):
        for name, make in MEASUREMENTS.items():
            if name in chosen:
                step(f"{name}, run {round_no} of {plan.rounds}")
                record.add(name, await make(bench))
                running.require_running()


async def _on_their_own(
    plan: BenchPlan, chosen: Sequence[str], folder: Path, step: Step, record: BenchRecord
) -> None:
    """Measure what needs a gateway or a database server of its own."""
    spans, rounds = plan.spans, plan.rounds
    makers = {
        OPERATIONS: partial(operations.measure, folder, spans, rounds, step),
        PARTNERS: partial(partners.measure, folder, spans, rounds, step),
        RISK: partial(risk.measure, folder, rounds, step),
        ROUTING: partial(routing.measure, folder, rounds, step),
        SETTLEMENT: partial(settlement.measure, folder, plan.settled, step),
        PAYOUTS: partial(payouts.measure, folder, plan.paid_out, step),
        SEARCH: partial(search.measure, folder, plan.settled, step),
        PAGE: partial(page.measure, folder, rounds, step),
    }
    for name, make in makers.items():
        if name in chosen:
            record.runs |= await make()


async def _start(times: int, folder: Path, step: Step, record: BenchRecord) -> Serving:
    """Start the gateway from nothing and again, so many times; leave the last one running."""
    running = await _start_twice(f"1 of {times}", folder / "data-1", step, record)
    for number in range(2, times + 1):
        await asyncio.to_thread(running.stop)
        place = folder / f"data-{number}"
        running = await _start_twice(f"{number} of {times}", place, step, record)
    return running


async def _start_twice(number: str, data_dir: Path, step: Step, record: BenchRecord) -> Serving:
    step(f"hundi serve, first start {number}")
    first = await serving.serve(data_dir)
    await asyncio.to_thread(first.stop)
    step(f"hundi serve, warm start {number}")
    warm = await serving.serve(data_dir)
    record.add(START, Run({"ready_first": first.ready_s, "ready_warm": warm.ready_s}))
    return warm


async def _audit(
    running: Serving, bench: Bench, inbox: ShopInbox, record: BenchRecord
) -> dict[str, object]:
    """Audit until all books agree, or raise BooksDifferError.

    Of a stopped run the counts are not compared, because some payments are on their way for ever.
    """
    faults: list[str] = []
    for _ in range(AUDIT_TRIES):
        audited = await serving.audit(running)
        faults = measures.violations(audited)
        if not record.stopped_in:
            faults += measures.differences(bench.payments, inbox, audited)
        if not faults:
            return audited
        await asyncio.sleep(AUDIT_PAUSE_S)
    raise BooksDifferError("\n".join(faults))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="hundi_testbed.bench",
        description=__doc__,
        epilog="Stopped by Ctrl-C or SIGTERM it audits the books, prints what it has, and exits"
        f" with {STOPPED}.",
    )
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument(
        "--quick", action="store_true", help="short runs, to see that everything works"
    )
    sizes.add_argument(
        "--short", action="store_true", help="payments and verify, in less than 5 minutes"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")
    names = (START, *MEASUREMENTS, *APART, PAGE)
    parser.add_argument(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"measure only this: {', '.join(names)}; may be given again",
    )
    return parser.parse_args(arguments)


def _plan(options: argparse.Namespace) -> tuple[BenchPlan, list[str]]:
    """Return the size, and the names of what to measure."""
    if options.short:
        return SHORT, options.only or [START, *MEASUREMENTS, RISK, ROUTING]
    return (QUICK if options.quick else FULL), options.only or [START, *MEASUREMENTS, *APART]


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
    """Run; return the exit status: FIGURES, NO_FIGURES when it failed, or STOPPED."""
    options = parse(arguments)
    plan, chosen = _plan(options)
    record = BenchRecord()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hundi-bench-") as folder,
            progress(_steps(plan, chosen)) as show,
        ):

            def step(words: str) -> None:
                record.step = words
                show(words)

            _run(measure(plan, chosen, Path(folder), step, record))
    except FAILURES as failure:
        return _failed(f"because the run failed: {failure or type(failure).__name__}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        return _failed(f"because it was stopped in {record.step!r}, before its books were audited")
    document = report.document(record)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
    else:
        report.show(document)
    return STOPPED if record.stopped_in else FIGURES


def _failed(why: str) -> int:
    print(f"bench: no figures, {why}", file=sys.stderr)
    return NO_FIGURES


def _steps(plan: BenchPlan, chosen: Sequence[str]) -> int:
    """Return how many steps a run has, for its progress."""
    steps = 2 * plan.starts + plan.rounds * sum(name in chosen for name in MEASUREMENTS) + 2
    steps += (3 * plan.rounds + 1) * (OPERATIONS in chosen)
    steps += 3 * plan.rounds * (PARTNERS in chosen)
    steps += plan.rounds * ((RISK in chosen) + (ROUTING in chosen) + (PAGE in chosen))
    return steps + 3 * ((SETTLEMENT in chosen) + (SEARCH in chosen)) + 4 * (PAYOUTS in chosen)


async def _stoppable(work: Awaitable[None]) -> None:
    """Do the work; SIGTERM and RUN_S_MAX cancel it, as Ctrl-C does."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    limit = loop.call_later(RUN_S_MAX, task.cancel)
    try:
        await work
    finally:
        limit.cancel()


def _run(work: Awaitable[None]) -> None:
    """Run on uvloop where it is installed: the generator shares the cores with the gateway."""
    try:
        import uvloop  # noqa: PLC0415
    except ImportError:
        return asyncio.run(_stoppable(work))
    return uvloop.run(_stoppable(work))


if __name__ == "__main__":
    sys.exit(main())
