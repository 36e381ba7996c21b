"""A stand-in of Cashfree Payouts v2 and of Cashfree's checks of bank accounts, over HTTP.

Written by a hand that has not read the connector; see `standin_books` and `standin_checks` for the
sources and for what they leave open.

    async with CashfreePayouts.running(paise=10_000_000) as cashfree:
        ...                                        # the connector calls cashfree.payouts_url
        cashfree.transfers.send_on("10001_P1")     # debited, the credit is not confirmed
        cashfree.transfers.settle("10001_P1")
        cashfree.pass_time(2 * 86_400)
        cashfree.transfers.reverse("10001_P1")
        await cashfree.send(cashfree.events()[-1], "http://gateway/callbacks/…")

With `sandbox=True` the accounts of their sandbox have their fates; else a transfer stays RECEIVED
until a test moves it. With `addresses` set, a call from elsewhere needs `x-cf-signature`.
"""

import base64
import hashlib
import hmac
import json
import secrets
from datetime import datetime
from decimal import Decimal
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.acquirers.cashfree_payouts.standin_books import IST, Books, refusal
from tests.acquirers.cashfree_payouts.standin_checks import Checks, signed_within
from tests.acquirers.cashfree_payouts.standin_transfers import SANDBOX, Transfers
from tests.acquirers.stage import Document, Handler, Stage, StandinError, Webhook

CLIENT_ID = "CF0000STANDIN"
CLIENT_SECRET = "cfsk_ma_test_standin"
API_VERSION = "2024-01-01"
TOKEN_S = 360
SIGNATURE_S = 600
OAEP = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)  # noqa: S303 Cashfree takes no other


