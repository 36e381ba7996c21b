"""Cashfree's webhooks: their signature and their triggers."""

import base64
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.cashfree.refunds import own_refund
from hundi.acquirers.cashfree.rules import json_object, text_of
from hundi.acquirers.cashfree.words import TEXT_MAX
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.ids import parse_reference, parse_refund_reference

WEBHOOK_AGE_S_MAX = 900
"""Seconds. Cashfree does not document whether repeated webhooks are signed again.

An old one only causes an inquiry.
"""
_MILLISECONDS_DIGITS = 13


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
    if not at.isascii() or not at.isdigit() or len(at) != _MILLISECONDS_DIGITS:
        return None
    holds = [
        hmac.compare_digest(signature(each, at, body).encode(), proof.encode("utf-8", "replace"))
        for each in secrets
        if each
    ]
    return json_object(msgspec.json.decode(body)) if any(holds) and is_sound(body) else None


def trigger(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now_s: int
) -> Trigger | None:
    """Return the trigger of an authentic webhook.

    secrets: one of them has signed it.
    """
    data = json_object((proven(headers, body, secrets) or {}).get("data"))
    if not data or abs(now_s - int(headers["x-webhook-timestamp"]) // 1_000) > WEBHOOK_AGE_S_MAX:
        return None
    mandate = text_of(json_object(data.get("subscription_details")).get("subscription_id"))
    return Trigger(
        headers.get("x-idempotency-key", "")[:TEXT_MAX],
        tuple(dict.fromkeys(_references(data))),
        (mandate,) if parse_reference(mandate) else (),
    )


def _references(data: Mapping[str, Any]) -> list[str]:
    """Return our references in a webhook, wherever its kind has them."""
    parts = [
        data,
        *(
            json_object(data.get(name))
            for name in ("order", "refund", "auto_refund", "order_details")
        ),
    ]
    parts += [json_object(part.get("order_tags")) for part in parts]
    answer = [
        text_of(part.get(name))
        for part in parts
        for name in ("order_id", "link_id", "refund_id", "payment_id", "execution_id")
    ]
    texts = [own_refund(each) for each in answer]
    return [each for each in texts if parse_reference(each) or parse_refund_reference(each)]
