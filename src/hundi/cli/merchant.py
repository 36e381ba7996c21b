"""`hundi merchant`: add, list, rotate, suspend, resume, set.

Its other verbs stand in modules beside.
"""

from typing import Annotated, Any, Literal

import msgspec
import typer

from hundi.bootstrap import OperatorContext, key_formulas
from hundi.cli import merchant_events, merchant_keys, merchant_payments, merchant_settings
from hundi.cli.context import check_merchant, recording_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, fail, show
from hundi.kernel.clock import utc_now
from hundi.masking import masked
from hundi.merchants.access import actions as access
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.keys.rules import OVERLAPPING, StoredKeys
from hundi.merchants.directory.rules import (
    Merchant,
    MerchantSettings,
)

app = typer.Typer(
    help="Merchants: who may take payments, with which secrets and settings.", no_args_is_help=True
)

_LABELS = {
    "username": "Username",
    "password": "Password",
    "secret": "API secret (part of privatekey)",
    "client_id": "OAuth client id",
    "client_secret": "OAuth client secret (for access tokens only)",
    "secret_before": "API secret before, which counts on",
    "client_secret_before": "OAuth client secret before, which counts on",
    "encryption_key": "Encryption key (derived from username and password)",
    "webhook_keys": "Webhook signing key",
}
"""Three secrets, three names nobody can take for one another."""


def _shown(merchant_id: int, keys: StoredKeys) -> dict[str, Any]:
    encryption_key, _ = key_formulas(keys)
    kept = {
        name: value
        for name, value in msgspec.to_builtins(keys).items()
        if name not in {"made", "further"}
    }
    shown = {"merchant_id": str(merchant_id), **kept}
    return shown | {"webhook_key": keys.webhook_keys[0], "encryption_key": encryption_key.decode()}


def _labelled(shown: dict[str, Any]) -> dict[str, str]:
    return {
        _LABELS.get(name, name): ", ".join(value) if isinstance(value, list | tuple) else str(value)
        for name, value in shown.items()
        if name != "webhook_key"
    }


@app.command()
def add(
    name: Annotated[
        str, typer.Argument(parser=masked, help="Display name, as the customer sees it.")
    ],
    *,
    mode: Annotated[
        Literal["live", "sandbox"], typer.Option(help="Sandbox merchants cannot verify.")
    ] = "live",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Add a merchant and show its secrets, this once."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        settings = MerchantSettings()
        beside = recording_merchant(context, "merchant.add", name=name, mode=mode)
        merchant_id, keys = await merchants.add(
            context.db,
            context.vault,
            name=name,
            mode=mode,
            settings=settings,
            now=utc_now(),
            beside=beside,
        )
        return _shown(merchant_id, keys)

    added = run(data_dir, act)
    show(
        added if json else _labelled(added),
        json=json,
        title="Merchant added: keep these, they are not shown again",
    )


def _listed(merchant: Merchant) -> dict[str, Any]:
    """Return what operators are shown of a merchant: everything but its secrets."""
    return {
        "merchant_id": str(merchant.merchant_id),
        "name": merchant.name,
        "mode": merchant.mode,
        "state": merchant.state,
        "since": merchant.created_at,
        "settings": msgspec.to_builtins(merchant.settings),
    }


@app.command("list")
def list_all(*, data_dir: DataDir = None, json: Json = False) -> None:
    """List all merchants; secrets are not shown."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        everyone = await context.directory.everyone()
        return {"merchants": [_listed(each) for each in everyone]}

    show(run(data_dir, act, reading=True)["merchants"], json=json, title="Merchants")


@app.command("show")
def show_one(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Show one merchant: its name, state and settings; secrets are not shown."""

    async def act(context: OperatorContext) -> dict[str, Any]:
        await check_merchant(context, merchant_id)
        merchant = await context.directory.get(merchant_id)
        assert merchant is not None
        return _listed(merchant)

    found = run(data_dir, act, reading=True)
    show(
        found if json else found | found.pop("settings"), json=json, title=f"Merchant {merchant_id}"
    )


@app.command()
def rotate(
    merchant_id: MerchantId,
    what: Annotated[
        Literal["secret", "password", "client_secret", "webhook_key"],
        typer.Argument(help="Which secret to replace."),
    ],
    *,
    overlap: Annotated[
        bool,
        typer.Option(
            "--overlap", help="The old API secret or client secret counts on, until `retire`."
        ),
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Replace one secret and show all.

    A replaced client_secret revokes the tokens; an old webhook key signs on until the next
    rotation, or `retire`.
    """
    if overlap and what not in OVERLAPPING:
        raise fail(
            "the password makes the encryption key, of which there is one: it is replaced at once"
        )

    async def act(context: OperatorContext) -> dict[str, Any]:
        whose, beside = (
            (context.db, context.vault, merchant_id),
            recording_merchant(context, "keys.rotate", what),
        )
        keys = await merchants.rotate(
            *whose, what, utc_now(), overlap=overlap or None, beside=beside
        )
        if what == "client_secret" and not overlap:
            await access.revoke_tokens(context.db, merchant_id)
        return _shown(merchant_id, keys)

    rotated = run(data_dir, act)
    show(rotated if json else _labelled(rotated), json=json, title=f"Rotated: {what}")


@app.command()
def retire(
    merchant_id: MerchantId,
    what: Annotated[
        Literal["secret", "client_secret", "webhook_key"],
        typer.Argument(help="Of which secret the old one ends."),
    ],
    *,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """End the secret that counts beside its successor.

    An ended client_secret revokes the tokens.
    """

    async def act(context: OperatorContext) -> dict[str, Any]:
        beside = recording_merchant(context, "keys.end", what)
        await merchants.retire(context.db, context.vault, merchant_id, what, "", utc_now(), beside)
        if what == "client_secret":
            await access.revoke_tokens(context.db, merchant_id)
        return {"merchant_id": str(merchant_id), "retired": what}

    show(run(data_dir, act), json=json, title="Retired")


def _set_state(
    merchant_id: int, state: Literal["active", "suspended"], data_dir: str | None, *, json: bool
) -> None:
    async def act(context: OperatorContext) -> dict[str, Any]:
        beside = recording_merchant(
            context, "merchant.suspend" if state == "suspended" else "merchant.resume"
        )
        await merchants.set_state(context.db, merchant_id, state, utc_now(), beside)
        return {"merchant_id": str(merchant_id), "state": state}

    show(run(data_dir, act), json=json, title="Merchant")


@app.command()
def suspend(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Refuse every call of a merchant from now on (131)."""
    _set_state(merchant_id, "suspended", data_dir, json=json)


@app.command()
def resume(merchant_id: MerchantId, *, data_dir: DataDir = None, json: Json = False) -> None:
    """Take a suspended merchant's calls again."""
    _set_state(merchant_id, "active", data_dir, json=json)


app.add_typer(merchant_keys.app, name="key")
app.command("set")(merchant_settings.set_settings)
for command in (
    merchant_settings.notifications,
    merchant_settings.senders,
    merchant_settings.limits,
    merchant_events.events,
    merchant_payments.surcharge,
    merchant_payments.currencies,
    merchant_payments.dates,
    merchant_payments.frames,
    merchant_payments.seamless,
):
    app.command()(command)
