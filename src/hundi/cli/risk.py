"""`hundi risk`: the rules against fraud: show, check, try on past payments, publish."""

import getpass
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.kernel.clock import utc_now
from hundi.masking import masked
from hundi.payments.risk import actions as risk
from hundi.payments.risk import store
from hundi.payments.risk.actions import OPERATOR
from hundi.payments.risk.document import read
from hundi.payments.risk.faults import RiskFault
from hundi.payments.risk.replay import Replayed
from hundi.payments.risk.rules import RuleSet
from hundi.staff.trail.actions import at_command_line

app = typer.Typer(
    help="Risk rules: show, check, try on past payments, publish.", no_args_is_help=True
)
DAYS_MAX = 366

File = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="The rule set: TOML or JSON.")
]
Owner = Annotated[
    int,
    typer.Option(
        "--merchant",
        min=0,
        max=ID_MAX,
        help="A merchant's own rules (default: those for everybody).",
    ),
]


@app.command("show")
def show_rules(
    *,
    merchant: Owner = OPERATOR,
    version: Annotated[int, typer.Option(min=0, help="A version (default: the newest).")] = 0,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a rule set as it was published; without --json, the document alone."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        await _check_owner(context, merchant)
        found = await (
            store.select_version(context.db, merchant, version)
            if version
            else store.select_live(context.db, merchant)
        )
        if found is not None:
            return {"merchant_id": str(merchant or ""), **found}
        if version or merchant:
            raise fail(
                f"there is no rule set{f' with version {version}' if version else ''}: publish one"
            )
        return {
            "merchant_id": "",
            "version": 0,
            "document": risk.default_document(),
            "published_by": "hundi",
        }

    found = run(data_dir, act, reading=True)
    if json:
        show(found, json=True)
    else:
        typer.echo(found["document"], nl=not found["document"].endswith("\n"))


@app.command()
def check(file: File, *, json: Json = False) -> None:
    """Check a rule set; exit with 2 and everything that is wrong with it."""
    found = _read(file, json=json)
    show({"rules": len(found.rules), "counts": len(found.counts)}, json=json, title="In order")


@app.command("try")
def try_rules(
    file: File,
    *,
    merchant: Owner = OPERATOR,
    days: Annotated[int, typer.Option(min=1, max=DAYS_MAX, help="How far back.")] = 30,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Try a rule set on past payments: what each rule would have done. Nothing changes."""
    rule_set = _read(file, json=json)

    async def act(context: OperatorContext) -> list[Replayed]:
        await _check_owner(context, merchant)
        ids = (
            [merchant]
            if merchant
            else [each.merchant_id for each in await context.directory.everyone()]
        )
        since = utc_now() - timedelta(days=days)
        return [await risk.try_on_past(context.db, each, rule_set, since) for each in ids]

    found = _together(rule_set, run(data_dir, act, reading=True))
    if json:
        show(found, json=True)
        return
    show(
        {name: value for name, value in found.items() if name != "rules"}, json=False, title="Tried"
    )
    show(found["rules"], json=False, title="By rule")


@app.command()
def publish(
    file: File,
    *,
    merchant: Owner = OPERATOR,
    by: Annotated[
        str, typer.Option(help="Who publishes (default: the user of this machine).")
    ] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Put a rule set into force, as a new version; processes that run take it up at once."""
    _read(file, json=json)

    async def act(context: OperatorContext) -> int | tuple[RiskFault, ...]:
        await _check_owner(context, merchant)
        text = masked(file.read_text("utf-8"))
        who = at_command_line(by or getpass.getuser(), context.vault)
        return await risk.publish(context.db, merchant, text, who, utc_now())

    version = run(data_dir, act)
    show({"merchant_id": str(merchant or ""), "version": version}, json=json, title="Published")


async def _check_owner(context: OperatorContext, merchant: int) -> None:
    if merchant:
        await check_merchant(context, merchant)


def _read(file: Path, *, json: bool) -> RuleSet:
    """Return the rule set of a file, or exit with everything that is wrong with it."""
    try:
        text = masked(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise fail(f"{file} is no text in UTF-8") from None
    found = read(text)
    if isinstance(found, RuleSet):
        return found
    if json:
        show([asdict(each) for each in found], json=True)
    for each in found:
        place = ", ".join(part for part in (each.rule, each.field) if part)
        typer.echo(f"{each.code}: {place or file.name}: {each.words}", err=True)
    raise typer.Exit(2)


def _together(rule_set: RuleSet, found: list[Replayed]) -> dict[str, Any]:
    """Return what a rule set did to the tries of several merchants."""
    by_action = (
        {action: sum(each.by_action[action] for each in found) for action in found[0].by_action}
        if found
        else {}
    )
    rules = [[each.rules[place] for each in found] for place, _ in enumerate(rule_set.rules)]
    return {
        "tries": sum(each.tries for each in found),
        **by_action,
        "paid_and_would_be_blocked": sum(each.paid_lost for each in found),
        "rules": [
            {
                "rule": rule.name,
                "action": rule.action,
                "tries": sum(each.tries for each in reports),
                "paid": sum(each.paid for each in reports),
                "declined": sum(each.declined for each in reports),
                "orders": [order for each in reports for order in each.orders][:5],
            }
            for rule, reports in zip(rule_set.rules, rules, strict=True)
        ],
    }
