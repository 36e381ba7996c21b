"""What the stand-in of Cashfree knows.

Orders with several attempts each, refunds, holds and webhooks.

Written from Cashfree's documents alone, apart from the connector. Shapes and states are of the
OpenAPI description of version 2025-01-01 (github.com/api-evangelist/cashfree,
openapi/cashfree-{orders,payments,refunds,simulation}-api- openapi.yml and
openapi/_original/openapi-payment-gateway.json, commit 0b823c53), of
github.com/cashfree/cashfree-pg-sdk-python (docs/*.md, commit 9586c8c8) and of
cashfree.com/docs/api-reference (payments/latest/payments/webhooks,
payments/latest/refunds/webhooks, payments/preauth-journey). What they do not say is marked "not
published".
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import msgspec

from hundi.kernel.records import replace
from tests.acquirers.cashfree.world_records import (
    Order,
    Payment,
    paid_by,
    refund_told,
    rupees,
    stamp,
)

_ENCODER = msgspec.json.Encoder(decimal_format="number")


def body_of(said: object) -> bytes:
    """Return JSON in which amounts keep their decimals."""
    return _ENCODER.encode(said)


@dataclass(frozen=True)
class Webhook:
    """One webhook as it arrives: headers with small names, and the raw body that is signed."""

    headers: dict[str, str]
    body: bytes

    def reserialised(self) -> "Webhook":
        """Return it as a proxy leaves it that reads and writes its JSON: 170.00 became 170.0."""
        return replace(self, body=msgspec.json.encode(msgspec.json.decode(self.body)))

    def forged(self) -> "Webhook":
        """Return it with a signature of somebody else."""
        return replace(
            self,
            headers={**self.headers, "x-webhook-signature": base64.b64encode(b"\0" * 32).decode()},
        )


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Return base64 of HMAC-SHA256 over the timestamp followed directly by the raw body."""
    return base64.b64encode(
        hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    ).decode()


