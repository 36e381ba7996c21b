"""`hundi merchant key`: API secrets that may do less than the first."""

from typing import Annotated, Any

import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import check_merchant, recording_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, show
from hundi.kernel.clock import utc_now
from hundi.masking import masked
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.api_keys import ApiKey, KeyScope
from hundi.merchants.directory.keys.rules import mark_of

app = typer.Typer(
    help=(
        "API secrets that may do less than the first: each for some operations, refunds up to an"
        " amount."
    ),
    no_args_is_help=True,
)
_Name = Annotated[
    str, typer.Argument(parser=masked, help="Names the key: small letters, digits and hyphens.")
]


def _listed(key: ApiKey) -> dict[str, Any]:
    return {
        "name": key.name,
        "scopes": list(key.scopes),
        "refund_paise": key.refund_paise,
        "mark": mark_of(key.secret),
        "made": key.made,
    }


@app.command()
def add(
    merchant_id: MerchantId,
    name: _Name,
    scopes: Annotated[list[KeyScope], typer.Argument(help="What it may be used for.")],
    *,
    refund_paise: Annotated[
        int,
        typer.Option(
            min=0, help="What it may refund of one payment altogether; with the scope refund."
        ),
    ] = 0,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Make an API secret and show it, this once.

    It makes privatekey with the same username and password.
    """

    async def act(context: OperatorContext) -> dict[str, Any]:
        given = name, scopes, refund_paise, utc_now()
        beside = recording_merchant(
            context, "keys.add", name, scopes=" ".join(scopes), refund_paise=refund_paise
        )
        new = await merchants.add_key(context.db, context.vault, merchant_id, *given, beside)
        return {"merchant_id": str(merchant_id), "secret": new.secret, **_listed(new)}

    show(run(data_dir, act), json=json, title="API secret: keep it, it is not shown again")


@app.command("list")
def list_all(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """List a merchant's further API secrets, none of them shown.

    The mark is the beginning of its SHA-256.
    """

    async def act(context: OperatorContext) -> list[dict[str, Any]]:
        await check_merchant(context, merchant_id)
        merchant = await context.directory.get(merchant_id)
        assert merchant is not None
        return [_listed(each) for each in merchant.keys.further]

    show(
        run(data_dir, act, reading=True), json=json, title=f"API secrets of merchant {merchant_id}"
    )


@app.command()
def end(
    merchant_id: MerchantId, name: _Name, *, data_dir: DataDir = None, json: Json = False
) -> None:
    """End an API secret at once."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        beside = recording_merchant(context, "keys.end", name)
        await merchants.end_key(context.db, context.vault, merchant_id, name, utc_now(), beside)
        return {"merchant_id": str(merchant_id), "ended": name}

    show(run(data_dir, act), json=json, title="Ended")
