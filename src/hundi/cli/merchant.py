"""`hundi merchant`: add, list, rotate, suspend, resume, set.

Its other verbs stand in modules beside.
"""

from typing import Annotated, Any, Literal

import msgspec
import typer

from hundi.bootstrap import OperatorContext, key_formulas
from hundi.cli import merchant_events, merchant_keys, merchant_payments
from hundi.cli.context import change_settings, check_merchant, check_reach, recording_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, fail, show
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import utc_now
from hundi.masking import masked
from hundi.merchants.access import actions as access
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.clients import CLIENTS, for_client
from hundi.merchants.directory.rules import (
    LIMITS,
    OVERLAPPING,
    Merchant,
    MerchantSettings,
    NotificationForm,
    NotificationTypes,
    SecureHashForm,
    StoredKeys,
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


CaptureWithinHours = Annotated[
    int | None, typer.Option(help="When an authorisation nobody captured is given back by itself.")
]
RefundAlonePaise = Annotated[
    int | None,
    typer.Option(
        help="What one person may refund of a payment in the console; beyond it a second decides."
    ),
]
Support = Annotated[
    str | None, typer.Option(help="Whom customers ask: an address or a number, shown to them.")
]
PosAddress = Annotated[
    list[str] | None,
    typer.Option(help="Who may list terminals' sales; repeat for several, '' for nobody."),
]
OperationAddress = Annotated[
    list[str] | None,
    typer.Option(
        help="Who may call operations; repeat for several, '' for the networks that ask for tokens."
    ),
]
Limit = Annotated[int | None, typer.Option(help="How many at most.")]
ClientKind = Annotated[
    str | None,
    typer.Option(help=f"The kind of client that reads what we send: {', '.join(CLIENTS)}."),
]
OnOff = Literal["on", "off"]
RefundAloneOnApi = Annotated[
    OnOff | None,
    typer.Option(help="Whether that limit holds for refunds by the merchant's servers, too."),
]
UpiCollect = Annotated[
    OnOff | None,
    typer.Option(help="Whether 'enter UPI id' is offered where the network allows it."),
]


@app.command("set")
def set_settings(
    merchant_id: MerchantId,
    *,
    success_url: Annotated[
        str | None, typer.Option(help="Where the browser returns after a success.")
    ] = None,
    failure_url: Annotated[
        str | None, typer.Option(help="Where the browser returns after anything else.")
    ] = None,
    notification_url: Annotated[str | None, typer.Option(help="Where notifications go.")] = None,
    notification_form: Annotated[
        Literal["json-encrypted", "json", "form"] | None, typer.Option()
    ] = None,
    client: ClientKind = None,
    reply_format: Annotated[Literal["both", "encrypted", "plain"] | None, typer.Option()] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(help="Origin payments may start from; repeat for several, '' for any."),
    ] = None,
    channels: Annotated[
        str | None,
        typer.Option(help=f"In the page's order, joined by _ : some of {'_'.join(CHANNELS)}."),
    ] = None,
    multiple_partial_refunds: Annotated[OnOff | None, typer.Option()] = None,
    refund_alone_paise: RefundAlonePaise = None,
    refund_alone_on_api: RefundAloneOnApi = None,
    late_success: Annotated[Literal["keep", "refund"] | None, typer.Option()] = None,
    upi_collect: UpiCollect = None,
    moto: Annotated[
        OnOff | None, typer.Option(help="Whether cards may be charged without their holder.")
    ] = None,
    saved_cards: Annotated[
        OnOff | None, typer.Option(help="Whether customers may have their cards kept.")
    ] = None,
    capture_within_hours: CaptureWithinHours = None,
    support: Support = None,
    mcc: Annotated[str | None, typer.Option(help="Merchant category code, four digits.")] = None,
    pos_address: PosAddress = None,
    accent: Annotated[
        str | None, typer.Option(help="Colour of the payment page, such as #2b2a6b.")
    ] = None,
    rotate_webhook_key: Annotated[
        bool, typer.Option("--rotate-webhook-key", help="Also replace the webhook key.")
    ] = False,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change a merchant's settings; addresses are checked before they are kept."""
    wanted: dict[str, Any] = {
        "success_url": success_url,
        "failure_url": failure_url,
        "notification_url": notification_url,
        "notification_form": notification_form,
        "reply_format": reply_format,
        "domains": None if domain is None else tuple(each for each in domain if each),
        "pos_addresses": None
        if pos_address is None
        else tuple(each for each in pos_address if each),
        "channels": None
        if channels is None
        else tuple(each for each in channels.split("_") if each),
        "multiple_partial_refunds": None
        if multiple_partial_refunds is None
        else multiple_partial_refunds == "on",
        "refund_alone_paise": refund_alone_paise,
        "refund_alone_on_api": None if refund_alone_on_api is None else refund_alone_on_api == "on",
        "late_success": late_success,
        "upi_collect_allowed": None if upi_collect is None else upi_collect == "on",
        "moto": None if moto is None else moto == "on",
        "saved_cards": None if saved_cards is None else saved_cards == "on",
        "capture_within_hours": capture_within_hours,
        "support": support,
        "mcc": mcc,
        "accent": accent,
    }
    changes = {name: value for name, value in wanted.items() if value is not None}

    async def act(context: OperatorContext) -> dict[str, Any]:
        if notification_url:
            await check_reach(context, "notification_url", notification_url)
        changed = await change_settings(
            context, merchant_id, lambda before: _changed(before, client, changes)
        )
        shown = _settings_shown(merchant_id, changed)
        if rotate_webhook_key:
            beside = recording_merchant(context, "keys.rotate", "webhook_key")
            whose = context.db, context.vault, merchant_id
            keys = await merchants.rotate(*whose, "webhook_key", utc_now(), beside=beside)
            shown["webhook_keys"] = keys.webhook_keys
        return shown

    show(run(data_dir, act), json=json, title="Settings")


def _changed(
    before: MerchantSettings, client: str | None, changes: dict[str, Any]
) -> MerchantSettings:
    chosen = before if client is None else for_client(before, client)
    return msgspec.structs.replace(chosen, **changes)


def _settings_shown(merchant_id: int, settings: MerchantSettings) -> dict[str, Any]:
    return msgspec.to_builtins(
        {"merchant_id": str(merchant_id), **msgspec.structs.asdict(settings)}
    )


@app.command()
def notifications(
    merchant_id: MerchantId,
    *,
    form: Annotated[
        NotificationForm | None, typer.Option(help="How notifications are written.")
    ] = None,
    types: Annotated[
        NotificationTypes | None,
        typer.Option(help="Whether status, type and counts are numbers or text in JSON."),
    ] = None,
    redirect_delivers: Annotated[
        OnOff | None,
        typer.Option(help="Whether a redirect, which is never followed, counts as an answer."),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(help="A field the client cannot have; repeat for several, '' for none."),
    ] = None,
    secure_hash: Annotated[
        SecureHashForm | None, typer.Option(help="The client's formula of ap_SecureHash.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change one by one what `set --client` chooses at once; for the events see `events`."""
    wanted: dict[str, Any] = {
        "notification_form": form,
        "notification_types": types,
        "redirect_delivers": None if redirect_delivers is None else redirect_delivers == "on",
        "left_out": None if leave_out is None else tuple(each for each in leave_out if each),
        "secure_hash": secure_hash,
    }
    changes = {name: value for name, value in wanted.items() if value is not None}

    async def act(context: OperatorContext) -> dict[str, Any]:
        changed = await change_settings(
            context, merchant_id, lambda before: _changed(before, None, changes)
        )
        return _settings_shown(merchant_id, changed)

    show(run(data_dir, act), json=json, title="Settings")


@app.command()
def senders(
    merchant_id: MerchantId,
    *,
    operation_address: OperationAddress = None,
    scoped_tokens: Annotated[
        OnOff | None, typer.Option(help="Whether operations need a token of the scope operations.")
    ] = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change from where, and with which tokens, a merchant's operations are taken.

    What is left out stays.
    """
    wanted: dict[str, Any] = {
        "operation_addresses": None
        if operation_address is None
        else tuple(each for each in operation_address if each),
        "scoped_tokens": None if scoped_tokens is None else scoped_tokens == "on",
    }
    changes = {name: value for name, value in wanted.items() if value is not None}

    async def act(context: OperatorContext) -> dict[str, Any]:
        changed = await change_settings(
            context, merchant_id, lambda before: _changed(before, None, changes)
        )
        return {"merchant_id": str(merchant_id)} | {name: getattr(changed, name) for name in wanted}

    show(run(data_dir, act), json=json, title="Senders")


@app.command()
def limits(
    merchant_id: MerchantId,
    *,
    address_checks_a_minute: Limit = None,
    address_checks_a_day: Limit = None,
    pos_listings_a_minute: Limit = None,
    attempts_an_hour: Limit = None,
    token_failures_a_minute: Limit = None,
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Change how often a merchant may ask for something, and its customers try.

    What is left out stays.
    """
    given = (
        address_checks_a_minute,
        address_checks_a_day,
        pos_listings_a_minute,
        attempts_an_hour,
        token_failures_a_minute,
    )
    changes = {name: value for name, value in zip(LIMITS, given, strict=True) if value is not None}

    async def act(context: OperatorContext) -> dict[str, Any]:
        changed = await change_settings(
            context, merchant_id, lambda before: _changed(before, None, changes)
        )
        return {"merchant_id": str(merchant_id)} | {name: getattr(changed, name) for name in LIMITS}

    show(run(data_dir, act), json=json, title="Limits")


app.add_typer(merchant_keys.app, name="key")
for command in (
    merchant_events.events,
    merchant_payments.surcharge,
    merchant_payments.currencies,
    merchant_payments.dates,
    merchant_payments.frames,
    merchant_payments.seamless,
):
    app.command()(command)
