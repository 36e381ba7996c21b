"""Routing: the time to choose an acquirer with 100 rules, of which the last one decides."""

import asyncio
import time
from pathlib import Path
from statistics import median

from hundi.acquirers.registry import Registry
from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.gateway.bootstrap import open_operator_context
from hundi.infra.postgres.database import Database
from hundi.infra.settings import load_settings
from hundi.instruments.methods import NETBANKING
from hundi.kernel.clock import utc_now
from hundi.payments.routing import actions
from hundi.payments.routing.actions import Router
from hundi.payments.routing.needs.rules import NO_NEEDS
from hundi.payments.routing.rules import RoutingCase
from hundi.staff.trail.actions import at_command_line
from hundi_testbed.bench import serving
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.progress import Step

RULES = 100
DECISIONS = 2_000
"""Decisions of one round."""
ACQUIRERS = ("first", "second", "third")
_MERCHANT, _OTHERS = 7, 1_000_000_000
_MS = 1_000


def plan() -> str:
    """Return 100 rules that are all evaluated to the end; only the last is for the merchant."""
    written: list[str] = []
    for place in range(RULES):
        merchant = _MERCHANT if place == RULES - 1 else _OTHERS + place
        facts = (
            'channels = ["nb", "pg"], banks = ["HDFC"], above_paise = 100, hours = [0, 24],'
            f" merchants = [{merchant}]"
        )
        use = '{ acquirer = "first", weight = 80 }, { acquirer = "second", weight = 20 }'
        written.append(
            f'[[rules]]\nname = "rule-{place}"\nwhen = {{ {facts} }}\nuse = [{use}]\nthen ='
            ' ["third"]'
        )
    return "\n".join(written)


async def measure(folder: Path, rounds: int, step: Step) -> dict[str, list[Run]]:
    """Return the figures of routing."""
    running = await serving.serve(folder / "routing")
    try:
        async with open_operator_context(load_settings(data_dir=str(running.data_dir))) as context:
            who = at_command_line("bench", context.vault)
            published = await actions.publish(context.db, plan(), ACQUIRERS, who, utc_now())
            if not isinstance(published, int):
                message = f"the plan of the measurement is not in order: {published[0]}"
                raise serving.ServeError(message)
            runs: list[Run] = []
            for round_no in range(1, rounds + 1):
                step(f"routing, run {round_no} of {rounds}")
                runs.append(Run({"route_decide": await _decisions(context.db)}))
            return {"routing": runs}
    finally:
        await asyncio.to_thread(running.stop)


async def _decisions(db: Database) -> float:
    """Return the milliseconds of one decision and of a process's work for it.

    The plan is cached.
    """
    registry, router = (
        Registry([SandboxConnector("http://127.0.0.1:9", b"k", name=name) for name in ACQUIRERS]),
        Router(db),
    )
    took: list[float] = []
    for number in range(DECISIONS):
        case = RoutingCase(
            _MERCHANT, NO_NEEDS, 10**14 + number, 0, "nb", "", "HDFC", 149_950, utc_now()
        )
        began = time.perf_counter()
        route = await router.route(registry, case, (NETBANKING,))
        took.append(time.perf_counter() - began)
        assert route.routed.rule == f"rule-{RULES - 1}", "the last rule is the merchant's"
    await registry.close()
    return median(took) * _MS
