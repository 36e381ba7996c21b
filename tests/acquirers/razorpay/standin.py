"""A stand-in of Razorpay's server.

Their HTTP over `standin_books`, with pages, webhooks and faults.

A test plays the customer with `books` or at the pages, and the network with `faults`. It says when
webhooks go.
"""

import asyncio
import hashlib
import hmac
import json
from base64 import b64encode
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import ClientSession, web

from tests.acquirers.razorpay.standin_answers import (
    BANKS,
    EMI_OPTIONS,
    WALLETS,
    Fault,
    broken_answer,
    details,
    listed,
    next_steps,
    page,
    refused,
    spoilt,
)
from tests.acquirers.razorpay.standin_books import (
    CANCELLED,
    FAILURE,
    KEY_ALPHABET,
    KEY_LENGTH_MIN,
    Books,
    NotFoundError,
    Payment,
    RefusedError,
)
from tests.acquirers.razorpay.standin_money import Money
from tests.acquirers.razorpay.standin_records import Event, Seen

KEY_ID = "rzp_test_standin"
KEY_SECRET = "the key secret of the stand-in"
WEBHOOK_SECRET = "the webhook secret of the stand-in"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Standin:
    """Razorpay on a free port. url: what connectors are configured with, ending in /v1.

    faults: by what a path ends with, what its next calls get. held: refunds wait while it is set.
    """

    books: Books = field(default_factory=Books)
    money: Money = field(init=False)
    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    faults: dict[str, deque[Fault]] = field(default_factory=dict)
    other_body_status: int = 400
    """Of a refund's key with another body: the prose of their page says 400, its table 409."""
    held: asyncio.Event | None = None
    emi_options: dict[str, Any] = field(default_factory=lambda: dict(EMI_OPTIONS))
    keys: dict[str, tuple[bytes, dict[str, Any] | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.money = Money(self.books)

    @classmethod
    @asynccontextmanager
    async def running(cls, **settings: Any) -> AsyncIterator[Self]:
        """Serve until the block ends."""
        standin = cls(**settings)
        runner = web.AppRunner(standin._app())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        standin.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            yield standin
        finally:
            await runner.cleanup()

    def events(self) -> list[Event]:
        """Return a webhook for everything that happened so far, in its order.

        The caller sends them as it likes.
        """
        return [
            self._event(number, name, found) for number, (name, found) in enumerate(self.books.told)
        ]

    def _event(self, number: int, name: str, found: dict[str, dict[str, Any]]) -> Event:
        payload = {kind: {"entity": each} for kind, each in found.items()}
        word = {
            "entity": "event",
            "account_id": "acc_BFQ7uQEaa7j2z7",
            "event": name,
            "contains": list(payload),
        }
        body = json.dumps(
            word | {"payload": payload, "created_at": 1567674606}, separators=(",", ":")
        ).encode()
        return self.signed(name, body, f"event{number:09d}")

    def signed(
        self, name: str, body: bytes, event_id: str = "eventofatest00", secret: str = WEBHOOK_SECRET
    ) -> Event:
        """Sign a webhook's body."""
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", "X-Razorpay-Signature": signature}
        return Event(name, headers | {"x-razorpay-event-id": event_id}, body)

    async def send(self, event: Event, to: str) -> int:
        """Post a webhook, and return the status of the answer."""
        async with (
            ClientSession() as http,
            http.post(to, data=event.body, headers=event.headers) as answer,
        ):
            return answer.status

    def _app(self) -> web.Application:
        @web.middleware
        async def received(request: web.Request, handler: _Handler) -> web.StreamResponse:
            return await self._received(request, handler)

        app = web.Application(middlewares=[received])
        own, public = self._own, self._public
        for method, path, handler in (
            ("POST", "/orders", own(self._create_order)),
            ("GET", "/orders", own(self._list_orders)),
            ("GET", "/orders/{id}", own(self._order)),
            ("GET", "/orders/{id}/payments", own(self._payments)),
            ("POST", "/payments/create/json", own(self._create_json)),
            ("POST", "/payments/create/upi", own(self._create_upi)),
            ("GET", "/payments", own(self._payments)),
            ("GET", "/payments/{id}", own(self._payment)),
            ("POST", "/payments/{id}/capture", own(self._capture)),
            ("POST", "/payments/{id}/refund", own(self._refund)),
            ("GET", "/payments/{id}/refunds", own(self._refunds)),
            ("GET", "/payments/{id}/refunds/{rid}", own(self._refund_of)),
            ("GET", "/refunds/{rid}", own(self._refund_of)),
            ("GET", "/disputes", own(self.money.list)),
            ("GET", "/disputes/{id}", own(self.money.show)),
            ("POST", "/disputes/{id}/accept", own(self.money.accept)),
            ("PATCH", "/disputes/{id}/contest", own(self.money.contest)),
            ("POST", "/documents", own(self.money.upload)),
            ("GET", "/settlements/recon/combined", own(self.money.report)),
            ("GET", "/methods", public(self._methods)),
            ("POST", "/checkout/embedded", self._checkout),
            ("POST", "/checkout/{id}", self._at_checkout),
            ("GET", "/payments/{id}/authenticate", self._bank_page),
            ("GET", "/payments/{id}/authorize", self._bank_page),
            ("POST", "/payments/{id}/bank", self._at_bank),
        ):
            app.router.add_route(method, "/v1" + path, handler)
        return app

    async def _received(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Keep the call, and play the fault that is due."""
        self.seen.append(
            Seen(request.method, request.path_qs, dict(request.headers), await request.read())
        )
        due = next(
            (each for end, each in self.faults.items() if each and request.path.endswith(end)),
            deque(),
        )
        fault = due.popleft() if due else None
        broken = broken_answer(request, fault)
        if broken is not None:
            return broken
        try:
            answer = await handler(request)
        except RefusedError as error:
            answer = refused(error)
        except web.HTTPNotFound:
            answer = refused(RefusedError("The requested URL was not found on the server."))
        return spoilt(request, answer, fault)

    def _own(self, handler: _Handler) -> _Handler:
        """Ask for key and secret first."""
        return self._with(f"{KEY_ID}:{KEY_SECRET}", handler)

    def _public(self, handler: _Handler) -> _Handler:
        """Ask for the key alone.

        With its secret the call is refused, as the page of the Methods API says.
        """
        return self._with(f"{KEY_ID}:", handler)

    def _with(self, pair: str, handler: _Handler) -> _Handler:
        expected = "Basic " + b64encode(pair.encode()).decode()

        async def checked(request: web.Request) -> web.StreamResponse:
            if request.headers.get("Authorization") != expected:
                raise RefusedError("The api key provided is invalid", status=401)
            return await handler(request)

        return checked

    async def _create_order(self, request: web.Request) -> web.Response:
        return web.json_response(self.books.create_order(await request.json()).document())

    async def _list_orders(self, request: web.Request) -> web.Response:
        receipt = request.query.get("receipt")
        found = [
            each
            for each in self.books.orders.values()
            if receipt is None or each.receipt == receipt
        ]
        return listed([each.document() for each in reversed(found)], request)

    async def _order(self, request: web.Request) -> web.Response:
        return web.json_response(self.books.order(request.match_info["id"]).document())

    async def _payments(self, request: web.Request) -> web.Response:
        of, every = request.match_info.get("id"), list(self.books.payments.values())[::-1]
        found = self.books.payments_of(self.books.order(of).id) if of else every
        return listed([each.document() for each in found], request)

    async def _payment(self, request: web.Request) -> web.Response:
        expanded = request.query.get("expand[]") == "emi"
        return web.json_response(
            self.books.payment(request.match_info["id"]).document(expanded=expanded)
        )

    async def _create_upi(self, request: web.Request) -> web.Response:
        payment = self._intent(await request.json())
        return web.json_response({"razorpay_payment_id": payment.id, "link": payment.link})

    def _intent(self, asked: dict[str, Any]) -> Payment:
        if asked.get("method") != "upi" or (asked.get("upi") or {}).get("flow") != "intent":
            raise RefusedError("The flow field is invalid.", field="upi")
        payment = self.books.create_payment(
            asked, {"upi": {"vpa": "gaurav.kumar@upi"}, "vpa": "gaurav.kumar@upi"}
        )
        rupees = f"{payment.amount // 100}.{payment.amount % 100:02d}"
        link = {
            "pa": "acme.rzp@icici",
            "pn": "Acme",
            "tr": payment.id[4:],
            "am": rupees,
            "cu": "INR",
            "mc": "5411",
        }
        payment.link = "upi://pay?" + urlencode(link, safe="@")
        return payment

    async def _create_json(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if asked.get("method") == "upi":
            payment = self._intent(asked)
            poll = {"action": "poll", "url": f"{self.url}/payments/{payment.id}"}
            return next_steps(payment, [{"action": "intent", "url": payment.link}, poll])
        payment = self.books.create_payment(asked, details(asked, self.emi_options))
        by_card = payment.method in {"card", "emi"}
        step = "authenticate" if by_card else "authorize"
        steps = [{"action": "redirect", "url": f"{self.url}/payments/{payment.id}/{step}"}]
        if by_card:
            otp = (
                f"{self.url}/payments/{payment.id}/otp_generate?track_id={payment.id[4:]}&"
                f"key_id={KEY_ID}"
            )
            steps.append({"action": "otp_generate", "url": otp})
        return next_steps(payment, steps)

    async def _capture(self, request: web.Request) -> web.Response:
        return web.json_response(
            self.books.capture(request.match_info["id"], await request.json()).document()
        )

    async def _refund(self, request: web.Request) -> web.Response:
        key, body = request.headers.get("X-Refund-Idempotency", ""), await request.read()
        if not key:
            return web.json_response(
                self.books.refund(request.match_info["id"], json.loads(body), "").document()
            )
        if len(key) < KEY_LENGTH_MIN:
            raise RefusedError("The idempotency key must be at least 10 characters long.")
        if not set(key) <= KEY_ALPHABET:
            raise RefusedError(
                "The idempotency key must only contain alphanumeric characters, "
                "underscores, and hyphens"
            )
        asked = request.path.encode() + body
        before, answer = self.keys.get(key, (asked, {}))
        if before != asked:
            said = "Different request with the same idempotency key has already been processed."
            raise RefusedError(said, status=self.other_body_status)
        if answer is None:
            raise RefusedError(
                "Another request with the same idempotency key is still in progress.", status=409
            )
        if not answer:
            self.keys[key] = (asked, None)
            try:
                if self.held is not None:
                    await self.held.wait()
                answer = self.books.refund(
                    request.match_info["id"], json.loads(body), key
                ).document()
                self.keys[key] = (asked, answer)
            except RefusedError:  # whether a refusal is kept under the key is open: here it is not
                del self.keys[key]
                raise
        return web.json_response(answer)

    async def _refunds(self, request: web.Request) -> web.Response:
        payment = self.books.payment(request.match_info["id"])
        found = [
            each.document() for each in self.books.refunds.values() if each.payment_id == payment.id
        ]
        return listed(found[::-1], request)

    async def _refund_of(self, request: web.Request) -> web.Response:
        refund = self.books.refunds.get(request.match_info["rid"])
        if refund is None or request.match_info.get("id", refund.payment_id) != refund.payment_id:
            raise NotFoundError
        return web.json_response(refund.document())

    async def _methods(self, request: web.Request) -> web.Response:
        emi = {"emi": True, "emi_subvention": "customer", "emi_options": self.emi_options}
        cards = {"card": True, "debit_card": True, "credit_card": True, "upi": True}
        return web.json_response(
            {"entity": "methods", **cards, "netbanking": BANKS, "wallet": WALLETS, **emi}
        )

    async def _checkout(self, request: web.Request) -> web.Response:
        """Show the hosted page; its form fields travel on, as a customer may try several times."""
        asked = {name: str(value) for name, value in (await request.post()).items()}
        order = self.books.order(asked.get("order_id", ""))
        if asked.get("key_id") != KEY_ID:
            raise RefusedError("The api key provided is invalid", status=401)
        for name in (
            "name",
            "amount",
            "currency",
            "prefill[email]",
            "prefill[contact]",
            "callback_url",
        ):
            if not asked.get(name):
                raise RefusedError(f"The {name} field is required.", field=name)
        return page(
            f"{self.url}/checkout/{order.id}", asked, ("success", "failure", "retry", "back")
        )

    async def _at_checkout(self, request: web.Request) -> web.Response:
        """Do what the customer chose: retry is a failure after which the page stays open."""
        asked = {name: str(value) for name, value in (await request.post()).items()}
        chosen = asked.pop("outcome")
        if chosen == "back":
            raise web.HTTPFound(asked.get("cancel_url") or asked["callback_url"])
        who = {"email": asked["prefill[email]"], "contact": asked["prefill[contact]"]}
        method = asked.get("method") or "card"
        notes = {
            name[len("notes[") : -1]: each
            for name, each in asked.items()
            if name.startswith("notes[")
        }
        wanted = {**asked, **who, "method": method, "amount": int(asked["amount"]), "notes": notes}
        payment = self.books.create_payment(
            wanted, details({**wanted, "method": method}, self.emi_options)
        )
        if chosen == "retry":
            self.books.fail(payment.id)
            return page(str(request.url), asked, ("success", "failure", "retry", "back"))
        return self._ended(payment, chosen)

    async def _bank_page(self, request: web.Request) -> web.Response:
        payment = self.books.payment(request.match_info["id"])
        return page(f"{self.url}/payments/{payment.id}/bank", {}, ("success", "failure", "back"))

    async def _at_bank(self, request: web.Request) -> web.Response:
        payment = self.books.payment(request.match_info["id"])
        return self._ended(payment, str((await request.post())["outcome"]))

    def _ended(self, payment: Payment, chosen: str) -> web.Response:
        """End a payment, and send the browser to the callback with a form."""
        if chosen == "success":
            self.books.pay(payment.id)
            signed = hmac.new(
                KEY_SECRET.encode(), f"{payment.order_id}|{payment.id}".encode(), hashlib.sha256
            )
            known = {"razorpay_payment_id": payment.id, "razorpay_order_id": payment.order_id}
            return page(payment.callback_url, known | {"razorpay_signature": signed.hexdigest()})
        error = self.books.fail(payment.id, FAILURE if chosen == "failure" else CANCELLED).error
        fields = {
            f"error[{name.removeprefix('error_')}]": str(value) for name, value in error.items()
        }
        about = json.dumps({"payment_id": payment.id, "order_id": payment.order_id})
        return page(payment.callback_url, fields | {"error[metadata]": about})
