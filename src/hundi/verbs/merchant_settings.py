"""Settings of merchants: addresses, formats, limits, and the addresses of their servers."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hundi.instruments.methods import CHANNELS
from hundi.kernel.records import replace
from hundi.merchants.directory import actions
from hundi.merchants.directory.clients.rules import CLIENTS, for_client
from hundi.merchants.directory.rules import (
    KIT_VERSIONS,
    LANGUAGES,
    LETTERS,
    LIMITS,
    MerchantSettings,
    NotificationForm,
    NotificationTypes,
    SecureHashForm,
)
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import (
    MerchantId,
    ParameterHints,
    ParametersToChange,
    VerbParameters,
)
from hundi.verbs.verb import OperatorVerb, Result, verb

CHANGE = "settings.change"
"""The name in the trail of every change of a merchant's settings."""
_SWITCH = ParameterHints(switch=True)
_LIMIT_OF_ONE_PERSON = ParameterHints(only_command=True)
"""At the console one person could raise the limit beyond which a second person decides."""
_KEY_SHOWN = ParameterHints(option="--rotate-webhook-key", only_command=True)
"""The result has the key that is still in use; the console replaces it on the page of keys."""
_RENAMED = {
    "domain": "domains",
    "pos_address": "pos_addresses",
    "operation_address": "operation_addresses",
    "upi_collect": "upi_collect_allowed",
    "form": "notification_form",
    "types": "notification_types",
    "leave_out": "left_out",
    "version": "kit_versions",
    "letter": "letters",
}
"""Parameters whose setting has another name."""
_NO_SETTINGS = {"merchant_id", "client", "rotate_webhook_key"}


class SettingsToChange(ParametersToChange, frozen=True, kw_only=True):
    """Settings of a merchant to change; omitted ones stay as they are."""

    merchant_id: MerchantId
    success_url: Annotated[
        str | None, Meta(description="Where the browser returns after a success.")
    ] = None
    failure_url: Annotated[
        str | None, Meta(description="Where the browser returns after anything else.")
    ] = None
    notification_url: Annotated[
        str | None, Meta(description="The address that receives notifications.")
    ] = None
    notification_form: NotificationForm | None = None
    client: Annotated[
        str | None,
        Meta(
            description="The kind of client, by what you see in its code. "
            + ". ".join(f"{name}: {kind.seen}" for name, kind in CLIENTS.items())
            + "."
        ),
        ParameterHints(known={name: kind.seen for name, kind in CLIENTS.items()}),
    ] = None
    reply_format: Literal["both", "encrypted", "plain"] | None = None
    domain: Annotated[
        list[str] | None,
        Meta(description="An origin payments may start from; repeat for several, '' for any."),
    ] = None
    channels: Annotated[
        str | None,
        Meta(
            description=f"Channels in the page's order, joined by _ : some of {'_'.join(CHANNELS)}."
        ),
    ] = None
    multiple_partial_refunds: Annotated[bool | None, _SWITCH] = None
    refund_alone_paise: Annotated[
        int | None,
        Meta(
            description="What one person may refund of a payment in the console; beyond it a"
            " second decides."
        ),
        _LIMIT_OF_ONE_PERSON,
    ] = None
    refund_alone_on_api: Annotated[
        bool | None,
        Meta(description="Whether that limit holds for refunds by the merchant's servers, too."),
        replace(_LIMIT_OF_ONE_PERSON, switch=True),
    ] = None
    late_success: Literal["keep", "refund"] | None = None
    upi_collect: Annotated[
        bool | None,
        Meta(description="Whether 'enter UPI id' is offered where the network allows it."),
        _SWITCH,
    ] = None
    moto: Annotated[
        bool | None,
        Meta(description="Whether cards may be charged without their holder."),
        _SWITCH,
    ] = None
    saved_cards: Annotated[
        bool | None, Meta(description="Whether customers may have their cards kept."), _SWITCH
    ] = None
    capture_within_hours: Annotated[
        int | None,
        Meta(description="Hours until an authorisation that nobody captured is voided."),
    ] = None
    support: Annotated[
        str | None,
        Meta(description="The address or number that customers see for questions."),
    ] = None
    letter: Annotated[
        list[str] | None,
        Meta(
            description="A letter that customers get; repeat for several, '' for none: one of"
            f" {', '.join(LETTERS)}."
        ),
    ] = None
    letter_language: Annotated[
        str | None,
        Meta(description=f"The language of these letters: one of {' '.join(LANGUAGES)}."),
    ] = None
    mcc: Annotated[str | None, Meta(description="Merchant category code, four digits.")] = None
    pos_address: Annotated[
        list[str] | None,
        Meta(
            description="Address that may list terminals' sales; repeat for several, '' for none."
        ),
    ] = None
    accent: Annotated[
        str | None, Meta(description="Colour of the payment page, such as #2b2a6b.")
    ] = None
    rotate_webhook_key: Annotated[
        bool,
        Meta(description="Also replace the webhook key."),
        _KEY_SHOWN,
    ] = False


