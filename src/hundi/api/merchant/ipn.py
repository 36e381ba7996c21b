"""Instant payment notifications in a merchant's form (docs/spec/wire.md#notification-forms)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import urlencode

import msgspec

from hundi.api.merchant.plain.facts import event_of
from hundi.api.merchant.record import told, transaction_record
from hundi.instruments.methods import UPI
from hundi.kernel.ids import new_id
from hundi.kernel.records import replace
from hundi.kernel.states import PaymentKind, PaymentState
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.rules import Delivery, Recipient, Rendered, signature_headers
from hundi.payments.orders.facts.rules import PaymentFacts
from hundi.payments.orders.rules import Buyer
from hundi.wire import cipher, envelope
from hundi.wire.merchant import old_kits, record
from hundi.wire.plain.values import write_plain

TEST_EVENT, TEST_ORDER, TEST_PAISE = "test", "TEST-NOTIFICATION", 100
"""The contents of a test notification; no order of a merchant is notified under this event."""
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


@dataclass(frozen=True, slots=True)
class TestNotification:
    """A notification without an event. plain: its contents for people, whatever the form."""

    headers: Mapping[str, str]
    body: bytes
    plain: str


def test_notification(merchant: Merchant, now: datetime) -> TestNotification:
    """Return a signed notification that says of itself that it is a test.

    Its order does not exist and failed, so that whoever takes it for real delivers nothing.
    """
    facts = PaymentFacts(
        merchant_id=merchant.merchant_id,
        payment_id=new_id(now),
        order_id=TEST_ORDER,
        state=PaymentState.FAILED,
        kind=PaymentKind.SALE,
        method=UPI.code,
        amount_paise=TEST_PAISE,
        currency="INR",
        buyer=Buyer(
            email="test@example.com", phone="9000000000", firstname="Test", lastname="Notification"
        ),
        custom_var="",
        bank_code="",
        bank_message="A test notification: there is no such payment",
        created_at=now,
        attempts=0,
    )
    webhook_id = f"test_{merchant.merchant_id}_{facts.payment_id}"
    sent = rendered(merchant, facts, webhook_id, TEST_EVENT, now)
    in_plain = msgspec.structs.replace(
        merchant.settings,
        notification_form=STANDARD if merchant.settings.notification_form == STANDARD else "json",
    )
    plain = rendered(replace(merchant, settings=in_plain), facts, webhook_id, TEST_EVENT, now)
    headers = signature_headers(webhook_id, sent, merchant.keys.webhook_keys, now)
    indented = msgspec.json.format(plain.body, indent=2).decode()
    return TestNotification(headers, sent.body, indented)


def render(merchant: Merchant, delivery: Delivery) -> Rendered:
    """Return the body of one notification, from the facts at its event.

    Each redelivery sends the same.
    """
    facts = msgspec.convert(delivery.facts, PaymentFacts)
    return rendered(merchant, facts, delivery.key.webhook_id, delivery.kind, delivery.created_at)


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
