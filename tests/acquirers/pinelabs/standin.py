"""A stand-in of Pine Labs Online: page, UPI, inquiry, hold, refund, settlements and webhooks.

Written by a hand that has not read the connector, from pinelabs-python of PyPI (made from their
OpenAPI), plural-pinelabs/pinelabs-agent-skills-cli at 4df08d4 (orders, checkout, refunds, webhooks
with a printed vector) and plural-pinelabs/pinelabs-online-mcp at e857e44. Open: what a repeated
merchant_order_reference gets (here 422 with DUPLICATE_REQUEST, and the order stands), the statuses
of HTTP of refusals, the fields of the return to callback_url (here order_id, status and nothing
signed), whether a refund reads PENDING first (`refunds_wait`), and the key of webhooks: a webhook
secret on one page, base64 of the client secret in their shop plugin.

    async with PineLabs.running() as pine:
        ...                                # the connector calls pine.url
        pine.pay("10001-1")                # by our reference
        await pine.send(pine.webhooks[-1], "http://gateway/callbacks/…")
"""

import html
import json
import secrets

from aiohttp import web

from tests.acquirers.pinelabs.standin_books import (
    AMOUNT_MIN,
    OVER,
    PineBooks,
    instant,
    refusal,
)
from tests.acquirers.stage import Document, Handler

CLIENT_ID, CLIENT_SECRET = "a-client-of-the-stand-in", "a-secret-of-nobody-at-pine"
TOKEN_S = 3600


