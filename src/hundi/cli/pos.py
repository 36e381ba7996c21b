"""`hundi pos`: terminals in merchants' shops, and what was sold through them."""

import secrets
from typing import Annotated, Any, Literal

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, partner_of, run
from hundi.cli.output import DataDir, Json, MerchantId, fail, show
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import RefusalCode
from hundi.partners.pos import actions as pos
from hundi.partners.pos import rules, store
from hundi.partners.pos.rules import Sale
from hundi.sdk import errors, paise

app = typer.Typer(
    help="Terminals in merchants' shops, and what was sold through them.", no_args_is_help=True
)
Terminal = Annotated[str, typer.Argument(help="The terminal's id: 1 to 16 letters and digits.")]


@app.command()
def register(
    merchant_id: MerchantId,
    terminal_id: Terminal,
    label: Annotated[str, typer.Argument(help="Where it stands.")],
    *,
    manager: Annotated[
        str | None,
        typer.Option(help="Affiliate code of the partner who tells what it sells; empty: nobody."),
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Register a terminal, or open it again; without --manager, that stays as it is."""

    async def act(context: OperatorContext) -> None:
        if manager:
            await partner_of(context, manager)
        await pos.register(context.db, merchant_id, terminal_id, label, utc_now(), manager=manager)

    run(data_dir, act)
    show(
        {"merchant_id": str(merchant_id), "terminal_id": terminal_id, "state": "open"},
        json=json,
        title="Terminal",
    )


@app.command()
def close(
    merchant_id: MerchantId, terminal_id: Terminal, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Take a terminal out of use."""
    run(
        data_dir,
        lambda context: pos.close(context.db, merchant_id, terminal_id, utc_now()),
        _not_in_use(merchant_id, terminal_id),
    )
    show(
        {"merchant_id": str(merchant_id), "terminal_id": terminal_id, "state": "closed"},
        json=json,
        title="Terminal",
    )


def _not_in_use(merchant_id: int, terminal_id: str) -> dict[RefusalCode, str]:
    return {RefusalCode.NO_RECORDS: f"merchant {merchant_id} has no terminal {terminal_id} in use"}


@app.command()
def terminals(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List a merchant's terminals."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        rows = await store.terminals(context.db, merchant_id)
        if not rows:
            await check_merchant(context, merchant_id)
        return [
            {
                "terminal_id": row["terminal_id"],
                "label": row["label"],
                "manager": row["manager"] or "",
                "state": "closed" if row["closed_at"] else "open",
                "since": row["created_at"],
            }
            for row in rows
        ]

    show(run(data_dir, act, reading=True), json=json, title="Terminals")


@app.command()
def sell(
    merchant_id: MerchantId,
    terminal_id: Terminal,
    amount: Annotated[str, typer.Argument(help="Rupees with two places.")],
    *,
    kind: Annotated[Literal["SALE", "VOID", "REFUND"], typer.Option()] = "SALE",
    edited: Annotated[str, typer.Option(help="The amount after a change at the table.")] = "",
    table: Annotated[str, typer.Option(help="Which table or counter was served.")] = "",
    mobile: Annotated[str, typer.Option(help="Ten digits, of which the last four are kept.")] = "",
    reference: Annotated[
        str, typer.Option(help="The terminal's own: the same again is kept once.")
    ] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Keep a sale, as a terminal would tell it."""
    sale = Sale(
        merchant_id=merchant_id,
        terminal_id=terminal_id,
        reference=reference or "cli_" + secrets.token_hex(12),
        at=utc_now(),
        amount_paise=_paise("amount", amount),
        kind=kind,
        edited_paise=_paise("edited", edited) if edited else 0,
        table_no=table,
        mobile=mobile,
    )
    kept = run(
        data_dir,
        lambda context: pos.record(context.db, sale),
        _not_in_use(merchant_id, terminal_id),
    )
    show({"transaction_id": str(kept), "reference": sale.reference}, json=json, title="Sold")


def _paise(name: str, amount: str) -> int:
    try:
        return paise(amount)
    except errors.InvalidOrderError as error:
        raise fail(f"{name} was {amount!r}; allowed: {error.allowed}") from None


@app.command()
def sales(
    merchant_id: MerchantId, terminal_id: Terminal, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """Show what was sold through a terminal in the last 24 hours."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        # Of a terminal that is closed now, too.
        if not any(
            row["terminal_id"] == terminal_id
            for row in await store.terminals(context.db, merchant_id)
        ):
            await check_merchant(context, merchant_id)
            raise fail(f"merchant {merchant_id} has no terminal {terminal_id}")
        since = utc_now() - rules.LISTED_FOR
        return [
            {
                "transaction_id": str(each.transaction_id),
                "at": each.at,
                "kind": each.kind,
                "amount_paise": each.amount_paise,
                "edited_paise": each.edited_paise or None,
                "table": each.table_no,
                "mobile": each.masked_mobile,
            }
            for each in await store.sales(
                context.db, merchant_id, terminal_id, since, rules.LISTED_MAX
            )
        ]

    show(run(data_dir, act, reading=True), json=json, title="Sales")
