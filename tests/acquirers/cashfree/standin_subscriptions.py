"""What Cashfree's stand-in keeps of subscriptions, controlled notices and executions.

Written by a hand that has not read the connector, from cashfree_pg 6.0.1 of PyPI (API 2026-01-01),
cashfree.com/docs/api-reference/payments/latest/subscription (create-controlled-notification,
create-controlled-execution, fetch-controlled-executions, webhooks) and Cashfree's agent skill
"subscriptions" 0.2.4. Open: the codes of refusals, what a repeated id gets (here 409), the name of
the webhook of an execution (here like that of the notice), how long after the notice an execution
may go (here 24 hours, and not in NPCI's busy hours), and whether a subscription that waits for its
bank may be noticed (here not). Cards: not in the controlled flow, says the page.
"""

from dataclasses import dataclass, field
from datetime import datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

from tests.acquirers.cashfree.standin import Refusal
from tests.acquirers.cashfree.world import World

Document = dict[str, Any]
IST = timezone(timedelta(hours=5, minutes=30))
LEAD = timedelta(hours=24)
BUSY = ((time(10), time(13)), (time(17), time(21, 30)))
"""Hours of IST in which UPI takes no debits of mandates."""
OVER = {"COMPLETED", "CUSTOMER_CANCELLED", "EXPIRED", "LINK_EXPIRED", "CARD_EXPIRED", "CANCELLED"}
METHODS = {"upi", "card", "enach", "pnach"}
MOST = {"upi": 100_000, "card": 15_000, "enach": 10_000_000, "pnach": 10_000_000}


def failure(reason: str | None) -> Document:
    """Return why a notice or an execution failed, as they print it."""
    code = (reason or "").upper().replace(" ", "_")
    return {
        "failure_reason": reason or "",
        "failure_error_code": code,
        "failure_sub_error_code": code,
    }


def stamp(moment: datetime) -> str:
    return moment.astimezone(IST).isoformat(timespec="seconds")


@dataclass
class Subscription:
    """A mandate. method: what the customer approved it with."""

    asked: Document
    number: str
    session: str
    status: str = "INITIALIZED"
    method: str = ""
    channel: str = ""
    reference: str | None = None
    authorised: datetime | None = None

    @property
    def id(self) -> str:
        return self.asked["subscription_id"]

    @property
    def plan(self) -> Document:
        return self.asked["plan_details"]

    def document(self) -> Document:
        first = self.asked.get("authorization_details") or {}
        return {
            "cf_subscription_id": self.number,
            "subscription_id": self.id,
            "subscription_session_id": self.session,
            "subscription_status": self.status,
            "customer_details": self.asked["customer_details"],
            "plan_details": {"plan_currency": "INR", "plan_status": None, **self.plan},
            "authorisation_details": {
                "authorization_amount": first.get("authorization_amount", 0),
                "authorization_amount_refund": first.get("authorization_amount_refund", False),
                "authorization_reference": self.reference,
                "authorization_status": "ACTIVE" if self.reference else "INITIALIZED",
                "authorization_time": stamp(self.authorised) if self.authorised else None,
                "payment_group": self.method or None,
                "payment_method": {self.method: {"channel": self.channel}} if self.method else None,
            },
            "subscription_meta": self.asked.get("subscription_meta"),
            "subscription_expiry_time": self.asked.get("subscription_expiry_time"),
            "next_schedule_date": None,
        }


@dataclass
class Debit:
    """A payment of a subscription, with its notices and executions."""

    id: str
    number: str
    subscription: Subscription
    amount: Decimal
    kind: str
    begun: datetime
    status: str = "INITIALIZED"
    scheduled: str | None = None
    remarks: str | None = None
    failure: str | None = None
    retries: int = 0
    notices: dict[str, Document] = field(default_factory=dict)
    executions: dict[str, Document] = field(default_factory=dict)
    refunds: dict[str, Document] = field(default_factory=dict)

    def document(self) -> Document:
        return {
            "cf_payment_id": self.number,
            "cf_subscription_id": self.subscription.number,
            "cf_txn_id": self.number if self.status in {"SUCCESS", "FAILED"} else None,
            "cf_order_id": self.number,
            "failure_details": {"failure_reason": self.failure},
            "payment_amount": self.amount,
            "payment_id": self.id,
            "payment_initiated_date": stamp(self.begun),
            "payment_remarks": self.remarks,
            "payment_schedule_date": self.scheduled,
            "payment_status": self.status,
            "payment_type": self.kind,
            "retry_attempts": self.retries,
            "subscription_id": self.subscription.id,
        }


