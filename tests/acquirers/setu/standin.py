"""A stand-in of Setu's asynchronous penny drop, over HTTP.

Written by a hand that had not read the connector, from SetuHQ/docs at b658bee: pages
content/data/bav/penny-drop (quickstart, api-integration/async, bav-codes.csv, notifications) and
api-references/data/bav/penny-drop.json. Open: what wrong credentials and unknown ids are answered
(here 401 and 404, in the form of their published errors), what a malformed account is answered
(here 400), and whether one account twice drops two rupees (here it does: a check takes no reference
of ours). The page shows the second call as POST, the description as GET: here both are taken.

    async with Setu.running() as setu:
        ...                                   # the connector calls setu.url
        setu.bank["00700"] = SetuEnd("failed", "BAVM5", "Account closed")
        setu.complete()                       # the banks answer every open check

With `sandbox=True` the IFSC of a check chooses its end, as their page lists it.
"""

import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from tests.acquirers.stage import Document, Handler, Stage, StandinError, Webhook

CLIENT_ID = "test-client"
CLIENT_SECRET = "891707ee-d6cd-4744-a28d-058829e30f12"
PRODUCT = "891707ee-d6cd-4744-a28d-058829e30f10"
IFSC = re.compile(r"[A-Z]{4}0[A-Z0-9]{6}\Z")
ACCOUNT = re.compile(r"[A-Za-z0-9]{1,40}\Z")
ACTIVE = "Account exists and is active."
ABSENT = "This account does not exist or is invalid."
LIMIT = "The transaction limit for this account may have been reached."
NOT_VALID = "This transaction is not valid for this account."


@dataclass(frozen=True)
class SetuEnd:
    """How a check ends. name: the holder's, for a success."""

    verification: str
    code: str
    message: str
    name: str | None = None


SANDBOX: dict[str, SetuEnd | None] = {
    "ABCD0123456": SetuEnd("success", "BAV00", ACTIVE, "JOHN DOE"),
    "ABCD0123457": SetuEnd("failed", "BAVM1", NOT_VALID),
    "ABCD0123458": SetuEnd("failed", "BAVM1", LIMIT),
    "ABCD0123467": SetuEnd("failed", "BAVM1", ABSENT),
    "ABCD0123450": None,
}
"""By IFSC; None: pending for ever. ABCD0123459 has an error of the server."""
DOWNSTREAM = "ABCD0123459"


@dataclass
class SetuCheck:
    """A check. end: None while it is pending."""

    id: str
    account: tuple[str, str]
    end: SetuEnd | None = None


def refusal(status: int, code: str, detail: str) -> StandinError:
    error = {"code": code, "detail": detail, "traceId": secrets.token_hex(8)}
    return StandinError(status, {"error": error})


class Setu(Stage):
    """The server. checks: those that began, in their order; each dropped a rupee.

    bank: how checks of an account number end; `default` else.
    """

    def __init__(self, *, sandbox: bool = False) -> None:
        super().__init__()
        self.checks: list[SetuCheck] = []
        self.bank: dict[str, SetuEnd] = {}
        self.default = SetuEnd("success", "BAV00", ACTIVE, "JOHN DOE")
        self._sandbox = sandbox

    # What banks do.

    def complete(self) -> None:
        """Let the banks answer every open check."""
        for check in self.checks:
            if check.end is None:
                self._close(check, self.bank.get(check.account[1], self.default))

    def _close(self, check: SetuCheck, end: SetuEnd) -> None:
        check.end = end
        told: Document = {
            "id": check.id,
            "verification": end.verification,
            "message": end.message,
            "data": self._data(end),
        }
        document = {"data": {"bav": told}, "event": "BAV_WEBHOOK_NOTIFICATION"}
        document["timeStamp"] = self._instant()
        body = web.json_response(document).body
        assert isinstance(body, bytes)
        # No page says that notifications are signed.
        self.webhooks.append(Webhook(told["id"], {"Content-Type": "application/json"}, body))

    # Its interface.

    def trouble_document(self, status: int) -> Document:
        words = "Internal Server Error, Please reach out to support along with the traceId."
        return refusal(status, "internal_server_error", words).document

    def routes(self, app: web.Application) -> None:
        place = "/api/verify/ban/async"
        app.router.add_post(place, self._own(self._begin))
        for method in ("GET", "POST"):
            app.router.add_route(method, place + "/{id}", self._own(self._status))

    def _own(self, handler: Handler) -> Handler:
        wanted = {
            "x-client-id": CLIENT_ID,
            "x-client-secret": CLIENT_SECRET,
            "x-product-instance-id": PRODUCT,
        }

        async def checked(request: web.Request) -> web.StreamResponse:
            if any(request.headers.get(name) != value for name, value in wanted.items()):
                raise refusal(401, "unauthorized", "Invalid credentials")
            return await handler(request)

        return checked

    async def _begin(self, request: web.Request) -> web.Response:
        asked: dict[str, Any] = await request.json()
        ifsc, number = str(asked.get("ifsc", "")), str(asked.get("accountNumber", ""))
        if not IFSC.match(ifsc) or not ACCOUNT.match(number) or not asked.get("narration"):
            raise refusal(400, "bad_request", "ifsc, accountNumber and narration are needed")
        check = SetuCheck(secrets.token_hex(16), (ifsc, number))
        self.checks.append(check)
        end = SANDBOX.get(ifsc) if self._sandbox else None
        if end is not None:
            self._close(check, end)
        return web.json_response({"id": check.id})

    async def _status(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        check = next((each for each in self.checks if each.id == name), None)
        if check is None:
            raise refusal(404, "not_found", "No such request")
        if self._sandbox and check.account[0] == DOWNSTREAM:
            raise refusal(500, "upstream_service_error", "Upstream service error.")
        end, trace = check.end, {"traceId": secrets.token_hex(8)}
        if end is None:
            return web.json_response({"id": name, "verification": "pending"} | trace)
        told = {"code": end.code, "verification": end.verification, "message": end.message} | trace
        # One of their samples, that of a limit, has no id.
        told |= {} if end.message == LIMIT else {"id": name}
        return web.json_response(told | ({"data": self._data(end)} if end.name else {}))

    def _data(self, end: SetuEnd) -> Document:
        if end.verification != "success":
            return {}
        return {
            "name": end.name,
            "transactionReference": "307316973027",
            "verifiedAt": self._instant(),
            "matchKey": None,
        }

    def _instant(self) -> str:
        return datetime.fromtimestamp(self.clock, UTC).isoformat()
