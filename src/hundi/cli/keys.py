"""`hundi keys`: the keys that secrets are sealed with."""

from typing import Annotated

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import run
from hundi.cli.output import DataDir, Json, fail, show
from hundi.infra.settings import load_settings
from hundi.infra.vault import add_key
from hundi.kernel.clock import utc_now
from hundi.merchants.directory import actions as merchants
from hundi.partners.directory import actions as partners
from hundi.partners.identity import actions as identity
from hundi.partners.leads import actions as leads
from hundi.partners.leads.actions import LeadContext
from hundi.partners.offers import actions as offers
from hundi.payments.splits import actions as splits

app = typer.Typer(help="The keys that secrets are sealed with: add one, seal all anew.", no_args_is_help=True)


@app.command()
def add(*, data_dir: DataDir = None, json: Json = False) -> None:
    """Add a key for sealing. Restart every process, then run `hundi keys reseal`."""
    settings = load_settings(data_dir=data_dir)
    if settings.keys:
        raise fail("HUNDI_KEYS holds the keys: put a new one before the others there")
    path = settings.key_file or settings.data_dir / "kek"
    if not path.exists():
        raise fail(f"{path} is not there: the first start makes it")
    key_id = add_key(path)
    show({"key_id": key_id, "next": "start every process again, then: hundi keys reseal"}, json=json, title="Key added")


@app.command()
def reseal(
    *,
    restarted: Annotated[
        bool, typer.Option("--restarted", help="Every process was started again since the key was added.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Seal every secret with the newest key; interrupted, it goes on where it stopped."""
    if not restarted:
        raise fail("a process that does not know the newest key cannot open what it seals: add --restarted")

    async def act(context: OperatorContext) -> dict[str, int]:
        now = utc_now()
        return {
            "merchants": await merchants.reseal(context.db, context.vault, now),
            "linked_accounts": await splits.reseal(context.db, context.vault),
            "identity": await identity.reseal(context.db, context.vault),
            "offers": await offers.reseal(context.db, context.vault),
            "leads": await leads.reseal(LeadContext(context.db, context.vault)),
            "partners": await partners.reseal(context.db, context.vault, now),
        }

    show(run(data_dir, act), json=json, title="Sealed anew")
