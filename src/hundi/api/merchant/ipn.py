"""Instant payment notifications in a merchant's form (docs/spec/wire.md#notification-forms)."""

from datetime import datetime
from functools import partial
from urllib.parse import urlencode

import msgspec

from hundi.api.merchant.plain.facts import event_of
from hundi.api.merchant.record import told, transaction_record
from hundi.kernel.records import replace
from hundi.merchants.directory.rules import Merchant, NotificationForm
from hundi.notifications.endpoints.jobs import EndpointRecipient
from hundi.notifications.endpoints.rules import EndpointDelivery, WebhookEndpoint
from hundi.notifications.rules import Delivery, Recipient, Rendered
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.wire import cipher, envelope
from hundi.wire.merchant import old_kits, record
from hundi.wire.plain.values import write_plain

STANDARD = "standard"
"""The form whose body is an event of the plain interface."""


def recipient_of(merchant: Merchant) -> Recipient:
    """Return a merchant as the recipient of notifications."""
    return Recipient(
        url=merchant.settings.notification_url,
        keys=merchant.keys.webhook_keys,
        render=partial(render, merchant),
        redirect_delivers=merchant.settings.redirect_delivers,
        hears=merchant.settings.hears,
    )


def render(merchant: Merchant, delivery: Delivery) -> Rendered:
    """Return the body of one notification, from the facts at its event.

    Each redelivery sends the same.
    """
    facts = msgspec.convert(delivery.facts, PaymentFacts)
    return rendered(merchant, facts, delivery.key.webhook_id, delivery.kind, delivery.created_at)


def endpoint_recipient_of(merchant: Merchant, endpoint: WebhookEndpoint) -> EndpointRecipient:
    """Return one further address of a merchant as the recipient of its deliveries."""

    def render_for_endpoint(item: EndpointDelivery) -> Rendered:
        delivery = item.delivery
        facts = msgspec.convert(delivery.facts, PaymentFacts)
        spoken_to = in_form(merchant, endpoint.form)
        return rendered(spoken_to, facts, item.webhook_id, delivery.kind, delivery.created_at)

    return EndpointRecipient(endpoint, render_for_endpoint)


def in_form(merchant: Merchant, form: NotificationForm) -> Merchant:
    """Return a merchant whose notifications have a form."""
    settings = msgspec.structs.replace(merchant.settings, notification_form=form)
    return replace(merchant, settings=settings)


def rendered(
    merchant: Merchant, facts: PaymentFacts, webhook_id: str, event: str, at: datetime
) -> Rendered:
    """Return the body of an event's notification, in the form of the merchant's settings.

    at: when the event was.
    """
    if merchant.settings.notification_form == STANDARD:
        body = msgspec.json.encode(write_plain(event_of(webhook_id, event, at, facts)))
        return Rendered("application/json", body)
    spoken, settings = transaction_record(facts, merchant), merchant.settings
    if settings.notification_form == "form":
        write = old_kits.kit_form if settings.kit_versions else record.ipn_form
        fields = write(spoken, webhook_id, mode=merchant.mode, left_out=settings.left_out)
        return Rendered("application/x-www-form-urlencoded", urlencode(fields).encode())
    as_text = settings.notification_types == "text"
    plain = envelope.reply_bytes(
        told(spoken, merchant, as_text=as_text, request_id=webhook_id, event=event)
    )
    if settings.notification_form == "json":
        return Rendered("application/json", plain)
    sealed = {
        "merchant_id": str(merchant.merchant_id),
        "response": cipher.seal(merchant.keys.encryption_key, plain),
    }
    return Rendered("application/json", msgspec.json.encode(sealed))
