"""A stand-in of Razorpay that takes mandates too: UPI AutoPay, cards and eNACH over HTTP.

    async with RecurringStandin.running() as razorpay:
        ...                                          # the connector registers at razorpay.url
        token = razorpay.mandates.authorise("pay_…")  # the customer approves
        razorpay.pass_time(26 * 3600)
        razorpay.mandates.take("order_…")             # the bank debits
        razorpay.mandates.cancel_at_bank(token)

Everything of `standin` works here as well. See `standin_mandates` for sources and open points.
"""

import hashlib
import hmac
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from tests.acquirers.razorpay.standin import KEY_SECRET, Standin
from tests.acquirers.razorpay.standin_answers import listed, next_steps
from tests.acquirers.razorpay.standin_books import (
    NotFoundError,
    Order,
    Payment,
    RefusedError,
    new_id,
)
from tests.acquirers.razorpay.standin_mandates import Mandates, Token
from tests.acquirers.stage import Document

LINK_TYPES = {"upi", "card", "emandate"}


@dataclass
class RecurringStandin(Standin):
    """Razorpay on a free port, with mandates. clock: seconds of Unix that the test sets."""

    mandates: Mandates = field(init=False)
    clock: float = field(default_factory=time.time)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mandates = Mandates(self.books, lambda: int(self.clock))

    def pass_time(self, seconds: float) -> None:
        """Move the clock, and let Razorpay debit what is due by itself."""
        self.clock += seconds
        self.mandates.run()

    def _app(self) -> web.Application:
        app, own = super()._app(), self._own
        for method, path, handler in (
            ("POST", "/customers", own(self._create_customer)),
            ("GET", "/customers/{id}", own(self._customer)),
            ("GET", "/customers/{id}/tokens", own(self._tokens)),
            ("GET", "/customers/{id}/tokens/{tid}", own(self._token)),
            ("DELETE", "/customers/{id}/tokens/{tid}", own(self._forget)),
            ("PUT", "/customers/{id}/tokens/{tid}/cancel", own(self._cancel)),
            ("POST", "/payments/create/recurring", own(self._charge)),
            ("POST", "/subscription_registration/auth_links", own(self._create_link)),
            ("GET", "/invoices/{id}", own(self._invoice)),
            ("POST", "/invoices/{id}/cancel", own(self._cancel_link)),
        ):
            app.router.add_route(method, "/v1" + path, handler)
        app.router.add_get("/i/{id}", self._open_link)
        return app

    async def _create_order(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if asked.get("token"):
            return web.json_response(self._shown(self.mandates.register(asked)))
        if not asked.get("notification"):
            return await super()._create_order(request)
        order = self.books.create_order(asked)
        self.mandates.notify(order, asked)
        told = self._shown(order)
        notice = told["notification"]
        told["notification"] = {
            name: notice[name] for name in ("token_id", "payment_after", "id")
        }  # the delivery is told by GET alone in their samples
        return web.json_response(told)

    async def _list_orders(self, request: web.Request) -> web.Response:
        receipt = request.query.get("receipt")
        found = [
            self._shown(each)
            for each in reversed(self.books.orders.values())
            if receipt is None or each.receipt == receipt
        ]
        return listed(found, request)

    async def _order(self, request: web.Request) -> web.Response:
        return web.json_response(self._shown(self.books.order(request.match_info["id"])))

    def _shown(self, order: Order) -> Document:
        told, registration = order.document(), self.mandates.registrations.get(order.id)
        if order.id in self.mandates.notices:
            told["notification"] = self.mandates.notices[order.id]
        if registration and registration["method"] == "emandate":
            token = registration["token"]
            told["token"] = token | {
                "method": "emandate",
                "recurring_status": None,
                "failure_reason": None,
                "currency": "INR",
            }
        return told

    async def _create_upi(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if not asked.get("recurring"):
            return await super()._create_upi(request)
        if (asked.get("upi") or {}).get("flow") != "intent":
            raise RefusedError("The flow field is invalid.", field="upi")
        payment = self.mandates.begin(asked)
        link = {
            "pa": "acme.rzp@icici",
            "pn": "Acme",
            "tr": payment.id[4:],
            "am": f"{payment.amount / 100:.2f}",
            "cu": "INR",
            "mode": "04",
            "purpose": "14",
        }
        payment.link = "upi://mandate?" + urlencode(link, safe="@")
        return web.json_response({"razorpay_payment_id": payment.id, "link": payment.link})

    async def _create_json(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if not asked.get("recurring"):
            return await super()._create_json(request)
        if asked.get("method") == "card" and not asked.get("card"):
            raise RefusedError("The card field is required.", field="card")
        payment = self.mandates.begin(asked | {"amount": int(asked.get("amount", 0))})
        step = "authenticate" if payment.method == "card" else "authorize"
        there = {"action": "redirect", "url": f"{self.url}/payments/{payment.id}/{step}"}
        return next_steps(payment, [there])

    def _ended(self, payment: Payment, chosen: str) -> web.Response:
        """Let the customer's choice at the bank make the mandate, before the browser goes back."""
        if payment.order_id not in self.mandates.registrations or chosen != "success":
            return super()._ended(payment, chosen)
        by_aadhaar = self.mandates.registrations[payment.order_id]["token"].get("auth_type")
        status = "initiated" if by_aadhaar == "aadhaar" else "confirmed"
        self.mandates.authorise(payment.id, status, pays=False)
        return super()._ended(payment, chosen)

    async def _create_customer(self, request: web.Request) -> web.Response:
        return web.json_response(self.mandates.create_customer(await request.json()))

    async def _customer(self, request: web.Request) -> web.Response:
        return web.json_response(self.mandates.customer(request.match_info["id"]))

    async def _tokens(self, request: web.Request) -> web.Response:
        self.mandates.customer(request.match_info["id"])
        found = self.mandates.listed(request.match_info["id"])
        return listed([each.document() for each in found], request)

    async def _token(self, request: web.Request) -> web.Response:
        return web.json_response(self._of(request).document())

    async def _forget(self, request: web.Request) -> web.Response:
        """Forget a token; of a card that ends the mandate, of UPI the bank knows nothing of it."""
        self._of(request).forgotten = True
        return web.json_response({"deleted": True})

    async def _cancel(self, request: web.Request) -> web.Response:
        self.mandates.cancel(self._of(request))
        return web.json_response({"status": "cancellation_initiated"})

    def _of(self, request: web.Request) -> Token:
        token = self.mandates.tokens.get(request.match_info["tid"])
        if token is None or token.forgotten or token.customer_id != request.match_info["id"]:
            raise NotFoundError
        return token

    async def _charge(self, request: web.Request) -> web.Response:
        payment = self.mandates.charge(await request.json())
        signed = hmac.new(
            KEY_SECRET.encode(), f"{payment.order_id}|{payment.id}".encode(), hashlib.sha256
        )
        return web.json_response(
            {
                "razorpay_payment_id": payment.id,
                "razorpay_order_id": payment.order_id,
                "razorpay_signature": signed.hexdigest(),
            }
        )

    async def _create_link(self, request: web.Request) -> web.Response:
        """Make a page of Razorpay at which a customer registers."""
        asked = await request.json()
        wanted = asked.get("subscription_registration") or {}
        if wanted.get("method") not in LINK_TYPES:
            raise RefusedError("The method is invalid.", field="subscription_registration")
        customer = self.mandates.create_customer(asked.get("customer", {}) | {"fail_existing": "0"})
        most = int(wanted.get("max_amount", 0))
        order = self.mandates.register(
            {
                "amount": int(asked.get("amount", 0)),
                "currency": asked.get("currency"),
                "customer_id": customer["id"],
                "method": wanted["method"],
                "receipt": asked.get("receipt"),
                "notes": asked.get("notes"),
                "token": wanted | {"max_amount": most},
            }
        )
        invoice: dict[str, Any] = {
            "id": new_id("inv"),
            "entity": "invoice",
            "receipt": asked.get("receipt"),
            "customer_id": customer["id"],
            "customer_details": customer,
            "order_id": order.id,
            "payment_id": None,
            "status": "issued",
            "expire_by": asked.get("expire_by"),
            "amount": order.amount,
            "currency": order.currency,
            "type": "link",
        }
        invoice["short_url"] = f"{self.url.removesuffix('/v1')}/i/{invoice['id']}"
        self.mandates.invoices[invoice["id"]] = invoice
        return web.json_response(invoice)

    async def _invoice(self, request: web.Request) -> web.Response:
        return web.json_response(self._link_of(request))

    async def _cancel_link(self, request: web.Request) -> web.Response:
        invoice = self._link_of(request)
        invoice["status"] = "cancelled"
        return web.json_response(invoice)

    async def _open_link(self, request: web.Request) -> web.Response:
        """Begin the payment of a link: `authorise` or `decline` ends it."""
        invoice = self._link_of(request)
        if invoice["status"] != "issued":
            return web.Response(text="This link is over.")
        registration = self.mandates.registrations[invoice["order_id"]]
        payment = self.mandates.begin(
            {
                "order_id": invoice["order_id"],
                "customer_id": invoice["customer_id"],
                "method": registration["method"],
                "amount": invoice["amount"],
                "currency": invoice["currency"],
            }
        )
        invoice["payment_id"] = payment.id
        return web.Response(text=payment.id)

    def _link_of(self, request: web.Request) -> Document:
        invoice = self.mandates.invoices.get(request.match_info["id"])
        if invoice is None:
            raise NotFoundError
        return invoice