class NotificationSettings(ParametersToChange, frozen=True, kw_only=True):
    """How a merchant's server receives notifications; omitted ones stay as they are."""

    merchant_id: MerchantId
    form: Annotated[NotificationForm | None, Meta(description="How notifications are written.")] = (
        None
    )
    types: Annotated[
        NotificationTypes | None,
        Meta(description="Whether status, type and counts are numbers or text in JSON."),
    ] = None
    redirect_delivers: Annotated[
        bool | None,
        Meta(description="Whether a redirect, which is never followed, counts as an answer."),
        _SWITCH,
    ] = None
    leave_out: Annotated[
        list[str] | None,
        Meta(description="A field to leave out; repeat for several, '' for none."),
    ] = None
    secure_hash: Annotated[
        SecureHashForm | None, Meta(description="The client's formula of ap_SecureHash.")
    ] = None


class KitSettings(ParametersToChange, frozen=True, kw_only=True):
    """The versions of old kits that may begin a merchant's payments."""

    merchant_id: MerchantId
    version: Annotated[
        list[str] | None,
        Meta(
            description=f"A version whose kits are served, {' or '.join(KIT_VERSIONS)}; repeat for"
            " both, '' for none."
        ),
    ] = None


class SenderSettings(ParametersToChange, frozen=True, kw_only=True):
    """The addresses and tokens from which a merchant's operations are accepted."""

    merchant_id: MerchantId
    operation_address: Annotated[
        list[str] | None,
        Meta(
            description="Who may call operations; repeat for several, '' for the networks that ask"
            " for tokens."
        ),
    ] = None
    scoped_tokens: Annotated[
        bool | None,
        Meta(description="Whether operations need a token of the scope operations."),
        _SWITCH,
    ] = None


Limit = Annotated[int | None, Meta(description="How many at most.")]


class LimitSettings(ParametersToChange, frozen=True, kw_only=True):
    """Limits of a merchant's requests and of its customers' tries."""

    merchant_id: MerchantId
    address_checks_a_minute: Limit = None
    address_checks_a_day: Limit = None
    pos_listings_a_minute: Limit = None
    attempts_an_hour: Limit = None
    token_failures_a_minute: Limit = None


def settings_verb(
    name: str, title: str, page: str, *sets: str, noun: str = "merchant"
) -> Callable[..., Any]:
    """Declare a verb that changes settings of a merchant. sets: as of `OperatorVerb`."""
    command, needs = f"{noun} {name}", Permission.MERCHANTS_CHANGE
    return verb(command, needs, at="all", trail=CHANGE, title=title, page=page, sets=sets)


def settings_of(settings_changer: OperatorVerb[Any]) -> dict[str, bool]:
    """Return the settings of a merchant that a verb changes, and whether forms leave one out."""
    if settings_changer.sets:
        return dict.fromkeys(settings_changer.sets, bool(settings_changer.only_command))
    if settings_changer.trail != CHANGE:
        return {}
    named = {
        _RENAMED.get(each.name, each.name): each.hints.only_command
        for each in settings_changer.parameters
        if each.name not in _NO_SETTINGS
    }
    return {name: named[name] for name in MerchantSettings.__struct_fields__ if name in named}


