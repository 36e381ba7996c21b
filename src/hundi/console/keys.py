"""A merchant's keys: where each is used, new ones shown once, and the end of old ones."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Response

from hundi.console.guard import Route, Visit
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.access import store as tokens
from hundi.merchants.directory import actions
from hundi.merchants.directory.rules import OVERLAPPING, ROTATABLE, Merchant, Rotatable, StoredKeys, mark_of
from hundi.staff.people.rules import Permission


@dataclass(frozen=True, slots=True)
class Named:
    """A secret in plain words. also: what else manuals call it. replaced: what has to be changed with it."""

    label: str
    used: str
    also: str
    replaced: str


NAMES: dict[Rotatable, Named] = {
    "password": Named(
        "Password",
        "With the username it makes the encryption key of everything sealed (encdata, replies, notifications), "
        "and it is part of privatekey.",
        "encryption password, merchant password",
        "There is one encryption key, so the old password ends at once: change your server in the same minute.",
    ),
    "secret": Named(
        "API secret",
        "Part of privatekey, which every call carries. It is used for nothing else.",
        "secret, secret key, merchant key",
        "Calls with a privatekey of the old one are taken until you end it.",
    ),
    "client_secret": Named(
        "OAuth client secret",
        "With the client id it gets access tokens. It is used for nothing else, and is no part of privatekey.",
        "secret, consumer secret",
        "Tokens are given for the old one too, until you end it; then every token ends.",
    ),
    "webhook_key": Named(
        "Webhook key",
        "Checks the signature of notifications and of the return: it begins with whsec_.",
        "signing secret, webhook secret",
        "Notifications carry a signature by each, until you end the old one.",
    ),
}
"""Each with a name that nobody takes for another's."""


async def show(visit: Visit) -> Response[Any]:
    """List the keys, none of them shown."""
    return await _shown(visit)


async def _shown(
    visit: Visit, keys: StoredKeys | None = None, made: Rotatable | None = None, status_code: int = 200
) -> Response[Any]:
    """Return the page. keys, made: of a secret that was made just now, which is shown this once."""
    merchant = _merchant(visit)
    new = _newest(keys, made) if keys and made else ""
    return visit.page(
        "keys.html",
        "Keys",
        status_code,
        merchant=merchant,
        rows=[_row(merchant, what, keys) for what in ROTATABLE],
        new={"value": new, "label": NAMES[made].label, "replaced": NAMES[made].replaced} if made else None,
        token_at=await tokens.newest_issue(visit.db, merchant.merchant_id),
    )


def _row(merchant: Merchant, what: Rotatable, keys: StoredKeys | None) -> dict[str, Any]:
    """Return one secret as the page shows it. keys: newer than what this process has read of the merchant."""
    made = (keys or merchant.keys).made.get(what, "")
    current = _newest(keys, what) if keys else merchant.keys.newest(what)
    before = _before(keys, what) if keys else merchant.keys.before(what)
    return {
        "what": what,
        "name": NAMES[what],
        "mark": mark_of(current),
        "before": mark_of(before),
        "made_at": datetime.fromisoformat(made) if made else None,
        "overlaps": what in OVERLAPPING,
    }


def _newest(keys: StoredKeys, what: Rotatable) -> str:
    return keys.webhook_keys[0] if what == "webhook_key" else str(getattr(keys, what))


def _before(keys: StoredKeys, what: Rotatable) -> str:
    if what == "webhook_key":
        return keys.webhook_keys[1] if len(keys.webhook_keys) > 1 else ""
    return str(getattr(keys, f"{what}_before", ""))


async def rotate(visit: Visit) -> Response[Any]:
    """Make a new secret and show it this once; the old one counts on where it can, unless it leaked."""
    what, merchant_id = _what(visit), visit.merchant_id
    overlap = what in OVERLAPPING and visit.form.get("leaked") != "1"
    try:
        keys = await actions.rotate(
            *(visit.db, visit.gateway.vault, merchant_id, what, visit.now),
            overlap=overlap,
            seen=visit.form.get("seen", "") or "-",
        )
    except Refused as refused:
        return _replaced_meanwhile(visit, refused)
    if what == "client_secret" and not overlap:
        await access.revoke_tokens(visit.db, merchant_id)
    await visit.record("keys.rotate", what, old="counts on" if overlap else "ended")
    return await _shown(visit, keys, what)


async def end(visit: Visit) -> Response[Any]:
    """End the old secret that counts beside its successor."""
    what, merchant_id = _what(visit), visit.merchant_id
    seen = visit.form.get("seen", "") or "-"
    try:
        await actions.retire(visit.db, visit.gateway.vault, merchant_id, what, seen, visit.now)
    except Refused as refused:
        return _replaced_meanwhile(visit, refused)
    if what == "client_secret":
        await access.revoke_tokens(visit.db, merchant_id)
    await visit.record("keys.end", what)
    return visit.see("keys", "key_ended")


def _replaced_meanwhile(visit: Visit, refused: Refused) -> Response[Any]:
    """Return to the list when the form was sent twice, or somebody else was faster."""
    if refused.refusal.code is not RefusalCode.STATE_FORBIDS:
        raise refused
    return visit.see("keys", "key_replaced")


def _what(visit: Visit) -> Rotatable:
    """Return which secret a form names. Raises Refused (NO_RECORDS)."""
    named = visit.form.get("what", "")
    for each in ROTATABLE:
        if each == named:
            return each
    raise refuse(RefusalCode.NO_RECORDS, field="key")


def _merchant(visit: Visit) -> Merchant:
    assert visit.place is not None
    assert visit.place.merchant is not None
    return visit.place.merchant


ROUTES = (
    Route("GET", "keys", show, Permission.KEYS_CHANGE),
    Route("POST", "keys/rotate", rotate, Permission.KEYS_CHANGE, fresh=True),
    Route("POST", "keys/end", end, Permission.KEYS_CHANGE, fresh=True),
)