class PineLabs(PineBooks):
    """The server; see `PineBooks` for what a test plays."""

    # Its interface.

    def trouble_document(self, status: int) -> Document:
        return {"code": "INTERNAL_ERROR", "message": f"something went wrong ({status})"}

    def routes(self, app: web.Application) -> None:
        own = self._own
        for method, path, handler in (
            ("POST", "/api/auth/v1/token", self._token),
            ("POST", "/api/checkout/v1/orders", own(self._checkout)),
            ("POST", "/api/pay/v1/orders", own(self._create)),
            ("GET", "/api/pay/v1/orders/reference/{reference}", own(self._by_reference)),
            ("GET", "/api/pay/v1/orders/{id}", own(self._by_id)),
            ("POST", "/api/pay/v1/orders/{id}/payments", own(self._pay)),
            ("PUT", "/api/pay/v1/orders/{id}/capture", own(self._capture)),
            ("PUT", "/api/pay/v1/orders/{id}/cancel", own(self._cancel)),
            ("POST", "/api/pay/v1/refunds/{id}", own(self._refund)),
            ("GET", "/api/settlements/v1/list", own(self._settled)),
            ("GET", "/api/settlements/v1/detail/{utr}", own(self._settlement)),
            ("GET", "/checkout/{id}", self._page),
            ("POST", "/checkout/{id}", self._at_page),
        ):
            app.router.add_route(method, path, handler)

    def _own(self, handler: Handler) -> Handler:
        """Ask for a token, and answer a repeated key with its first answer."""

        async def checked(request: web.Request) -> web.StreamResponse:
            token = request.headers.get("Authorization", "").removeprefix("Bearer ")
            if self.tokens.get(token, 0) < self.clock:
                raise refusal(401, "USER_AUTHENTICATION_FAILED", "token is not valid")
            key = request.headers.get("Idempotency-Key", "") if request.method != "GET" else ""
            body = request.path.encode() + await request.read()
            if key in self.keys:
                first, document = self.keys[key]
                if first != body:
                    raise refusal(409, "DUPLICATE_REQUEST", "key was used with another body")
                return web.json_response(document)
            answer = await handler(request)
            assert isinstance(answer, web.Response)
            if key:
                assert isinstance(answer.body, bytes)
                self.keys[key] = (body, json.loads(answer.body))
            return answer

        return checked

    async def _token(self, request: web.Request) -> web.Response:
        wanted = {
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "grant_type": "client_credentials",
        }
        if await request.json() != wanted:
            raise refusal(401, "USER_AUTHENTICATION_FAILED", "client is not known")
        token = secrets.token_urlsafe(24)
        self.tokens[token] = self.clock + TOKEN_S
        return web.json_response(
            {
                "access_token": token,
                "refresh_token": secrets.token_urlsafe(24),
                "expires_at": instant(self.tokens[token]),
            }
        )

    async def _create(self, request: web.Request) -> web.Response:
        return web.json_response({"data": self.new_order(await request.json())})

    async def _checkout(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if not str(asked.get("callback_url", "")).startswith("http"):
            raise refusal(400, "INVALID_REQUEST", "callback_url")
        order = self.new_order(asked)
        return web.json_response(
            {
                "token": secrets.token_urlsafe(16),
                "order_id": order["order_id"],
                "redirect_url": f"{self.url}/checkout/{order['order_id']}",
                "response_code": 200,
                "response_message": "Order Creation Successful.",
            }
        )

    async def _by_id(self, request: web.Request) -> web.Response:
        return web.json_response({"data": self._of(request)})

    async def _by_reference(self, request: web.Request) -> web.Response:
        order = self.find(request.match_info["reference"])
        if order is None:
            raise refusal(404, "ORDER_NOT_FOUND", "no order of this reference")
        return web.json_response({"data": order})

    async def _pay(self, request: web.Request) -> web.Response:
        """Begin a payment: UPI gets a link, net banking and wallets a page."""
        order, asked = self._of(request), (await request.json()).get("payments") or []
        if order["status"] in OVER or len(asked) != 1:
            raise refusal(422, "INVALID_REQUEST", f"order is {order['status']}")
        wanted = asked[0]
        if wanted.get("payment_amount") != order["order_amount"]:
            raise refusal(400, "INVALID_REQUEST", "payment_amount")
        payment = self.begin_try(order, wanted["payment_method"], "PENDING", None)
        payment["merchant_payment_reference"] = wanted.get("merchant_payment_reference")
        order["status"] = "PENDING"
        link = f"{self.url}/checkout/{order['order_id']}"
        details = (wanted.get("payment_option") or {}).get("upi_details") or {}
        answer = order | {"challenge_url": link}
        if wanted["payment_method"] == "UPI" and details.get("txn_mode") == "INTENT":
            rupees = f"{order['order_amount']['value'] / 100:.2f}"
            answer["challenge_url"] = f"upi://pay?pa=pine@upi&tr={order['order_id']}&am={rupees}"
            if details.get("upi_qr"):
                answer["image_url"] = f"{self.url}/qr/{order['order_id']}.png"
        return web.json_response({"data": answer})

    async def _capture(self, request: web.Request) -> web.Response:
        order, asked = self._of(request), await request.json()
        if order["status"] != "AUTHORIZED" or not asked.get("merchant_capture_reference"):
            raise refusal(422, "INVALID_REQUEST", f"order is {order['status']}")
        captured = asked.get("capture_amount") or order["order_amount"]
        if captured["value"] > order["order_amount"]["value"]:
            raise refusal(422, "AMOUNT_LIMIT_EXCEEDED", "capture_amount")
        order["status"] = order["payments"][-1]["status"] = "PROCESSED"
        order["payments"][-1]["capture_data"] = [
            {
                "merchant_capture_reference": asked["merchant_capture_reference"],
                "capture_amount": captured,
            }
        ]
        self.tell("ORDER_PROCESSED", order)
        return web.json_response({"data": order})

    async def _cancel(self, request: web.Request) -> web.Response:
        order = self._of(request)
        if order["status"] != "AUTHORIZED":
            raise refusal(422, "INVALID_REQUEST", f"order is {order['status']}")
        order["status"] = order["payments"][-1]["status"] = "CANCELLED"
        self.tell("ORDER_CANCELLED", order)
        return web.json_response({"data": order})

    async def _refund(self, request: web.Request) -> web.Response:
        parent, asked = self._of(request), await request.json()
        amount = (asked.get("order_amount") or {}).get("value")
        given = sum(
            each["order_amount"]["value"]
            for each in self.orders.values()
            if each.get("parent_order_id") == parent["order_id"] and each["status"] != "FAILED"
        )
        if not isinstance(amount, int) or parent["status"] not in {
            "PROCESSED",
            "PARTIALLY_REFUNDED",
        }:
            raise refusal(422, "INVALID_REQUEST", f"order is {parent['status']}")
        if amount < AMOUNT_MIN or given + amount > parent["order_amount"]["value"]:
            raise refusal(422, "AMOUNT_LIMIT_EXCEEDED", "more than was paid")
        refund = self.new_order(asked)
        status = "PENDING" if self.refunds_wait else "PROCESSED"
        refund |= {"type": "REFUND", "parent_order_id": parent["order_id"], "status": status}
        if status == "PROCESSED":
            self.refunded(parent)
        return web.json_response({"data": refund})

    async def _settled(self, request: web.Request) -> web.Response:
        if not {"start_date", "end_date"} <= set(request.query):
            raise refusal(400, "INVALID_REQUEST", "start_date, end_date")
        found = [
            {
                "utr_number": utr,
                "total_amount": sum(each["settled_amount"] for each in lines),
                "total_transactions_count": len(lines),
            }
            for utr, lines in self.settlements.items()
        ]
        return web.json_response({"data": found, "total_settlement_count": len(found)})

    async def _settlement(self, request: web.Request) -> web.Response:
        lines = self.settlements.get(request.match_info["utr"])
        if lines is None:
            raise refusal(404, "INVALID_REQUEST", "no such settlement")
        page, size = (
            int(request.query.get("page", 1)),
            min(int(request.query.get("per_page", 10)), 10),
        )
        told = lines[(page - 1) * size : page * size]
        return web.json_response(
            {
                "utr_number": request.match_info["utr"],
                "total_settled_amount": sum(each["settled_amount"] for each in lines),
                "transactions": told,
                "pagination": {
                    "total_pages": -(-len(lines) // size),
                    "current_page": str(page),
                },
            }
        )

    async def _page(self, request: web.Request) -> web.Response:
        buttons = "".join(
            f'<button name="outcome" value="{each}">{each}</button>'
            for each in ("success", "failure", "retry")
        )
        return web.Response(text=f'<form method="post">{buttons}</form>', content_type="text/html")

    async def _at_page(self, request: web.Request) -> web.Response:
        order, chosen = self._of(request), str((await request.post())["outcome"])
        if chosen == "retry":
            self.fail_try(order["order_id"])
            return await self._page(request)
        if chosen == "success":
            self.pay(order["order_id"])
        else:
            self.fail(order["order_id"])
        back = order["callback_url"] if chosen == "success" else None
        there = back or order["failure_callback_url"] or order["callback_url"]
        fields = {"order_id": order["order_id"], "status": order["status"]}
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
            for name, value in fields.items()
        )
        form = f'<form method="post" action="{html.escape(there)}">{inputs}</form>'
        return web.Response(text=form, content_type="text/html")

    def _of(self, request: web.Request) -> Document:
        order = self.orders.get(request.match_info["id"])
        if order is None:
            raise refusal(404, "ORDER_NOT_FOUND", "no such order")
        return order
