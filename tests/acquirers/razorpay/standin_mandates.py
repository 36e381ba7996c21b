"""What Razorpay's stand-in keeps of recurring payments: customers, tokens, notices, debits.

Written by a hand that has not read the connector, from razorpay/markdown-docs at ab3bda5:
api/payments/recurring-payments/** (webhooks.md, upi, cards, emandate) and
payments/payment-gateway/s2s-integration/recurring-payments/** (upi-intent, cards, emandate). What
that text leaves open is marked "open":

- whether a debit that the mandate does not carry is refused by the call or fails afterwards: the
  reasons are listed at the call. `refuses` chooses; by default the payment fails.
- whether `payment_after` may be sooner than 24 hours, and what a debit before it gets: here the
  payment fails with pre_debit_notification_failed.
- what a second call of create/recurring for one order does: here the order takes one open payment.
- whether a token tells that it was resumed: here no event does, and the token reads confirmed.
- a cycle's borders: here days of IST, weeks from Monday, calendar months and years.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from tests.acquirers.razorpay.standin_books import (
    AMOUNT_MIN,
    FAILURE,
    Books,
    NotFoundError,
    Order,
    Payment,
    RefusedError,
    new_id,
)
from tests.acquirers.stage import Document

IST = timezone(timedelta(hours=5, minutes=30))
HOUR_S = 3600
WAITS_S = {"upi": 25 * HOUR_S, "card": 36 * HOUR_S + 300, "emandate": 48 * HOUR_S}
"""How long after the order Razorpay debits by itself."""
MOST = {"upi": 20_000_000, "card": 1_500_000, "emandate": 1_000_000_000}
FREQUENCIES = {
    "upi": {"weekly", "monthly", "quarterly", "yearly", "as_presented"},
    "card": {"weekly", "monthly", "yearly", "as_presented"},
}
STANDING = {
    "cancelled": "mandate_cancelled",
    "rejected": "mandate_not_active",
    "initiated": "mandate_not_active",
    "paused": "mandate_paused",
}
"""The reason of a debit that meets a token which does not stand."""


@dataclass
class Token:
    """A mandate. asked: the token object of the order that registered it. bank: of eNACH."""

    id: str
    customer_id: str
    method: str
    asked: Document
    created_at: int
    status: str = "confirmed"
    failure_reason: str | None = None
    forgotten: bool = False
    used_at: int = 0
    bank: str | None = None
    debits: list[str] = field(default_factory=list)

    @property
    def expires_at(self) -> int:
        return self.asked.get("expire_at") or self.created_at + 10 * 365 * 24 * HOUR_S

    def document(self) -> Document:
        account = self.asked.get("bank_account") or {}
        own: Document = {"auth_type": self.asked.get("auth_type")}
        if self.method == "upi":
            own["vpa"] = {"username": "gaurav.kumar", "handle": "upi", "name": None}
            own["start_time"] = self.created_at
        elif self.method == "card":
            card = {"entity": "card", "name": "Gaurav Kumar", "last4": "8950", "network": "Visa"}
            own["card"] = card | {"type": "credit", "issuer": "STCB", "international": False}
        else:
            own["bank_details"] = {
                "beneficiary_name": account.get("beneficiary_name") or account.get("name"),
                "account_number": account.get("account_number"),
                "ifsc": account.get("ifsc_code") or account.get("ifsc"),
                "account_type": account.get("account_type"),
            }
        return {
            "id": self.id,
            "entity": "token",
            "token": self.id[6:],
            "bank": self.bank or ("HDFC" if self.method == "emandate" else None),
            "wallet": None,
            "method": self.method,
            "recurring": self.status != "rejected",
            "recurring_details": {"status": self.status, "failure_reason": self.failure_reason},
            "mrn": None,
            "used_at": self.used_at or self.created_at,
            "created_at": self.created_at,
            "max_amount": self.asked["max_amount"],
            "expired_at": self.expires_at,
            "dcc_enabled": False,
            **own,
        }


@dataclass
class Mandates:
    """Registrations and debits; a test plays customer and bank.

    clock: set by the test, seconds of Unix. delivers: notices are delivered as soon as they are
    asked for. refuses: debits that the mandate does not carry are refused by the call. save_vpa:
    the account lists tokens of UPI. cancels: a cancellation is done as soon as it is asked for.
    """

    books: Books
    now: Callable[[], int]
    delivers: bool = True
    refuses: bool = False
    save_vpa: bool = True
    cancels: bool = True
    customers: dict[str, Document] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    registrations: dict[str, Document] = field(default_factory=dict)
    notices: dict[str, Document] = field(default_factory=dict)
    invoices: dict[str, Document] = field(default_factory=dict)
    debits: dict[str, tuple[str, int]] = field(default_factory=dict)

    def create_customer(self, asked: Document) -> Document:
        told = {name: asked.get(name) for name in ("name", "email", "contact")}
        for known in self.customers.values():
            if all(known[name] == told[name] for name in ("email", "contact")):
                if str(asked.get("fail_existing", "1")) == "1":
                    raise RefusedError("Customer already exists for the merchant")
                return known
        rest = {"gstin": None, "notes": asked.get("notes") or [], "created_at": self.now()}
        customer = {"id": new_id("cust"), "entity": "customer", **told, **rest}
        self.customers[customer["id"]] = customer
        return customer

    def customer(self, customer_id: object) -> Document:
        if customer_id not in self.customers:
            raise NotFoundError
        return self.customers[str(customer_id)]

    def register(self, asked: Document) -> Order:
        """Make the order of a registration; eNACH registers for nothing."""
        self.customer(asked.get("customer_id"))
        method, token = str(asked.get("method")), asked["token"]
        if method not in MOST:
            raise RefusedError("The selected method is invalid.", field="method")
        amount, most = asked.get("amount"), token.get("max_amount")
        if not isinstance(amount, int):
            raise RefusedError("The amount must be an integer.", field="amount")
        if (method == "emandate") != (amount == 0):
            raise RefusedError("The amount is invalid.", field="amount")
        if not isinstance(most, int) or not AMOUNT_MIN <= most <= MOST[method]:
            raise RefusedError("The max amount is invalid.", field="max_amount")
        if token.get("frequency", "as_presented") not in FREQUENCIES.get(method, {"as_presented"}):
            raise RefusedError("The frequency is invalid.", field="frequency")
        missing = {"card": ("expire_at", "frequency"), "emandate": ("auth_type", "bank_account")}
        for name in missing.get(method, ()):
            if not token.get(name):
                raise RefusedError(f"The {name} field is required.", field=name)
        order = self.books.create_order(asked | {"amount": amount or AMOUNT_MIN})
        order.amount = amount
        self.registrations[order.id] = asked
        return order

    def begin(self, asked: Document) -> Payment:
        """Begin the payment that registers a mandate."""
        registration = self.registrations.get(asked.get("order_id", ""))
        if registration is None:
            raise RefusedError("The order is not of a mandate.", field="order_id")
        if asked.get("customer_id") != registration["customer_id"]:
            raise RefusedError("The customer id is invalid.", field="customer_id")
        if asked.get("method") != registration["method"]:
            raise RefusedError("The method is invalid.", field="method")
        who = self.customer(asked["customer_id"])
        known = {name: who[name] for name in ("email", "contact")}
        details = {"customer_id": who["id"], "token_id": None}
        payment = self.books.create_payment(known | asked, details)
        registered = registration["token"].get("bank_account")
        if registered and asked.get("bank_account"):
            token = registration["token"] | {"bank_account": registered | asked["bank_account"]}
            self.registrations[asked["order_id"]] = registration | {"token": token}
        return payment

    def authorise(
        self, payment_id: str, status: str = "confirmed", *, dummy: bool = False, pays: bool = True
    ) -> Token:
        """Let the customer approve; status: initiated while the bank takes its days.

        dummy: the payment reads failed (upi_dummy_payment) while the mandate stands. pays: the
        first payment is paid here too.
        """
        payment = self.books.payment(payment_id)
        registration = self.registrations[payment.order_id]
        token = Token(
            new_id("token"),
            registration["customer_id"],
            registration["method"],
            registration["token"],
            self.now(),
            status,
        )
        self.tokens[token.id] = token
        payment.details["token_id"] = token.id
        if dummy:
            self.books.fail(payment_id, FAILURE | {"error_reason": "upi_dummy_payment"})
        elif pays:
            self.books.pay(payment_id)
        if status == "confirmed":
            self._tell(token)
        for invoice in self.invoices.values():
            if invoice["payment_id"] == payment_id:
                invoice["status"] = "paid"
                self.books.told.append(("invoice.paid", {"invoice": dict(invoice)}))
        return token

    def decline(self, payment_id: str, reason: str = "payment_declined") -> Payment:
        """Let the customer say no: the payment fails and there is no mandate."""
        return self.books.fail(payment_id, FAILURE | {"error_reason": reason})

    def confirm(self, token: str | Token) -> None:
        """Let the bank confirm what was initiated, days later."""
        self._put(token, "confirmed")

    def reject(self, token: str | Token, reason: str = "Rejected by bank") -> None:
        self._token(token).failure_reason = reason
        self._put(token, "rejected")

    def cancel_at_bank(self, token: str | Token) -> None:
        """Let the customer end the mandate in the app or at the bank."""
        self._put(token, "cancelled")

    def pause(self, token: str | Token) -> None:
        self._put(token, "paused")

    def resume(self, token: str | Token) -> None:
        self._token(token).status = "confirmed"

    def cancel(self, token: Token) -> None:
        """Take the merchant's wish to end a mandate; `cancel_at_bank` does it later."""
        if self.cancels:
            self._put(token, "cancelled")

    def listed(self, customer_id: str) -> list[Token]:
        """Return what the list of tokens shows: not what has expired, nor UPI by default."""
        return [
            each
            for each in self.tokens.values()
            if each.customer_id == customer_id
            and not each.forgotten
            and each.expires_at > self.now()
            and (each.method != "upi" or self.save_vpa)
        ]

    def notify(self, order: Order, asked: Document) -> None:
        """Take the notice of a debit that comes with its order."""
        wanted = asked["notification"]
        token = self.tokens.get(wanted.get("token_id", ""))
        if token is None or token.forgotten:
            raise NotFoundError
        self.notices[order.id] = {
            "token_id": token.id,
            "payment_after": int(wanted.get("payment_after") or self.now() + 25 * HOUR_S),
            "id": new_id("notification"),
        }
        if self.delivers:
            self.deliver(order.id)

    def deliver(self, order_id: str) -> None:
        """Let the customer get the notice."""
        notice = self.notices[order_id]
        notice |= {"status": "delivered", "delivered_at": self.now()}
        self._tell_notice(order_id, "delivered")

    def fail_notice(self, order_id: str) -> None:
        self.notices[order_id] |= {"status": "failed", "delivered_at": None}
        self._tell_notice(order_id, "failed")

    def charge(self, asked: Document) -> Payment:
        """Begin a debit; the bank answers when `take` or `refuse` is called, or `run`."""
        order, token = self.books.order(asked.get("order_id", "")), self.tokens.get(asked["token"])
        if token is None or token.forgotten or token.customer_id != asked.get("customer_id"):
            raise NotFoundError
        if any(each.status == "created" for each in self.books.payments_of(order.id)):
            raise RefusedError("A payment of this order is already being processed.")
        reason = self._hindrance(order, token)
        if reason and self.refuses:
            raise RefusedError(f"Debit refused: {reason}", field="token")
        details = {"customer_id": token.customer_id, "token_id": token.id}
        payment = self.books.create_payment(asked | {"method": token.method}, details)
        if reason:
            self.books.fail(payment.id, FAILURE | {"error_reason": reason})
            return payment
        waits = 0 if order.id in self.notices else WAITS_S[token.method]
        self.debits[payment.id] = (token.id, self.now() + waits)
        return payment

    def take(self, payment: str | Payment) -> Payment:
        """Let the bank debit."""
        found = self._debit(payment)
        token = self.tokens[self.debits[found.id][0]]
        token.debits.append(self._cycle(token))
        token.used_at = self.now()
        return self.books.pay(found.id)

    def refuse(self, payment: str | Payment, reason: str = "insufficient_funds") -> Payment:
        """Let the bank refuse a debit."""
        return self.books.fail(self._debit(payment).id, FAILURE | {"error_reason": reason})

    def run(self) -> None:
        """Debit what is due by the clock: the debits whose notice Razorpay gave itself."""
        for payment_id, (_token, due_at) in list(self.debits.items()):
            payment = self.books.payment(payment_id)
            if payment.status == "created" and due_at <= self.now():
                self.take(payment)

    def _hindrance(self, order: Order, token: Token) -> str | None:
        if token.expires_at <= self.now():
            return "mandate_expired"
        if token.status in STANDING:
            return STANDING[token.status]
        if order.amount > token.asked["max_amount"]:
            return "mandate_debit_beyond_psp_amount_cap"
        notice = self.notices.get(order.id)
        if notice and (
            notice["token_id"] != token.id
            or notice.get("status") != "delivered"
            or notice["payment_after"] > self.now()
        ):
            return "pre_debit_notification_failed"
        if token.method == "upi" and self._cycle(token) in token.debits:
            return "mandate_current_cycle_allowed_debit_exceeds"
        return None

    def _cycle(self, token: Token) -> str:
        day = datetime.fromtimestamp(self.now(), IST)
        return {
            "weekly": day.strftime("%G-W%V"),
            "monthly": day.strftime("%Y-%m"),
            "quarterly": f"{day.year}-Q{(day.month + 2) // 3}",
            "yearly": day.strftime("%Y"),
        }.get(token.asked.get("frequency", ""), secrets.token_hex(8))

    def _debit(self, payment: str | Payment) -> Payment:
        """Find a debit by its payment or by its order."""
        if isinstance(payment, Payment):
            return payment
        known = self.books.payments.get(payment)
        return known or self.books.payments_of(payment)[-1]

    def _token(self, token: str | Token) -> Token:
        return token if isinstance(token, Token) else self.tokens[token]

    def _put(self, token: str | Token, status: str) -> None:
        found = self._token(token)
        found.status = status
        self._tell(found)

    def _tell(self, token: Token) -> None:
        self.books.told.append((f"token.{token.status}", {"token": token.document()}))

    def _tell_notice(self, order_id: str, word: str) -> None:
        told = self.notices[order_id] | {"entity": "notification", "order_id": order_id}
        self.books.told.append((f"order.notification.{word}", {"notification": told}))
