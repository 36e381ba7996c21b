"""`hundi bank-account papers export`: writes a paper into a file of the machine."""

from pathlib import Path
from typing import Annotated

import typer

from hundi.cli.context import record_export, run
from hundi.cli.output import ID_MAX, DataDir, Json, MerchantId, show
from hundi.cli.private_output import write_new
from hundi.gateway.bootstrap import OperatorContext
from hundi.kernel.refusals import RefusalCode
from hundi.money.bank_accounts.papers import actions as papers

UNKNOWN = "there is no such paper of this merchant"


def export(
    merchant_id: MerchantId,
    paper_id: Annotated[int, typer.Argument(min=1, max=ID_MAX, help="The paper's id.")],
    file: Annotated[Path, typer.Argument(help="Where to write it; nothing is overwritten.")],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Write a paper into a file that only its owner reads."""

    async def act(context: OperatorContext) -> bytes:
        _, body = await papers.content(context.db, context.vault, merchant_id, paper_id)
        # Before the file is there: nobody takes one away without an entry.
        await record_export(context, merchant_id, "bank_account.export_paper", paper_id)
        return body

    body: bytes = run(data_dir, act, {RefusalCode.NO_RECORDS: UNKNOWN})
    write_new(file, body)
    result = {"paper_id": str(paper_id), "file": str(file), "bytes": len(body)}
    show(result, json=json, title="Exported")


COMMANDS = {"papers export": export}
"""The command that writes a paper."""
