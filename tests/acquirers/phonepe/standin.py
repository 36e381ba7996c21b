"""A stand-in of PhonePe's Payment Gateway v2, made of its documents before the connector was.

Sources: PhonePe/phonepe-pg-skills (April 2026), developer.phonepe.com, and the tests shipped with
phonepe-pg-sdk-python 3.0.1. What they leave open is marked "not published" here.
"""

import asyncio
import hashlib
import itertools
import json
import re
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from aiohttp import web

CLIENT_ID, CLIENT_SECRET, CLIENT_VERSION = "STANDINUAT", "a-secret-of-nobody", "1"
USERNAME, PASSWORD = "hundi_hooks", "hooks4hundi"
UNKNOWN_REFUND = "INVALID_MERCHANT_REFUND_ID"
"""Not published: what the stand-in says of a refund that it does not know."""
_ORDER_ID = re.compile(r"[A-Za-z0-9_-]{1,63}\Z")
AMOUNT_MIN = 100
TOKEN_LIFE_S = 600


@dataclass
class Order:
    """One order of a merchant: what was asked, and the attempts of its customer."""

    merchant_order_id: str
    product: str
    amount: int
    order_id: str
    expire_at: int
    mode: str
    fee: int = 0
    state: str = "PENDING"
    error: tuple[str, str] = ("", "")
    details: list[dict[str, Any]] = field(default_factory=list)

    def shown(self, *, every: bool) -> dict[str, Any]:
        shown = {
            "orderId": self.order_id,
            "state": self.state,
            "amount": self.amount,
            "payableAmount": self.amount + self.fee,
            "feeAmount": self.fee,
            "expireAt": self.expire_at,
            "paymentDetails": self.details if every else self.details[-1:],
        }
        if self.state == "FAILED":
            code, detailed = self.error
            shown |= {"errorCode": code, "detailedErrorCode": detailed}
        return shown