class World:
    """Orders, payments and refunds of one account; tests play customers and banks with it.

    holds: whether card payments are authorised only (an account with preauthorisation).
    refund_status: what a new refund is. webhooks: those not taken yet, in the order of the events.
    events: what was handed over, and settled what of it is in there. disputes: by their id, and
    books what they took or gave back. surcharge: charge and tax that customers bear; that
    `payment_amount` has them is not published.
    """

    def __init__(self, secret: str) -> None:
        """Begin with nothing."""
        self.secret = secret
        self.orders: dict[str, Order] = {}
        self.webhooks: list[Webhook] = []
        self.holds = False
        self.surcharge: tuple[Decimal, Decimal] | None = None
        self.refund_status = "PENDING"
        self.moved_paise = 0
        self.events: list[dict[str, Any]] = []
        self.settled: set[str] = set()
        self.disputes: dict[str, dict[str, Any]] = {}
        self.books: list[dict[str, Any]] = []
        self._ids = count(5_114_900_000)
        self._later = timedelta()

    def now(self) -> datetime:
        """Return the time in this world."""
        return datetime.now(UTC) + self._later

    def pass_time(self, more: timedelta) -> None:
        """Let time pass, so that orders expire and holds lapse."""
        self._later += more
        for order in self.orders.values():
            if order.status == "ACTIVE" and self.now() >= order.expires:
                order.status = "EXPIRED"

    def new_id(self) -> str:
        """Return a number that nothing had."""
        return str(next(self._ids))

    def order_of(self, session: str) -> Order | None:
        """Return the order of a payment session."""
        return next((each for each in self.orders.values() if each.session == session), None)

    def payment(self, payment_id: str) -> tuple[Order, Payment] | None:
        """Return an attempt with its order."""
        every = ((order, each) for order in self.orders.values() for each in order.payments)
        return next((pair for pair in every if pair[1].id == payment_id), None)

    def attempt(self, order: Order, group: str, method: dict[str, Any]) -> Payment:
        """Begin an attempt at an order."""
        made = Payment(self.new_id(), group, order.amount, order.currency, method, self.now())
        order.payments.append(made)
        return made

    def pay(
        self,
        order_id: str,
        *,
        payment: Payment | None = None,
        amount: Decimal | None = None,
        currency: str | None = None,
        held: bool | None = None,
        group: str = "upi",
    ) -> Payment:
        """Have an attempt succeed, the last one unless another is named.

        A new one where there is none.

        amount, currency: others than the order's. held: authorised only, also where the account
        does not say so.
        """
        order = self.orders[order_id]
        done = payment or (
            order.payments[-1] if order.payments else self.attempt(order, group, paid_by(group))
        )
        done.surcharge = self.surcharge
        done.amount = amount or done.amount + sum(self.surcharge or ())
        done.currency = currency or done.currency
        done.status, done.error, done.ended = "SUCCESS", None, self.now()
        done.bank_reference = f"6{done.id:0>11}"[:12]
        done.captured = not (self.holds and "card" in done.group if held is None else held)
        if done.captured:
            self.moved_paise += int(done.amount * 100)
        if order.status == "ACTIVE":
            order.status = "PAID"
        self._tell_payment("PAYMENT_SUCCESS_WEBHOOK", order, done)
        return done

    def fail(
        self, order_id: str, code: str = "TRANSACTION_DECLINED", *, status: str = "FAILED"
    ) -> Payment:
        """Have the last attempt fail, or be left (status USER_DROPPED).

        The order takes further ones.
        """
        order = self.orders[order_id]
        done = order.payments[-1] if order.payments else self.attempt(order, "upi", paid_by("upi"))
        done.status, done.ended = status, self.now()
        done.error = {
            "error_code": code,
            "error_description": "issuer bank or payment service provider declined the transaction",
            "error_reason": "auth_declined",
            "error_source": "customer",
        }
        left = status == "USER_DROPPED"
        self._tell_payment(
            "PAYMENT_USER_DROPPED_WEBHOOK" if left else "PAYMENT_FAILED_WEBHOOK", order, done
        )
        return done

    def pay_late(self, order_id: str) -> Payment:
        """Have money arrive for an attempt after its order expired.

        Cashfree sends it back by itself.
        """
        order = self.orders[order_id]
        order.status = "EXPIRED"
        done = self.pay(order_id)
        self.moved_paise -= int(done.amount * 100)
        refund = self.refund(order, done, f"auto_{done.id}", done.amount, "PAYMENT_AUTO_REFUND")
        self.end_refund(order_id, refund["refund_id"], "SUCCESS")
        return done

    def refund(
        self, order: Order, paid: Payment, refund_id: str, amount: Decimal, kind: str
    ) -> dict[str, Any]:
        """Begin a refund and return it."""
        made = {
            "cf_payment_id": paid.id,
            "cf_refund_id": self.new_id(),
            "created_at": stamp(self.now()),
            "entity": "refund",
            "metadata": None,
            "order_id": order.id,
            "processed_at": None,
            "refund_amount": rupees(amount),
            "refund_arn": None,
            "refund_charge": 0,
            "refund_currency": paid.currency,
            "refund_id": refund_id,
            "refund_mode": None,
            "refund_note": None,
            "refund_speed": {
                "requested": "STANDARD",
                "accepted": "STANDARD",
                "processed": None,
                "message": None,
            },
            "refund_splits": [],
            "refund_status": "PENDING",
            "refund_type": kind,
            "status_description": "In Progress",
        }
        order.refunds[refund_id] = made
        if self.refund_status != "PENDING":
            self.end_refund(order.id, refund_id, self.refund_status)
        return made

    def end_refund(self, order_id: str, refund_id: str, status: str) -> None:
        """End a refund: SUCCESS, or CANCELLED also long after it began.

        ONHOLD lets it wait for money.
        """
        refund = self.orders[order_id].refunds[refund_id]
        refund["refund_status"] = status
        if status == "SUCCESS":
            refund |= {
                "refund_arn": f"2059{refund['cf_refund_id'][-8:]}",
                "processed_at": stamp(self.now()),
            }
            refund |= {
                "refund_mode": "STANDARD",
                "status_description": "Refund processed successfully",
            }
        if status != "ONHOLD":
            kind = refund["refund_type"]
            auto = kind != "MERCHANT_INITIATED"
            self.tell(
                "AUTO_REFUND_STATUS_WEBHOOK" if auto else "REFUND_STATUS_WEBHOOK",
                refund_told(refund, auto),
            )

    def refundable(self, paid: Payment, order: Order) -> Decimal:
        """Return what can still be given back of a payment; a cancelled refund gives nothing."""
        gone = (
            each
            for each in order.refunds.values()
            if each["refund_status"] not in {"CANCELLED", "FAILED"}
        )
        taken = paid.captured_amount if paid.action == "CAPTURE" else paid.amount
        return taken - sum((each["refund_amount"] for each in gone), Decimal(0))

    def _tell_payment(self, kind: str, order: Order, paid: Payment) -> None:
        told = {
            "order": {
                "order_id": order.id,
                "order_amount": rupees(order.amount),
                "order_currency": order.currency,
                "order_tags": order.tags,
            },
            "payment": {
                "cf_payment_id": paid.id,
                "payment_status": paid.status,
                "payment_amount": rupees(paid.amount),
                "payment_currency": paid.currency,
                "payment_message": "00::Transaction success"
                if paid.status == "SUCCESS"
                else "Transaction failed",
                "payment_time": stamp(paid.started),
                "bank_reference": paid.bank_reference,
                "auth_id": None,
                "payment_method": paid.method,
                "payment_group": paid.group,
            },
            "customer_details": order.customer,
            "error_details": paid.error,
        }
        self.tell(kind, told)

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        """Send a webhook."""
        body = body_of({"data": data, "event_time": stamp(self.now()), "type": kind})
        self.webhooks.append(self.signed(body))

    def signed(self, body: bytes, at: datetime | None = None, attempt: int = 1) -> Webhook:
        """Return a webhook with this body, as Cashfree signs it now or at a given time."""
        timestamp = str(int((at or self.now()).timestamp() * 1000))
        headers = {
            "content-type": "application/json",
            "x-webhook-attempt": str(attempt),
            "x-webhook-signature": sign(self.secret, timestamp, body),
            "x-idempotency-key": base64.b64encode(hashlib.sha256(body).digest()).decode(),
            "x-webhook-timestamp": timestamp,
            "x-webhook-version": "2025-01-01",
        }
        return Webhook(headers, body)

    def take_webhooks(self) -> list[Webhook]:
        """Return the webhooks so far and forget them.

        Tests deliver them late, twice and in any order.
        """
        taken, self.webhooks = self.webhooks, []
        return taken
