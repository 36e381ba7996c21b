"""Merchants: their secrets, settings and state."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hundi.merchants.access import actions as access
from hundi.merchants.directory import actions
from hundi.merchants.directory.keys.rules import OVERLAPPING, StoredKeys
from hundi.merchants.directory.rules import Merchant, MerchantSettings
from hundi.staff.people.rules import Permission
from hundi.verbs import (
    merchant_bearer_keys,
    merchant_brand,
    merchant_endpoints,
    merchant_keys,
    merchant_payments,
    merchant_settings,
    merchant_twins,
)
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import MerchantId, NoParameters, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

REASON_MAX = 500
GROUPS = {
    **merchant_keys.GROUPS,
    **merchant_bearer_keys.GROUPS,
    **merchant_brand.GROUPS,
    **merchant_endpoints.GROUPS,
}
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
"""Labels of the three secrets, chosen so that nobody confuses them."""
_ONE_KEY = "the password makes the encryption key, of which there is one: it is replaced at once"


class NewMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant to add."""

    name: Annotated[
        str,
        Meta(description="Display name, as the customer sees it."),
        ParameterHints(masked=True),
    ]
    mode: Annotated[
        Literal["live", "sandbox"], Meta(description="Sandbox merchants cannot verify.")
    ] = "live"


class NamedMerchant(VerbParameters, frozen=True, kw_only=True):
    """One merchant."""

    merchant_id: MerchantId


class SecretToRotate(VerbParameters, frozen=True, kw_only=True):
    """A secret of a merchant to replace."""

    merchant_id: MerchantId
    what: Annotated[
        Literal["secret", "password", "client_secret", "webhook_key"],
        Meta(description="Which secret to replace."),
    ]
    overlap: Annotated[
        bool,
        Meta(description="The old API secret or client secret stays valid until it is retired."),
        ParameterHints(option="--overlap"),
    ] = False


class SecretToRetire(VerbParameters, frozen=True, kw_only=True):
    """A replaced secret of a merchant to end."""

    merchant_id: MerchantId
    what: Annotated[
        Literal["secret", "client_secret", "webhook_key"],
        Meta(description="Of which secret the old one ends."),
    ]
    seen: Annotated[str, Meta(description="Refuse unless the newest secret has this mark.")] = ""


class MerchantState(VerbParameters, frozen=True, kw_only=True):
    """A merchant to suspend or to resume."""

    merchant_id: MerchantId
    reason: Annotated[
        str,
        Meta(max_length=REASON_MAX, description="The reason, for the trail."),
        ParameterHints(masked=True, in_forms=True),
    ] = ""


def _labelled(result: dict[str, Any]) -> dict[str, str]:
    return {
        _LABELS.get(name, name): ", ".join(value) if isinstance(value, list | tuple) else str(value)
        for name, value in result.items()
        if name != "webhook_key"
    }


def _shown(context: VerbContext, merchant_id: int, keys: StoredKeys) -> dict[str, Any]:
    encryption_key = context.directory.encryption_key(keys).decode()
    secrets = {
        name: value
        for name, value in msgspec.to_builtins(keys).items()
        if name not in {"made", "further"}
    }
    result = {"merchant_id": str(merchant_id), **secrets}
    return result | {"webhook_key": keys.webhook_keys[0], "encryption_key": encryption_key}


def _listed(merchant: Merchant) -> dict[str, Any]:
    """Return a merchant as operators see it, without its secrets."""
    return {
        "merchant_id": str(merchant.merchant_id),
        "name": merchant.name,
        "mode": merchant.mode,
        "state": merchant.state,
        "since": merchant.created_at,
        "settings": msgspec.to_builtins(merchant.settings),
    }


def _flat(result: dict[str, Any]) -> dict[str, Any]:
    """Return a merchant with its settings beside its other facts."""
    rest = {name: value for name, value in result.items() if name != "settings"}
    return rest | result["settings"]


@verb(
    "merchant add",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="merchant.add",
    screen="merchants",
    title="Merchant added: keep these, they are not shown again",
    drawn=_labelled,
)
async def add(context: VerbContext, parameters: NewMerchant) -> Result:
    """Add a merchant and show its secrets, this once."""
    merchant_id, keys = await actions.add(
        context.db,
        context.vault,
        name=parameters.name,
        mode=parameters.mode,
        settings=MerchantSettings(),
        now=context.now,
        beside=context.recording_change(name=parameters.name, mode=parameters.mode),
    )
    return _shown(context, merchant_id, keys)


