"""Signatures of the gateway's messages: Standard Webhooks, with merchants' and partners' keys."""

import hmac
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from standardwebhooks import Webhook

from hundi.sdk.errors import ConfigurationError, SignatureError, StaleError

TOLERANCE_S = 300
"""Seconds by which a notification's signature may differ from our clock.

Standard Webhooks recommends this number.
"""
_UNIX_SECONDS = re.compile(r"[0-9]{1,11}\Z")
KEY_PATTERN = "whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
"""Eight groups of four letters are 24 bytes, the least that Standard Webhooks allows."""


def checked_keys(keys: Sequence[str]) -> tuple[str, ...]:
    """Return webhook keys that can prove something.

    An empty one proves nothing: everybody could sign with it. Raises ConfigurationError.
    """
    if isinstance(keys, str):
        message = "webhook_keys is a tuple of keys, newest first, not one text"
        raise ConfigurationError(message)
    if not keys or not all(re.fullmatch(KEY_PATTERN, key) for key in keys):
        message = "webhook_keys are none, or one is not whsec_ and the base64 of 24 bytes or more"
        raise ConfigurationError(message)
    return tuple(keys)


def sent_at(
    hooks: Sequence[Webhook], webhook_id: str, timestamp: str, signatures: str, content: str
) -> datetime:
    """Return when a message was signed with one of the keys. Raises SignatureError."""
    # The library's own `verify` reads the clock itself and has one fixed tolerance; its `sign` is
    # the part we need.
    if not (webhook_id and signatures and _UNIX_SECONDS.match(timestamp)):
        message = "the webhook signature is missing"
        raise SignatureError(message)
    received = [each.encode() for each in signatures.split(" ")]
    moment = datetime.fromtimestamp(int(timestamp), UTC)
    expected = [hook.sign(webhook_id, moment, content).encode() for hook in hooks]
    if not any(hmac.compare_digest(ours, theirs) for ours in expected for theirs in received):
        message = "the webhook signature was made with none of the webhook keys"
        raise SignatureError(message)
    return moment


def check_age(signed: datetime, now_s: float, tolerance_s: int) -> None:
    """Raise StaleError for a message signed too long ago, or too far ahead of our clock."""
    age_s = now_s - signed.timestamp()
    if abs(age_s) > tolerance_s:
        message = f"signed {age_s:.0f} seconds ago; {tolerance_s} either way are accepted"
        raise StaleError(message)
