"""A stand-in of PhonePe that takes AutoPay mandates too, by its own page and by UPI links.

Written by a hand that has not read the connector, from phonepe-pg-sdk-python 3.0.1 and
PhonePe/phonepe-pg-skills at 231df70 (customCheckoutAutoPay, standardCheckoutAutoPay). Open: what a
repeated merchantOrderId of a notice gets (here 417 as for orders), what a redemption too early or
for a mandate that does not stand gets (here 400 with the codes below), the fields of a failed
redemption's order. A FIXED mandate takes less than `maxAmount` in their own sample, and so here.

    play = AutoPay(); await play.open()
    ...                                        # the connector registers and gives notice
    play.approve("10001-M1")                   # by the merchant's subscription id
    play.pass_time(25 * 3600)
    play.take("10001-M1-1")                    # by the order of the cycle
    play.put("10001-M1", "REVOKED")            # the customer ends it in the app
"""

import time
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.acquirers.phonepe.standin import CLIENT_ID, PhonePe

Document = dict[str, Any]
WAIT_S = 24 * 3600
LIFE_S = 48 * 3600
RETRY_S = 5400
TRIES = 4
PENNY = 200
MOST = 1_500_000
FREQUENCIES = {
    "DAILY",
    "WEEKLY",
    "FORTNIGHTLY",
    "MONTHLY",
    "BIMONTHLY",
    "QUARTERLY",
    "HALFYEARLY",
    "YEARLY",
    "ON_DEMAND",
}
EVENTS = {
    "PAUSED": "subscription.paused",
    "ACTIVE": "subscription.unpaused",
    "REVOKED": "subscription.revoked",
    "CANCELLED": "subscription.cancelled",
}


@dataclass
class Mandate:
    """A subscription. hosted: it was set up at PhonePe's page."""

    asked: Document
    number: str
    setup: str
    hosted: bool
    expire_at: int
    state: str = "PENDING"
    paused: tuple[int | None, int | None] = (None, None)

    @property
    def id(self) -> str:
        return self.asked["merchantSubscriptionId"]

    def document(self) -> Document:
        told = ("authWorkflowType", "amountType", "maxAmount", "frequency")
        return {
            "merchantSubscriptionId": self.id,
            "subscriptionId": self.number,
            "state": self.state,
            **{name: self.asked[name] for name in told},
            "expireAt": self.expire_at,
            "pauseStartDate": self.paused[0],
            "pauseEndDate": self.paused[1],
        }


@dataclass
class Cycle:
    """An order of a mandate: its set-up, or one debit with its notice."""

    merchant_order_id: str
    number: str
    amount: int
    mandate: Mandate
    flow: Document
    expire_at: int
    state: str
    notified_at: int | None = None
    error: str = ""
    details: list[Document] = field(default_factory=list)
    tries: list[int] = field(default_factory=list)

    def document(self) -> Document:
        flow = dict(self.flow)
        if self.notified_at is not None:
            flow["notifiedAt"] = self.notified_at
            flow["validAfter"] = self.notified_at + WAIT_S * 1000
            flow["validUpto"] = self.expire_at
        failed = {"errorCode": self.error, "detailedErrorCode": ""} if self.error else {}
        return {
            "merchantOrderId": self.merchant_order_id,
            "orderId": self.number,
            "state": self.state,
            "amount": self.amount,
            "expireAt": self.expire_at,
            "paymentFlow": flow,
            "paymentDetails": self.details,
            **failed,
        }


