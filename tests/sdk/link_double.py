"""Payment links as a gateway answers about them, for tests of the SDK."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from hundi.wire.merchant.links import (
    LinkName,
    LinkPayment,
    LinksBefore,
    NewPaymentLink,
    PaymentLink,
)
from hundi.wire.message import read_request, write_reply
from hundi.wire.strict_json import JsonValue

LINK = PaymentLink(
    link_id="217572764752030",
    reference="INV-7",
    url="https://pay.example/l/10001.0123456789abcdef",
    state="partly_paid",
    amount_paise=150_000,
    paid_paise=60_000,
    minimum_paise=50_000,
    description="Sarees",
    surplus="refund",
    created_at=datetime(2026, 11, 23, 4, 52, tzinfo=UTC),
    valid_until=datetime(2026, 12, 23, 4, 52, tzinfo=UTC),
    payments=(
        LinkPayment(
            order_id="link-217572764752030-1",
            transaction_id="217572764860064",
            amount_paise=60_000,
            counted_paise=60_000,
            returned_paise=0,
            paid_at=datetime(2026, 11, 23, 4, 54, tzinfo=UTC),
        ),
    ),
)


def answered(path: str, fields: Mapping[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return `data` of a reply about links, None for what is about something else."""
    if "/api/link/" not in path:
        return None
    verb = path.rstrip("/").rpartition("/")[2]
    match verb:
        case "create":
            assert read_request(NewPaymentLink, fields).reference == LINK.reference
            return write_reply(replace(LINK, state="open", payments=()))
        case "list":
            _ = read_request(LinksBefore, fields)
            return {"links": [write_reply(replace(LINK, payments=()))]}
        case _:
            assert read_request(LinkName, fields).link_id in {"", LINK.link_id}
            state = "cancelled" if verb == "cancel" else LINK.state
            return write_reply(replace(LINK, state=state))
