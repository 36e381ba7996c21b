"""What the stand-in of Razorpay keeps.

Orders, payments and refunds, with the rules of Razorpay's documents.

Written from razorpay/markdown-docs at ab3bda5f (9 April 2026), apart from the connector. What that
text leaves open is marked "open".
"""

import secrets
import string
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any

AMOUNT_MIN = 100
RECEIPT_LENGTH_MAX = 40
NOTES_MAX = 15
KEY_LENGTH_MIN = 10
KEY_ALPHABET = frozenset(string.ascii_letters + string.digits + "-_")
_ID_ALPHABET = string.ascii_letters + string.digits
_rrns = count(632500000001)
_ERROR_FIELDS = ("error_code", "error_description", "error_source", "error_step", "error_reason")
NO_ERROR: dict[str, Any] = dict.fromkeys(_ERROR_FIELDS)
FAILURE = {
    "error_code": "BAD_REQUEST_ERROR",
    "error_description": "Payment was unsuccessful due to a temporary issue. If amount got "
    "deducted, it "
    "will be "
    "refunded within 5-7 working days.",
    "error_source": "gateway",
    "error_step": "payment_response",
    "error_reason": "payment_failed",
}
CANCELLED = FAILURE | {
    "error_description": "Payment processing cancelled by user",
    "error_source": "customer",
    "error_step": "payment_authentication",
    "error_reason": "payment_cancelled",
}


class RefusedError(Exception):
    """A call that Razorpay refuses. status: of HTTP; document: its body."""

    def __init__(
        self,
        description: str,
        *,
        status: int = 400,
        field: str = "",
        code: str = "BAD_REQUEST_ERROR",
    ) -> None:
        super().__init__(description)
        known = {
            "source": "business",
            "step": "payment_initiation",
            "reason": "input_validation_failed",
        }
        error = {"code": code, "description": description, **known, "metadata": {}}
        self.status, self.document = status, {"error": error | ({"field": field} if field else {})}


class NotFoundError(RefusedError):
    """An id that nothing has."""

    def __init__(self) -> None:
        super().__init__("The id provided does not exist")


def new_id(prefix: str) -> str:
    """Return an id as Razorpay's: 14 letters and digits after the prefix."""
    return f"{prefix}_" + "".join(secrets.choice(_ID_ALPHABET) for _ in range(14))


@dataclass
class Order:
    """capture: automatic or manual."""

    id: str
    amount: int
    currency: str
    receipt: str | None
    notes: Any
    capture: str
    status: str = "created"
    attempts: int = 0
    amount_paid: int = 0
    created_at: int = field(default_factory=lambda: int(time.time()))

    def document(self) -> dict[str, Any]:
        own = {
            name: getattr(self, name)
            for name in ("id", "amount", "amount_paid", "currency", "receipt", "status")
        }
        rest = {"attempts": self.attempts, "notes": self.notes or [], "created_at": self.created_at}
        return (
            own
            | rest
            | {"entity": "order", "amount_due": self.amount - self.amount_paid, "offer_id": None}
        )


@dataclass
class Payment:
    """method: upi, card, netbanking or wallet. details: the fields of its method.

    link: of a UPI payment.
    """

    id: str
    order_id: str
    amount: int
    currency: str
    method: str
    details: dict[str, Any]
    notes: dict[str, Any] = field(default_factory=dict)
    callback_url: str = ""
    link: str = ""
    status: str = "created"
    captured: bool = False
    fee: int | None = None
    amount_refunded: int = 0
    error: dict[str, Any] = field(default_factory=lambda: dict(NO_ERROR))
    acquirer_data: dict[str, Any] = field(default_factory=dict)
    created_at: int = field(default_factory=lambda: int(time.time()))

    def document(self, *, expanded: bool = False) -> dict[str, Any]:
        own = (
            "id",
            "order_id",
            "amount",
            "currency",
            "method",
            "status",
            "captured",
            "fee",
            "amount_refunded",
        )
        refunded = "full" if self.amount_refunded == self.amount else "partial"
        return {
            **dict.fromkeys(
                ("invoice_id", "description", "card_id", "bank", "wallet", "vpa", "tax")
            ),
            **{name: getattr(self, name) for name in own},
            "created_at": self.created_at,
            "entity": "payment",
            "international": False,
            "email": "gaurav.kumar@example.com",
            "contact": "+919876543210",
            "notes": self.notes or [],
            "refund_status": refunded if self.amount_refunded else None,
            # Only who asks for its instalments is told them.
            **{name: each for name, each in self.details.items() if name != "emi" or expanded},
            **self.error,
            "acquirer_data": self.acquirer_data,
        }


