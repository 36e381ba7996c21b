"""`hundi merchant`: set, notifications, senders, limits: the settings of a merchant."""

from typing import Annotated, Any, Literal

import msgspec
import typer

from hundi.bootstrap import OperatorContext
from hundi.cli.context import change_settings, check_reach, recording_merchant, run
from hundi.cli.output import DataDir, Json, MerchantId, show
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import utc_now
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.clients import CLIENTS, for_client
from hundi.merchants.directory.rules import (
    LIMITS,
    MerchantSettings,
    NotificationForm,
    NotificationTypes,
    SecureHashForm,
)

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
