"""A merchant's keys: the use of each, new ones shown once, and the end of old ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Response

from hundi.console import key_requests
from hundi.console.guard import ConsoleRoute
from hundi.console.key_requests import FIRST, needs_second
from hundi.console.payment_acts import merchant_of
from hundi.console.recording import recording_keys
from hundi.console.render import as_text_file
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.ids import new_id
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.access import actions as access
from hundi.merchants.access import store as tokens
from hundi.merchants.bearer_keys import actions as bearer_keys
from hundi.merchants.bearer_keys.actions import WantedKey
from hundi.merchants.directory import actions
from hundi.merchants.directory.actions import BesideChange
from hundi.merchants.directory.api_keys.rules import KeyScope
from hundi.merchants.directory.keys.rules import (
    OVERLAPPING,
    ROTATABLE,
    Rotatable,
    StoredKeys,
    mark_of,
)
from hundi.merchants.directory.rules import Merchant
from hundi.staff.people.rules import Permission
from hundi.verbs.merchant import retire
from hundi.verbs.merchant_bearer_keys import end as end_bearer
from hundi.verbs.merchant_keys import end as end_key


@dataclass(frozen=True, slots=True)
class SecretWords:
    """A secret in plain words. also: its other names in manuals.

    replaced: what to change with it.
    """

    label: str
    used: str
    also: str
    replaced: str


NAMES: dict[Rotatable, SecretWords] = {
    "password": SecretWords(
        "Password",
        "With the username it makes the encryption key of everything sealed (encdata, replies,"
        " notifications), "
        "and it is part of privatekey.",
        "encryption password, merchant password",
        (
            "There is one encryption key, so the old password ends at once: change your server in"
            " the same minute."
        ),
    ),
    "secret": SecretWords(
        "API secret",
        (
            "Part of privatekey, which every call carries. This one may do everything, refunds of"
            " any amount included."
        ),
        "secret, secret key, merchant key",
        "Calls with a privatekey of the old one are taken until you end it.",
    ),
    "client_secret": SecretWords(
        "OAuth client secret",
        (
            "With the client id it gets access tokens. It is used for nothing else, and is no part"
            " of privatekey."
        ),
        "secret, consumer secret",
        "Tokens are given for the old one too, until you end it; then every token ends.",
    ),
    "webhook_key": SecretWords(
        "Webhook key",
        "Checks the signature of notifications and of the return: it begins with whsec_.",
        "signing secret, webhook secret",
        "Notifications carry a signature by each, until you end the old one.",
    ),
}
"""The words of each secret, chosen so that nobody confuses two."""
SCOPES = {
    KeyScope.READ: "looks at payments, settlements, disputes",
    KeyScope.PAGE: "takes payments",
    KeyScope.REFUND: "refunds, of one payment up to an amount",
    KeyScope.MANAGE: "voids, changes subscriptions, splits and saved cards, answers disputes",
}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """List the keys without their secrets."""
    return await _shown(visit)


async def _shown(
    visit: ConsoleVisit, keys: StoredKeys | None = None, new: Mapping[str, str] | None = None
) -> Response[Any]:
    """Return the page. keys: the keys after a replacement.

    new: a secret that is shown this once.
    """
    merchant = merchant_of(visit)
    return visit.page(
        "keys.html",
        "Keys",
        merchant=merchant,
        rows=[_row(merchant, what, keys) for what in ROTATABLE],
        new=new,
        new_file=as_text_file(f"{new['label']}: {new['value']}\n") if new else "",
        further=[
            {"key": each, "mark": mark_of(each.secret)} for each in (keys or merchant.keys).further
        ],
        bearer=[
            {"key": each, "state": each.state(visit.now)}
            for each in await bearer_keys.list_of(visit.db, merchant.merchant_id)
        ],
        scopes=[{"name": each, "opens": SCOPES[each]} for each in KeyScope],
        second_for_first=needs_second(visit, None),
        second_for_any=needs_second(visit, (KeyScope.REFUND,)),
        alone_paise=merchant.settings.refund_alone_paise,
        act_id=new_id(visit.now),
        token_at=await tokens.newest_issue(visit.db, merchant.merchant_id),
    )


def _row(merchant: Merchant, what: Rotatable, keys: StoredKeys | None) -> dict[str, Any]:
    """Return one secret as the page shows it.

    keys: newer than this process's copy of the merchant.
    """
    made_on = (keys or merchant.keys).made.get(what, "")
    current = _newest(keys, what) if keys else merchant.keys.newest(what)
    before = _before(keys, what) if keys else merchant.keys.before(what)
    return {
        "what": what,
        "name": NAMES[what],
        "mark": mark_of(current),
        "before": mark_of(before),
        "made_at": datetime.fromisoformat(made_on) if made_on else None,
        "overlaps": what in OVERLAPPING,
    }


def _newest(keys: StoredKeys, what: Rotatable) -> str:
    return keys.webhook_keys[0] if what == "webhook_key" else str(getattr(keys, what))


def _before(keys: StoredKeys, what: Rotatable) -> str:
    if what == "webhook_key":
        return keys.webhook_keys[1] if len(keys.webhook_keys) > 1 else ""
    return str(getattr(keys, f"{what}_before", ""))


async def rotate(visit: ConsoleVisit) -> Response[Any]:
    """Make a new secret and show it this once.

    The old one counts on where it can, unless it leaked.
    """
    what, leaked = _what(visit), visit.form.get("leaked") == "1"
    overlap, alone = (
        what in OVERLAPPING and not leaked,
        what != "secret" or not needs_second(visit, None),
    )
    if not alone and overlap:
        return await key_requests.ask(visit, FIRST, ())
    old = "counts on" if overlap else "ended"
    try:
        keys = await _rotated(
            visit, what, recording_keys(visit, "keys.rotate", what, old=old), overlap=overlap
        )
    except Refused as refused:
        return _replaced_meanwhile(visit, refused)
    if what == "client_secret" and not overlap:
        await access.revoke_tokens(visit.db, visit.merchant_id)
    if not alone:
        # A leaked secret has ended already, and nobody has seen its successor.
        return await key_requests.ask(visit, FIRST, ())
    return await _shown(visit, keys, _new(what, keys))


async def _rotated(
    visit: ConsoleVisit, what: Rotatable, beside: BesideChange, *, overlap: bool, seen: str = ""
) -> StoredKeys:
    seen = seen or visit.form.get("seen", "") or "-"
    arguments = visit.db, visit.gateway.vault, visit.merchant_id, what, visit.now
    return await actions.rotate(*arguments, overlap=overlap, seen=seen, beside=beside)


def _new(what: Rotatable, keys: StoredKeys) -> dict[str, str]:
    return {
        "value": _newest(keys, what),
        "label": NAMES[what].label,
        "replaced": NAMES[what].replaced,
    }


async def add(visit: ConsoleVisit) -> Response[Any]:
    """Make a key with fewer rights, or ask a second person for it."""
    name, scopes, refund_paise = key_requests.wanted_key(visit)
    if needs_second(visit, scopes, refund_paise):
        return await key_requests.ask(visit, name, scopes, refund_paise)
    recorded = recording_keys(
        visit, "keys.add", name, scopes=" ".join(scopes), refund_paise=refund_paise
    )
    secret = await key_requests.add(visit, name, scopes, refund_paise, recorded)
    return await _shown(visit, new=_new_key(name, secret))


async def make(visit: ConsoleVisit) -> Response[Any]:
    """Make the key that a second person approved, and show it this once."""
    approval = await key_requests.agreed(visit)
    name, payload = str(approval.payload["key"]), approval.payload
    if key_requests.BEARER_DAYS in payload:
        wanted = WantedKey(
            name,
            payload["scopes"].split(),
            payload["refund_paise"],
            payload[key_requests.BEARER_DAYS],
            visit.person.email,
        )
        text = await key_requests.add_bearer(visit, wanted, approval)
        return await _shown(visit, new=_new_bearer(name, text))
    if name == FIRST:
        beside = key_requests.finished(visit, approval, "keys.rotate", "secret")
        seen = mark_of(merchant_of(visit).keys.secret)
        keys = await _rotated(visit, "secret", beside, overlap=True, seen=seen)
        return await _shown(visit, keys, _new("secret", keys))
    beside = key_requests.finished(visit, approval, "keys.add", name)
    secret = await key_requests.add(
        visit, name, payload["scopes"].split(), payload["refund_paise"], beside
    )
    return await _shown(visit, new=_new_key(name, secret))


async def add_bearer(visit: ConsoleVisit) -> Response[Any]:
    """Make a bearer key of the plain interface, or ask a second person for it."""
    name, scopes, refund_paise = key_requests.wanted_key(visit)
    days = key_requests.wanted_days(visit)
    if needs_second(visit, scopes, refund_paise):
        return await key_requests.ask(visit, name, scopes, refund_paise, days)
    wanted = WantedKey(name, scopes, refund_paise, days, visit.person.email)
    text = await key_requests.add_bearer(visit, wanted)
    return await _shown(visit, new=_new_bearer(name, text))


def _new_bearer(name: str, text: str) -> dict[str, str]:
    return {
        "value": text,
        "label": f"Bearer key {name}",
        "replaced": "It counts beside the others, and the gateway has only its hash.",
    }


def _new_key(name: str, secret: str) -> dict[str, str]:
    return {
        "value": secret,
        "label": f"API secret {name}",
        "replaced": "It counts beside the others.",
    }


async def _key_typed(visit: ConsoleVisit) -> dict[str, str]:
    return {"name": visit.form.get("key_name", "")}


async def _old_typed(visit: ConsoleVisit) -> dict[str, str]:
    return {"what": _what(visit), "seen": visit.form.get("seen", "") or "-"}


async def _not_ended(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    return _replaced_meanwhile(visit, refused)


def _replaced_meanwhile(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    """Return to the list after a repeated form, or when somebody else was faster."""
    if refused.refusal.code is not RefusalCode.STATE_FORBIDS:
        raise refused
    return visit.see("keys", "key_replaced")


def _what(visit: ConsoleVisit) -> Rotatable:
    """Return the secret that a form names. Raises Refused (NO_RECORDS)."""
    what = visit.form.get("what", "")
    for each in ROTATABLE:
        if each == what:
            return each
    raise refuse(RefusalCode.NO_RECORDS, field="key")


ROUTES = (
    ConsoleRoute("GET", "keys", show, Permission.KEYS_CHANGE),
    ConsoleRoute("POST", "keys/rotate", rotate, Permission.KEYS_CHANGE, fresh=True),
    form_of(retire, "keys/end", "keys", _old_typed, _not_ended),
    ConsoleRoute("POST", "keys/add", add, Permission.KEYS_CHANGE, fresh=True),
    ConsoleRoute("POST", "keys/make", make, Permission.KEYS_CHANGE, fresh=True),
    form_of(end_key, "keys/end-key", "keys", _key_typed),
    ConsoleRoute("POST", "keys/add-bearer", add_bearer, Permission.KEYS_CHANGE, fresh=True),
    form_of(end_bearer, "keys/end-bearer", "keys", _key_typed),
)