class CashfreePayouts(Stage):
    """The server. books, transfers and checks: what a test plays.

    secrets_of_webhooks: the active secrets, oldest first; webhooks are signed with the first.
    """

    def __init__(self, *, sandbox: bool = False, **settings: Any) -> None:
        super().__init__()
        self.books = Books(lambda: self.clock, **settings)
        if sandbox:
            self.books.fates = dict(SANDBOX)
        self.transfers = Transfers(self.books)
        self.checks = Checks(self.books)
        self.active_secrets = [CLIENT_SECRET]
        self.enabled = True
        self.tokens: dict[str, float] = {}
        self._key: rsa.RSAPrivateKey | None = None

    @property
    def payouts_url(self) -> str:
        return f"{self.url}/payout"

    @property
    def verification_url(self) -> str:
        return f"{self.url}/verification"

    @property
    def public_key(self) -> str:
        """The key of Cashfree that a merchant without listed addresses signs for."""
        if self._key is None:
            self._key = rsa.generate_private_key(65537, 2048)
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self._key.public_key().public_bytes(serialization.Encoding.PEM, form).decode()

    def events(self) -> list[Webhook]:
        """Return a webhook of version 2 for everything that happened so far, in its order."""
        told = [self.signed(kind, self._frame(kind, data)) for kind, data in self.books.told]
        return told + [self._check_event(kind, data) for kind, data in self.checks.told]

    def signed(self, name: str, body: bytes, secret: str = "") -> Webhook:
        """Sign a body: base64 HMAC-SHA256 of the timestamp and the raw body."""
        stamp = str(int(self.clock * 1000))
        made = hmac.new(
            (secret or self.active_secrets[0]).encode(), stamp.encode() + body, hashlib.sha256
        )
        headers = {
            "Content-Type": "application/json",
            "x-webhook-timestamp": stamp,
            "x-webhook-signature": base64.b64encode(made.digest()).decode(),
            "x-webhook-version": "2024-01-01",
        }
        return Webhook(name, headers, body)

    def _frame(self, kind: str, data: Document) -> bytes:
        hour = datetime.fromtimestamp(self.clock, IST).strftime("%Y-%m-%dT%H:%M:%S")
        return json.dumps({"data": data, "event_time": hour, "type": kind}).encode()

    def _check_event(self, kind: str, data: Document) -> Webhook:
        hour = datetime.fromtimestamp(self.clock, IST).strftime("%Y-%m-%d %H:%M:%S")
        said = {"event_type": kind, "event_time": hour, "version": "v2", "data": data}
        within = signed_within(data, self.active_secrets[0])
        return self.signed(kind, json.dumps({"signature": within} | said).encode())

    def trouble_document(self, status: int) -> Document:
        if status == web.HTTPTooManyRequests.status_code:
            return refusal("too_many_requests", "too many requests").document
        return refusal(
            "internal_server_error", "Error at cashfree's server", kind="api_error"
        ).document

    def unlisted(self) -> StandinError:
        return refusal(
            "ip_not_whitelisted",
            "IP not whitelisted",
            status=403,
            kind="authentication_error",
        )

    def routes(self, app: web.Application) -> None:
        for method, path, handler in (
            ("POST", "/payout/beneficiary", self._create_beneficiary),
            ("GET", "/payout/beneficiary", self._beneficiary),
            ("DELETE", "/payout/beneficiary", self._delete_beneficiary),
            ("POST", "/payout/transfers", self._create_transfer),
            ("GET", "/payout/transfers", self._transfer),
            ("POST", "/payout/transfers/batch", self._create_batch),
            ("GET", "/payout/transfers/batch", self._batch),
            ("POST", "/verification/bank-account/sync", self._sync),
            ("POST", "/verification/bank-account/async", self._async),
            ("GET", "/verification/bank-account", self._check_status),
            ("POST", "/verification/upi", self._vpa),
        ):
            app.router.add_route(method, path, self._own(handler))
        app.router.add_post("/payout/v1/authorize", self._authorize)
        app.router.add_get("/payout/v1/getBalance", self._balance)
        app.router.add_get("/payout/v1.2/getBalance", self._balance)

    def is_listed(self, request: web.Request) -> bool:
        signature = request.headers.get("x-cf-signature")
        return super().is_listed(request) or bool(signature and self._is_ours(signature))

    def _is_ours(self, signature: str) -> bool:
        """Return whether a signature is of our client id, and of the last ten minutes."""
        if self._key is None:
            return False
        said = self._key.decrypt(base64.b64decode(signature), OAEP).decode()
        client, _, stamp = said.partition(".")
        return client == CLIENT_ID and abs(self.clock - int(stamp)) < SIGNATURE_S

    def _is_known(self, request: web.Request) -> bool:
        pair = (request.headers.get("x-client-id"), request.headers.get("x-client-secret"))
        return pair in {(CLIENT_ID, each) for each in self.active_secrets}

    def _own(self, handler: Handler) -> Handler:
        async def checked(request: web.Request) -> web.StreamResponse:
            if not self._is_known(request):
                raise refusal(
                    "internal_server_error",
                    "Unable to authenticate the request.",
                    status=500,
                    kind="authentication_error",
                )
            if not self.enabled:
                raise refusal("apis_not_enabled", "APIs not enabled.", status=403)
            return await handler(request)

        return checked

    async def _create_beneficiary(self, request: web.Request) -> web.Response:
        return web.json_response(self.books.add_beneficiary(await _asked(request)), status=201)

    async def _beneficiary(self, request: web.Request) -> web.Response:
        name = request.query.get("beneficiary_id")
        number, ifsc = request.query.get("bank_account_number"), request.query.get("bank_ifsc")
        if name and number:
            raise refusal("too_many_parameters_in_request", "either id or account")
        if name:
            return web.json_response(self.books.beneficiary(name))
        if not number:
            raise refusal("beneficiary_identifiers_missing", "beneficiary_identifiers missing")
        found = self.books.of_account(number, ifsc)
        if found is None:
            raise refusal("beneficiary_not_found", "Beneficiary does not exist", status=404)
        return web.json_response(found)

    async def _delete_beneficiary(self, request: web.Request) -> web.Response:
        found = self.books.beneficiary(request.query.get("beneficiary_id", ""))
        del self.books.beneficiaries[found["beneficiary_id"]]
        return web.json_response(found | {"beneficiary_status": "DELETED"})

    async def _create_transfer(self, request: web.Request) -> web.Response:
        return web.json_response(self.transfers.create(await _asked(request)).document())

    async def _transfer(self, request: web.Request) -> web.Response:
        ours, theirs = request.query.get("transfer_id"), request.query.get("cf_transfer_id")
        for each in self.books.transfers.values():
            if (each.transfer_id == ours) if ours else (each.cf_transfer_id == theirs):
                return web.json_response(each.document())
        name = "transfer_id" if ours else "cf_transfer_id"
        raise refusal(f"{name}_not_found", f"{name} does not exist", status=404)

    async def _create_batch(self, request: web.Request) -> web.Response:
        return web.json_response(self.transfers.create_batch(await _asked(request)))

    async def _batch(self, request: web.Request) -> web.Response:
        ours = request.query.get("batch_transfer_id")
        theirs = request.query.get("cf_batch_transfer_id")
        for name, each in self.books.batches.items():
            if (name == ours) if ours else (each["cf_batch_transfer_id"] == theirs):
                return web.json_response(self.transfers.batch(name))
        raise refusal("batch_transfer_id_not_found", "batch_transfer_id does not exist", status=404)

    async def _authorize(self, request: web.Request) -> web.Response:
        if not self._is_known(request):
            return web.json_response(
                {"status": "ERROR", "subCode": "401", "message": "Invalid clientId/clientSecret"}
            )
        token = secrets.token_urlsafe(24)
        self.tokens[token] = self.clock + TOKEN_S
        data = {"token": token, "expiry": int(self.tokens[token])}
        return web.json_response(_of_v1("200", "Token generated", data))

    async def _balance(self, request: web.Request) -> web.Response:
        """Answer as v1 does: always with status 200, and a word for failure."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not token:
            return web.json_response(_of_v1("412", "Token missing in the request"))
        if self.tokens.get(token, 0) < self.clock:
            return web.json_response(_of_v1("403", "Token is not valid"))
        held = sum(each.left for each in self.books.transfers.values() if each.status != "SUCCESS")
        data = {
            "balance": _text(self.books.paise + held),
            "availableBalance": _text(self.books.paise),
        }
        return web.json_response(_of_v1("200", "Ledger balance for the account", data))

    async def _sync(self, request: web.Request) -> web.Response:
        return web.json_response(self.checks.sync(await _asked(request)))

    async def _async(self, request: web.Request) -> web.Response:
        return web.json_response(self.checks.start(await _asked(request)))

    async def _check_status(self, request: web.Request) -> web.Response:
        reference, user = request.query.get("reference_id"), request.query.get("user_id")
        return web.json_response(self.checks.status(reference, user))

    async def _vpa(self, request: web.Request) -> web.Response:
        return web.json_response(self.checks.vpa(await _asked(request)))


async def _asked(request: web.Request) -> Document:
    try:
        return json.loads(await request.text(), parse_float=Decimal)
    except ValueError:
        raise refusal("request_invalid", "the body is no JSON") from None


def _of_v1(code: str, message: str, data: Document | None = None) -> Document:
    word = "SUCCESS" if code == "200" else "ERROR"
    return {"status": word, "subCode": code, "message": message} | ({"data": data} if data else {})


def _text(paise: int) -> str:
    return f"{Decimal(paise) / 100:.2f}"
