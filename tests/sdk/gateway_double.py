"""The gateway as a test needs it: built of `hundi.wire` alone, it opens what the SDK sends and answers in kind."""

import base64
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qs, parse_qsl, urlencode

import httpx
import msgspec
from standardwebhooks import Webhook

from hundi.sdk import Buyer, Credentials, Order
from hundi.wire import checksum, cipher, envelope, payments
from hundi.wire.record import TransactionRecord, api_data, ipn_form, kit_fields, return_envelope, with_hash

WEBHOOK_KEY = "whsec_" + base64.b64encode(b"the key of the tests, 32 bytes..").decode()
CREDENTIALS = Credentials(
    merchant_id="12345",
    username="demo-user",
    password="demo-pass",
    api_secret="demo-secret",
    oauth_client_id="client-1",
    oauth_client_secret="client-secret",
    webhook_keys=(WEBHOOK_KEY,),
)
PAID = with_hash(
    TransactionRecord(
        ap_transactionid="215000000000001",
        orderid="ORD-1001",
        merchant_id="12345",
        amount="1499.50",
        transaction_status=200,
        transaction_payment_status="SUCCESS",
        chmod="upi",
        message="Success",
        customer_name="Asha Rao",
        customer_email="asha@example.in",
        customer_phone="9876543210",
        customer_vpa="asha+1@hundi",
        transaction_time="20-11-2026 14:05:06",
        rrn="632512345678",
        customvar="a=1|b=2 }",
    ),
    CREDENTIALS.username,
)


BUYER = Buyer(first_name="आशा", last_name="O'Brien", email="asha@example.in", phone="+91 98765-43210")
ORDER = Order(order_id="ORD-1001", amount_paise=149_950, buyer=BUYER, custom_var='"><script>')


def changed(record: TransactionRecord, *, keep_hash: bool = False, **values: object) -> TransactionRecord:
    """Return the record with other values, and the hash that belongs to them unless the old one is kept."""
    other = msgspec.structs.replace(record, **values)
    return other if keep_hash else with_hash(other, CREDENTIALS.username)


def success(data: object) -> dict[str, object]:
    """Return the envelope of a success."""
    return {"status_code": "200", "response_code": "00", "status": "success", "message": "Success", "data": data}


def refused(code: str, message: str = "No") -> dict[str, object]:
    """Return the envelope of a refusal."""
    return {
        "status_code": "400",
        "response_code": code,
        "status": "fail",
        "message": message,
        "request_id": "req_1",
        "data": [],
    }


def reply(
    whole: Mapping[str, object],
    credentials: Credentials = CREDENTIALS,
    reply_format: envelope.ReplyFormat = "both",
) -> httpx.Response:
    """Return an HTTP answer with an envelope."""
    body = envelope.wrap_reply(reply_format, credentials.merchant_id, whole, credentials.encryption_key)
    return httpx.Response(200, content=body, headers={"content-type": "application/json"})


def browser_return(
    record: TransactionRecord,
    *,
    credentials: Credentials = CREDENTIALS,
    at: float | None = None,
    hook_id: str = "msg_r1",
) -> dict[str, str]:
    """Return the form a customer's browser POSTs to the merchant."""
    whole = return_envelope(record, status_code="200", status="success", response_code="00")
    response = cipher.seal(credentials.encryption_key, envelope.reply_bytes(whole))
    moment = int(time.time() if at is None else at)
    signature = Webhook(credentials.webhook_keys[0]).sign(hook_id, datetime.fromtimestamp(moment, UTC), response)
    return {
        "merchant_id": credentials.merchant_id,
        "response": response,
        **kit_fields(record),
        "webhook_id": hook_id,
        "webhook_timestamp": str(moment),
        "webhook_signature": signature,
    }


def notification(
    record: TransactionRecord,
    form: str = "json-encrypted",
    *,
    key: str = WEBHOOK_KEY,
    at: float | None = None,
    hook_id: str = "msg_n1",
) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a notification in one of the three forms."""
    plain = success(api_data(record)) | {"event": "paid"}
    if form == "form":
        body = urlencode(ipn_form(record, hook_id, mode="live")).encode()
    elif form == "json":
        body = envelope.reply_bytes(plain)
    else:
        body = envelope.wrap_reply("encrypted", CREDENTIALS.merchant_id, plain, CREDENTIALS.encryption_key)
    moment = int(time.time() if at is None else at)
    signature = Webhook(key).sign(hook_id, datetime.fromtimestamp(moment, UTC), body.decode())
    headers = {"Webhook-Id": hook_id, "Webhook-Timestamp": str(moment), "Webhook-Signature": signature}
    return headers, body


@dataclass
class GatewayDouble:
    """Answers token and verify as the real one does; a test changes the attributes to make it misbehave.

    record: what verify finds. queue: replies handed out before anything else. life_s: of tokens. tokens: those that
    are valid now. forgetful: no token is valid. delay_s: before each answer. opened: every inner message, in order.
    """

    record: TransactionRecord | None = PAID
    reply_format: envelope.ReplyFormat = "both"
    life_s: int = 300
    forgetful: bool = False
    delay_s: float = 0.0
    queue: list[httpx.Response | Exception] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    opened: list[Mapping[str, object]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        self.paths.append(request.url.path)
        body = request.read()
        if self.queue:
            planned = self.queue.pop(0)
            if isinstance(planned, Exception):
                raise planned
            return httpx.Response(planned.status_code, content=planned.content)
        time.sleep(self.delay_s)
        return reply(self.answer(request.url.path, request.url.query.decode(), body), reply_format=self.reply_format)

    async def answer_later(self, request: httpx.Request) -> httpx.Response:
        """Answer one request of the asynchronous client."""
        await request.aread()
        return self(request)

    def answer(self, path: str, query: str, body: bytes) -> dict[str, object]:
        """Return the envelope of the answer."""
        outer = dict(parse_qsl(body.decode()))
        fields = self.open(outer)
        if path.endswith("/oauth2/"):
            asked = payments.parse_token(fields)
            if asked.client_secret != CREDENTIALS.oauth_client_secret:
                return refused("903")
            self.tokens.append(secrets.token_hex(20))
            return success({"access_token": self.tokens[-1], "expires_in": self.life_s, "scope": None})
        if self.forgetful or parse_qs(query).get("token", [""])[0] not in self.tokens:
            return refused("104", "The access token is not known")
        assert outer["privatekey"] == CREDENTIALS.privatekey
        asked_for = payments.parse_verify(fields)
        if self.record is None or (asked_for.order_id and asked_for.order_id != self.record.orderid):
            return refused("503", "No records found")
        return success(api_data(self.record))

    def open(self, outer: Mapping[str, str]) -> Mapping[str, object]:
        """Return the inner fields of what the SDK sent, once its checksum is proved."""
        fields = cipher.open_json(CREDENTIALS.encryption_key, outer["encdata"])
        assert checksum.verify_v4(fields, outer["checksum"], datetime.now(UTC))
        self.opened.append(fields)
        return fields
