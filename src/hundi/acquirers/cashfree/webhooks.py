"""Cashfree's webhooks: their triggers."""

from collections.abc import Mapping, Sequence
from typing import Any

from hundi.acquirers.calls.cashfree_wire import PARTS_OF_A_SECOND, proven
from hundi.acquirers.cashfree.refunds import own_refund
from hundi.acquirers.cashfree.rules import json_object, text_of
from hundi.acquirers.cashfree.words import TEXT_MAX
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.ids import parse_reference, parse_refund_reference

WEBHOOK_AGE_S_MAX, WEBHOOK_AHEAD_S_MAX = 86_400, 900
"""Seconds. Cashfree repeats a webhook after 30 minutes, or as late as its dashboard says.

It does not document whether a repeated one is signed again. An old one only causes an inquiry.
"""


def trigger(
    headers: Mapping[str, str], body: bytes, secrets: Sequence[str], now_s: int
) -> Trigger | None:
    """Return the trigger of an authentic webhook.

    secrets: one of them has signed it.
    """
    data = json_object((proven(headers, body, secrets) or {}).get("data"))
    at = headers.get("x-webhook-timestamp", "")
    age_s = now_s - int(at) // PARTS_OF_A_SECOND[len(at)] if data else 0
    if not data or not -WEBHOOK_AHEAD_S_MAX <= age_s <= WEBHOOK_AGE_S_MAX:
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
