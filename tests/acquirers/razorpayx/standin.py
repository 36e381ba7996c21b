"""A stand-in of RazorpayX: payouts, account checks, balances and a statement over HTTP.

Written from razorpay/markdown-docs at ab3bda5, by a hand that has not read the connector. See
`standin_books` and `standin_checks` for what that text leaves open.

    async with RazorpayX.running() as x:
        x.new_account("7878780080316316", 10_000_000)   # paise
        ...                                             # the connector calls x.url
        x.payouts.settle("10001_P1")                    # by our reference or by the payout's id
        x.pass_time(3 * 86_400)
        x.payouts.reverse("10001_P1", "bank_account_frozen")
        await x.send(x.events()[-1], "http://gateway/callbacks/…")

Payouts stay `processing` until a test moves them, as in their test mode.
"""

import hashlib
import hmac
import json
from base64 import b64encode
from typing import Any, TypeVar

from aiohttp import web

from tests.acquirers.razorpayx.standin_books import (
    KEY,
    KEY_DAYS_S,
    Account,
    Books,
    new_id,
    not_found,
    refusal,
)
from tests.acquirers.razorpayx.standin_checks import Checks
from tests.acquirers.razorpayx.standin_payouts import Payouts
from tests.acquirers.stage import Document, Handler, Stage, StandinError, Webhook

KEY_ID = "rzp_test_xstandin"
KEY_SECRET = "the key secret of the stand-in of RazorpayX"
WEBHOOK_SECRET = "the webhook secret of the stand-in of RazorpayX"
ACCOUNT_NUMBER = "7878780080316316"
COUNT, COUNT_MOST = 10, 100
Kept = TypeVar("Kept")
UNKNOWN_TYPE = "The selected account type is invalid."


