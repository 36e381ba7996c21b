"""Instant payment notifications in the merchant's chosen form (docs/spec/wire.md#notification-forms)."""

from functools import partial
from urllib.parse import urlencode

import msgspec

from hundi.api.merchant.record import told, transaction_record
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.rules import Delivery, Recipient, Rendered
from hundi.payments.orders.facts import PaymentFacts
from hundi.wire import cipher, envelope
from hundi.wire.merchant import record


def recipient_of(merchant: Merchant) -> Recipient:
    """Return a merchant as somebody who is told."""
    return Recipient(
        url=merchant.settings.notification_url,
        keys=merchant.keys.webhook_keys,
        render=partial(render, merchant),
        redirect_delivers=merchant.settings.redirect_delivers,
    )


def render(merchant: Merchant, delivery: Delivery) -> Rendered:
    """Return the body of one notification, from the facts at its event; each redelivery sends the same."""
    facts = msgspec.convert(delivery.facts, PaymentFacts)
    spoken = transaction_record(facts, merchant)
    settings, webhook_id = merchant.settings, delivery.key.webhook_id
    if settings.notification_form == "form":
        fields = record.ipn_form(spoken, webhook_id, mode=merchant.mode, left_out=settings.left_out)
        return Rendered("application/x-www-form-urlencoded", urlencode(fields).encode())
    as_text = settings.notification_types == "text"
    plain = envelope.reply_bytes(told(spoken, merchant, as_text=as_text, request_id=webhook_id, event=delivery.kind))
    if settings.notification_form == "json":
        return Rendered("application/json", plain)
    sealed = {"merchant_id": str(merchant.merchant_id), "response": cipher.seal(merchant.keys.encryption_key, plain)}
    return Rendered("application/json", msgspec.json.encode(sealed))