class AutoPay(PhonePe):
    """PhonePe with mandates. clock: seconds of Unix that the test sets.

    notifies: notices are delivered as soon as they are asked for. webhooks: what went out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mandates: dict[str, Mandate] = {}
        self.cycles: dict[str, Cycle] = {}
        self.webhooks: list[tuple[dict[str, str], bytes]] = []
        self.notifies = True
        self.clock = time.time()

    def pass_time(self, seconds: float) -> None:
        """Move the clock; PhonePe debits what it was told to debit itself, and lets orders end."""
        self.clock += seconds
        for cycle in list(self.cycles.values()):
            by_itself = cycle.flow.get("autoDebit") and cycle.state == "NOTIFIED"
            if by_itself and self._now() >= (cycle.notified_at or 0) + WAIT_S * 1000:
                self._try(cycle)
                self.take(cycle.merchant_order_id)
            elif cycle.state in {"PENDING", "NOTIFIED"} and self._now() >= cycle.expire_at:
                cycle.state = "EXPIRED"

    # What customers and banks do.

    def approve(self, subscription: str) -> None:
        mandate = self.mandates[subscription]
        mandate.state = "ACTIVE"
        setup = self.cycles[mandate.setup]
        setup.state = "COMPLETED"
        setup.details.append(self._paid(setup, "COMPLETED"))
        self._tell(
            "checkout.order.completed" if mandate.hosted else "subscription.setup.order.completed",
            setup.document(),
        )

    def decline(self, subscription: str, code: str = "AUTHORIZATION_ERROR") -> None:
        mandate = self.mandates[subscription]
        setup = self.cycles[mandate.setup]
        setup.state, setup.error = "FAILED", code
        self._tell(
            "checkout.order.failed" if mandate.hosted else "subscription.setup.order.failed",
            setup.document(),
        )

    def put(self, subscription: str, state: str) -> None:
        """Let the customer pause, unpause (ACTIVE) or end (REVOKED) it; EXPIRED by time."""
        mandate = self.mandates[subscription]
        mandate.state = state
        mandate.paused = (self._now(), None) if state == "PAUSED" else (None, None)
        if state == "PAUSED":  # a notice from before the pause no longer carries a debit
            for cycle in self.cycles.values():
                if cycle.mandate is mandate and cycle.state == "NOTIFIED":
                    cycle.notified_at = None
        if state in EVENTS:
            self._tell(EVENTS[state], mandate.document())

    def deliver(self, order: str) -> None:
        """Let a notice arrive."""
        cycle = self.cycles[order]
        cycle.state, cycle.notified_at = "NOTIFIED", self._now()
        self._tell("subscription.notification.completed", cycle.document())

    def fail_notice(self, order: str) -> None:
        cycle = self.cycles[order]
        cycle.state, cycle.error = "FAILED", "NOTIFICATION_FAILED"
        self._tell("subscription.notification.failed", cycle.document())

    def take(self, order: str) -> None:
        """Let the bank debit."""
        cycle = self.cycles[order]
        assert cycle.state == "PENDING", cycle.state
        cycle.state = "COMPLETED"
        cycle.details.append(self._paid(cycle, "COMPLETED"))
        self._tell("subscription.redemption.transaction.completed", cycle.document())
        self._tell("subscription.redemption.order.completed", cycle.document())

    def refuse(self, order: str, code: str = "INSUFFICIENT_FUNDS", *, last: bool = True) -> None:
        """Let the bank refuse; last: no try follows, so that the order has failed."""
        cycle = self.cycles[order]
        cycle.details.append(self._paid(cycle, "FAILED") | {"errorCode": code})
        self._tell("subscription.redemption.transaction.failed", cycle.document())
        if not last and cycle.flow.get("redemptionRetryStrategy") == "CUSTOM":
            cycle.state = "NOTIFIED"
        elif last:
            cycle.state, cycle.error = "FAILED", code
            self._tell("subscription.redemption.order.failed", cycle.document())

    # Its interface.

    def routes(self, app: web.Application) -> None:
        for base in ("/subscriptions/v2", "/checkout/v2/subscriptions"):
            app.router.add_post(f"{base}/notify", self._notify)
            app.router.add_post(f"{base}/redeem", self._redeem)
            app.router.add_get(f"{base}/{{id}}/status", self._subscription)
            app.router.add_post(f"{base}/{{id}}/cancel", self._cancel)
        app.router.add_post("/subscriptions/v2/setup", self._setup)
        app.router.add_get("/subscriptions/v2/order/{id}/status", self._cycle_status)
        super().routes(app)

    async def _pay(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if asked.get("paymentFlow", {}).get("type") != "SUBSCRIPTION_CHECKOUT_SETUP":
            return await super()._pay(request)
        details = asked["paymentFlow"].get("subscriptionDetails") or {}
        back = (asked["paymentFlow"].get("merchantUrls") or {}).get("redirectUrl", "")
        kind = (details.get("subscriptionType"), details.get("productType"))
        if kind != ("RECURRING", "UPI_MANDATE") or not back.startswith("https://"):
            return _refused(400, "BAD_REQUEST", "subscriptionDetails")
        life = asked.get("expireAfter") or 300
        if not 300 <= life <= 3600:
            return _refused(400, "BAD_REQUEST", "expireAfter")
        expire_at = self._now() + 1000 * life
        setup = self._set_up(asked, details, expire_at, hosted=True)
        if isinstance(setup, web.Response):
            return setup
        there = f"{self.url}/transact/pgv2?token={setup.number}"
        return web.json_response(
            {
                "orderId": setup.number,
                "state": "PENDING",
                "expireAt": expire_at,
                "redirectUrl": there,
            }
        )

    async def _setup(self, request: web.Request) -> web.Response:
        asked = await request.json()
        flow = asked.get("paymentFlow") or {}
        mode = flow.get("paymentMode") or {}
        device = (asked.get("deviceContext") or {}).get("deviceOS")
        by_link = mode.get("type") == "UPI_INTENT"
        if flow.get("type") != "SUBSCRIPTION_SETUP" or mode.get("type") not in {
            "UPI_INTENT",
            "UPI_COLLECT",
        }:
            return _refused(400, "BAD_REQUEST", "paymentFlow")
        if by_link and device not in {"ANDROID", "IOS"}:
            return _refused(400, "BAD_REQUEST", "deviceContext")
        expire_at = asked.get("expireAt") or self._now() + 300_000
        setup = self._set_up(asked, flow, expire_at, hosted=False)
        if isinstance(setup, web.Response):
            return setup
        link = f"upi://mandate?pa=standin@ybl&tr={setup.number}&cu=INR"
        said = {"orderId": setup.number, "state": "PENDING"}
        return web.json_response(said | ({"intentUrl": link} if by_link else {}))

    def _set_up(
        self, asked: Document, details: Document, expire_at: int, *, hosted: bool
    ) -> Cycle | web.Response:
        order, name = asked.get("merchantOrderId", ""), details.get("merchantSubscriptionId", "")
        amount, penny = asked.get("amount"), details.get("authWorkflowType") == "PENNY_DROP"
        wrong = (
            details.get("frequency") not in FREQUENCIES
            or details.get("amountType") not in {"FIXED", "VARIABLE"}
            or details.get("authWorkflowType") not in {"PENNY_DROP", "TRANSACTION"}
            or not isinstance(amount, int)
            or (amount != PENNY if penny else amount < PENNY // 2)
            or not isinstance(details.get("maxAmount"), int)
            or not 0 < len(name) <= 63
        )
        if wrong:
            return _refused(400, "BAD_REQUEST", "subscription details")
        if details["maxAmount"] > MOST:
            return _refused(417, "TRANSACTION_LIMIT_EXCEEDED", "maxAmount")
        if name in self.mandates:
            return _refused(400, "DUPLICATE_REQUEST_ID", "merchantSubscriptionId was used")
        if order in self.cycles or order in self.orders:
            return _refused(417, "INVALID_TRANSACTION_ID", "Order ID has already been used")
        assert isinstance(amount, int)
        number = next(self._ids)
        ends = details.get("expireAt") or self._now() + 30 * 365 * 86_400_000
        mandate = Mandate(details, f"OMS{number:022d}", order, hosted, ends)
        self.mandates[name] = mandate
        kept = {key: each for key, each in details.items() if key != "paymentMode"}
        flow = kept | {
            "type": asked["paymentFlow"]["type"],
            "expireAt": ends,
            "subscriptionId": mandate.number,
        }
        setup = Cycle(order, f"OMO{number:022d}", amount, mandate, flow, expire_at, "PENDING")
        self.cycles[order] = setup
        return setup

    async def _notify(self, request: web.Request) -> web.Response:
        asked = await request.json()
        flow, order = asked.get("paymentFlow") or {}, asked.get("merchantOrderId", "")
        hosted = request.path.startswith("/checkout")
        kind = "SUBSCRIPTION_CHECKOUT_REDEMPTION" if hosted else "SUBSCRIPTION_REDEMPTION"
        mandate = self.mandates.get(flow.get("merchantSubscriptionId", ""))
        if flow.get("type") != kind or mandate is None:
            return _refused(400, "BAD_REQUEST", "paymentFlow")
        if order in self.cycles:
            return _refused(417, "INVALID_TRANSACTION_ID", "Order ID has already been used")
        if mandate.state != "ACTIVE":
            return _refused(400, "SUBSCRIPTION_NOT_ACTIVE", f"subscription is {mandate.state}")
        if flow.get("autoDebit") and flow.get("redemptionRetryStrategy") == "CUSTOM":
            return _refused(400, "BAD_REQUEST", "autoDebit")
        amount, most = asked.get("amount"), mandate.asked["maxAmount"]
        if not isinstance(amount, int) or not 0 < amount <= most:
            return _refused(417, "TRANSACTION_LIMIT_EXCEEDED", "amount")
        expire_at = asked.get("expireAt") or self._now() + LIFE_S * 1000
        number, state = next(self._ids), "NOTIFICATION_IN_PROGRESS" if hosted else "PENDING"
        cycle = Cycle(order, f"OMO{number:022d}", amount, mandate, flow, expire_at, state)
        self.cycles[order] = cycle
        if self.notifies:
            self.deliver(order)
        said = {"orderId": cycle.number, "state": state}
        return web.json_response(said | ({"expireAt": expire_at} if hosted else {}))

    async def _redeem(self, request: web.Request) -> web.Response:
        cycle = self.cycles.get((await request.json()).get("merchantOrderId", ""))
        if cycle is None:
            return _refused(400, "INVALID_MERCHANT_ORDER_ID", "no such order")
        hindrance = self._hindrance(cycle)
        if hindrance is not None:
            return _refused(400, hindrance, f"order is {cycle.state}")
        return web.json_response({"transactionId": self._try(cycle), "state": "PENDING"})

    def _hindrance(self, cycle: Cycle) -> str | None:
        now, notified = self._now(), cycle.notified_at
        reasons = {
            "BAD_REQUEST": bool(cycle.flow.get("autoDebit")),
            "SUBSCRIPTION_NOT_ACTIVE": cycle.mandate.state != "ACTIVE",
            "ORDER_NOT_NOTIFIED": cycle.state != "NOTIFIED" or notified is None,
            "REDEMPTION_TOO_EARLY": now < (notified or 0) + WAIT_S * 1000,
            "RETRY_NOT_ALLOWED": len(cycle.tries) >= TRIES
            or any(now - each < RETRY_S * 1000 for each in cycle.tries),
        }
        return next((code for code, holds in reasons.items() if holds), None)

    async def _cycle_status(self, request: web.Request) -> web.Response:
        cycle = self.cycles.get(request.match_info["id"])
        if cycle is None:
            return _refused(400, "INVALID_MERCHANT_ORDER_ID", "No entry found")
        return web.json_response(cycle.document())

    async def _order_status(self, request: web.Request) -> web.Response:
        if request.match_info["id"] in self.cycles:
            return await self._cycle_status(request)
        return await super()._order_status(request)

    def _order_of(self, reference: str) -> Any:
        """Return what a refund is of: the SDK's client of subscriptions refunds them, too."""
        return self.cycles.get(reference) or super()._order_of(reference)

    async def _subscription(self, request: web.Request) -> web.Response:
        mandate = self.mandates.get(request.match_info["id"])
        if mandate is None:
            return _refused(400, "INVALID_MERCHANT_SUBSCRIPTION_ID", "No entry found")
        return web.json_response(mandate.document())

    async def _cancel(self, request: web.Request) -> web.Response:
        mandate = self.mandates.get(request.match_info["id"])
        if mandate is None or mandate.state not in {"ACTIVE", "PAUSED", "PENDING"}:
            return _refused(400, "BAD_REQUEST", "subscription cannot be cancelled")
        self.put(mandate.id, "CANCELLED")
        return web.Response(status=204 if request.path.startswith("/checkout") else 200)

    def _try(self, cycle: Cycle) -> str:
        cycle.state = "PENDING"
        cycle.tries.append(self._now())
        return f"OM{next(self._ids):022d}"

    def _now(self) -> int:
        return int(self.clock * 1000)

    def _paid(self, cycle: Cycle, state: str) -> Document:
        number = next(self._ids)
        return {
            "transactionId": f"OM{number:022d}",
            "paymentMode": "UPI_INTENT",
            "timestamp": self._now(),
            "amount": cycle.amount,
            "state": state,
            "rail": {"type": "UPI", "utr": f"4{number:011d}", "vpa": "12****78@ybl"},
        }

    def _tell(self, event: str, payload: Document) -> None:
        self.webhooks.append(self.webhook(event, {"merchantId": CLIENT_ID, **payload}))


def _refused(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"code": code, "message": message, "data": {}}, status=status)
