"""Bearer keys of merchants, for the plain interface."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import ist
from hundi.merchants.bearer_keys import actions
from hundi.merchants.bearer_keys.actions import WantedKey
from hundi.merchants.bearer_keys.rules import DAYS_MAX, BearerKey
from hundi.merchants.directory.api_keys.rules import KeyScope
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.merchant_keys import KeyName, KeysOfMerchant, NamedKey
from hundi.verbs.parameters import MerchantId, VerbParameters
from hundi.verbs.verb import Result, verb

GROUPS = {
    "bearer-key": (
        "Bearer keys of the plain interface /v1: each for some operations, refunds up to an amount."
    )
}


class NewBearerKey(VerbParameters, frozen=True, kw_only=True):
    """A bearer key to make."""

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
    days: Annotated[
        int, Meta(ge=0, le=DAYS_MAX, description="Days until it expires; 0: it does not.")
    ] = 0


def _listed(key: BearerKey, context: VerbContext) -> dict[str, Any]:
    times = {"made": key.made_at, "expires": key.expires_at, "used": key.used_at}
    return {
        "name": key.name,
        "scopes": list(key.scopes),
        "refund_paise": key.refund_paise,
        "mark": key.mark,
        "state": key.state(context.now),
        **{name: ist(at).isoformat(timespec="seconds") if at else "" for name, at in times.items()},
    }


@verb(
    "merchant bearer-key add",
    Permission.KEYS_CHANGE,
    trail="bearer_keys.add",
    screen="keys/add-bearer",
    title="Bearer key: keep it, it is not shown again",
)
async def add(context: VerbContext, parameters: NewBearerKey) -> Result:
    """Make a bearer key of the plain interface and show it, this once.

    The gateway keeps only its hash.
    """
    merchant_id, name = parameters.merchant_id, parameters.name
    details = {
        "scopes": " ".join(parameters.scopes),
        "refund_paise": parameters.refund_paise,
        "days": parameters.days,
    }
    wanted = WantedKey(
        name, parameters.scopes, parameters.refund_paise, parameters.days, context.name
    )
    beside = context.recording(merchant_id, name, **details)
    vault, now = context.vault, context.now
    text, key = await actions.make(context.db, vault, merchant_id, wanted, now, beside)
    return {"merchant_id": str(merchant_id), "bearer_key": text, **_listed(key, context)}


@verb(
    "merchant bearer-key list",
    Permission.KEYS_CHANGE,
    screen="keys",
    title="Bearer keys of merchant {merchant_id}",
)
async def list_all(context: VerbContext, parameters: KeysOfMerchant) -> Result:
    """List a merchant's bearer keys, ended ones included, none of them shown.

    The mark is the beginning of its SHA-256. used: the last use, to the minute.
    """
    await context.check_merchant(parameters.merchant_id)
    keys = await actions.list_of(context.db, parameters.merchant_id)
    return [_listed(key, context) for key in keys]


@verb(
    "merchant bearer-key end",
    Permission.KEYS_CHANGE,
    trail="bearer_keys.end",
    screen="keys/end-bearer",
    title="Ended",
    notice=("key_ended", ""),
)
async def end(context: VerbContext, parameters: NamedKey) -> Result:
    """End a bearer key at once."""
    merchant_id, name = parameters.merchant_id, parameters.name
    beside = context.recording(merchant_id, name)
    await actions.end(context.db, merchant_id, name, context.now, beside)
    return {"merchant_id": str(merchant_id), "ended": name}


VERBS = (add, list_all, end)
