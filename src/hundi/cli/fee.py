"""`hundi fee`: merchants' price plans, and what a payment costs."""

import getpass
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import by_command, check_merchant, run
from hundi.cli.output import ID_MAX, DataDir, Json, fail, show
from hundi.instruments.methods import CHANNELS, CODE_OF_SPELLING
from hundi.kernel.clock import business_day, utc_now
from hundi.masking import masked
from hundi.money.fees import actions, store
from hundi.money.fees.document import PlanDocument, PlanFault, PriceWords, read
from hundi.money.fees.rules import UNBOUNDED, FeeFacts, PaymentFee

app = typer.Typer(
    help="Fees: merchants' price plans, and what a payment costs.", no_args_is_help=True
)
plan = typer.Typer(help="Price plans: set, show.", no_args_is_help=True)
app.add_typer(plan, name="plan")
_DAY = "%Y-%m-%d"
Merchant = Annotated[int, typer.Option("--merchant", min=1, max=ID_MAX, help="The merchant's id.")]


@plan.command("set")
def set_plan(
    file: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="The price plan: TOML or JSON.")
    ],
    *,
    merchant: Merchant,
    first_day: Annotated[
        datetime | None,
        typer.Option(
            "--from",
            formats=[_DAY],
            help="Its first business day (default: tomorrow; of a first plan today).",
        ),
    ] = None,
    by: Annotated[str, typer.Option(help="Who sets it (default: the user of this machine).")] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Set a merchant's price plan from a day on, as a new version.

    Exit with 2 and say what is wrong where it is refused.
    """
    text = _text_of(file, json=json)

    async def act(context: OperatorContext) -> tuple[int, date] | tuple[PlanFault, ...]:
        await check_merchant(context, merchant)
        day = first_day.date() if first_day else None
        named = by or getpass.getuser()
        return await actions.publish(
            context.db, merchant, text, day, named, by_command(context), utc_now()
        )

    plan_no, begins = run(data_dir, act)
    result = {"merchant_id": str(merchant), "plan_no": plan_no, "first_day": begins.isoformat()}
    show(result, json=json, title="Price plan")


@plan.command("show")
def show_plan(
    *,
    merchant: Merchant,
    version: Annotated[
        int, typer.Option(min=0, help="A version (default: the one in force today).")
    ] = 0,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a version of a merchant's price plan, and which versions there are."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        await check_merchant(context, merchant)
        heads = await store.select_heads(context.db, merchant)
        in_force = (await store.plans_of(context.db, merchant)).on(business_day(utc_now()))
        wanted = version or (in_force.plan_no if in_force else 0)
        found = await store.select_plan(context.db, merchant, wanted)
        if version and found is None:
            raise fail(f"merchant {merchant} has no price plan with version {version}")
        return {
            "merchant_id": str(merchant),
            "in_force": in_force.plan_no if in_force else 0,
            "versions": [_head(row) for row in heads],
            "plan": {**_head(found), "document": found["document"]} if found else {},
        }

    found = run(data_dir, act, reading=True)
    if json:
        show(found, json=True)
        return
    show(found["versions"], json=False, title="Versions")
    if found["plan"]:
        document = store.document_of(found["plan"]["document"])
        show(_prices(document), json=False, title=f"Version {found['plan']['plan_no']}")


@app.command("quote")
def quote_fee(
    *,
    merchant: Merchant,
    channel: Annotated[str, typer.Option(help=f"How it is paid: {' '.join(CHANNELS)}.")],
    amount_paise: Annotated[
        int, typer.Option(min=1, max=UNBOUNDED, help="The payment's amount in paise.")
    ],
    network: Annotated[str, typer.Option(help="A card's network, such as Visa or RuPay.")] = "",
    card_type: Annotated[str, typer.Option(help="A card's type: credit, debit or prepaid.")] = "",
    discount_paise: Annotated[
        int, typer.Option(min=0, help="What the merchant bears of no-cost instalments.")
    ] = 0,
    day: Annotated[
        datetime | None, typer.Option(formats=[_DAY], help="The business day (default: today).")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Say what a payment costs a merchant, by which rule of which version."""
    code = CODE_OF_SPELLING.get(channel)
    if code is None:
        raise fail(f"there is no channel {channel!r}: {' '.join(CHANNELS)}")
    asked = day.date() if day else business_day(utc_now())
    facts = FeeFacts(code, network, card_type, amount_paise, asked, discount_paise)

    async def act(context: OperatorContext) -> PaymentFee:
        await check_merchant(context, merchant)
        return await actions.quoted(context.db, merchant, facts)

    fee: PaymentFee = run(data_dir, act, reading=True)
    result = {
        "fee_paise": fee.fee_paise,
        "tax_paise": fee.tax_paise,
        "net_paise": fee.net_paise(amount_paise),
        "rule": fee.rule,
        "plan_no": fee.plan_no,
    }
    show(result, json=json, title="Fee")


def _text_of(file: Path, *, json: bool) -> str:
    """Return a plan's text when it is in order, or exit with everything that is wrong with it."""
    try:
        text = masked(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise fail(f"{file} is no text in UTF-8") from None
    found = read(text)
    if isinstance(found, PlanDocument):
        return text
    if json:
        show([asdict(each) for each in found], json=True)
    for each in found:
        typer.echo(f"{each.code}: {each.rule or file.name}: {each.words}", err=True)
    raise typer.Exit(2)


def _head(row: Any) -> dict[str, Any]:  # noqa: ANN401 (a row)
    return {
        "plan_no": row["plan_no"],
        "first_day": row["first_day"].isoformat(),
        "published_by": row["published_by"],
        "published_at": row["published_at"],
    }


def _prices(document: PlanDocument) -> list[dict[str, Any]]:
    """Return the rules of a plan as people read them."""
    named: list[tuple[str, PriceWords]] = [(each.name, each) for each in document.rules]
    if document.otherwise:
        named.append(("otherwise", document.otherwise))
    return [
        {
            "rule": name,
            "per cent": f"{each.basis_points / 100:.2f}",
            "fixed": each.fixed_paise,
            "minimum": each.minimum_paise,
            "maximum": each.maximum_paise or "",
        }
        for name, each in named
    ]
