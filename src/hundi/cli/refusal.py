"""`hundi refusal list`: why a merchant's calls were refused, in words that a reply may not hold."""

from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, show
from hundi.merchants.access import store

app = typer.Typer(
    help="Refused requests: why a merchant's call was not answered with what it asked.", no_args_is_help=True
)

SHOWN_MAX = 50


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
        return [dict(row) for row in rows]

    show(run(data_dir, act), json=json, title="Refused requests")
