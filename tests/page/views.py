"""Payments at every point of their life, for tests that need no database."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hundi.instruments.card import CardFacts
from hundi.instruments.upi_address import UpiClient
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState, PaymentKind, PaymentState
from hundi.merchants.directory.keys.rules import MerchantKeys
from hundi.merchants.directory.rules import Merchant, MerchantSettings
from hundi.page.facts import PageContext
from hundi.page.texts import speaker
from hundi.payments.orders.rules import Attempt, Buyer, Payment, PaymentView
from hundi.wire import cipher
from hundi.wire.merchant import privatekey

NOW = datetime(2026, 11, 20, 8, 35, tzinfo=UTC)
PATH = "/pay/v4/s/7.215000000000001.abc"
KEYS = MerchantKeys(
    username="asha",
    password="pw",
    secret="api-secret",
    client_id="c",
    client_secret="cs",
    webhook_keys=(
        "whsec_bmV3ZXN0LWtleS1uZXdlc3Qta2V5bmV3",
        "whsec_b2xkZXIta2V5LW9sZGVyLWtleS0hb2xk",
    ),
    encryption_key=cipher.encryption_key("asha", "pw"),
    privatekey=privatekey.derive("api-secret", "asha", "pw"),
)


def merchant(**settings: Any) -> Merchant:
    chosen: dict[str, Any] = {
        "success_url": "https://shop.example.in/ok",
        "failure_url": "https://shop.example.in/no",
    } | settings
    return Merchant(7, "live", "active", "Asha Handlooms", MerchantSettings(**chosen), KEYS, NOW)


def attempt(method="upi_qr", state=AttemptState.OFFERED, **changes) -> Attempt:
    made = Attempt(
        merchant_id=7,
        attempt_id=changes.pop("attempt_id", 215_000_000_000_002),
        payment_id=215_000_000_000_001,
        method=method,
        state=state,
        amount=Money(149_950),
        connector="sandbox",
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=8),
    )
    return replace(made, **changes)


def view(state=PaymentState.OPEN, *attempts: Attempt, **changes) -> PaymentView:
    payment = Payment(
        merchant_id=7,
        payment_id=215_000_000_000_001,
        order_id="ORD-1",
        content_hash=bytes(32),
        amount=Money(149_950),
        kind=PaymentKind.SALE,
        state=state,
        captured_paise=0,
        method="",
        buyer=Buyer(email="asha@example.in", firstname="Asha"),
        custom_var="a=1",
        channels=("upi", "pg"),
        bank_code="",
        bank_message="",
        revision=3,
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=15),
    )
    return PaymentView(replace(payment, **changes), attempts)


def paid_by_card() -> PaymentView:
    card = CardFacts("1111", "Visa", "credit", "Bank", "IN")
    won = attempt(
        "card",
        AttemptState.PAID,
        rrn="632512345678",
        card=card,
        settled_at=NOW,
        received_paise=149_950,
    )
    return view(PaymentState.PAID, attempt(), won, method="pg", captured_paise=149_950)


def page(client=UpiClient.DESKTOP_WEB, **changes) -> PageContext:
    return replace(PageContext(PATH, client, NOW, speaker("en")), **changes)