@dataclass
class Subscriptions:
    """Subscriptions of one account; a test plays customer and bank.

    notices_succeed: notices are delivered as soon as they are asked for.
    """

    world: World
    notices_succeed: bool = True
    kept: dict[str, Subscription] = field(default_factory=dict)
    debits: dict[str, Debit] = field(default_factory=dict)

    def create(self, asked: Document) -> Subscription:
        name, plan = asked.get("subscription_id"), asked.get("plan_details") or {}
        customer = asked.get("customer_details") or {}
        if not isinstance(name, str) or not 0 < len(name) <= 250:
            raise Refusal(400, "subscription_id_invalid", "subscription_id : is invalid")
        for each in ("customer_email", "customer_phone"):
            if not customer.get(each):
                raise Refusal(400, f"{each}_missing", f"customer_details.{each} : is missing")
        if plan.get("plan_type") not in {"ON_DEMAND", "PERIODIC"} and not plan.get("plan_id"):
            raise Refusal(400, "plan_type_invalid", "plan_details.plan_type : is invalid")
        wanted = (asked.get("authorization_details") or {}).get("payment_methods") or []
        if not set(wanted) <= METHODS:
            raise Refusal(400, "payment_methods_invalid", "payment_methods : invalid")
        if name in self.kept:
            raise Refusal(409, "subscription_already_exists", "subscription already exists")
        number = self.world.new_id()
        made = Subscription(asked, number, f"sub_session_{number}payment")
        self.kept[name] = made
        return made

    def one(self, name: object) -> Subscription:
        if name not in self.kept:
            raise Refusal(404, "subscription_not_found", "subscription does not exist")
        return self.kept[str(name)]

    def debit(self, payment: str) -> Debit:
        if payment not in self.debits:
            raise Refusal(404, "payment_not_found", "payment does not exist")
        return self.debits[payment]

    def pay(self, asked: Document) -> Debit:
        """POST /subscriptions/pay: authorise, or charge by Cashfree's own notice and retries."""
        subscription, name = self.one(asked.get("subscription_id")), str(asked.get("payment_id"))
        kind = asked.get("payment_type")
        if kind == "AUTH":
            if asked.get("subscription_session_id") != subscription.session:
                raise Refusal(400, "session_id_invalid", "subscription_session_id : is invalid")
            if subscription.status != "INITIALIZED":
                raise Refusal(400, "subscription_status_invalid", "subscription is not open")
            method = next(iter(asked.get("payment_method") or {}), "")
            if method not in METHODS:
                raise Refusal(400, "payment_method_invalid", "payment_method : is invalid")
            subscription.method = method
            subscription.channel = asked["payment_method"][method].get("channel", "link")
            first = subscription.asked.get("authorization_details") or {}
            amount = Decimal(str(first.get("authorization_amount", 0)))
        elif kind == "CHARGE":
            amount = self._chargeable(subscription, asked.get("payment_amount"))
            if subscription.method in {"upi", "card"} and not asked.get("payment_schedule_date"):
                raise Refusal(400, "payment_schedule_date_missing", "payment_schedule_date missing")
        else:
            raise Refusal(400, "payment_type_invalid", "payment_type : is invalid")
        return self._new(subscription, name, amount, str(kind), asked)

    def notify(self, asked: Document) -> Document:
        """POST …/controlled/notify-mandate: tell the customer of one debit."""
        subscription, name = self.one(asked.get("subscription_id")), str(asked.get("payment_id"))
        notice = str(asked.get("notification_id", ""))
        if subscription.method != "upi" or subscription.plan.get("plan_type") != "ON_DEMAND":
            raise Refusal(400, "subscription_not_supported", "UPI mandates on demand alone")
        amount = self._chargeable(subscription, asked.get("payment_amount"))
        debit = self.debits.get(name)
        if debit is None:
            debit = self._new(subscription, name, amount, "CHARGE", asked)
        elif notice in debit.notices:
            raise Refusal(409, "notification_already_exists", "notification_id already exists")
        elif debit.subscription is not subscription or debit.amount != amount:
            raise Refusal(400, "payment_amount_invalid", "payment has other details")
        made = self._part(debit, "notification", notice)
        debit.notices[notice] = made
        if self.notices_succeed:
            self.deliver(name)
        return {
            name: "INITIALIZED" if name == "notification_status" else each
            for name, each in made.items()
            if name not in {"payment_remarks", "failure_details"}
        }

    def execute(self, asked: Document) -> Document:
        """POST …/controlled/execute-mandate: debit what the customer was told."""
        debit, name = self.debit(str(asked.get("payment_id"))), str(asked.get("execution_id", ""))
        if name in debit.executions:
            raise Refusal(409, "execution_already_exists", "execution_id already exists")
        told = [each for each in debit.notices.values() if each["notification_status"] == "SUCCESS"]
        if not told:
            raise Refusal(400, "notification_not_successful", "no successful notification")
        if debit.status in {"SUCCESS", "PENDING"}:
            raise Refusal(400, "payment_status_invalid", f"payment is {debit.status}")
        now = self.world.now()
        if now < datetime.fromisoformat(told[-1]["notification_initiated_time"]) + LEAD:
            raise Refusal(400, "execution_too_early", "execution is allowed 24 hours after")
        ends = busy_until(now)
        if ends is not None:
            raise Refusal(400, "execution_blackout", f"execution is permitted from {stamp(ends)}")
        if debit.subscription.status != "ACTIVE":
            raise Refusal(400, "subscription_not_active", "subscription is not active")
        debit.status = "PENDING"
        made = self._part(debit, "execution", name)
        debit.executions[name] = made
        return {
            each: value
            for each, value in made.items()
            if each not in {"payment_remarks", "failure_details"}
        }

    def manage(self, name: str, asked: Document) -> Subscription:
        subscription, action = self.one(name), asked.get("action")
        on_demand = subscription.plan.get("plan_type") == "ON_DEMAND"
        if subscription.status in OVER or (on_demand and action != "CANCEL"):
            raise Refusal(400, "action_invalid", f"action is not allowed: {action}")
        status = {"CANCEL": "CANCELLED", "PAUSE": "PAUSED", "ACTIVATE": "ACTIVE"}.get(str(action))
        if status is None:
            raise Refusal(400, "action_invalid", "action : is invalid")
        self._put(subscription, status)
        return subscription

    def refund(self, name: str, asked: Document) -> Document:
        debit = self.debit(str(asked.get("payment_id")))
        if debit.subscription.id != name or debit.status != "SUCCESS":
            raise Refusal(400, "payment_not_refundable", "payment is not refundable")
        speed = asked.get("refund_speed", "STANDARD")
        if speed != {"upi": "STANDARD", "enach": "INSTANT"}.get(debit.subscription.method, speed):
            raise Refusal(400, "refund_speed_invalid", "refund_speed : is invalid")
        refund = str(asked.get("refund_id"))
        if refund in debit.refunds:
            raise Refusal(409, "refund_already_exists", "refund_id already exists")
        debit.refunds[refund] = {
            "payment_id": debit.id,
            "cf_payment_id": debit.number,
            "refund_id": refund,
            "cf_refund_id": self.world.new_id(),
            "refund_amount": asked.get("refund_amount"),
            "refund_note": asked.get("refund_note"),
            "refund_speed": speed,
            "refund_status": asked.get("refund_note")
            if asked.get("refund_note") in {"SUCCESS", "FAILED", "PENDING"}
            else "SUCCESS",
        }
        return debit.refunds[refund]

    # What customers and banks do.

    def approve(self, name: str, *, bank: bool = False) -> Subscription:
        """Let the customer approve; bank: the bank takes a day more (eNACH)."""
        subscription = self.one(name)
        subscription.reference = f"{self.world.new_id()}@upi"
        subscription.authorised = self.world.now()
        for each in self.debits.values():
            if each.subscription is subscription and each.kind == "AUTH":
                each.status = "SUCCESS"
        self._put(subscription, "BANK_APPROVAL_PENDING" if bank else "ACTIVE")
        self._tell("SUBSCRIPTION_AUTH_STATUS", subscription)
        return subscription

    def confirm(self, name: str) -> None:
        """Let the bank confirm what waited for it."""
        self._put(self.one(name), "ACTIVE")

    def put(self, name: str, status: str) -> None:
        """Let the customer or time end or pause it, by a status as CUSTOMER_CANCELLED."""
        self._put(self.one(name), status)

    def deliver(self, payment: str, status: str = "SUCCESS") -> None:
        """Let the last notice of a payment arrive, or fail."""
        debit = self.debit(payment)
        notice = list(debit.notices.values())[-1]
        notice["notification_status"] = status
        self._tell_part("NOTIFICATION", debit, notice)

    def take(self, payment: str) -> Debit:
        """Let the bank debit."""
        return self._end(payment, "SUCCESS", None)

    def refuse(self, payment: str, reason: str = "Insufficient balance") -> Debit:
        """Let the bank refuse a debit: eNACH and cards go on hold, UPI does not."""
        debit = self._end(payment, "FAILED", reason)
        if debit.subscription.method in {"enach", "card"}:
            self._put(debit.subscription, "ON_HOLD")
        return debit

    def _end(self, payment: str, status: str, reason: str | None) -> Debit:
        debit = self.debit(payment)
        debit.status, debit.failure = status, reason
        if debit.executions:
            execution = list(debit.executions.values())[-1]
            execution |= {"execution_status": status, "payment_status": status}
            execution["failure_details"] = failure(reason)
            self._tell_part("EXECUTION", debit, execution)
        word = {"SUCCESS": "SUCCESS", "FAILED": "FAILED"}[status]
        self._tell(f"SUBSCRIPTION_PAYMENT_{word}", debit.subscription, debit.document())
        return debit

    def _chargeable(self, subscription: Subscription, said: object) -> Decimal:
        if subscription.status != "ACTIVE":
            raise Refusal(400, "subscription_not_active", "subscription is not active")
        amount = Decimal(str(said or 0))
        limit = Decimal(str(subscription.plan.get("plan_max_amount") or MOST[subscription.method]))
        if amount <= 0 or amount > limit:
            raise Refusal(400, "payment_amount_invalid", "payment_amount exceeds the plan")
        return amount

    def _new(
        self, subscription: Subscription, name: str, amount: Decimal, kind: str, asked: Document
    ) -> Debit:
        if name in self.debits:
            raise Refusal(409, "payment_already_exists", "payment_id already exists")
        made = Debit(name, self.world.new_id(), subscription, amount, kind, self.world.now())
        made.scheduled, made.remarks = (
            asked.get("payment_schedule_date"),
            asked.get("payment_remarks"),
        )
        self.debits[name] = made
        return made

    def _part(self, debit: Debit, word: str, name: str) -> Document:
        return {
            f"cf_{word}_id": self.world.new_id(),
            "cf_payment_id": debit.number,
            f"{word}_id": name,
            f"{word}_initiated_time": stamp(self.world.now()),
            f"{word}_status": "INITIALIZED",
            "failure_details": failure(None),
            "payment_amount": debit.amount,
            "payment_id": debit.id,
            "payment_remarks": debit.remarks,
            "payment_status": debit.status,
            "subscription_id": debit.subscription.id,
        }

    def _put(self, subscription: Subscription, status: str) -> None:
        subscription.status = status
        self._tell("SUBSCRIPTION_STATUS_CHANGED", subscription)

    def _tell(self, kind: str, subscription: Subscription, more: Document | None = None) -> None:
        known = subscription.document()
        details = (
            "cf_subscription_id",
            "subscription_id",
            "subscription_status",
            "next_schedule_date",
        )
        data = {
            "subscription_details": {name: known[name] for name in details},
            "customer_details": known["customer_details"],
            "plan_details": known["plan_details"],
            "authorization_details": known["authorisation_details"],
        }
        self.world.tell(kind, data | (more or {}))

    def _tell_part(self, word: str, debit: Debit, part: Document) -> None:
        kind = f"SUBSCRIPTION_PAYMENT_CONTROLLED_{word}_STATUS"
        self._tell(kind, debit.subscription, part | {"payment_status": debit.status})


def busy_until(moment: datetime) -> datetime | None:
    """Return when NPCI's busy hours end, None outside of them."""
    local = moment.astimezone(IST)
    for begins, ends in BUSY:
        if begins <= local.time() < ends:
            return local.replace(hour=ends.hour, minute=ends.minute, second=0, microsecond=0)
    return None
