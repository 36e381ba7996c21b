"""What the stand-in of Pine Labs keeps, and what customers, banks and Pine do."""

import base64
import hashlib
import hmac
import json
import re
import secrets
from abc import ABC
from datetime import UTC, datetime
from itertools import count
from typing import Any

from tests.acquirers.stage import Document, Stage, StandinError, Webhook

WEBHOOK_SECRET = base64.b64encode(b"a webhook secret of nobody").decode()
AMOUNT_MIN = 100
METHODS = {
    "CARD",
    "UPI",
    "POINTS",
    "NETBANKING",
    "WALLET",
    "CREDIT_EMI",
    "DEBIT_EMI",
    "BNPL",
}
_REFERENCE = re.compile(r"[A-Za-z0-9_-]{1,50}\Z")
OVER = {"PROCESSED", "CANCELLED", "FAILED", "FULLY_REFUNDED", "PARTIALLY_REFUNDED"}


def sign(secret: str, webhook_id: str, timestamp: str, body: bytes) -> str:
    """Return a signature in their form: id, timestamp and raw body joined by dots."""
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    made = hmac.new(base64.b64decode(secret), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(made).decode()}"


def refusal(status: int, code: str, message: str) -> StandinError:
    return StandinError(status, {"code": code, "message": message})


class PineBooks(Stage, ABC):
    """Orders by Pine's id; refunds too, as they are orders of their own."""

    def __init__(self, *, refunds_wait: bool = False) -> None:
        super().__init__()
        self.orders: dict[str, Document] = {}
        self.refunds_wait = refunds_wait
        self.tokens: dict[str, float] = {}
        self.keys: dict[str, tuple[bytes, Document]] = {}
        self.settlements: dict[str, list[Document]] = {}
        self._ids = count(5757575757)

    # What customers, banks and Pine do.

    def order(self, name: str) -> Document:
        """Find an order by Pine's id or by our reference, the newest first."""
        found = self.find(name)
        assert found is not None, name
        return found

    def pay(self, name: str, method: str = "CARD", *, amount: int | None = None) -> Document:
        """Let the customer pay; a hold is only authorised."""
        order = self.order(name)
        held = order["pre_auth"] and method in {"CARD", "POINTS"}
        status = "AUTHORIZED" if held else "PROCESSED"
        self.begin_try(order, method, status, amount)
        order["status"] = status
        self.tell(f"ORDER_{status}", order)
        return order

    def fail_try(self, name: str, code: str = "PAYMENT_DECLINED") -> None:
        """Let one try fail; the order stays open for others."""
        order = self.order(name)
        payment = self.begin_try(order, "CARD", "FAILED", None)
        payment["error_detail"] = {"code": code, "message": code.replace("_", " ").lower()}
        order["status"] = "ATTEMPTED"

    def fail(self, name: str) -> None:
        order = self.order(name)
        order["status"] = "FAILED"
        self.tell("ORDER_FAILED", order)

    def end_refund(self, name: str, status: str = "PROCESSED") -> None:
        """End a refund that waits, by its reference or id."""
        refund = self.order(name)
        refund["status"] = status
        if status == "PROCESSED":
            self.refunded(self.orders[refund["parent_order_id"]])
        self.tell(f"REFUND_{status}", refund)

    def settle(self, utr: str, *names: str, deduction: float = 0) -> None:
        """Pay orders out in one transfer."""
        self.settlements[utr] = [
            {
                "transaction_id": order["order_id"],
                "transaction_date": order["created_at"],
                "transaction_amount": order["order_amount"]["value"] / 100,
                "actual_transaction_amount": order["order_amount"]["value"] / 100,
                "total_deduction_amount": deduction,
                "settled_amount": order["order_amount"]["value"] / 100 - deduction,
                "utr_number": utr,
                "payout_status": "SETTLED",
            }
            for order in map(self.order, names)
        ]

    def signed(self, name: str, body: bytes, secret: str = WEBHOOK_SECRET) -> Webhook:
        webhook_id, stamp = f"msg_{secrets.token_hex(12)}", str(self.now)
        headers = {
            "Content-Type": "application/json",
            "webhook-id": webhook_id,
            "webhook-timestamp": stamp,
            "webhook-signature": sign(secret, webhook_id, stamp, body),
        }
        return Webhook(name, headers, body)

    def new_order(self, asked: Document) -> Document:
        reference, amount = asked.get("merchant_order_reference"), asked.get("order_amount") or {}
        value = amount.get("value")
        if not isinstance(reference, str) or not _REFERENCE.match(reference):
            raise refusal(400, "INVALID_REQUEST", "merchant_order_reference")
        if not isinstance(value, int) or isinstance(value, bool) or value < AMOUNT_MIN:
            raise refusal(400, "INVALID_REQUEST", "order_amount.value")
        if amount.get("currency") != "INR":
            raise refusal(400, "INVALID_REQUEST", "order_amount.currency")
        if not set(asked.get("allowed_payment_methods") or []) <= METHODS:
            raise refusal(400, "INVALID_REQUEST", "allowed_payment_methods")
        if self.find(reference):
            raise refusal(422, "DUPLICATE_REQUEST", "merchant_order_reference was used")
        order: Document = {
            "order_id": f"v1-{next(self._ids)}-aa-{secrets.token_hex(3)}",
            "merchant_order_reference": reference,
            "type": "CHARGE",
            "status": "CREATED",
            "merchant_id": "108",
            "order_amount": amount,
            "pre_auth": bool(asked.get("pre_auth")),
            "allowed_payment_methods": asked.get("allowed_payment_methods") or sorted(METHODS),
            "notes": asked.get("notes"),
            "callback_url": asked.get("callback_url"),
            "failure_callback_url": asked.get("failure_callback_url"),
            "payments": [],
            "created_at": instant(self.clock),
        }
        self.orders[order["order_id"]] = order
        return order

    def refunded(self, parent: Document) -> None:
        given = sum(
            each["order_amount"]["value"]
            for each in self.orders.values()
            if each.get("parent_order_id") == parent["order_id"] and each["status"] == "PROCESSED"
        )
        whole = given >= parent["order_amount"]["value"]
        parent["status"] = "FULLY_REFUNDED" if whole else "PARTIALLY_REFUNDED"

    def find(self, name: str) -> Document | None:
        same = (
            each
            for each in reversed(self.orders.values())
            if each["merchant_order_reference"] == name
        )
        return self.orders.get(name) or next(same, None)

    def begin_try(
        self, order: Document, method: str, status: str, amount: int | None
    ) -> dict[str, Any]:
        """Begin a payment, or end the one that waits."""
        waiting = [each for each in order["payments"] if each["status"] == "PENDING"]
        number = next(self._ids)
        payment = waiting[-1] if waiting else {"id": f"{order['order_id']}-pi-{number}"}
        value = order["order_amount"]["value"] if amount is None else amount
        payment |= {
            "merchant_payment_reference": payment.get("merchant_payment_reference"),
            "status": status,
            "payment_method": payment.get("payment_method", method),
            "payment_amount": {"value": value, "currency": "INR"},
            "acquirer_data": {
                "approval_code": "000000" if status != "PENDING" else "",
                "acquirer_reference": str(number),
                "rrn": f"4{number:011d}" if status in {"PROCESSED", "AUTHORIZED"} else "",
            },
        }
        if not waiting:
            order["payments"].append(payment)
        return payment

    def tell(self, event: str, order: Document) -> None:
        told = ("order_id", "merchant_order_reference", "status", "order_amount", "payments")
        data = {name: order[name] for name in told}
        body = json.dumps({"event_type": event, "data": data}).encode()
        self.webhooks.append(self.signed(event, body))


def instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
