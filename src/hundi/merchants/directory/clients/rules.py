"""What each known kind of client needs; docs/clients.md describes the kinds."""

from collections.abc import Mapping
from typing import cast

import msgspec

from hundi.kernel.events import BOOKED_BY_OLD_CLIENTS, Kind
from hundi.merchants.directory.rules import MerchantSettings, wrong_setting

_OLD: Mapping[str, object] = {"events": BOOKED_BY_OLD_CLIENTS}
_KNOWS_402: Mapping[str, object] = {"events": (*BOOKED_BY_OLD_CLIENTS, Kind.EXPIRED)}
CLIENTS: Mapping[str, Mapping[str, object]] = {
    "standard": {},
    "text": {**_OLD, "notification_types": "text"},
    "plain-json": {**_OLD, "notification_form": "json"},
    "form": {**_KNOWS_402, "notification_form": "form"},
    "woocommerce": {**_KNOWS_402, "notification_form": "form", "redirect_delivers": True},
    "no-alias": {**_OLD, "left_out": ("ap_securehash",)},
    "hash-without-payer": {**_OLD, "secure_hash": "without-payer"},
    "hash-of-payment-status": {**_OLD, "secure_hash": "payment-status"},
}
"""Each kind's settings that differ from the defaults; several kinds can be combined."""
READ_BY_CLIENTS = (
    "notification_form",
    "notification_types",
    "redirect_delivers",
    "left_out",
    "secure_hash",
    "events",
)
"""The settings that a kind of client chooses."""


def for_client(settings: MerchantSettings, kind: str) -> MerchantSettings:
    """Return settings as a kind of client needs them.

    Settings of other kinds stay; `standard` resets all of them. Raises Refused for an unknown kind.
    """
    if kind not in CLIENTS:
        raise wrong_setting("client", kind, " ".join(CLIENTS))
    defaults = MerchantSettings()
    chosen = dict(CLIENTS[kind]) or {name: getattr(defaults, name) for name in READ_BY_CLIENTS}
    for name in ("left_out", "events"):
        # A second kind adds to the first one's left-out fields and events.
        before = getattr(settings, name) or ()
        if chosen.get(name) and before:
            chosen[name] = tuple(dict.fromkeys((*before, *cast("tuple[str, ...]", chosen[name]))))
    return msgspec.structs.replace(settings, **chosen)
