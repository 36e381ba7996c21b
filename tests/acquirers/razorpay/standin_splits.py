"""A stand-in of Razorpay that splits payments too: Route over HTTP.

    async with RouteStandin.running() as razorpay:
        account = razorpay.opened_account()          # activated, and old enough to get money
        ...                                          # the connector splits at razorpay.url
        razorpay.books.pay("pay_…")
        razorpay.pass_time(4 * 24 * 3600)            # transfers move, and are settled
        razorpay.events()                            # transfer.processed, settlement.processed

Everything of `standin_recurring` works here as well, and its faults and `held` do: a direct
transfer in progress is a conflict. See `standin_linked` and `standin_route` for sources and open
points. Also open: the words for a key of a direct transfer with another body, here those of
refunds.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.acquirers.razorpay.standin_answers import listed
from tests.acquirers.razorpay.standin_books import RefusedError
from tests.acquirers.razorpay.standin_linked import COOLING_S, LinkedAccounts
from tests.acquirers.razorpay.standin_records import Event
from tests.acquirers.razorpay.standin_recurring import RecurringStandin
from tests.acquirers.razorpay.standin_route import (
    KEY_ALPHABET,
    KEY_LENGTHS,
    NO_ERROR,
    Route,
    Transfer,
)
from tests.acquirers.stage import Document

SELLER: Document = {
    "email": "gaurav.kumar@example.com",
    "phone": "9000090000",
    "type": "route",
    "reference_id": "124124",
    "legal_business_name": "Acme Corp",
    "business_type": "partnership",
    "contact_name": "Gaurav Kumar",
    "profile": {
        "category": "healthcare",
        "subcategory": "clinic",
        "addresses": {
            "registered": {
                "street1": "507, Koramangala 1st block",
                "street2": "MG Road",
                "city": "Bengaluru",
                "state": "KARNATAKA",
                "postal_code": "560034",
                "country": "IN",
            }
        },
    },
    "legal_info": {"pan": "AAACL1234C", "gst": "18AABCU9603R1ZM"},
}
"""The published example of a linked account."""
BANK: Document = {
    "account_number": "1234567890123456",
    "ifsc_code": "HDFC0000317",
    "beneficiary_name": "Gaurav Kumar",
}


@dataclass
class RouteStandin(RecurringStandin):
    """Razorpay on a free port, with Route.

    direct: the account may make direct transfers, which Razorpay enables on request.
    """

    linked: LinkedAccounts = field(init=False)
    route: Route = field(init=False)
    direct: bool = True
    transfer_keys: dict[str, tuple[bytes, Document | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.linked = LinkedAccounts(lambda: int(self.clock), self._tell)
        self.route = Route(self.books, self.linked, lambda: int(self.clock))

    def opened_account(self, email: str = SELLER["email"]) -> str:
        """Return a linked account that may get money."""
        account = self.linked.create(SELLER | {"email": email})
        account["created_at"] -= COOLING_S
        asked = {"product_name": "route", "tnc_accepted": True}
        product = self.linked.request_product(account["id"], asked)
        self.linked.change_product(account["id"], product["id"], {"settlements": BANK})
        if product["activation_status"] == "under_review":
            self.linked.review(product["id"], good=True)
        return account["id"]

    def pass_time(self, seconds: float) -> None:
        """Move the clock; transfers move, and are settled when they are due."""
        super().pass_time(seconds)
        self.route.run()

    def _tell(self, name: str, found: Document) -> None:
        self.books.told.append((name, found))

    def _event(self, number: int, name: str, found: dict[str, dict[str, Any]]) -> Event:
        """Events about a linked account name that account; those of a product have data beside."""
        if not name.startswith(("product.route.", "settlement.")):
            return super()._event(number, name, found)
        kind, entity = next(iter(found.items()))
        payload = {kind: {"entity": entity}}
        if "data" in found:
            payload[kind]["data"] = found["data"]
        word = {
            "entity": "event",
            "account_id": found.get("account_id") or entity.get("merchant_id"),
            "event": name,
            "contains": [kind],
            "payload": payload,
            "created_at": int(self.clock),
        }
        body = json.dumps(word, separators=(",", ":")).encode()
        return self.signed(name, body, f"event{number:09d}")

    def _app(self) -> web.Application:
        app, own = super()._app(), self._own
        one, product = "/accounts/{id}", "/accounts/{id}/products/{pid}{end:/?}"
        for method, path, handler in (
            ("POST", "/v1/payments/{id}/transfers", self._transfer_payment),
            ("GET", "/v1/payments/{id}/transfers", self._transfers_of),
            ("GET", "/v1/orders/{id}/", self._order),
            ("POST", "/v1/transfers", self._transfer_directly),
            ("GET", "/v1/transfers", self._transfers),
            ("GET", "/v1/transfers/{id}", self._transfer),
            ("PATCH", "/v1/transfers/{id}", self._hold),
            ("POST", "/v1/transfers/{id}/reversals", self._reverse),
            ("GET", "/v1/transfers/{id}/reversals", self._reversals),
            ("POST", "/v2/accounts", self._create_account),
            ("GET", f"/v2{one}", self._account),
            ("PATCH", f"/v2{one}", self._change_account),
            ("POST", f"/v2{one}/stakeholders", self._add_stakeholder),
            ("GET", f"/v2{one}/stakeholders", self._stakeholders),
            ("GET", f"/v2{one}/stakeholders/{{sid}}", self._stakeholder),
            ("POST", f"/v2{one}/products", self._request_product),
            ("GET", f"/v2{product}", self._product),
            ("PATCH", f"/v2{product}", self._change_product),
        ):
            app.router.add_route(method, path, own(handler))
        return app

    def told(self, transfer: Transfer, *, fresh: bool = False, expanded: bool = False) -> Document:
        """Return a transfer as calls answer it; one that just began has no fees yet."""
        told = transfer.told() | {self.route.status_field: transfer.status}
        told["error"] = {**NO_ERROR, **transfer.error, "id": transfer.id}
        if fresh and not transfer.moved:
            del told["fees"], told["tax"]
            return told
        told["settlement_status"] = transfer.settlement_status
        if expanded:
            kept = self.route.settlements.get(transfer.settlement_id or "")
            told["recipient_settlement"] = kept and {
                name: each for name, each in kept.items() if name != "account_id"
            }
        return told

    async def _create_order(self, request: web.Request) -> web.Response:
        asked = await request.json()
        wanted = asked.get("transfers")
        if not wanted:
            return await super()._create_order(request)
        if asked.get("partial_payment"):  # the words are open
            raise RefusedError("Transfers are not allowed with partial payment.")
        if asked.get("currency") != "INR":
            raise RefusedError("The currency should be INR for transfers", field="currency")
        self.route.check(wanted, asked.get("amount") or 0)
        order = self.books.create_order(asked)
        made = self.route.add(order.id, wanted, "created")
        return web.json_response(
            self._shown(order) | {"transfers": [self.told(each, fresh=True) for each in made]}
        )

    async def _order(self, request: web.Request) -> web.Response:
        order = self.books.order(request.match_info["id"])
        if request.query.get("expand[]") != "transfers":
            return await super()._order(request)
        self._worked()
        found = [self.told(each) for each in self.route.transfers.values()]
        items = [each for each in found if each["source"] == order.id]
        items_ = {"entity": "collection", "count": len(items), "items": items}
        return web.json_response(self._shown(order) | {"transfers": items_})

    def _worked(self) -> None:
        if self.route.processes:
            self.route.run()

    async def _refund(self, request: web.Request) -> web.Response:
        """Refund, and take the parts back when that is asked; a repeated key takes nothing."""
        asked = await request.json()
        again = request.headers.get("X-Refund-Idempotency") in self.keys
        if again or not asked.get("reverse_all"):
            return await super()._refund(request)
        payment = self.books.payment(request.match_info["id"])
        left = payment.amount - payment.amount_refunded
        parts = self.route.reversed_by(payment, asked.get("amount", left))
        answer = await super()._refund(request)
        assert isinstance(answer.body, bytes)
        for transfer, paise in parts:
            self.route.reverse(transfer, paise, json.loads(answer.body)["id"])
        return answer

    async def _transfer_payment(self, request: web.Request) -> web.Response:
        made = self.route.transfer_payment(request.match_info["id"], await request.json())
        items = [self.told(each, fresh=True) for each in made]
        return web.json_response({"entity": "collection", "count": len(items), "items": items})

    async def _transfers_of(self, request: web.Request) -> web.Response:
        payment = self.books.payment(request.match_info["id"])
        self._worked()
        return listed([self.told(each) for each in self.route.of_payment(payment)], request)

    async def _transfer_directly(self, request: web.Request) -> web.Response:
        if not self.direct:
            raise RefusedError("The requested URL was not found on the server.")
        key, body = request.headers.get("X-Transfer-Idempotency"), await request.read()
        if key is None:
            return web.json_response(self.told(self.route.transfer_directly(json.loads(body))))
        if not KEY_LENGTHS[0] <= len(key) <= KEY_LENGTHS[1] or not set(key) <= KEY_ALPHABET:
            raise RefusedError("The idempotency key is invalid.")  # the words are open
        before, answer = self.transfer_keys.get(key, (body, {}))
        if before != body:
            said = "Different request with the same idempotency key has already been processed."
            raise RefusedError(said)
        if answer is None:
            said = "Another request with the same idempotency key is still in progress."
            raise RefusedError(said, status=409)
        if answer:  # in its present state, or as it was, is open: here as it is now
            return web.json_response(self.told(self.route.transfers[answer["id"]]))
        self.transfer_keys[key] = (body, None)
        try:
            if self.held is not None:
                await self.held.wait()
            answer = self.told(self.route.transfer_directly(json.loads(body)))
        except RefusedError:  # whether a refusal is kept under the key is open: here it is not
            del self.transfer_keys[key]
            raise
        self.transfer_keys[key] = (body, answer)
        return web.json_response(answer)

    async def _transfers(self, request: web.Request) -> web.Response:
        self._worked()
        wanted = request.query.get("recipient_settlement_id")
        expanded = request.query.get("expand[]") == "recipient_settlement"
        found = [
            self.told(each, expanded=expanded)
            for each in reversed(self.route.transfers.values())
            if wanted is None or each.settlement_id == wanted
        ]
        return listed(found, request)

    def _one(self, request: web.Request) -> Transfer:
        self._worked()
        found = self.route.transfers.get(request.match_info["id"])
        if found is None:
            raise RefusedError(f"{request.match_info['id']} is not a valid id")
        return found

    async def _transfer(self, request: web.Request) -> web.Response:
        return web.json_response(self.told(self._one(request)))

    async def _hold(self, request: web.Request) -> web.Response:
        transfer = self._one(request)
        self.route.hold(transfer, await request.json())
        return web.json_response(self.told(transfer))

    async def _reverse(self, request: web.Request) -> web.Response:
        transfer = self._one(request)
        asked = json.loads(await request.read() or b"{}")
        made = self.route.reverse(transfer, asked.get("amount"))
        made["notes"] = asked.get("notes") or []
        return web.json_response(made)

    async def _reversals(self, request: web.Request) -> web.Response:
        number = self._one(request).id
        found = [each for each in self.route.reversals if each["transfer_id"] == number]
        return listed([each | {"utr": None} for each in found], request)

    async def _create_account(self, request: web.Request) -> web.Response:
        return web.json_response(self.linked.create(await request.json()))

    async def _account(self, request: web.Request) -> web.Response:
        return web.json_response(self.linked.account(request.match_info["id"]))

    async def _change_account(self, request: web.Request) -> web.Response:
        return web.json_response(self.linked.change(request.match_info["id"], await request.json()))

    async def _add_stakeholder(self, request: web.Request) -> web.Response:
        return web.json_response(
            self.linked.add_stakeholder(request.match_info["id"], await request.json())
        )

    async def _stakeholders(self, request: web.Request) -> web.Response:
        account = self.linked.account(request.match_info["id"])["id"]
        found = [
            self.linked.stakeholder(account, number)
            for number, each in self.linked.stakeholders.items()
            if each["account_id"] == account
        ]
        return listed(found, request)

    async def _stakeholder(self, request: web.Request) -> web.Response:
        return web.json_response(
            self.linked.stakeholder(request.match_info["id"], request.match_info["sid"])
        )

    async def _request_product(self, request: web.Request) -> web.Response:
        return web.json_response(
            self.linked.request_product(request.match_info["id"], await request.json())
        )

    async def _product(self, request: web.Request) -> web.Response:
        return web.json_response(
            self.linked.product(request.match_info["id"], request.match_info["pid"])
        )

    async def _change_product(self, request: web.Request) -> web.Response:
        named = (request.match_info["id"], request.match_info["pid"])
        return web.json_response(self.linked.change_product(*named, await request.json()))
