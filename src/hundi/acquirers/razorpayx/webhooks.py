"""RazorpayX's webhooks: our references in them.

Sources: github.com/razorpay/markdown-docs, webhooks/payouts.md and webhooks/account-validation.md,
commit ab3bda5f.
"""

from typing import Any

import msgspec

from hundi.acquirers.calls.aggregators import object_of, text_of
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.calls.razorpay_wire import REFERENCE_NOTE, Word, decoded
from hundi.kernel.ids import parse_check_reference, parse_payout_reference

_ENTITIES = ("payout", "fund_account.validation")


class RazorpayxWebhook(msgspec.Struct, frozen=True):
    """A webhook; the rest of it is neither believed nor read."""

    event: Word
    payload: dict[str, Any]


def references(body: bytes) -> tuple[str, ...] | None:
    """Return our references in a webhook, () for news of something else.

    None when it is no webhook of RazorpayX.
    """
    news = decoded(RazorpayxWebhook, body) if is_sound(body) else None
    if news is None:
        return None
    found: list[str] = []
    for name in _ENTITIES:
        entity = object_of((object_of(news.payload.get(name)) or {}).get("entity")) or {}
        notes = object_of(entity.get("notes")) or {}
        found += [text_of(notes.get(REFERENCE_NOTE)), text_of(entity.get("reference_id"))]
    ours = (each for each in found if parse_payout_reference(each) or parse_check_reference(each))
    return tuple(dict.fromkeys(ours))