@dataclass
class Refund:
    """key: its X-Refund-Idempotency."""

    id: str
    payment_id: str
    amount: int
    currency: str
    receipt: str | None
    speed: str
    status: str
    key: str = ""
    created_at: int = field(default_factory=lambda: int(time.time()))

    def document(self) -> dict[str, Any]:
        own = {
            name: getattr(self, name)
            for name in ("id", "payment_id", "amount", "currency", "receipt", "status")
        }
        arn = f"1000{self.created_at}" if self.status == "processed" else None
        rest = {"entity": "refund", "notes": [], "created_at": self.created_at, "batch_id": None}
        return (
            own
            | rest
            | {
                "acquirer_data": {"arn": arn},
                "speed_processed": "normal",
                "speed_requested": self.speed,
            }
        )


@dataclass
class Books:
    """Orders, payments and refunds by their ids.

    told: what happened, as (event, documents), for webhooks.

    receipts_are_unique: by account setting. refunds_begin_as: pending, processed or failed.
    customer_fee: paise that the customer bears, told as `fee` and within `amount`
    (payments/dashboard, customer fee bearer: order 100, amount 101, fee 1).
    """

    receipts_are_unique: bool = True
    refunds_begin_as: str = "processed"
    customer_fee: int = 0
    orders: dict[str, Order] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    refunds: dict[str, Refund] = field(default_factory=dict)
    told: list[tuple[str, dict[str, dict[str, Any]]]] = field(default_factory=list)

    def create_order(self, asked: dict[str, Any]) -> Order:
        amount, receipt, notes = asked.get("amount"), asked.get("receipt"), asked.get("notes") or {}
        if not isinstance(amount, int) or isinstance(amount, bool):
            raise RefusedError("The amount must be an integer.", field="amount")
        if amount < AMOUNT_MIN:
            raise RefusedError("The amount must be at least INR 1.00", field="amount")
        if not isinstance(asked.get("currency"), str):
            raise RefusedError("The currency field is required.", field="currency")
        if receipt is not None and (
            not isinstance(receipt, str) or len(receipt) > RECEIPT_LENGTH_MAX
        ):
            raise RefusedError(
                "The receipt may not be greater than 40 characters.", field="receipt"
            )
        if len(notes) > NOTES_MAX:
            raise RefusedError(
                "Number of fields in notes should be less than or equal to 15", field="notes"
            )
        same = next(
            (each for each in self.orders.values() if receipt and each.receipt == receipt), None
        )
        if (
            same
            and asked.get("unique_receipt")
            and (same.amount, same.currency) == (amount, asked["currency"])
        ):
            return same  # s2s-integration/test-s2s/best-practices/retries-and-idempotency, BP-07
        if same and self.receipts_are_unique:
            raise RefusedError(
                "Order receipt should be unique.", field="receipt"
            )  # the words are open
        capture = (asked.get("payment") or {}).get("capture", "automatic")
        order = Order(new_id("order"), amount, asked["currency"], receipt, notes, capture)
        self.orders[order.id] = order
        return order

    def order(self, order_id: str) -> Order:
        if order_id not in self.orders:
            raise NotFoundError
        return self.orders[order_id]

    def payment(self, payment_id: str) -> Payment:
        if payment_id not in self.payments:
            raise NotFoundError
        return self.payments[payment_id]

    def payments_of(self, order_id: str) -> list[Payment]:
        return [each for each in self.payments.values() if each.order_id == order_id]

    def create_payment(self, asked: dict[str, Any], details: dict[str, Any]) -> Payment:
        """Begin a payment of an order; an order that is paid takes no more."""
        order = self.order(str(asked.get("order_id", "")))
        if order.status == "paid":
            raise RefusedError(
                "Your payment has been declined as the order is already paid. "
                "Please initiate the payment with a new order."
            )
        if int(asked.get("amount", 0)) != order.amount or asked.get("currency") != order.currency:
            raise RefusedError(
                "Your payment amount is different from your order amount. "
                "To pay successfully, please try using right amount."
            )
        for name in ("email", "contact"):
            if not asked.get(name):
                raise RefusedError(f"The {name} field is required.", field=name)
        order.status, order.attempts = "attempted", order.attempts + 1
        payment = Payment(
            new_id("pay"), order.id, order.amount, order.currency, str(asked["method"]), details
        )
        payment.callback_url = str(asked.get("callback_url", ""))
        payment.notes = asked.get("notes") or {}
        self.payments[payment.id] = payment
        return payment

    def pay(
        self, payment_id: str, *, amount: int | None = None, currency: str | None = None
    ) -> Payment:
        """Let the customer pay; also what had failed, which is a late authorisation."""
        payment = self.payment(payment_id)
        assert payment.status in {"created", "failed"}, payment.status
        payment.fee = self.customer_fee or None
        payment.amount = amount or payment.amount + self.customer_fee
        payment.currency = currency or payment.currency
        payment.status, payment.error = "authorized", dict(NO_ERROR)
        named = "bank_transaction_id" if payment.method == "netbanking" else "rrn"
        payment.acquirer_data = {named: str(next(_rrns))} | (
            {"auth_code": "828553"} if payment.method == "card" else {}
        )
        self._tell("payment.authorized", payment)
        order = self.orders[payment.order_id]
        if order.capture == "automatic" and order.status != "paid":
            self._capture(payment)
        return payment

    def fail(self, payment_id: str, error: dict[str, Any] = FAILURE) -> Payment:
        payment = self.payment(payment_id)
        assert payment.status == "created", payment.status
        payment.status, payment.error = "failed", dict(error)
        self._tell("payment.failed", payment)
        return payment

    def capture(self, payment_id: str, asked: dict[str, Any]) -> Payment:
        payment = self.payment(payment_id)
        if payment.status != "authorized" or self.orders[payment.order_id].status == "paid":
            raise RefusedError("This payment has already been captured")
        if asked.get("amount") != payment.amount or asked.get("currency") != payment.currency:
            raise RefusedError(
                "Capture amount must be equal to the amount authorized", field="amount"
            )
        self._capture(payment)
        return payment

    def _capture(self, payment: Payment) -> None:
        payment.status, payment.captured = "captured", True
        order = self.orders[payment.order_id]
        order.status, order.amount_paid = (
            "paid",
            order.amount_paid + payment.amount - (payment.fee or 0),
        )
        self._tell("payment.captured", payment)
        self.told.append(("order.paid", {"payment": payment.document(), "order": order.document()}))

    def auto_refund(self, payment_id: str) -> Refund:
        """Give a hold back that nobody captured in time; its refund has no receipt of ours."""
        payment = self.payment(payment_id)
        assert payment.status == "authorized", payment.status
        return self._refund(payment, payment.amount, None, "normal", "processed", "")

    def refund(self, payment_id: str, asked: dict[str, Any], key: str) -> Refund:
        payment = self.payment(payment_id)
        amount = asked.get("amount", payment.amount - payment.amount_refunded)
        if payment.amount_refunded == payment.amount:
            raise RefusedError("The payment has been fully refunded already")
        if not isinstance(amount, int) or amount < AMOUNT_MIN:
            raise RefusedError("The amount must be at least INR 1.00", field="amount")
        if not payment.captured or amount > payment.amount - payment.amount_refunded:
            raise RefusedError(
                "The refund amount provided is greater than amount captured", field="amount"
            )
        speed = str(asked.get("speed", "normal"))
        return self._refund(
            payment, amount, asked.get("receipt"), speed, self.refunds_begin_as, key
        )

    def _refund(
        self, payment: Payment, amount: int, receipt: str | None, speed: str, status: str, key: str
    ) -> Refund:
        refund = Refund(
            new_id("rfnd"), payment.id, amount, payment.currency, receipt, speed, status, key
        )
        self.refunds[refund.id] = refund
        payment.amount_refunded += amount
        if payment.amount_refunded == payment.amount:
            payment.status = "refunded"
        self._tell("refund.created", payment, refund)
        if status != "pending":
            self._tell(f"refund.{status}", payment, refund)
        return refund

    def end_refund(self, refund_id: str, status: str) -> Refund:
        """End a pending refund, or let one fail that was processed already."""
        refund = self.refunds[refund_id]
        payment = self.payments[refund.payment_id]
        refund.status = status
        if status == "failed":  # that its amount is free again is open
            payment.amount_refunded -= refund.amount
            payment.status = "captured" if payment.captured else "authorized"
        self._tell(f"refund.{status}", payment, refund)
        return refund

    def _tell(self, event: str, payment: Payment, refund: Refund | None = None) -> None:
        found = {"refund": refund.document()} if refund else {}
        self.told.append((event, found | {"payment": payment.document()}))
