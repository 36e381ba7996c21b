"""Pine Labs' webhooks: HMAC-SHA256 over id, time and body; see docs/pinelabs.md."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping

from hundi.acquirers.calls.aggregators import object_of, read_object
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.checkout import Trigger

AGE_S_MAX = 300
"""Seconds; as in Pine Labs' own verifier."""
EVENT_ID_LENGTH_MAX = 128
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,50}\Z")
_TIME = re.compile(r"[0-9]{1,12}\Z")


def trigger(headers: Mapping[str, str], body: bytes, secret: str, *, now_s: int) -> Trigger | None:
    """Return the trigger of an authentic webhook. secret: in base64, "" believes no webhook."""
    event_id = headers.get("webhook-id", "")
    if (
        not secret
        or len(event_id) > EVENT_ID_LENGTH_MAX
        or not is_signed(headers, body, secret, now_s=now_s)
    ):
        return None
    answer = read_object(body) if is_sound(body) else None
    reference = (object_of((answer or {}).get("data")) or {}).get("merchant_order_reference")
    if not isinstance(reference, str) or not _REFERENCE.match(reference):
        return None
    return Trigger(event_id, (reference,))


def is_signed(headers: Mapping[str, str], body: bytes, secret: str, *, now_s: int) -> bool:
    """Return whether a webhook is signed with a secret, and not older than AGE_S_MAX."""
    event_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event_id or not _TIME.match(at) or abs(now_s - int(at)) > AGE_S_MAX:
        return False
    version, _, signature = headers.get("webhook-signature", "").partition(",")
    try:
        key = base64.b64decode(secret, validate=True)
    except (ValueError, binascii.Error):
        return False
    text = f"{event_id}.{at}.".encode() + body
    expected = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest())
    return version == "v1" and hmac.compare_digest(expected, signature.strip().encode())
