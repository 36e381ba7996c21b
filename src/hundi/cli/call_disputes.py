"""`hundi call dispute`: what a merchant's own server answers its customers' banks."""

from pathlib import Path
from typing import Annotated

import typer

from hundi.cli.calling import DataDir, Merchant, Who, call
from hundi.cli.output import Json
from hundi.sdk import Client, paise

dispute = typer.Typer(help="Disputes.", no_args_is_help=True)
DisputeId = Annotated[str, typer.Argument(help="dispute_id.")]
Note = Annotated[str, typer.Option(help="What the bank is told.")]


@dispute.command("list")
def list_disputes(
    *,
    state: Annotated[str, typer.Option(help="Only those in this state.")] = "",
    before: Annotated[str, typer.Option(help="The last id that you have, for those that are older.")] = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List your disputes, newest first, each in the phase that it is in."""
    call(
        lambda client: client.disputes(state=state, before=before),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Disputes",
    )


@dispute.command("show")
def show_dispute(
    dispute_id: DisputeId,
    *,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Show a dispute with its phases and documents."""
    call(lambda client: client.dispute(dispute_id), credentials, data_dir, merchant, json=json, title="Dispute")


@dispute.command("contest")
def contest(
    dispute_id: DisputeId,
    *,
    note: Note = "",
    document: Annotated[
        list[Path] | None, typer.Option("--evidence", exists=True, dir_okay=False, help="A PDF, PNG or JPEG.")
    ] = None,
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Contest a dispute, with documents; the bank decides."""

    def act(client: Client) -> object:
        for each in document or []:
            client.add_evidence(dispute_id, each.read_bytes(), name=each.name)
        return client.contest_dispute(dispute_id, note=note)

    call(act, credentials, data_dir, merchant, json=json, title="Dispute")


@dispute.command("accept")
def accept(
    dispute_id: DisputeId,
    *,
    amount: Annotated[str, typer.Option(help="Only this part; the rest is contested.")] = "",
    note: Note = "",
    merchant: Merchant = "",
    credentials: Who = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Accept a dispute: the bank takes the money."""
    call(
        lambda client: client.accept_dispute(dispute_id, amount_paise=paise(amount) if amount else None, note=note),
        credentials,
        data_dir,
        merchant,
        json=json,
        title="Dispute",
    )
