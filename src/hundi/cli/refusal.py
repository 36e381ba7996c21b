"""`hundi refusal list`: why a merchant's calls were refused, in words that a reply may not hold."""

from typing import Annotated, Any

import typer

from hundi.api.replies import CODE_OF
from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, show
from hundi.merchants.access import store

app = typer.Typer(
    help="Refused requests: why a merchant's call was not answered with what it asked.",
    no_args_is_help=True,
)

SHOWN_MAX = 50
CODES = {reason.log_name: code for reason, code in CODE_OF.items()}
"""The code that the reply had, by the reason that is kept."""


@app.command("list")
def list_refusals(
    merchant_id: MerchantId,
    reference: Annotated[
        str, typer.Argument(help="The request id of one reply; without it the newest are listed.")
    ] = "",
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's refused requests with the exact reason, newest first."""

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        rows = await store.select_refused(context.db, merchant_id, reference, SHOWN_MAX)
        if not rows:
            await check_merchant(context, merchant_id)
        return [{**row, "response_code": CODES[row["code"]].wire} for row in rows]

    show(run(data_dir, act, reading=True), json=json, title="Refused requests")
