"""Instant payment notifications in the merchant's chosen form (docs/spec/wire.md#notification-forms)."""

from urllib.parse import urlencode

import msgspec

from hundi.api import replies
from hundi.api.merchant.record import transaction_record
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.rules import Delivery, Rendered
from hundi.payments.orders.rules import PaymentFacts
from hundi.wire import cipher, envelope
from hundi.wire.merchant import record


def render(merchant: Merchant, delivery: Delivery) -> Rendered:
    """Return the body of one notification, from the facts at its event; each redelivery sends the same."""
    facts = msgspec.convert(delivery.facts, PaymentFacts)
    spoken = transaction_record(facts, merchant)
    if merchant.settings.notification_form == "form":
        fields = record.ipn_form(spoken, delivery.key.webhook_id, mode=merchant.mode)
        return Rendered("application/x-www-form-urlencoded", urlencode(fields).encode())
    plain = envelope.reply_bytes(
        replies.success(record.api_data(spoken), spoken.message, delivery.key.webhook_id) | {"event": delivery.kind}
    )
    if merchant.settings.notification_form == "json":
        return Rendered("application/json", plain)
    sealed = {"merchant_id": str(merchant.merchant_id), "response": cipher.seal(merchant.keys.encryption_key, plain)}
    return Rendered("application/json", msgspec.json.encode(sealed))
