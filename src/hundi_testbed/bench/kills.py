"""`python -m hundi_testbed.bench.kills`: kills processes under load; no money may be lost.

Beside the parts that the supervisor restarts there are spare APIs and workers of ours, restarted at
once: a supervisor waits longer each time for a child that keeps dying, and a run is to have many
kills.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from hundi.infra.http.server import LISTENING
from hundi.infra.processes import end_with_parent
from hundi.infra.reports import without_addressee
from hundi_testbed.bench import processes, serving
from hundi_testbed.bench.kill_load import CheckedInbox, Crowd, KillBooks, judge
from hundi_testbed.bench.measures import merchants_server
from hundi_testbed.bench.processes import Component
from hundi_testbed.bench.serving import HOST, ServeError, Serving

CUSTOMERS = 8
SHOPS = 3
AUDITED_EVERY = 200
"""Kills between two audits."""
CALM_S_MAX = 240.0
"""Seconds in which everything must settle after the last kill."""
KINDS: Mapping[str, float] = {
    "spare api": 22,
    "spare worker": 30,
    "api": 12,
    "worker": 12,
    "simbank": 12,
    "PostgreSQL": 10,
    "supervisor": 2,
}
"""The kinds of kills, and their relative frequency."""
_COMPONENTS = {
    "api": Component.GATEWAY,
    "worker": Component.WORKER,
    "simbank": Component.SIMBANK,
    "PostgreSQL": Component.POSTGRESQL,
}
_SPARES = ("spare api", "spare api", "spare worker", "spare worker")


@dataclass(slots=True)
class Spare:
    """An own process that is restarted at once. port: of an API."""

    kind: str
    port: int
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self, environment: Mapping[str, str]) -> None:
        """Start it with the environment of the supervisor's part."""
        variables = without_addressee(dict(environment))
        variables.pop(LISTENING, None)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [serving.hundi_command(), "api" if self.kind == "spare api" else "worker"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=variables | {"HUNDI_PORT": str(self.port), "HUNDI_WORKERS": "1"},
                preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 (takes no Python lock)
            )


@dataclass(slots=True)
class Killer:
    """The gateway, its spares, and the killer. killed: by kind."""

    running: Serving
    folder: Path
    books: KillBooks
    pause_s: float
    killed: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    spares: list[Spare] = field(default_factory=list)
    environments: dict[str, dict[str, str]] = field(default_factory=dict)
    random: Random = field(default_factory=lambda: Random(1000))  # noqa: S311 (victims, not secrets)

    def start_spares(self) -> None:
        """Start the spares with the environment of the supervisor's parts."""
        for kind, component in (
            ("spare api", Component.GATEWAY),
            ("spare worker", Component.WORKER),
        ):
            self.environments[kind] = _environment(self._pids(component)[0])
        for number, (kind, port) in enumerate(
            zip(_SPARES, serving.free_ports(len(_SPARES)), strict=True)
        ):
            self.spares.append(Spare(kind, port, self.folder / f"spare-{number}.log"))
            self.spares[-1].start(self.environments[kind])

    def bases(self) -> list[str]:
        """Return the addresses of the gateways."""
        ports = [each.port for each in self.spares if each.kind == "spare api"]
        return [f"http://{HOST}:{port}" for port in (self.running.port, *ports)]

    def _pids(self, component: Component) -> list[int]:
        """Return the processes of one part that the supervisor started."""
        snapshot = processes.snapshot()
        children = [each for each in snapshot.values() if each.parent == self.running.process.pid]
        return [each.pid for each in children if processes.component_of(each.command) is component]

    async def kill(self) -> None:
        """Kill one live process, and restart it unless the supervisor does."""
        before = self.killed.total()
        while self.killed.total() == before:
            await self._kill_one()

    async def _kill_one(self) -> None:
        """Kill one process of a kind, unless none of that kind lives."""
        (kind,) = self.random.choices(list(KINDS), list(KINDS.values()))
        if kind == "supervisor":
            await self._kill_supervisor()
        elif kind in _SPARES:
            spare = self.random.choice([each for each in self.spares if each.kind == kind])
            if spare.process is None or spare.process.poll() is not None:
                return
            self.books.last_kill = kind
            spare.process.kill()
            await asyncio.to_thread(spare.process.wait)
            spare.start(self.environments[kind])
        else:
            pids = self._pids(_COMPONENTS[kind])
            if not pids:
                # It is starting again, so no process is there to kill.
                return
            self.books.last_kill = kind
            with suppress(ProcessLookupError):
                os.kill(pids[0], signal.SIGKILL)
        self.killed[kind] += 1

    async def _kill_supervisor(self) -> None:
        """Kill the supervisor, and start everything again as an operator's init system would."""
        self.books.last_kill = "supervisor"
        self.running.process.kill()
        await asyncio.to_thread(self.running.process.wait)
        await self.back()

    async def back(self) -> None:
        """Start `hundi serve` again at the same addresses."""
        self.restarts += 1
        ports = (self.running.port, self.running.simbank_port)
        self.running = await serving.serve(self.running.data_dir, ports)

    async def go_on(self, kills: int, give_up: float) -> list[str]:
        """Kill a number of times, audit in between, and return the audits' findings."""
        violations: list[str] = []
        audited = 0
        while sum(self.killed.values()) < kills and time.monotonic() < give_up:
            await asyncio.sleep(self.random.uniform(0.3, 1.7) * self.pause_s)
            if self.running.process.poll() is not None:
                # It ends by itself when its database cannot be started while it starts.
                await self.back()
            for each in self.spares:
                if each.process is not None and each.process.poll() is not None:
                    each.start(self.environments[each.kind])
            await self.kill()
            total = sum(self.killed.values())
            if total >= audited + AUDITED_EVERY:
                audited = total
                violations += await self.audit(f"after {total} kills")
        return violations

    async def audit(self, when: str) -> list[str]:
        """Audit while customers continue, and return the broken promises."""
        for _ in range(20):
            try:
                report = await serving.audit(self.running)
            except (ServeError, TimeoutError):
                await asyncio.sleep(2.0)
                continue
            broken = [
                f"{when}: {each['name']}: {each['samples']}"
                for each in report["checked"]
                if each["violations"]
            ]
            count = report["figures"]["payments_paid"]
            _say(
                f"audit {when}: {len(report['checked'])} checks, {len(broken)} broken, {count}"
                " payments paid"
            )
            return broken
        return [f"{when}: there was no audit"]

    def stop(self) -> None:
        """End everything."""
        for each in self.spares:
            if each.process is not None and each.process.poll() is None:
                each.process.terminate()
        for each in self.spares:
            if each.process is not None:
                each.process.wait()
        self.running.stop()


