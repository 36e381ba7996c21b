"""Further API secrets of merchants, with fewer rights than the first."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.merchants.directory import actions
from hundi.merchants.directory.api_keys.rules import ApiKey, KeyScope
from hundi.merchants.directory.keys.rules import mark_of
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import MerchantId, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

GROUPS = {
    "key": (
        "API secrets that may do less than the first: each for some operations, refunds up to an"
        " amount."
    )
}
KeyName = Annotated[
    str,
    Meta(description="Names the key: small letters, digits and hyphens."),
    ParameterHints(masked=True),
]


class NewKey(VerbParameters, frozen=True, kw_only=True):
    """An API secret to make."""

    merchant_id: MerchantId
    name: KeyName
    scopes: Annotated[list[KeyScope], Meta(description="What it may be used for.")]
    refund_paise: Annotated[
        int,
        Meta(
            ge=0,
            description="The most it may refund of one payment; with the scope refund.",
        ),
    ] = 0


class KeysOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's further API secrets."""

    merchant_id: MerchantId


class NamedKey(VerbParameters, frozen=True, kw_only=True):
    """One further API secret."""

    merchant_id: MerchantId
    name: KeyName


def _listed(key: ApiKey) -> dict[str, Any]:
    return {
        "name": key.name,
        "scopes": list(key.scopes),
        "refund_paise": key.refund_paise,
        "mark": mark_of(key.secret),
        "made": key.made,
    }


@verb(
    "merchant key add",
    Permission.KEYS_CHANGE,
    trail="keys.add",
    screen="keys/add",
    title="API secret: keep it, it is not shown again",
)
async def add(context: VerbContext, parameters: NewKey) -> Result:
    """Make an API secret and show it, this once.

    It makes privatekey with the same username and password.
    """
    details = {"scopes": " ".join(parameters.scopes), "refund_paise": parameters.refund_paise}
    key = parameters.name, parameters.scopes, parameters.refund_paise, context.now
    beside = context.recording_change(parameters.name, **details)
    new = await actions.add_key(context.db, context.vault, parameters.merchant_id, *key, beside)
    return {"merchant_id": str(parameters.merchant_id), "secret": new.secret, **_listed(new)}


@verb(
    "merchant key list",
    Permission.KEYS_CHANGE,
    screen="keys",
    title="API secrets of merchant {merchant_id}",
)
async def list_all(context: VerbContext, parameters: KeysOfMerchant) -> Result:
    """List a merchant's further API secrets, none of them shown.

    The mark is the beginning of its SHA-256.
    """
    await context.check_merchant(parameters.merchant_id)
    merchant = await context.directory.get(parameters.merchant_id)
    assert merchant is not None
    return [_listed(key) for key in merchant.keys.further]


@verb(
    "merchant key end",
    Permission.KEYS_CHANGE,
    trail="keys.end",
    screen="keys/end-key",
    title="Ended",
    notice=("key_ended", ""),
)
async def end(context: VerbContext, parameters: NamedKey) -> Result:
    """End an API secret at once."""
    whose = context.db, context.vault, parameters.merchant_id, parameters.name, context.now
    await actions.end_key(*whose, context.recording_change(parameters.name))
    return {"merchant_id": str(parameters.merchant_id), "ended": parameters.name}


VERBS = (add, list_all, end)
