"""A stand-in of Juspay, and of HDFC SmartGateway, which is the same software.

Written by a hand that has not read the connector, from juspay/juspay-mcp at 08c981c (schemas of
sessions, orders and refunds), juspay 1.1.4 of PyPI, juspay.io/resources/docs/common-resources
(status-verification, transaction-status), docs.juspay.io order-status-api and the webhooks page.
Open: what a second session for one order_id gets (here a fresh link of the same order while its
amount is the same, else 400), what a repeated unique_request_id gets (here the order with the one
refund), whether `signature` comes encoded once more at the return (their page says it is decoded
once before it is compared: so it is encoded twice here), whether an amount in JSON is a number
(here it is), and how a webhook authenticates beyond Basic.

    async with Juspay.running() as juspay:
        ...                                   # the connector calls juspay.url
        juspay.pay("1000101")                 # by the order's id
        await juspay.send(juspay.webhooks[-1], "http://gateway/callbacks/…")
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import count
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web

from tests.acquirers.stage import Document, Handler, Stage, StandinError, Webhook

API_KEY, MERCHANT_ID, CLIENT_ID = "standin-api-key", "standin", "hdfcmaster"
RESPONSE_KEY = "the response key of the stand-in"
WEBHOOK_USER, WEBHOOK_PASSWORD = "standin_hooks", "hooks of nobody"
STATUSES = {
    "NEW": 10,
    "STARTED": 20,
    "CHARGED": 21,
    "JUSPAY_DECLINED": 22,
    "PENDING_VBV": 23,
    "VBV_SUCCESSFUL": 24,
    "AUTHORIZED": 25,
    "AUTHENTICATION_FAILED": 26,
    "AUTHORIZATION_FAILED": 27,
    "AUTHORIZING": 28,
    "VOIDED": 31,
    "AUTO_REFUNDED": 36,
    "NOT_FOUND": 40,
}
_ORDER_ID = re.compile(r"[A-Za-z0-9]{1,21}\Z")
METHODS = {"CARD", "NB", "UPI", "WALLET"}


def sign(fields: Mapping[str, str], key: str = RESPONSE_KEY) -> str:
    """Return the signature of a return: pairs encoded, sorted, joined, and encoded once more."""
    pairs = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in fields.items())
    joined = quote("&".join(f"{name}={value}" for name, value in pairs), safe="")
    made = hmac.new(key.encode(), joined.encode(), hashlib.sha256).digest()
    return base64.b64encode(made).decode()


def refusal(status: int, code: str, message: str) -> StandinError:
    document = {"status": "error", "error_code": code, "error_message": message}
    return StandinError(status, document)


def rupees(said: object) -> Decimal:
    try:
        amount = Decimal(str(said))
    except InvalidOperation:
        raise refusal(400, "invalid_request", "amount is invalid") from None
    if amount < 1 or amount != round(amount, 2):
        raise refusal(400, "invalid_request", "amount is invalid")
    return amount


class Juspay(Stage):
    """The server. orders: by their id, as GET answers them."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: dict[str, Document] = {}
        self.refunds_wait = True
        self.signs_returns = True
        self._ids = count(1)

    # What customers, banks and Juspay do.

    def pay(self, order_id: str, method: str = "UPI", *, amount: Decimal | None = None) -> None:
        """Let the customer pay; amount: what the bank took when it is not the order's."""
        order = self.orders[order_id]
        self._attempt(order, method, "CHARGED", amount)
        self._put(order, "CHARGED")
        self._tell("ORDER_SUCCEEDED", order)

    def fail_try(self, order_id: str, status: str = "AUTHENTICATION_FAILED") -> None:
        """Let one try fail; a later one may be charged."""
        order = self.orders[order_id]
        self._attempt(order, "CARD", status, None)
        self._put(order, status)
        self._tell("TXN_FAILED", order)

    def fail(self, order_id: str, status: str = "AUTHORIZATION_FAILED") -> None:
        order = self.orders[order_id]
        self._attempt(order, "CARD", status, None)
        self._put(order, status)
        self._tell("ORDER_FAILED", order)

    def put(self, order_id: str, status: str) -> None:
        """Set an order's word, as PENDING_VBV or AUTHORIZING."""
        self._put(self.orders[order_id], status)

    def end_refund(self, order_id: str, reference: str, status: str = "SUCCESS") -> None:
        """End a refund: SUCCESS, FAILURE or MANUAL_REVIEW."""
        order = self.orders[order_id]
        refund = next(each for each in order["refunds"] if each["unique_request_id"] == reference)
        refund["status"] = status
        done = sum(each["amount"] for each in order["refunds"] if each["status"] == "SUCCESS")
        order["amount_refunded"], order["refunded"] = done, done >= order["amount"]
        event = {"SUCCESS": "ORDER_REFUNDED", "FAILURE": "ORDER_REFUND_FAILED"}
        self._tell(event.get(status, "REFUND_MANUAL_REVIEW_NEEDED"), order)

    def returned(self, order_id: str) -> str:
        """Return where the browser goes after the page, with its signature."""
        order = self.orders[order_id]
        fields = {
            "order_id": order_id,
            "status": order["status"],
            "status_id": str(order["status_id"]),
        }
        if self.signs_returns:
            signature = quote(sign(fields), safe="")
            fields |= {"signature": signature, "signature_algorithm": "HMAC-SHA256"}
        return f"{order['return_url']}?{urlencode(fields)}"

    # Its interface.

    def trouble_document(self, status: int) -> Document:
        return refusal(status, "internal_error", "We are facing some trouble").document

    def routes(self, app: web.Application) -> None:
        own = self._own
        for method, path, handler in (
            ("POST", "/session", own(self._session)),
            ("POST", "/txns", self._by_call),
            ("GET", "/orders/{id}", own(self._order)),
            ("POST", "/orders/{id}/refunds", own(self._refund)),
            ("GET", "/merchant/pay/{id}", self._page),
            ("POST", "/merchant/pay/{id}", self._at_page),
        ):
            app.router.add_route(method, path, handler)

    def _own(self, handler: Handler) -> Handler:
        expected = "Basic " + base64.b64encode(f"{API_KEY}:".encode()).decode()

        async def checked(request: web.Request) -> web.StreamResponse:
            if request.headers.get("Authorization") != expected:
                raise refusal(401, "access_denied", "Invalid API key")
            if request.headers.get("x-merchantid") != MERCHANT_ID:
                raise refusal(400, "invalid_request", "x-merchantid is missing")
            return await handler(request)

        return checked

    async def _session(self, request: web.Request) -> web.Response:
        asked = await request.json()
        name, amount = str(asked.get("order_id", "")), rupees(asked.get("amount"))
        if not _ORDER_ID.match(name):
            raise refusal(400, "invalid_request", "order_id is alphanumeric, up to 21 characters")
        for field in ("customer_id", "return_url", "payment_page_client_id", "action"):
            if not asked.get(field):
                raise refusal(400, "invalid_request", f"{field} is missing")
        order = self.orders.get(name)
        if order is None:
            order = self.new_order(asked, name, amount)
        elif order["amount"] != float(amount) or order["status"] != "NEW":
            raise refusal(400, "invalid_request", "order_id already exists")
        return web.json_response(
            {
                "status": "NEW",
                "id": order["id"],
                "order_id": name,
                "payment_links": order["payment_links"],
                "sdk_payload": {"requestId": secrets.token_hex(8), "service": "in.juspay.hyperpay"},
            }
        )

    def new_order(self, asked: Document, name: str, amount: Decimal) -> Document:
        number = f"ordeh_{secrets.token_hex(16)}"
        web_link = f"{self.url}/merchant/pay/{number}"
        order: Document = {
            "id": number,
            "order_id": name,
            "merchant_id": MERCHANT_ID,
            "amount": float(amount),
            "currency": asked.get("currency", "INR"),
            "customer_id": asked["customer_id"],
            "customer_email": asked.get("customer_email"),
            "customer_phone": asked.get("customer_phone"),
            "return_url": asked["return_url"],
            "date_created": self._instant(),
            "payment_links": {
                "web": web_link,
                "iframe": web_link.replace("/pay/", "/ipay/"),
                "mobile": f"{web_link}?mobile=true",
            },
            **{f"udf{number}": asked.get(f"udf{number}", "") for number in range(1, 11)},
            "refunded": False,
            "amount_refunded": 0,
            "refunds": [],
        }
        self._put(order, "NEW")
        self.orders[name] = order
        return order

    async def _order(self, request: web.Request) -> web.Response:
        return web.json_response(self._of(request))

    async def _by_call(self, request: web.Request) -> web.Response:
        """Begin a try by call: what a UPI link is made of, or where the bank's page is."""
        asked = {name: str(value) for name, value in (await request.post()).items()}
        order = self.orders.get(asked.get("order_id", ""))
        method = asked.get("payment_method_type")
        if order is None or asked.get("merchant_id") != MERCHANT_ID or method not in METHODS:
            raise refusal(400, "invalid_request", "order_id, merchant_id or method")
        if order["status"] == "CHARGED":
            raise refusal(400, "invalid_request", "order is paid")
        self._attempt(order, method, "PENDING_VBV", None)
        self._put(order, "PENDING_VBV")
        payment: Document = {"authentication": {"method": "GET", "url": self._link(order)}}
        if method == "UPI":
            payment["sdk_params"] = {
                "tr": order["txn_id"],
                "tid": order["txn_uuid"],
                "mcc": "5411",
                "merchant_vpa": "standin@hdfcbank",
                "merchant_name": "Stand-in",
                "amount": f"{order['amount']:.2f}",
                "customer_first_name": "",
            }
        said = {"order_id": order["order_id"], "txn_id": order["txn_id"], "status": "PENDING_VBV"}
        return web.json_response(said | {"payment": payment})

    async def _refund(self, request: web.Request) -> web.Response:
        order = self._of(request)
        asked = {name: str(value) for name, value in (await request.post()).items()}
        reference = asked.get("unique_request_id", "")
        if not reference:
            raise refusal(400, "invalid_request", "unique_request_id is missing")
        if any(each["unique_request_id"] == reference for each in order["refunds"]):
            return web.json_response(order)
        left = Decimal(str(order["amount"])) - sum(
            Decimal(str(each["amount"])) for each in order["refunds"] if each["status"] != "FAILURE"
        )
        amount = rupees(asked["amount"]) if "amount" in asked else left
        if order["status"] != "CHARGED" or not 0 < amount <= left:
            raise refusal(400, "invalid.refund", "Refund is not possible")
        order["refunds"].append(
            {
                "id": f"rfnd_{next(self._ids)}",
                "unique_request_id": reference,
                "ref": None,
                "amount": float(amount),
                "status": "PENDING",
                "created": self._instant(),
                "error_message": "",
            }
        )
        if not self.refunds_wait:
            self.end_refund(order["order_id"], reference)
        return web.json_response(order)

    async def _page(self, _request: web.Request) -> web.Response:
        buttons = "".join(
            f'<button name="outcome" value="{each}">{each}</button>'
            for each in ("success", "failure", "retry")
        )
        return web.Response(text=f'<form method="post">{buttons}</form>', content_type="text/html")

    async def _at_page(self, request: web.Request) -> web.Response:
        order = next(
            each for each in self.orders.values() if each["id"] == request.match_info["id"]
        )
        chosen = str((await request.post())["outcome"])
        if chosen == "retry":
            self.fail_try(order["order_id"])
            return await self._page(request)
        if chosen == "success":
            self.pay(order["order_id"])
        else:
            self.fail(order["order_id"])
        raise web.HTTPFound(self.returned(order["order_id"]))

    def _of(self, request: web.Request) -> Document:
        order = self.orders.get(request.match_info["id"])
        if order is None:
            document = refusal(404, "NOT_FOUND", "Order not found").document
            raise StandinError(404, document | {"status": "NOT_FOUND", "status_id": 40})
        return order

    def _link(self, order: Document) -> str:
        return order["payment_links"]["web"]

    def _attempt(self, order: Document, method: str, status: str, amount: Decimal | None) -> None:
        number = next(self._ids)
        taken = order["amount"] if amount is None else float(amount)
        begun = order.get("txn_detail", {}).get("status") == "PENDING_VBV"
        if not begun:
            order["txn_id"] = f"{MERCHANT_ID}-{order['order_id']}-{number}"
            order["txn_uuid"] = secrets.token_hex(9)
        order["payment_method_type"] = method
        order["txn_detail"] = {
            "txn_id": order["txn_id"],
            "order_id": order["order_id"],
            "status": status,
            "net_amount": order["amount"],
            "surcharge_amount": None,
            "tax_amount": None,
            "txn_amount": taken,
            "currency": order["currency"],
        }
        order["effective_amount"] = taken
        charged = status == "CHARGED"
        order["payment_gateway_response"] = {
            "rrn": f"4{number:011d}" if charged else None,
            "resp_code": "00" if charged else "U30",
            "resp_message": "SUCCESS" if charged else "failed",
        }

    def _put(self, order: Document, status: str) -> None:
        order |= {"status": status, "status_id": STATUSES[status]}

    def _instant(self) -> str:
        return datetime.fromtimestamp(self.clock, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def _tell(self, event: str, order: Document) -> None:
        said: dict[str, Any] = {
            "id": f"evt_{secrets.token_hex(9)}",
            "date_created": self._instant(),
            "event_name": event,
            "content": {"order": order},
        }
        pair = base64.b64encode(f"{WEBHOOK_USER}:{WEBHOOK_PASSWORD}".encode()).decode()
        headers = {"Content-Type": "application/json", "Authorization": f"Basic {pair}"}
        self.webhooks.append(Webhook(event, headers, json.dumps(said).encode()))
