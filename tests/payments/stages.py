"""A payment and an attempt at any stage, as values: what rules are tested with.

And the time of a test's books.
"""

from datetime import UTC, datetime, timedelta

from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.states import AttemptState, PaymentKind, PaymentState
from hundi.payments.orders.rules import Attempt, Buyer, Payment, PaymentView

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
AMOUNT = 149_950
TAKEN = {PaymentState.PAID, PaymentState.CAPTURED}


def attempt(state: AttemptState = AttemptState.OFFERED, number: int = 1) -> Attempt:
    """Return an attempt by QR."""
    return Attempt(
        merchant_id=12345,
        attempt_id=number,
        payment_id=900,
        method="upi_qr",
        state=state,
        amount=Money(AMOUNT),
        connector="sandbox",
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=8),
    )


def view(state: PaymentState, *attempts: Attempt) -> PaymentView:
    """Return a payment of which all was captured where anything was."""
    payment = Payment(
        merchant_id=12345,
        payment_id=900,
        order_id="ORD-1",
        content_hash=bytes(32),
        amount=Money(AMOUNT),
        kind=PaymentKind.SALE,
        state=state,
        captured_paise=AMOUNT if state in TAKEN else 0,
        method="",
        buyer=Buyer(),
        custom_var="",
        channels=("upi",),
        bank_code="",
        bank_message="",
        revision=4,
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=15),
    )
    return PaymentView(payment, attempts)


async def after_all(db: Database) -> datetime:
    """Return a moment after everything that happened in a test's books, by their own clock."""
    return await db.fetchval("SELECT max(at) + interval '1 minute' FROM payment_events")
