"""`hundi route try`: tries a plan on past payments, with the connectors of today."""

from collections.abc import Collection
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from hundi.acquirers.plans.document import RoutingFault
from hundi.acquirers.port.memory import ShortMemory
from hundi.cli.context import run, with_demo
from hundi.cli.output import DataDir, Json, fail, show
from hundi.cli.progress import bar
from hundi.gateway.bootstrap import OperatorContext, open_every_connector
from hundi.kernel.clock import utc_now
from hundi.kernel.masking import masked
from hundi.payments.acquirer_accounts import store as accounts
from hundi.payments.routing import actions
from hundi.payments.routing.document import read
from hundi.payments.routing.replay.rules import Replay
from hundi.payments.routing.rules import RoutingPlan
from hundi.payments.routing.warnings.rules import warnings
from hundi.verbs.route import fault_line

DAYS_MAX = 366
File = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="The routing plan: TOML or JSON.")
]


def try_plan(
    file: File,
    *,
    days: Annotated[int, typer.Option(min=1, max=DAYS_MAX, help="How far back.")] = 7,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Try a routing plan on past payments: what would have gone elsewhere, at what cost.

    Nothing changes.
    """
    text = _text_of(file)

    async def act(context: OperatorContext) -> tuple[Replay | tuple[RoutingFault, ...], list[str]]:
        settings = with_demo(context.settings)
        async with open_every_connector(
            settings, context.db, context.vault, ShortMemory()
        ) as registry:
            plan = read(text, [each.name for each in registry.all()])
            if not isinstance(plan, RoutingPlan):
                return plan, []
            merchants = [each.merchant_id for each in await context.directory.everyone()]
            replay = Replay()
            with bar("merchants", quiet=json) as move:
                since = utc_now() - timedelta(days=days)
                async for replay in actions.try_on_past(
                    context.db, registry, plan, merchants, since
                ):
                    move(
                        f"{replay.attempts:,} attempts, merchants", replay.merchants, len(merchants)
                    )
            return replay, await accounts.disabled(context.db)

    replay, disabled = run(data_dir, act, reading=True)
    if not isinstance(replay, Replay):
        raise _refused(replay, file, json=json)
    if isinstance(plan := read(text), RoutingPlan):
        _warn(plan, disabled, file)
    _show_replay(replay, days, json=json)


def _text_of(file: Path) -> str:
    try:
        return masked(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise fail(f"{file} is no text in UTF-8") from None


def _warn(plan: RoutingPlan, disabled: Collection[str], file: Path) -> None:
    """Print probable mistakes of a plan."""
    for each in warnings(plan, disabled):
        typer.echo(fault_line(each, file.name), err=True)


def _refused(faults: tuple[RoutingFault, ...], file: Path, *, json: bool) -> typer.Exit:
    """Print all faults of a plan and return the exit."""
    if json:
        show([asdict(each) for each in faults], json=True)
    for each in faults:
        typer.echo(fault_line(each, file.name), err=True)
    return typer.Exit(2)


def _show_replay(replay: Replay, days: int, *, json: bool) -> None:
    rows = [
        {
            "acquirer": name,
            "attempts_then": replay.before[name].attempts,
            "attempts_now": replay.after[name].attempts,
            "paid_then_paise": replay.before[name].paid_paise,
            "paid_now_paise": replay.after[name].paid_paise,
            "cost_then_paise": replay.before[name].cost_paise,
            "cost_now_paise": replay.after[name].cost_paise,
            "paid_without_cost": replay.after[name].uncosted,
        }
        for name in sorted({*replay.before, *replay.after})
    ]
    by_rule = [
        {"rule": name or "(configured order)", "attempts": count}
        for name, count in replay.by_rule.items()
    ]
    head = {"days": days, "attempts": replay.attempts, "elsewhere": replay.elsewhere}
    if json:
        show({**head, "acquirers": rows, "rules": by_rule}, json=True)
        return
    show(head, json=False, title="Tried")
    show(rows, json=False, title="By acquirer")
    show(by_rule, json=False, title="By rule")


COMMANDS = {"try": try_plan}
"""The command that opens connectors and shows its progress."""
