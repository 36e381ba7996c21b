"""Risk rules: the time of a check of 50 rules, alone and with their counts."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from hundi.gateway.bootstrap import OperatorContext, open_operator_context, open_operator_database
from hundi.infra.postgres.database import Database
from hundi.infra.postgres.roles import DatabaseRole
from hundi.infra.secrets.vault import Vault
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.payments.risk import actions as risk
from hundi.payments.risk.actions import PayerTrace, RiskControl
from hundi.payments.risk.counting.rules import tally_of_try
from hundi.payments.risk.document import read
from hundi.payments.risk.rules import OPERATOR, Facts, RuleSet, decide
from hundi.staff.trail.actions import at_command_line
from hundi_testbed.bench import serving
from hundi_testbed.bench.measures import Run
from hundi_testbed.bench.progress import Step

VAULT = Vault({"k1": bytes(32)})

RULES = 50
DECISIONS, CHECKS = 2_000, 500
"""Of one round: of the rules alone, and with their counts."""
_MS = 1_000
WHO = at_command_line("bench", VAULT)
_BY = ("card", "email", "phone", "ip_address", "device", "order")
_COUNTED = ("tries", "declines", "amount_paise")
_BROWSER = ("Mozilla/5.0 (Linux; Android 14) Chrome/130.0", "en-IN,en", "", "")


def rules() -> str:
    """Return 50 rules that are all evaluated to the end: half of them count, and none matches."""
    written: list[str] = []
    for place in range(RULES):
        fact = '{ field = "channel", in = ["pg", "emi"] }'
        if place % 2:
            by, metric = _BY[place // 2 % len(_BY)], _COUNTED[place // 2 % len(_COUNTED)]
            last = (
                f'{{ count = "{metric}", by = "{by}", within = "{place + 1}h", at_least ='
                f" {10**14 + place} }}"
            )
        else:
            last = (
                f'{{ field = "email", in = ["thief{place}@example.in", "fraud{place}@example.in"]'
                " }"
            )
        written.append(
            f'[[rules]]\nname = "rule-{place}"\naction = "block"\nwhen = [{fact}, {last}]'
        )
    return "\n".join(written)


async def measure(folder: Path, rounds: int, step: Step) -> dict[str, list[Run]]:
    """Return the figures of the risk rules."""
    running = await serving.serve(folder / "risk")
    try:
        settings = load_settings(data_dir=str(running.data_dir))
        # Counting tries needs the gateway's rights, publishing rules the operator's.
        async with (
            open_operator_context(settings) as context,
            open_operator_database(settings, DatabaseRole.GATEWAY) as db,
        ):
            runs: list[Run] = []
            for round_no in range(1, rounds + 1):
                step(f"risk, run {round_no} of {rounds}")
                runs.append(await _run(context, db))
            return {"risk": runs}
    finally:
        await asyncio.to_thread(running.stop)


def _facts(control: RiskControl, number: int) -> Facts:
    seen = control.seen(PayerTrace(f"203.0.{number // 250 % 250}.{number % 250}", _BROWSER))
    return Facts(
        amount_paise=149_950,
        channel="pg",
        method="card",
        kind="sale",
        email=f"c{number}@example.in",
        phone=f"98{number:08d}",
        ip_address=seen.ip_address,
        device=seen.device,
        card=f"{number:032x}",
        card_bin="411111",
        order=str(number),
        merchant="10001",
    )


async def _run(context: OperatorContext, db: Database) -> Run:
    default = await risk.live(context.db, OPERATOR)
    control = RiskControl(db, context.vault)
    figures = {
        "risk_decide": _decisions(control),
        "risk_default": await _timed(
            lambda number: control.check(_facts(control, number), utc_now())
        ),
    }
    published = await risk.publish(context.db, OPERATOR, rules(), WHO, utc_now())
    counting = RiskControl(db, context.vault)
    figures["risk_check"] = await _timed(
        lambda number: counting.check(_facts(counting, number), utc_now())
    )
    # The next round begins with the default again.
    await risk.publish(context.db, OPERATOR, risk.default_document(), WHO, utc_now())
    if not isinstance(published, int) or not default.rules:
        message = "the rules of the measurement are not in order"
        raise serving.ServeError(message)
    return Run(figures)


def _decisions(control: RiskControl) -> float:
    """Return the milliseconds of one decision: of its counts, and of 50 rules on them."""
    rule_set = read(rules())
    if not isinstance(rule_set, RuleSet):
        message = f"the rules of the measurement are not in order: {rule_set[0]}"
        raise serving.ServeError(message)
    facts = _facts(control, 1)
    took: list[float] = []
    for _ in range(DECISIONS):
        began = time.perf_counter()
        tally = tally_of_try((rule_set,), facts)
        decide((rule_set,), facts, dict.fromkeys(tally.rule_counts, 3))
        took.append(time.perf_counter() - began)
    return median(took) * _MS


async def _timed(check: Callable[[int], Awaitable[object]]) -> float:
    took: list[float] = []
    for number in range(CHECKS):
        began = time.perf_counter()
        await check(number)
        took.append(time.perf_counter() - began)
    return median(took) * _MS
