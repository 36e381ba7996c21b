"""`hundi call dispute contest`: contests a dispute, with its documents, in one command."""

from pathlib import Path
from typing import Annotated

import typer

from hundi.cli.calling import DataDir, Merchant, Who, call
from hundi.cli.output import Json
from hundi.sdk import Client


def contest(
    dispute_id: Annotated[str, typer.Argument(help="dispute_id.")],
    *,
    note: Annotated[str, typer.Option(help="What the bank is told.")] = "",
    document: Annotated[
        list[Path] | None,
        typer.Option("--evidence", exists=True, dir_okay=False, help="A PDF, PNG or JPEG."),
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