class RazorpayX(Stage):
    """The server. books, payouts and checks: what a test plays; url: ends in /v1 of `base`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__()
        self.books = Books(lambda: self.now, **settings)
        self.payouts = Payouts(self.books)
        self.checks = Checks(self.books)
        self.keys: dict[str, tuple[Document, str, int]] = {}

    @property
    def base(self) -> str:
        """What connectors are configured with."""
        return f"{self.url}/v1"

    def new_account(
        self, number: str = ACCOUNT_NUMBER, paise: int = 0, kind: str = "current_account"
    ) -> Account:
        return self.books.open_account(number, paise, kind)

    def events(self) -> list[Webhook]:
        """Return a webhook for everything that happened so far, in its order."""
        return [self._event(number, *each) for number, each in enumerate(self.books.told)]

    def downtime(self, bank: str, *, resolved: bool = False) -> None:
        """Say that a beneficiary's bank is down, or no longer is."""
        status = "resolved" if resolved else "started"
        entity = {
            "id": new_id("poutdown"),
            "entity": "payout.downtime",
            "scheduled": False,
            "method": ["IMPS"],
            "begin": self.now,
            "end": self.now if resolved else None,
            "status": status,
            "source": "beneficiary",
            "instrument": {"bank": bank},
            "created_at": self.now,
            "updated_at": self.now,
        }
        self.books.told.append((f"payout.downtime.{status}", "payout.downtime", entity))

    def signed(
        self, name: str, body: bytes, event_id: str = "eventofatest00", secret: str = WEBHOOK_SECRET
    ) -> Webhook:
        """Sign a webhook's body: hex HMAC-SHA256 of the raw body."""
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", "X-Razorpay-Signature": signature}
        return Webhook(name, headers | {"x-razorpay-event-id": event_id}, body)

    def _event(self, number: int, name: str, kind: str, entity: Document) -> Webhook:
        said = {
            "entity": "event",
            "account_id": "acc_BfVUrG6tDiL7H0",
            "event": name,
            "contains": [kind],
            "payload": {kind: {"entity": entity}},
            "created_at": self.now,
        }
        return self.signed(
            name, json.dumps(said, separators=(",", ":")).encode(), f"eventx{number:08d}"
        )

    def trouble_document(self, status: int) -> Document:
        said = {
            429: "Request failed. Please try after sometime.",
            403: "Transactions from this IP are not allowed. Contact support for help.",
        }.get(
            status,
            "We are facing some trouble completing your request at the moment. "
            "Please try again shortly.",
        )
        document = refusal(said).document
        if status >= web.HTTPInternalServerError.status_code:
            document["error"] |= {"code": "SERVER_ERROR", "source": "internal"}
        return document

    def unlisted(self) -> StandinError:
        """Refuse as errors/x.md words it; that the status is 400 is open."""
        return StandinError(400, self.trouble_document(403))

    def routes(self, app: web.Application) -> None:
        for method, path, handler in (
            ("POST", "/contacts", self._create_contact),
            ("GET", "/contacts", self._list_contacts),
            ("GET", "/contacts/{id}", self._contact),
            ("PATCH", "/contacts/{id}", self._contact),
            ("POST", "/fund_accounts", self._create_fund_account),
            ("GET", "/fund_accounts", self._list_fund_accounts),
            ("POST", "/fund_accounts/validations", self._validate),
            ("GET", "/fund_accounts/validations", self._validations),
            ("GET", "/fund_accounts/validations/{id}", self._validation),
            ("GET", "/fund_accounts/{id}", self._fund_account),
            ("PATCH", "/fund_accounts/{id}", self._fund_account),
            ("POST", "/payouts", self._create_payout),
            ("GET", "/payouts", self._list_payouts),
            ("GET", "/payouts/{id}", self._payout),
            ("POST", "/payouts/{id}/cancel", self._cancel),
            ("GET", "/banking_balances", self._balances),
            ("GET", "/transactions", self._list_transactions),
            ("GET", "/transactions/{id}", self._transaction),
        ):
            app.router.add_route(method, "/v1" + path, self._own(handler))

    def _own(self, handler: Handler) -> Handler:
        expected = "Basic " + b64encode(f"{KEY_ID}:{KEY_SECRET}".encode()).decode()

        async def checked(request: web.Request) -> web.StreamResponse:
            if request.headers.get("Authorization") != expected:
                raise refusal("Authentication failed", status=401, reason="authentication_failed")
            return await handler(request)

        return checked

    async def _create_contact(self, request: web.Request) -> web.Response:
        return web.json_response(self.books.add_contact(await request.json()))

    async def _list_contacts(self, request: web.Request) -> web.Response:
        named = ("name", "email", "contact", "reference_id", "type")
        return _listed(list(self.books.contacts.values())[::-1], request, named)

    async def _contact(self, request: web.Request) -> web.Response:
        return await _shown_or_changed(self.books.contacts, request)

    async def _create_fund_account(self, request: web.Request) -> web.Response:
        asked = await request.json()
        return web.json_response(self.books.add_fund_account(asked.get("contact_id"), asked))

    async def _list_fund_accounts(self, request: web.Request) -> web.Response:
        found = list(self.books.fund_accounts.values())[::-1]
        return _listed(found, request, ("contact_id", "account_type"))

    async def _fund_account(self, request: web.Request) -> web.Response:
        return await _shown_or_changed(self.books.fund_accounts, request)

    async def _create_payout(self, request: web.Request) -> web.Response:
        """Make a payout once a key, which answers with its present state for 7 days."""
        key, asked = request.headers.get("X-Payout-Idempotency", ""), await request.json()
        if not key:
            raise refusal(
                "Idempotency key is missing. Include idempotency header and key in the request.",
                "X-Payout-Idempotency",
                reason="null",
            )
        if not KEY.match(key):
            raise refusal("The idempotency key format is invalid.", "X-Payout-Idempotency")
        before = self.keys.get(key)
        if before and self.now - before[2] < KEY_DAYS_S:
            if before[0] != asked:
                raise refusal("Different request body sent for the same Idempotency Header.")
            return web.json_response(self.books.payouts[before[1]].document())
        composite = bool(asked.get("fund_account"))
        if composite:
            fund = asked["fund_account"]
            contact = self.books.add_contact(fund.get("contact") or {})
            fund_account = self.books.add_fund_account(contact["id"], fund)
            fund_account = fund_account | {"contact": contact}
        else:
            fund_account = self.books.fund_accounts.get(asked.get("fund_account_id", ""))
            if fund_account is None:
                raise not_found()
        payout = self.payouts.create(asked, fund_account, composite=composite)
        self.keys[key] = (asked, payout.id, self.now)
        return web.json_response(payout.document())

    async def _list_payouts(self, request: web.Request) -> web.Response:
        account = self.books.account(request.query.get("account_number"))
        found = [
            each.document() | {"contact_id": each.fund_account["contact_id"]}
            for each in reversed(self.books.payouts.values())
            if each.account is account
        ]
        named = ("contact_id", "fund_account_id", "mode", "reference_id", "status")
        return _listed(found, request, named, hidden="contact_id")

    async def _payout(self, request: web.Request) -> web.Response:
        return web.json_response(_found(self.books.payouts, request).document())

    async def _cancel(self, request: web.Request) -> web.Response:
        payout = self.payouts.cancel(_found(self.books.payouts, request))
        return web.json_response(payout.document())

    async def _balances(self, request: web.Request) -> web.Response:
        kind = request.query.get("account_type")
        if kind not in {None, "current_account", "razorpayx_lite"}:
            raise refusal(UNKNOWN_TYPE, "account_type")
        found = [each.document() for each in self.books.accounts.values()]
        return _listed(found, request, ("account_type", "bank_code"))

    async def _list_transactions(self, request: web.Request) -> web.Response:
        self.books.account(request.query.get("account_number"))
        return _listed(self.books.transactions[::-1], request, ("account_number",))

    async def _transaction(self, request: web.Request) -> web.Response:
        return web.json_response(
            _found({each["id"]: each for each in self.books.transactions}, request)
        )

    async def _validate(self, request: web.Request) -> web.Response:
        return web.json_response(self.checks.create(await request.json()))

    async def _validations(self, request: web.Request) -> web.Response:
        account = self.books.account(request.query.get("account_number"))
        return _listed(self.checks.of_account(account.number), request)

    async def _validation(self, request: web.Request) -> web.Response:
        return web.json_response(self.checks.one(request.match_info["id"]))


