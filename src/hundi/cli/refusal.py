"""`hundi refusal list`: why a merchant's calls were refused, in words that a reply may not hold."""

import asyncio
from typing import Annotated, Any

import typer

from hundi.access import store
from hundi.bootstrap import open_office
from hundi.cli.output import DataDir, Json, show
from hundi.infra.settings import load_settings
from hundi.kernel.clock import for_people

app = typer.Typer(
    help="Refused requests: why a merchant's call was not answered with what it asked.", no_args_is_help=True
)

SHOWN_MAX = 50


@app.command("list")
def list_refusals(
    merchant_id: Annotated[int, typer.Argument()],
    reference: Annotated[
        str, typer.Argument(help="The request id of one reply; without it the newest are listed.")
    ] = "",
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """List a merchant's refused requests with the exact reason, newest first."""

    async def within() -> list[dict[str, Any]]:
        async with open_office(load_settings(data_dir=data_dir)) as office:
            rows = await store.select_refused(office.db, merchant_id, reference, SHOWN_MAX)
            return [{**dict(row), "at": for_people(row["at"])} for row in rows]

    show(asyncio.run(within()), json=json, title="Refused requests")