async def change(
    context: VerbContext,
    merchant_id: int,
    changed: Callable[[MerchantSettings], MerchantSettings],
) -> MerchantSettings:
    """Change a merchant's settings and record the change. Raises Refused."""
    beside = context.recording_change()
    return await actions.change_settings(context.db, merchant_id, changed, context.now, beside)


def named_in(parameters: VerbParameters) -> dict[str, Any]:
    """Return the settings in a verb's parameters, by the settings' own names."""
    changes: dict[str, Any] = {}
    for name, value in msgspec.structs.asdict(parameters).items():
        if value is None or name in _NO_SETTINGS:
            continue
        setting = tuple(each for each in value if each) if isinstance(value, list) else value
        changes[_RENAMED.get(name, name)] = setting
    if isinstance(channels := changes.get("channels"), str):
        changes["channels"] = tuple(each for each in channels.split("_") if each)
    return changes


def _with(changes: Mapping[str, Any]) -> Callable[[MerchantSettings], MerchantSettings]:
    return lambda before: msgspec.structs.replace(before, **changes)


def _shown(merchant_id: int, settings: MerchantSettings) -> dict[str, Any]:
    return msgspec.to_builtins(
        {"merchant_id": str(merchant_id), **msgspec.structs.asdict(settings)}
    )


@settings_verb("set", "Settings", "Change a merchant's settings")
async def set_settings(context: VerbContext, parameters: SettingsToChange) -> Result:
    """Change a merchant's settings; addresses are checked before they are kept."""
    changes, merchant_id = _with(named_in(parameters)), parameters.merchant_id
    if parameters.notification_url:
        await context.check_reach("notification_url", parameters.notification_url)
    client = parameters.client

    def changed(before: MerchantSettings) -> MerchantSettings:
        return changes(before if client is None else for_client(before, client))

    result = _shown(merchant_id, await change(context, merchant_id, changed))
    if parameters.rotate_webhook_key:
        beside = context.named("keys.rotate").recording_change("webhook_key")
        whose = context.db, context.vault, merchant_id
        keys = await actions.rotate(*whose, "webhook_key", context.now, beside=beside)
        result["webhook_keys"] = keys.webhook_keys
    return result


@settings_verb("notifications", "Settings", "Change a merchant's notifications")
async def notifications(context: VerbContext, parameters: NotificationSettings) -> Result:
    """Change single settings of notifications; a kind of client sets all of them at once."""
    changed = await change(context, parameters.merchant_id, _with(named_in(parameters)))
    return _shown(parameters.merchant_id, changed)


@settings_verb("kits", "Old kits", "Choose which old kits are served")
async def kits(context: VerbContext, parameters: KitSettings) -> Result:
    """Choose the versions of old kits that may begin a merchant's payments at old addresses."""
    changed = await change(context, parameters.merchant_id, _with(named_in(parameters)))
    return {"merchant_id": str(parameters.merchant_id), "kit_versions": changed.kit_versions}


@settings_verb("senders", "Senders", "Change a merchant's senders")
async def senders(context: VerbContext, parameters: SenderSettings) -> Result:
    """Change the addresses and tokens with which a merchant's operations are accepted."""
    changed = await change(context, parameters.merchant_id, _with(named_in(parameters)))
    names = "operation_addresses", "scoped_tokens"
    return {"merchant_id": str(parameters.merchant_id)} | {
        name: getattr(changed, name) for name in names
    }


@settings_verb("limits", "Limits", "Change a merchant's limits")
async def limits(context: VerbContext, parameters: LimitSettings) -> Result:
    """Change how often a merchant may call, and how often its customers may try."""
    changed = await change(context, parameters.merchant_id, _with(named_in(parameters)))
    return {"merchant_id": str(parameters.merchant_id)} | {
        name: getattr(changed, name) for name in LIMITS
    }


VERBS = (set_settings, notifications, kits, senders, limits)
