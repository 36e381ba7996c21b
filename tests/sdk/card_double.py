"""Saved cards as a gateway answers about them, for tests of the SDK."""

from collections.abc import Mapping
from datetime import UTC, datetime

from hundi.wire.merchant.saved_cards import SavedCard, SavedCardName, SavedCardsOf
from hundi.wire.message import read_request, write_reply
from hundi.wire.strict_json import JsonValue

KEPT = SavedCard(
    token="card_1",
    customer_id="asha-7",
    number="XXXXXXXXXXXX1111",
    scheme="Visa",
    type="cc",
    issuer="Simulated Issuer Bank",
    saved_at=datetime(2026, 11, 20, 8, 35, 6, tzinfo=UTC),
)


def answered(path: str, fields: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return `data` of a reply about saved cards, None for what is about something else."""
    if path.endswith("/savedcards/"):
        assert read_request(SavedCardsOf, fields).customer_id == KEPT.customer_id
        return {"cards": [write_reply(KEPT)]}
    if path.endswith("/savedcards/delete/"):
        assert read_request(SavedCardName, fields).token == KEPT.token
        return write_reply(KEPT)
    return None
