"""`hundi call settlement|payout`: what a merchant's own server reads of its money."""

from typing import Annotated

import typer

from hundi.cli.calling import DataDir, Merchant, Who, call
from hundi.cli.output import Json

settlement = typer.Typer(help="Settlements.", no_args_is_help=True)
payout = typer.Typer(help="Payouts.", no_args_is_help=True)
SettlementId = Annotated[str, typer.Argument(help="settlement_id.")]
Before = Annotated[str, typer.Option(help="The last id that you have, for those that are older.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to those that merchants call with."""
    app.add_typer(settlement, name="settlement")
    app.add_typer(payout, name="payout")


@settlement.command("list")
def list_settlements(
    *,
    before: Before = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List your settlements, newest first."""
    call(
        lambda client: client.settlements(before=before),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Settlements",
    )


@settlement.command("show")
def show_settlement(
    settlement_id: SettlementId,
    *,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show what a settlement came to, and in which shares it left."""
    call(
        lambda client: client.settlement(settlement_id), credentials, data_dir, merchant, json=json, title="Settlement"
    )


@settlement.command("items")
def list_items(
    settlement_id: SettlementId,
    *,
    after: Annotated[str, typer.Option(help="`next` of the page before.")] = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List what a settlement is made of, a page at a time."""
    call(
        lambda client: client.settlement_items(settlement_id, after=after),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Items",
    )


@payout.command("list")
def list_payouts(
    *,
    state: Annotated[str, typer.Option(help="Only those in this state.")] = "",
    before: Before = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List your payouts, newest first."""
    call(
        lambda client: client.payouts(state=state, before=before),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Payouts",
    )
