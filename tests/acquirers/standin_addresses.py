"""Stand-ins of what five acquirers publish about checks of UPI addresses, over HTTP.

By the connectors' own hand, from: docs.cashfree.com verify-upi-v2 and upi-v2-getstatus with
openapi-verification.json (2023-12-18); docs.payu.in validate_vpa_api; juspay.io express-checkout
verify-vpa with the schema of juspay/juspay-mcp at 08c981c; developer.phonepe.com "UPI Address
Validate API"; razorpay/markdown-docs, payment-methods/upi/vpa-validation. Open: what Juspay,
PhonePe and Razorpay answer where the account may not ask (here refusals in their usual form), and
what a repeated verification_id of Cashfree gets (here 400).

    async with Addresses.running() as stage:
        stage.holders["asha@okaxis"] = "ASHA RAO"
"""

import base64
import hashlib
from collections.abc import Callable
from typing import Any

from aiohttp import web

from tests.acquirers.stage import Document, Stage, StandinError

IDENTITY, SECRET = "standin", "a secret of nobody at all"
RAZORPAY_KEY, RAZORPAY_TEST_KEY = "rzp_live_standin", "rzp_test_standin"
PRICE = 3


class Addresses(Stage):
    """The server. holders: by UPI address; "" where the bank names nobody.

    checks: Cashfree's, by our name of them. balance: rupees that its checks are paid of. may_ask:
    whether the account may ask at all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.holders: dict[str, str] = {"asha@okaxis": "ASHA RAO", "nameless@okaxis": ""}
        self.checks: dict[str, Document] = {}
        self.balance = 1_000
        self.may_ask = True

    def trouble_document(self, status: int) -> Document:
        return {"code": "TROUBLE", "message": "try again", "status": status}

    def routes(self, app: web.Application) -> None:
        for method, path, handler in (
            ("POST", "/verification/upi", self._cashfree),
            ("GET", "/verification/upi", self._cashfree_again),
            ("POST", "/merchant/postservice.php", self._payu),
            ("POST", "/v2/upi/verify-vpa", self._juspay),
            ("POST", "/v1/oauth/token", self._phonepe_token),
            ("POST", "/v2/validate/upi", self._phonepe),
            ("POST", "/v1/payments/validate/vpa", self._razorpay),
        ):
            app.router.add_route(method, path, handler)

    def _is(self, request: web.Request, credentials: str) -> bool:
        pair = base64.b64encode(credentials.encode()).decode()
        return self.may_ask and request.headers.get("Authorization") == f"Basic {pair}"

    def _checked(self, request: web.Request) -> None:
        named = (request.headers.get("x-client-id"), request.headers.get("x-client-secret"))
        if named != (IDENTITY, SECRET):
            raise of_cashfree(401, "authentication_error", "Invalid clientId and clientSecret")
        if not self.may_ask:
            raise of_cashfree(403, "authentication_error", "IP not whitelisted")

    async def _cashfree(self, request: web.Request) -> web.Response:
        self._checked(request)
        asked = await request.json()
        name, vpa = str(asked.get("verification_id", "")), str(asked.get("vpa", ""))
        if not 0 < len(name) <= 50 or name in self.checks:
            raise of_cashfree(400, "validation_error", "verification_id is invalid")
        if "@" not in vpa:
            raise of_cashfree(400, "validation_error", "vpa should be valid.")
        if self.balance < PRICE:
            words = "Insufficient balance to process this request"
            raise of_cashfree(422, "validation_error", words)
        self.balance -= PRICE
        holder = self.holders.get(vpa)
        self.checks[name] = {
            "verification_id": name,
            "reference_id": len(self.checks) + 1,
            "vpa": vpa,
            "status": "INVALID" if holder is None else "VALID",
            "name_at_bank": holder,
        }
        return web.json_response(self.checks[name])

    async def _cashfree_again(self, request: web.Request) -> web.Response:
        self._checked(request)
        check = self.checks.get(request.query.get("verification_id", ""))
        if check is None:
            raise of_cashfree(404, "validation_error", "verification_id does not exist.")
        return web.json_response(check)

    async def _payu(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        vpa = form.get("var1", "")
        parts = (form.get("key"), form.get("command"), vpa, SECRET)
        proof = hashlib.sha512("|".join(map(str, parts)).encode()).hexdigest()
        if form.get("hash") != proof or not self.may_ask:
            return web.json_response({"Status": 0, "msg": "Invalid Hash."})
        if form["command"] != "validateVPA":
            # The worker looks for disputes as well.
            return web.json_response({"status": 0, "msg": "0 transactions fetched"})
        assert request.query["form"] == "2"
        holder = self.holders.get(vpa)
        told = {"status": "SUCCESS", "vpa": vpa, "isVPAValid": int(holder is not None)}
        return web.json_response(told | {"payerAccountName": holder or "NA"})

    async def _juspay(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        if not self._is(request, f"{SECRET}:") or form.get("merchant_id") != IDENTITY:
            document = {"status": "error", "error_code": "access_denied", "error_message": "no"}
            raise StandinError(401, document)
        holder = self.holders.get(form["vpa"])
        told: Document = {"vpa": form["vpa"], "status": "INVALID" if holder is None else "VALID"}
        told["mandate_details"] = {"is_handle_supported": True}
        return web.json_response(told | ({"customer_name": holder} if holder else {}))

    async def _phonepe_token(self, request: web.Request) -> web.Response:
        form = await request.post()
        if form.get("client_secret") != SECRET:
            raise StandinError(401, {"code": "UNAUTHORIZED", "message": "no"})
        token = {"access_token": "token", "token_type": "O-Bearer"}
        return web.json_response(token | {"issued_at": self.now, "expires_at": self.now + 3_600})

    async def _phonepe(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "O-Bearer token"
        if not self.may_ask:
            raise StandinError(403, {"code": "AUTHORIZATION_FAILED", "message": "no"})
        asked = await request.json()
        assert asked["type"] == "VPA"
        holder = self.holders.get(asked["vpa"])
        if holder is None:
            return web.json_response({"valid": False})
        return web.json_response({"valid": True, "name": holder})

    async def _razorpay(self, request: web.Request) -> web.Response:
        keys = (RAZORPAY_KEY, RAZORPAY_TEST_KEY)
        if not any(self._is(request, f"{key}:{SECRET}") for key in keys):
            error = {"code": "BAD_REQUEST_ERROR", "description": "Authentication failed"}
            raise StandinError(401, {"error": error})
        vpa = (await request.json())["vpa"]
        holder = self.holders.get(vpa)
        told: Document = {"vpa": vpa, "success": holder is not None}
        return web.json_response(told | ({"customer_name": holder} if holder else {}))


def of_cashfree(status: int, kind: str, message: str) -> StandinError:
    code = message.rstrip(".").lower().replace(" ", "_")
    return StandinError(status, {"type": kind, "code": code, "message": message})


SETTINGS: dict[str, Callable[[str], dict[str, Any]]] = {
    "cashfree_payouts": lambda url: {
        "environment": "production",
        "client_id": IDENTITY,
        "client_secret": SECRET,
        "check_client_id": IDENTITY,
        "check_client_secret": SECRET,
        "check_cost_paise": 236,
        "url": url,
        "balance_url": url,
    },
    "payu": lambda url: {
        "environment": "production",
        "key": IDENTITY,
        "salt": SECRET,
        "contact_email": "shop@example.in",
        "contact_phone": "9000000000",
        "payment_url": url,
        "command_url": url,
    },
    "juspay": lambda url: {
        "environment": "production",
        "merchant_id": IDENTITY,
        "api_key": SECRET,
        "client_id": IDENTITY,
        "contact_email": "shop@example.in",
        "contact_phone": "9000000000",
        "url": url,
    },
    "phonepe": lambda url: {
        "environment": "production",
        "client_id": IDENTITY,
        "client_secret": SECRET,
        "client_version": 1,
        "url": url,
    },
    "razorpay": lambda url: {
        "key_id": RAZORPAY_KEY,
        "key_secret": SECRET,
        "url": f"{url}/v1",
    },
}
"""What an operator says of an account at each, by the address of the stand-in."""
