"""The common part of Cashfree's products: the proof of a webhook.

Source: docs.cashfree.com, api-reference/webhooks/payloads-and-signatures; the class of cashfree-pg
that verifies a webhook computes the same.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hundi.acquirers.calls.aggregators import object_of
from hundi.acquirers.calls.json_answers import is_sound

PARTS_OF_A_SECOND = {13: 1_000, 10: 1}
"""Parts of a second in a time, by its digits: samples have 13, one page says Unix time."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return a webhook's signature.

    Base64 of HMAC-SHA256 over timestamp and raw body, concatenated.
    """
    return base64.b64encode(
        hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    ).decode()


def proven(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str]
) -> Mapping[str, Any] | None:
    """Return a webhook signed with one of these secrets, whatever its age; None for any other."""
    at, proof = headers.get("x-webhook-timestamp", ""), headers.get("x-webhook-signature", "")
    if not at.isascii() or not at.isdigit() or len(at) not in PARTS_OF_A_SECOND:
        return None
    holds = [
        hmac.compare_digest(signature(each, at, body).encode(), proof.encode("utf-8", "replace"))
        for each in secrets
        if each
    ]
    return object_of(msgspec.json.decode(body)) or {} if any(holds) and is_sound(body) else None