def _environment(pid: int) -> dict[str, str]:
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(each.split("=", 1) for each in pairs if "=" in each)


def _say(words: str) -> None:
    print(f"kills: {words}", flush=True)


async def run(kills: int, minutes: float, pause_s: float, folder: Path) -> bool:
    """Run, print the findings, and return whether every demand is met."""
    books = KillBooks()
    inbox = CheckedInbox(books)
    killer = Killer(await serving.serve(folder / "data"), folder, books, pause_s)
    began = time.monotonic()
    try:
        async with merchants_server(inbox) as notification_url:  # pyright: ignore[reportArgumentType]
            shops = await serving.open_shops(killer.running, SHOPS, notification_url)
            credentials = [each.credentials for each in shops]
            inbox.know(credentials)
            killer.start_spares()
            crowd = Crowd(
                books, credentials, killer.bases, f"http://{killer.running.addresses.bank}"
            )
            customers = [asyncio.create_task(crowd.live()) for _ in range(CUSTOMERS)]
            reports = asyncio.create_task(_report(killer, began))
            violations = await killer.go_on(kills, began + minutes * 60)
            reports.cancel()
            crowd.stopping.set()
            took_s = time.monotonic() - began
            _say(
                f"{sum(killer.killed.values())} kills in {took_s:.0f} s; now everything may settle"
            )
            await asyncio.wait(customers)
            wrong = await _settled(crowd)
            violations += await killer.audit("at the end")
            await crowd.close()
    finally:
        await asyncio.to_thread(killer.stop)
    violations += _not_done(killer, kills)
    _print(killer, wrong, violations, took_s)
    return not violations and not books.unbelievable and not any(wrong.values())


def _not_done(killer: Killer, kills: int) -> list[str]:
    """Return what the run lacks to be meaningful: the wanted kills, and an order to lose."""
    missing: list[str] = []
    kills_made = killer.killed.total()
    if kills_made < max(kills, 1):
        missing.append(f"{kills_made} of {kills} kills were made in the time there was")
    if not any(each.acknowledged for each in killer.books.orders.values()):
        missing.append("no order was acknowledged as paid, so none could be lost")
    return missing


async def _settled(crowd: Crowd) -> dict[str, list[str]]:
    """Judge until nothing is wrong, or the time is over."""
    give_up = time.monotonic() + CALM_S_MAX
    while True:
        wrong = await judge(crowd)
        if not any(wrong.values()) or time.monotonic() > give_up:
            return wrong
        await asyncio.sleep(5.0)


async def _report(killer: Killer, began: float) -> None:
    while True:
        await asyncio.sleep(30.0)
        orders = killer.books.orders.values()
        paid = sum(each.acknowledged for each in orders)
        total = sum(killer.killed.values())
        _say(
            f"{time.monotonic() - began:.0f} s: {total} kills, {len(orders)} orders, {paid}"
            " acknowledged as paid"
        )


def _print(
    killer: Killer, wrong: Mapping[str, Sequence[str]], violations: Sequence[str], took_s: float
) -> None:
    books = killer.books
    lost = Counter(
        each.rpartition("(after ")[2].rstrip(")") for each in wrong["acknowledged and lost"]
    )
    under = Counter(each.under for each in books.orders.values() if each.acknowledged)
    print(
        f"\n{'killed':<14}{'times':>7}{'calls that failed then':>25}"
        f"{'acknowledged then':>20}{'lost':>7}"
    )
    for kind in KINDS:
        row = f"{killer.killed[kind]:>7}{books.broken[kind]:>25}{under[kind]:>20}{lost[kind]:>7}"
        print(f"{kind:<14}{row}")
    total = sum(killer.killed.values())
    print(f"{'all':<14}{total:>7}{books.broken.total():>25}{under.total():>20}{lost.total():>7}")
    refunds = sum(bool(each.refund_id) for each in books.orders.values())
    given_up = sum(bool(each.given_up) for each in books.orders.values())
    print(
        f"\n{len(books.orders)} orders, {refunds} refunds, {given_up} customers gave up,"
        f" {took_s:.0f} s under kills"
    )
    for name, each in wrong.items():
        print(f"{name}: {len(each)} {list(each[:5]) or ''}")
    for each in (*violations, *books.unbelievable):
        print(f"broken: {each}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; return 0 when every demand is met."""
    parser = argparse.ArgumentParser(prog="hundi_testbed.bench.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="so many (default 1000)")
    parser.add_argument(
        "--minutes", type=float, default=30, help="no longer than this (default 30)"
    )
    parser.add_argument(
        "--pause", type=float, default=0.5, help="seconds between two kills, on average"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="hundi-kills-") as folder:
        holds = asyncio.run(run(options.kills, options.minutes, options.pause, Path(folder)))
    print("every demand is met" if holds else "demands are broken")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
