"""What each known kind of client needs; docs/clients.md describes the kinds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import msgspec

from hundi.kernel.events import BOOKED_BY_OLD_CLIENTS, Kind
from hundi.merchants.directory.rules import MerchantSettings, wrong_setting

_OLD: Mapping[str, object] = {"events": BOOKED_BY_OLD_CLIENTS}
_KNOWS_402: Mapping[str, object] = {"events": (*BOOKED_BY_OLD_CLIENTS, Kind.EXPIRED)}
_FORM: Mapping[str, object] = {**_KNOWS_402, "notification_form": "form"}


@dataclass(frozen=True, slots=True)
class ClientKind:
    """A known kind of client.

    seen: what a developer sees in the client's own code. settings: those that differ from the
    defaults.
    """

    seen: str
    settings: Mapping[str, object] = field(default_factory=dict[str, object])


CLIENTS: Mapping[str, ClientKind] = {
    "standard": ClientKind("Reads the sealed response, or nothing special is known of it"),
    "text": ClientKind(
        "Calls string functions on transaction_status", {**_OLD, "notification_types": "text"}
    ),
    "plain-json": ClientKind(
        "Reads plain JSON, top level only", {**_OLD, "notification_form": "json"}
    ),
    "form": ClientKind("Reads form fields in capitals", _FORM),
    "woocommerce": ClientKind(
        "WooCommerce: form fields, answers with a redirect", {**_FORM, "redirect_delivers": True}
    ),
    "no-alias": ClientKind(
        "Joins ap_securehash into its own hash", {**_OLD, "left_out": ("ap_securehash",)}
    ),
    "hash-without-payer": ClientKind(
        "Never joins the payer's UPI address into the hash",
        {**_OLD, "secure_hash": "without-payer"},
    ),
    "hash-of-payment-status": ClientKind(
        "Joins transaction_payment_status into the hash",
        {**_OLD, "secure_hash": "payment-status"},
    ),
    "kit-3": ClientKind(
        "Its form posts to /pay/index.php, with a checksum by SHA-256 (64 characters)",
        {**_FORM, "kit_versions": ("3",)},
    ),
    "kit-2": ClientKind(
        "Its form posts to /pay/index.php, with a checksum by MD5 (32 characters)",
        {**_FORM, "kit_versions": ("2",)},
    ),
}
"""The kinds by name; several can be combined."""
READ_BY_CLIENTS = (
    "notification_form",
    "notification_types",
    "redirect_delivers",
    "left_out",
    "secure_hash",
    "events",
    "kit_versions",
)
"""The settings that a kind of client chooses."""


def for_client(settings: MerchantSettings, kind: str) -> MerchantSettings:
    """Return settings as a kind of client needs them.

    Settings of other kinds stay; `standard` resets all of them. Raises Refused for an unknown kind.
    """
    if kind not in CLIENTS:
        raise wrong_setting("client", kind, " ".join(CLIENTS))
    defaults = MerchantSettings()
    chosen = dict(CLIENTS[kind].settings)
    if not chosen:
        chosen = {name: getattr(defaults, name) for name in READ_BY_CLIENTS}
    for name in ("left_out", "events", "kit_versions"):
        # A second kind adds to the first one's left-out fields, events and versions.
        before = getattr(settings, name) or ()
        if chosen.get(name) and before:
            chosen[name] = tuple(dict.fromkeys((*before, *cast("tuple[str, ...]", chosen[name]))))
    return msgspec.structs.replace(settings, **chosen)