def _found(kept: dict[str, Kept], request: web.Request) -> Kept:
    if request.match_info["id"] not in kept:
        raise not_found()
    return kept[request.match_info["id"]]


async def _shown_or_changed(kept: dict[str, Document], request: web.Request) -> web.Response:
    found = _found(kept, request)
    if request.method == "PATCH":
        found.update(await request.json())
    return web.json_response(found)


def _listed(
    items: list[Document], request: web.Request, filters: tuple[str, ...] = (), hidden: str = ""
) -> web.Response:
    """Return a collection: filtered, from and to, then skip and count."""
    asked = request.query
    count = asked.get("count", str(COUNT))
    if not count.isdigit():
        raise refusal("The count must be an integer.", "count")
    if int(count) > COUNT_MOST:
        raise refusal("The count may not be greater than 100.", "count")
    least, most = int(asked.get("from", 0)), int(asked.get("to", 1 << 40))
    found = [
        {name: value for name, value in each.items() if name != hidden}
        for each in items
        if all(name not in asked or str(each.get(name)) == asked[name] for name in filters)
        and least <= each.get("created_at", least) <= most
    ]
    skip = int(asked.get("skip", 0))
    shown = found[skip : skip + int(count)]
    return web.json_response({"entity": "collection", "count": len(shown), "items": shown})
