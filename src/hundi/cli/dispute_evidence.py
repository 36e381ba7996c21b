"""`hundi dispute evidence export`: writes a document into a file of the machine."""

from pathlib import Path
from typing import Annotated

import typer

from hundi.cli.context import record_export, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, show
from hundi.cli.private_output import write_new
from hundi.gateway.bootstrap import OperatorContext
from hundi.kernel.refusals import RefusalCode
from hundi.payments.disputes.documents import actions as sealed
from hundi.verbs.dispute import UNKNOWN


def export(
    merchant_id: MerchantId,
    evidence_id: Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The document's id.")],
    file: Annotated[Path, typer.Argument(help="Where to write it; nothing is overwritten.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a document into a file that only its owner reads."""

    async def act(context: OperatorContext) -> bytes:
        body = await sealed.content(context.db, context.vault, merchant_id, evidence_id)
        # Before the file is there: nobody takes one away without an entry.
        await record_export(context, merchant_id, "dispute.export_evidence", evidence_id)
        return body

    body: bytes = run(data_dir, act, {RefusalCode.NO_RECORDS: UNKNOWN})
    write_new(file, body)
    show(
        {"evidence_id": str(evidence_id), "file": str(file), "bytes": len(body)},
        json=json,
        title="Exported",
    )


COMMANDS = {"evidence export": export}
"""The command that writes a document."""
