"""`hundi page`: signs the scripts of the payment page, and checks that it arrives unchanged."""

from base64 import b64encode
from typing import Annotated, Any

import typer

from hundi.acquirers.port.memory import ShortMemory
from hundi.cli.context import run, with_demo
from hundi.cli.output import DataDir, Json, show
from hundi.gateway.bootstrap import OperatorContext, open_every_connector
from hundi.kernel.clock import utc_now
from hundi.merchants.access.sessions.rules import PURPOSE, Sessions
from hundi.money.chain import actions as chain
from hundi.page import jobs
from hundi.page.manifest import manifest, text_of

_CHANGED = 1
app = typer.Typer(
    help="The payment page: its scripts, and whether it arrives as it is sent.",
    no_args_is_help=True,
)


@app.command()
def scripts(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Print every script of the payment page, its reason and its hash, signed (PCI DSS 6.4.3)."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        text = text_of(manifest())
        signature, certificate = await chain.sign(context.db, context.vault, text, utc_now())
        signed = {
            "signature": b64encode(signature).decode(),
            "certificate": b64encode(certificate).decode(),
        }
        return {"text": text.decode(), **signed}

    signed = run(data_dir, act)
    if json:
        show(signed, json=True)
    else:
        rows = [
            {"script": each.name, "integrity": each.integrity, "why": each.why}
            for each in manifest().scripts
        ]
        show(rows, json=False, title="Scripts of the payment page")


@app.command()
def check(
    *,
    url: Annotated[
        str, typer.Option(help="Where customers load it (default: HUNDI_PAYMENT_PAGE_URL).")
    ] = "",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Load the page of an open payment as a customer and compare it with ours (PCI DSS 11.6.1).

    The exit status is 1 when anything differs. The worker does the same every hour.
    """

    async def act(context: OperatorContext) -> jobs.Inspection:
        address = url.rstrip("/") or context.settings.payment_page_url
        sessions = Sessions(lambda: context.vault.derive_all(PURPOSE))
        settings = with_demo(context.settings)
        opening = open_every_connector(settings, context.db, context.vault, ShortMemory())
        async with opening as connectors, jobs.client() as http:
            origins = jobs.origins_of(context.directory, connectors)
            return await jobs.inspect(context.db, sessions, http, origins, address, utc_now())

    result = run(data_dir, act)
    show(
        {"result": result.result, "files": result.files, "faults": result.faults},
        json=json,
        title="Payment page",
    )
    if result.faults:
        raise typer.Exit(_CHANGED)
