"""Rules of merchants' keys: rotation, overlap, and their marks; pure."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

import msgspec

from hundi.merchants.directory.api_keys.rules import ApiKey

MARK_DIGITS = 8
"""Digits of a secret's SHA-256 in its mark.

The secrets have 144 random bits and more, so 32 bits of their hash help nobody.
"""
WEBHOOK_KEYS_MAX = 2
"""The newest key and the one before it: rotation overlaps until the next rotation."""
Rotatable = Literal["secret", "password", "client_secret", "webhook_key"]
ROTATABLE: tuple[Rotatable, ...] = get_args(Rotatable)
OVERLAPPING: tuple[Rotatable, ...] = ("secret", "client_secret", "webhook_key")
"""Secrets that can stay valid beside their successor.

The password makes the encryption key, of which there is one.
"""
_SECRET = re.compile(r"api-([0-9]{1,12})-")


@dataclass(frozen=True, slots=True)
class MerchantKeys:
    """Every secret of one merchant, opened.

    username, password: the pair the encryption key is derived from. secret: the API secret (part of
    `privatekey`). client_id, client_secret: OAuth, for token issuance only. webhook_keys: Standard
    Webhooks keys, newest first. encryption_key, privatekey: derived from the others by the
    interface layer's formulas. secret_before, client_secret_before: replaced and still valid, ""
    for none. made: when each was made, ISO 8601. further: API secrets with fewer rights;
    privatekeys_further: the derived value of each.
    """

    username: str
    password: str
    secret: str
    client_id: str
    client_secret: str
    webhook_keys: tuple[str, ...]
    encryption_key: bytes
    privatekey: str
    secret_before: str = ""
    client_secret_before: str = ""
    privatekey_before: str = ""
    made: Mapping[str, str] = field(default_factory=dict[str, str])
    further: tuple[ApiKey, ...] = ()
    privatekeys_further: tuple[str, ...] = ()

    @property
    def privatekeys(self) -> tuple[str, ...]:
        """Return every valid `privatekey`, newest first."""
        return (
            (self.privatekey, self.privatekey_before)
            if self.privatekey_before
            else (self.privatekey,)
        )

    @property
    def client_secrets(self) -> tuple[str, ...]:
        """Return every valid OAuth client secret, newest first."""
        return (
            (self.client_secret, self.client_secret_before)
            if self.client_secret_before
            else (self.client_secret,)
        )

    def before(self, what: Rotatable) -> str:
        """Return the previous secret while it is valid; else ""."""
        if what == "webhook_key":
            return self.webhook_keys[1] if len(self.webhook_keys) > 1 else ""
        return {"secret": self.secret_before, "client_secret": self.client_secret_before}.get(
            what, ""
        )

    def newest(self, what: Rotatable) -> str:
        """Return one of the replaceable secrets."""
        return self.webhook_keys[0] if what == "webhook_key" else str(getattr(self, what))

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "MerchantKeys(****)"


class StoredKeys(msgspec.Struct, frozen=True, omit_defaults=True):
    """The secrets as they are sealed; the derived ones are not stored."""

    username: str
    password: str
    secret: str
    client_id: str
    client_secret: str
    webhook_keys: tuple[str, ...]
    secret_before: str = ""
    client_secret_before: str = ""
    made: dict[str, str] = {}
    further: tuple[ApiKey, ...] = ()

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "StoredKeys(****)"


KeyFormulas = Callable[[StoredKeys], tuple[bytes, str]]
"""Returns (encryption key, privatekey).

The formulas are the protocol's, so the interface layer provides them.
"""


def rotated(
    keys: StoredKeys, what: Rotatable, new: str, at: datetime, *, overlap: bool
) -> StoredKeys:
    """Return the secrets with one replaced.

    overlap: the previous one stays valid until it is ended.
    """
    made = {**keys.made, what: at.isoformat(timespec="seconds")}
    if what == "webhook_key":
        webhook_keys = rotated_webhook_keys(keys.webhook_keys, new)
        return msgspec.structs.replace(
            keys, webhook_keys=webhook_keys if overlap else webhook_keys[:1], made=made
        )
    changed: dict[str, object] = {what: new, "made": made}
    if what in OVERLAPPING:
        changed[f"{what}_before"] = getattr(keys, what) if overlap else ""
    return msgspec.structs.replace(keys, **changed)


def without_before(keys: StoredKeys, what: Rotatable) -> StoredKeys:
    """Return the secrets without the previous one of a kind."""
    if what == "webhook_key":
        return msgspec.structs.replace(keys, webhook_keys=keys.webhook_keys[:1])
    return msgspec.structs.replace(keys, **{f"{what}_before": ""}) if what in OVERLAPPING else keys


def mark_of(secret: str) -> str:
    """Return the mark by which people tell hidden secrets apart.

    It is the start of the SHA-256, in hex.
    """
    return hashlib.sha256(secret.encode()).hexdigest()[:MARK_DIGITS] if secret else ""


def new_secret(merchant_id: int, random: str) -> str:
    """Return an API secret with its merchant's id in it, for requests without a field for that."""
    return f"api-{merchant_id}-{random}"


def merchant_of_secret(secret: str) -> str:
    """Return the merchant id in an API secret, "" if there is none."""
    match = _SECRET.match(secret)
    return match[1] if match else ""


def rotated_webhook_keys(current: tuple[str, ...], new: str) -> tuple[str, ...]:
    """Return the keys after a rotation.

    The new one first, the previous one kept for the overlap.
    """
    return (new, *current)[:WEBHOOK_KEYS_MAX]