class PhonePe:
    """The server: tokens, orders, refunds, and what a test wants it to do wrong.

    calls: method, path and body of every call but those for tokens. answer_next: (status, body)
    that replace the next answers, after the work was done. lose_next: how many calls are worked on
    and never answered. token_status: with another one than 200 it gives no token. tokens_asked: how
    often somebody asked for one. fee: paise that customers bear. tries_have_the_fee: whether a
    try's `amount` has it; not published.
    """

    def __init__(self) -> None:
        self.orders: dict[str, Order] = {}
        self.refunds: dict[str, dict[str, Any]] = {}
        self.calls: list[tuple[str, str, Any]] = []
        self.tokens_given = 0
        self.token_life_s = TOKEN_LIFE_S
        self.token_ends_s = 0
        self.secret = CLIENT_SECRET
        self.takes_tokens = True
        self.token_status = 200
        self.tokens_asked = 0
        self.answer_next: list[tuple[int, bytes]] = []
        self.lose_next = 0
        self.fee = 0
        self.tries_have_the_fee = False
        self.url = ""
        self._valid: set[str] = set()
        self._ids = itertools.count(1)
        self._runner: web.AppRunner | None = None

    async def open(self) -> None:
        app = web.Application(middlewares=[self._door])
        self.routes(app)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    def routes(self, app: web.Application) -> None:
        """Say which paths the stand-in answers."""
        app.router.add_post("/v1/oauth/token", self._token)
        app.router.add_post("/payments/v2/pay", self._pay)
        app.router.add_post("/checkout/v2/pay", self._pay)
        app.router.add_get("/{product}/v2/order/{id}/status", self._order_status)
        app.router.add_post("/payments/v2/refund", self._refund)
        app.router.add_get("/payments/v2/refund/{id}/status", self._refund_status)

    async def close(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    # What customers and banks do.

    def pay(self, reference: str, amount: int | None = None) -> None:
        """Let the customer pay an order; amount: what was moved when it is not what was asked."""
        order = self.orders[reference]
        order.amount = order.amount if amount is None else amount
        order.fee, order.state = self.fee, "COMPLETED"
        order.details.append(self._detail(order, "COMPLETED"))

    def fail(self, reference: str, code: str = "AUTHORIZATION_ERROR", detailed: str = "ZM") -> None:
        """End an order unpaid, as when it has expired."""
        order = self.orders[reference]
        order.state, order.error = "FAILED", (code, detailed)
        order.details.append(
            self._detail(order, "FAILED") | {"errorCode": code, "detailedErrorCode": detailed}
        )

    def fail_try(self, reference: str) -> None:
        """Let one try fail; the order is still open, and the customer may try again."""
        order = self.orders[reference]
        order.details.append(self._detail(order, "FAILED") | {"errorCode": "PAYMENT_ERROR"})

    def settle_refund(self, refund_id: str, state: str = "COMPLETED") -> None:
        """End a refund that was accepted."""
        refund = self.refunds[refund_id]
        refund["state"] = state
        if state == "FAILED":
            refund |= {"errorCode": "INTERNAL_SERVER_ERROR", "detailedErrorCode": ""}
        elif state == "COMPLETED":
            instrument = {
                "rail": {"type": "UPI", "utr": f"4{refund['number']:011d}"},
                "amount": refund["amount"],
            }
            refund["splitInstruments"] = [instrument]

    def end_tokens(self) -> None:
        """Make every token invalid before its time."""
        self._valid.clear()

    @staticmethod
    def webhook(event: str, payload: dict[str, Any]) -> tuple[dict[str, str], bytes]:
        """Return headers and body of a webhook.

        The header covers user and password, not the body.
        """
        proof = hashlib.sha256(f"{USERNAME}:{PASSWORD}".encode()).hexdigest()
        body = {"event": event, "type": event.upper().replace(".", "_"), "payload": payload}
        return {"authorization": proof, "content-type": "application/json"}, json.dumps(
            body
        ).encode()

    # Its interface.

    @web.middleware
    async def _door(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if request.path == "/v1/oauth/token":
            return await handler(request)
        body = await request.text()
        self.calls.append((request.method, request.path_qs, json.loads(body) if body else None))
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind != "O-Bearer" or token not in self._valid or not self.takes_tokens:
            words = (
                "Authorization failed [message = Please check the authorization token and "
                "try again]"
            )
            return web.json_response(
                {"success": False, "code": "AUTHORIZATION_FAILED", "message": words, "data": {}},
                status=401,
            )
        answer = await handler(request)
        if self.lose_next:
            self.lose_next -= 1
            assert request.transport is not None
            request.transport.abort()
            await asyncio.sleep(0)
        if self.answer_next:
            status, content = self.answer_next.pop(0)
            return web.Response(status=status, body=content, content_type="application/json")
        return answer

    async def _token(self, request: web.Request) -> web.Response:
        self.tokens_asked += 1
        if self.token_status != HTTPStatus.OK:
            return web.Response(status=self.token_status, text="a page")
        form = await request.post()
        wanted = {
            "client_id": CLIENT_ID,
            "client_version": CLIENT_VERSION,
            "client_secret": self.secret,
            "grant_type": "client_credentials",
        }
        if dict(form) != wanted:
            # As in test_token_service.py of the SDK.
            refusal = {
                "code": "INVALID_CLIENT",
                "errorCode": "OIM000",
                "message": "Bad Request: Invalid Client, trackingId: 2123d",
                "context": {"error_description": "Client authentication failure"},
            }
            return web.json_response(refusal, status=400)
        self.tokens_given += 1
        token, now = f"token-{self.tokens_given}", int(time.time())
        self._valid.add(token)
        self.token_ends_s = now + self.token_life_s
        given = {
            "access_token": token,
            "encrypted_access_token": token,
            "issued_at": now,
            "expires_at": self.token_ends_s,
            "session_expires_at": self.token_ends_s,
            "token_type": "O-Bearer",
        }
        return web.json_response(given)

    async def _pay(self, request: web.Request) -> web.Response:
        asked = await request.json()
        product = request.path.split("/")[1]
        fault = _fault(asked, product)
        if fault:
            return _refusal(400, "BAD_REQUEST", fault)
        if asked["merchantOrderId"] in self.orders:
            return _refusal(417, "INVALID_TRANSACTION_ID", "Order ID has already been used")
        flow = asked["paymentFlow"]
        mode = (flow.get("paymentMode") or {}).get("type", "CHECKOUT")
        number = next(self._ids)
        expire_at = int(time.time() * 1000) + 1000 * (asked.get("expireAfter") or 480)
        order = Order(
            asked["merchantOrderId"], product, asked["amount"], f"OMO{number:022d}", expire_at, mode
        )
        self.orders[order.merchant_order_id] = order
        said = {"orderId": order.order_id, "state": "PENDING", "expireAt": expire_at}
        if mode == "UPI_QR":
            rupees = f"{order.amount // 100}.{order.amount % 100:02d}"
            said["intentUrl"] = (
                f"upi://pay?pa=standin@ybl&pn=Merchant&am={rupees}&mam={rupees}&tr={order.order_id}&cu=INR"
            )
            said["qrData"] = "data:image/png;base64,iVBORw0KGgo="
        elif mode == "NET_BANKING":
            said["redirectUrl"] = (
                f"{self.url}/bank/{flow['paymentMode']['bankId']}/{order.order_id}"
            )
        else:
            said["redirectUrl"] = f"{self.url}/transact/uat_v2?token={order.order_id}"
        return web.json_response(said)

    async def _order_status(self, request: web.Request) -> web.Response:
        order = self.orders.get(request.match_info["id"])
        if order is None or order.product != request.match_info["product"]:
            words = "No entry found for given merchant order id"
            return web.json_response(
                {"code": "INVALID_MERCHANT_ORDER_ID", "message": words}, status=400
            )
        return web.json_response(order.shown(every=request.query.get("details") == "true"))

    def _order_of(self, reference: str) -> Any:
        return self.orders.get(reference)

    async def _refund(self, request: web.Request) -> web.Response:
        asked = await request.json()
        refund_id, original = (
            asked["merchantRefundId"],
            self._order_of(asked["originalMerchantOrderId"]),
        )
        if (
            not _ORDER_ID.match(refund_id)
            or type(asked["amount"]) is not int
            or asked["amount"] < 1
        ):
            return _refusal(400, "BAD_REQUEST", "invalid request")
        if refund_id in self.refunds:
            # Not published: "do not reuse refund IDs" is all that the documents say.
            return _refusal(417, "INVALID_TRANSACTION_ID", "Refund ID has already been used")
        given_back = sum(
            each["amount"]
            for each in self.refunds.values()
            if each["originalMerchantOrderId"] == asked["originalMerchantOrderId"]
            and each["state"] != "FAILED"
        )
        if (
            original is None
            or original.state != "COMPLETED"
            or given_back + asked["amount"] > original.amount
        ):
            return _refusal(400, "BAD_REQUEST", "amount exceeds original")
        number = next(self._ids)
        refund = {
            "merchantRefundId": refund_id,
            "originalMerchantOrderId": asked["originalMerchantOrderId"],
            "amount": asked["amount"],
            "state": "PENDING",
            "refundId": f"OMR{number:022d}",
            "number": number,
        }
        self.refunds[refund_id] = refund
        return web.json_response({name: refund[name] for name in ("refundId", "amount", "state")})

    async def _refund_status(self, request: web.Request) -> web.Response:
        refund = self.refunds.get(request.match_info["id"])
        if refund is None:
            return _refusal(400, UNKNOWN_REFUND, "No entry found for given merchant refund id")
        return web.json_response(
            {name: value for name, value in refund.items() if name != "number"}
        )

    def _detail(self, order: Order, state: str) -> dict[str, Any]:
        number = next(self._ids)
        detail: dict[str, Any] = {
            "transactionId": f"OM{number:022d}",
            "paymentMode": order.mode if order.mode != "CHECKOUT" else "CARD",
            "timestamp": int(time.time() * 1000),
            "amount": order.amount + (order.fee if self.tries_have_the_fee else 0),
            "payableAmount": order.amount + order.fee,
            "feeAmount": order.fee,
            "state": state,
        }
        if state == "COMPLETED" and order.mode == "UPI_QR":
            detail["rail"] = {"type": "UPI", "utr": f"4{number:011d}", "vpa": "12****78@ybl"}
            detail["instrument"] = {
                "type": "ACCOUNT",
                "maskedAccountNumber": "******1234",
                "accountType": "SAVINGS",
            }
        elif state == "COMPLETED" and order.mode == "CHECKOUT":
            detail["rail"] = {"type": "PG", "authorizationCode": "088005"}
            detail["instrument"] = {
                "type": "CREDIT_CARD",
                "bankId": "HDFC",
                "brn": f"5{number:011d}",
                "geoScope": "DOMESTIC",
                "cardNetwork": "VISA",
                "maskedCardNumber": "******1234",
            }
        elif state == "COMPLETED":
            detail["rail"] = {
                "type": "PG",
                "transactionId": f"E{number}",
                "serviceTransactionId": f"PG{number}",
            }
            detail["instrument"] = {"type": "NET_BANKING", "bankId": "ICIC"}
        return detail


def _fault(asked: dict[str, Any], product: str) -> str:
    """Return the names of the fields that are not in the published form."""
    flow = asked.get("paymentFlow", {})
    least_s, most_s = {"payments": (300, 5_184_000), "checkout": (300, 3_600)}[product]
    mode = (flow.get("paymentMode") or {}).get("type", "")
    back = (flow.get("merchantUrls") or {}).get("redirectUrl", "")
    wrong = {
        "merchantOrderId": not _ORDER_ID.match(asked.get("merchantOrderId", "")),
        "amount": type(asked.get("amount")) is not int or asked["amount"] < AMOUNT_MIN,
        "paymentFlow.type": flow.get("type")
        != {"payments": "PG", "checkout": "PG_CHECKOUT"}[product],
        "expireAfter": not least_s <= (asked.get("expireAfter") or least_s) <= most_s,
        "paymentMode": product == "payments" and mode not in {"UPI_QR", "NET_BANKING"},
        "redirectUrl": mode != "UPI_QR" and not back.startswith("https://"),
    }
    return ", ".join(name for name, is_wrong in wrong.items() if is_wrong)


def _refusal(status: int, code: str, message: str) -> web.Response:
    return web.json_response(
        {"success": False, "code": code, "message": message, "data": {}}, status=status
    )
