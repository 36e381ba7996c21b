"""Payments and attempts that rules decide about."""

from datetime import UTC, datetime, timedelta

from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.acquirers.port.payments import InquirySchedule
from hundi.kernel.money import Money
from hundi.kernel.states import AttemptState as A
from hundi.kernel.states import PaymentKind
from hundi.kernel.states import PaymentState as P
from hundi.payments.attempts.approvals.rules import Policy
from hundi.payments.orders.rules import Attempt, Buyer, Payment, PaymentView

NOW = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SCHEDULE = InquirySchedule((3, 5, 10))
KEEP = Policy(refund_late_success=False, schedule=SCHEDULE)
REFUND = Policy(refund_late_success=True, schedule=SCHEDULE)
AMOUNT = 149_950
PAID = Approved(Money(AMOUNT), "632512345678", payer_vpa="success@hundi")
HELD = Approved(Money(AMOUNT), "632512345678", authorised_only=True)
NO = Declined("Z9", "Insufficient funds")
NOBODY = Declined("ZH", "Not registered", not_registered=True)
WAIT = Unknown("01", "Pending")


def attempt(number: int = 1, state: A = A.OFFERED, method: str = "upi_qr") -> Attempt:
    return Attempt(
        merchant_id=12345,
        attempt_id=number,
        payment_id=900,
        method=method,
        state=state,
        amount=Money(AMOUNT),
        connector="sandbox",
        created_at=NOW,
        expires_at=NOW + timedelta(seconds=480),
        inquire_at=NOW + timedelta(seconds=3),
        received_paise=AMOUNT if state in {A.PAID, A.OVERPAID, A.AUTHORISED} else 0,
    )


def view(*attempts: Attempt, state: P = P.OPEN) -> PaymentView:
    payment = Payment(
        merchant_id=12345,
        payment_id=900,
        order_id="ORD-1",
        content_hash=bytes(32),
        amount=Money(AMOUNT),
        kind=PaymentKind.SALE,
        state=state,
        captured_paise=AMOUNT if state is P.PAID else 0,
        method="",
        buyer=Buyer(),
        custom_var="",
        channels=("upi", "pg"),
        bank_code="",
        bank_message="",
        revision=1,
        created_at=NOW,
        expires_at=NOW + timedelta(minutes=15),
    )
    return PaymentView(payment, attempts)