@verb(
    "merchant list",
    Permission.MONEY_SEE,
    at="all",
    screen="merchants",
    title="Merchants",
)
async def list_all(context: VerbContext, _: NoParameters) -> Result:
    """List all merchants; secrets are not shown."""
    return [_listed(merchant) for merchant in await context.directory.everyone()]


@verb(
    "merchant show",
    Permission.MONEY_SEE,
    at="all",
    screen="merchants/{merchant_id:int}",
    title="Merchant {merchant_id}",
    drawn=_flat,
)
async def show(context: VerbContext, parameters: NamedMerchant) -> Result:
    """Show one merchant: its name, state and settings; secrets are not shown."""
    await context.check_merchant(parameters.merchant_id)
    merchant = await context.directory.get(parameters.merchant_id)
    assert merchant is not None
    return _listed(merchant)


@verb(
    "merchant rotate",
    Permission.KEYS_CHANGE,
    trail="keys.rotate",
    screen="keys/rotate",
    title="Rotated: {what}",
    drawn=_labelled,
)
async def rotate(context: VerbContext, parameters: SecretToRotate) -> Result:
    """Replace one secret and show all.

    A replaced client_secret revokes the tokens; an old webhook key signs until the
    next rotation, or until it is retired.
    """
    if parameters.overlap and parameters.what not in OVERLAPPING:
        raise VerbProblemError(_ONE_KEY)
    whose = context.db, context.vault, parameters.merchant_id, parameters.what, context.now
    beside = context.recording_change(parameters.what)
    keys = await actions.rotate(*whose, overlap=parameters.overlap or None, beside=beside)
    if parameters.what == "client_secret" and not parameters.overlap:
        await access.revoke_tokens(context.db, parameters.merchant_id)
    return _shown(context, parameters.merchant_id, keys)


@verb(
    "merchant retire",
    Permission.KEYS_CHANGE,
    trail="keys.end",
    screen="keys/end",
    title="Retired",
    notice=("key_ended", ""),
)
async def retire(context: VerbContext, parameters: SecretToRetire) -> Result:
    """End an old secret that is valid beside its successor.

    An ended client_secret revokes the tokens.
    """
    beside = context.recording_change(parameters.what)
    whose = context.db, context.vault, parameters.merchant_id, parameters.what
    await actions.retire(*whose, parameters.seen, context.now, beside)
    if parameters.what == "client_secret":
        await access.revoke_tokens(context.db, parameters.merchant_id)
    return {"merchant_id": str(parameters.merchant_id), "retired": parameters.what}


@verb(
    "merchant suspend",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="merchant.suspend",
    screen="merchants/{merchant_id:int}/suspend",
    title="Merchant",
    notice=("merchant_suspended", "Suspended. Its calls are refused from now on."),
)
async def suspend(context: VerbContext, parameters: MerchantState) -> Result:
    """Refuse every call of a merchant from now on (131)."""
    return await _in_state(context, parameters, "suspended")


@verb(
    "merchant resume",
    Permission.MERCHANTS_CHANGE,
    at="all",
    trail="merchant.resume",
    screen="merchants/{merchant_id:int}/resume",
    title="Merchant",
    notice=("merchant_resumed", "Brought back. Its calls are taken again."),
)
async def resume(context: VerbContext, parameters: MerchantState) -> Result:
    """Accept a suspended merchant's calls again."""
    return await _in_state(context, parameters, "active")


async def _in_state(
    context: VerbContext, parameters: MerchantState, state: Literal["active", "suspended"]
) -> Result:
    details = {"reason": parameters.reason} if parameters.reason else {}
    beside = context.recording_change(**details)
    await actions.set_state(context.db, parameters.merchant_id, state, context.now, beside)
    return {"merchant_id": str(parameters.merchant_id), "state": state}


VERBS = (
    *(add, list_all, show, rotate, retire, suspend, resume),
    *merchant_settings.VERBS,
    *merchant_brand.VERBS,
    *merchant_keys.VERBS,
    *merchant_bearer_keys.VERBS,
    *merchant_endpoints.VERBS,
    *merchant_payments.VERBS,
    *merchant_twins.VERBS,
)
