"""The gateway as a test needs it.

Built of `hundi.wire` alone, it opens what the SDK sends and answers in kind.
"""

import base64
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from urllib.parse import parse_qs

import httpx
import msgspec

from hundi.sdk import Buyer, Credentials, Order
from hundi.wire import cipher, envelope
from hundi.wire.batch import Unread
from hundi.wire.codes import Code
from hundi.wire.fields import text_from_paise
from hundi.wire.merchant import checksum, refunds, splits
from hundi.wire.merchant.banks import Bank, Banks, BanksRequest
from hundi.wire.merchant.completions import CaptureRequest, VoidRequest
from hundi.wire.merchant.qr_orders import GenerateOrderRequest, QrData
from hundi.wire.merchant.record import TransactionRecord, with_hash
from hundi.wire.merchant.seamless import SeamlessData, SeamlessRequest
from hundi.wire.merchant.subscriptions import Subscription
from hundi.wire.merchant.token import TokenRequest
from hundi.wire.merchant.upi_address import UpiAddress, ValidateVpaRequest
from hundi.wire.merchant.verify import VerifyRequest
from hundi.wire.message import read_request, write_reply
from tests.sdk import card_double, dispute_double, link_double, money_double, subscription_double
from tests.sdk.subscription_double import PLAN

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
BUYER = Buyer(
    first_name="आशा", last_name="O'Brien", email="asha@example.in", phone="+91 98765-43210"
)
ORDER = Order(order_id="ORD-1001", amount_paise=149_950, buyer=BUYER, custom_var='"><script>')
BANKS = (
    Bank(
        channel="upi",
        channel_name="UPI",
        title="UPI",
        health="up",
        minimum_paise=100,
        maximum_paise=10_000_000,
    ),
    Bank(
        channel="nb",
        channel_name="Net banking",
        title="Net banking",
        description="Pay from your account",
        code="HDFC",
        name="HDFC Bank",
        health="degraded",
    ),
)
_DOUBLES = (link_double, dispute_double, card_double, money_double)
QR_PNG = b"\x89PNG\r\n\x1a\n and so on"
NOTHING_ODD = object()
QR_ENDS = datetime(2026, 11, 20, 8, 43, 6, tzinfo=UTC)


def changed(
    record: TransactionRecord, *, keep_hash: bool = False, **values: object
) -> TransactionRecord:
    """Return the record with other values and the hash that fits, unless the old one is kept."""
    other = msgspec.structs.replace(record, **values)
    return other if keep_hash else with_hash(other, CREDENTIALS.username)


def success(data: object) -> dict[str, object]:
    """Return the envelope of a success."""
    return {
        "status_code": "200",
        "response_code": "00",
        "status": "success",
        "message": "Success",
        "data": data,
    }


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
    body = envelope.wrap_reply(
        reply_format, credentials.merchant_id, whole, credentials.encryption_key
    )
    return httpx.Response(200, content=body, headers={"content-type": "application/json"})


def _begun(fields: Mapping[str, object]) -> dict[str, object]:
    """Return what comes next of a payment that the merchant's server begins."""
    asked = read_request(SeamlessRequest, fields)
    at_once = asked.card is not None and asked.card.number.endswith("2")
    by_upi = asked.pay_by == "upi"
    data = SeamlessData(
        action="none" if at_once else "upi_link" if by_upi else "redirect",
        redirect_url="" if at_once or by_upi else "https://bank.example/visits/1",
        link="upi://pay?pa=shop@hundi" if by_upi else "",
        transaction_id="215000000000002",
        order_id=asked.order_id,
        merchant_id="10001",
        amount_paise=asked.amount_paise,
        payable_paise=0 if at_once else asked.amount_paise + 500,
        surcharge_paise=0 if at_once else 500,
        status_code=211,
        payment_status="INCOMPLETE" if at_once else "INPROCESS",
        bank_code="54" if at_once else "",
    )
    return success(write_reply(data))


def _split(fields: Mapping[str, object]) -> dict[str, object]:
    asked = read_request(splits.SplitRequest, fields)
    shares = [part.value for part in asked.parts]
    primary = asked.primary_value
    if asked.type is splits.SplitType.PERCENTAGE:
        shares = [share * 149_950 // splits.WHOLE for share in shares]
        primary = 149_950 - sum(shares)
    data = splits.SplitData(
        request_id=asked.request_id,
        status=splits.CONFIGURED,
        transaction_id=asked.transaction_id,
        primary_paise=primary,
        shares=tuple(
            splits.SplitShare(part.identifier, share)
            for part, share in zip(asked.parts, shares, strict=True)
        ),
    )
    return success(write_reply(data))


@dataclass
class GatewayDouble:
    """Answers every operation as the real one does.

    A test changes the attributes to make it misbehave.

    record: what verify finds, and what capture and void end. refunded: refund id by transaction
    that has a refund. queue: replies handed out before anything else. life_s: of tokens. tokens:
    those that are valid now. forgetful: no token is valid. delay_s: before each answer. opened:
    every inner message, in order. odd: what every operation answers as data instead of its own.
    plan: the one subscription.
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
    content_types: list[str] = field(default_factory=list)
    refunded: dict[int, int] = field(default_factory=dict)
    odd: object = NOTHING_ODD
    plan: Subscription = PLAN

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        self.paths.append(request.url.path)
        self.content_types.append(request.headers["content-type"])
        body = request.read()
        if self.queue:
            planned = self.queue.pop(0)
            if isinstance(planned, Exception):
                raise planned
            return httpx.Response(planned.status_code, content=planned.content)
        time.sleep(self.delay_s)
        return reply(
            self.answer(request.url.path, request.url.query.decode(), body),
            reply_format=self.reply_format,
        )

    async def answer_later(self, request: httpx.Request) -> httpx.Response:
        """Answer one request of the asynchronous client."""
        await request.aread()
        return self(request)

    def answer(self, path: str, query: str, body: bytes) -> dict[str, object]:
        """Return the envelope of the answer."""
        outer = envelope.parse_outer("", body)
        fields = self.open({"encdata": outer.encdata, "checksum": outer.checksum})
        if path.endswith("/oauth2/"):
            asked = read_request(TokenRequest, fields)
            if asked.client_secret != CREDENTIALS.oauth_client_secret:
                return refused("903")
            self.tokens.append(secrets.token_hex(20))
            return success(
                {"access_token": self.tokens[-1], "expires_in": self.life_s, "scope": None}
            )
        if self.odd is not NOTHING_ODD:
            return success(self.odd)
        if path.endswith("transaction_level_split_config_api.php"):
            assert (outer.privatekey, query) == (CREDENTIALS.privatekey, "")
            return _split(fields)
        if self.forgetful or parse_qs(query).get("token", [""])[0] not in self.tokens:
            return refused("104", "The access token is not known")
        assert outer.privatekey == CREDENTIALS.privatekey
        operation = path.rstrip("/").rpartition("/")[2]
        told = self._told(path, operation, fields)
        of_its_own = {"verify": self._verify, "seamless": _begun}.get(
            operation, partial(self._operation, operation)
        )
        return of_its_own(fields) if told is None else success(told)

    def _told(self, path: str, operation: str, fields: Mapping[str, object]) -> object:
        """Return `data` of an operation that this double knows, None for another operation."""
        if subscription_double.is_about(path):
            return self._subscription(operation, fields)
        return next(
            (told for each in _DOUBLES if (told := each.answered(path, fields)) is not None), None
        )

    def _subscription(self, verb: str, fields: Mapping[str, object]) -> object:
        if verb == "list":
            return subscription_double.listed(self.plan, fields)
        self.plan = subscription_double.changed(self.plan, verb, fields)
        return write_reply(self.plan)

    def _verify(self, fields: Mapping[str, object]) -> dict[str, object]:
        asked_for = read_request(VerifyRequest, fields)
        if self.record is None or (
            asked_for.order_id and asked_for.order_id != self.record.orderid
        ):
            return refused("503", "No records found")
        return success(self.record.written())

    def _operation(self, name: str, fields: Mapping[str, object]) -> dict[str, object]:
        match name:
            case "banks":
                channels = read_request(BanksRequest, fields).channels
                found = tuple(each for each in BANKS if not channels or each.channel in channels)
                return success(write_reply(Banks(banks=found)))
            case "refund":
                batch = read_request(refunds.RefundRequest, fields)
                answers = tuple(self._refund(item, batch.request_id) for item in batch.items)
                return success(write_reply(refunds.RefundResults(results=answers)))
            case "generateorder":
                order = read_request(GenerateOrderRequest, fields)
                text = f"upi://pay?pa=shop@hundi&am={text_from_paise(order.amount_paise)}"
                data = QrData(
                    text=text,
                    png=QR_PNG,
                    transaction_id="215000000000002",
                    order_id=order.order_id,
                    merchant_id="10001",
                    text_again=text,
                    status="200",
                    expires_at=QR_ENDS,
                )
                return success(write_reply(data))
            case "validatevpa":
                address = read_request(ValidateVpaRequest, fields).address
                known = address == "asha@hundi"
                told = UpiAddress(
                    address=address,
                    is_registered=known,
                    name="ASHA RAO" if known else "",
                    status="200",
                    message="",
                )
                return success(write_reply(told))
            case "capture" | "void":
                return self._end(name, fields)
        raise AssertionError(name)

    def _refund(self, item: refunds.RefundItem | Unread, request_id: str) -> refunds.RefundResult:
        assert isinstance(item, refunds.RefundItem)
        assert item.request_id or request_id
        transaction_id = int(item.transaction_id)
        if transaction_id in self.refunded:
            words = f"A refund exists; it is refund {self.refunded[transaction_id]}"
            return refunds.not_accepted(
                transaction_id, item.amount_paise, Code.STATE_FORBIDS, words
            )
        refund_id = 224000000000000 + len(self.refunded)
        self.refunded[transaction_id] = refund_id
        return refunds.accepted(transaction_id, item.amount_paise or 149_950, refund_id)

    def _end(self, name: str, fields: Mapping[str, object]) -> dict[str, object]:
        asked = read_request(CaptureRequest if name == "capture" else VoidRequest, fields)
        if self.record is None or asked.transaction_id != self.record.ap_transactionid:
            return refused("503", "No records found")
        if self.record.transaction_payment_status != "AUTHORIZE":
            return refused("120", "This is not allowed in the state the payment is in")
        ended = ("CAPTURE", 200, 330) if name == "capture" else ("VOIDED", 400, 420)
        words, status, kind = ended
        self.record = changed(
            self.record,
            transaction_payment_status=words,
            transaction_status=status,
            transaction_type=kind,
        )
        return success(self.record.written())

    def open(self, outer: Mapping[str, str]) -> Mapping[str, object]:
        """Return the inner fields of what the SDK sent, once its checksum is proved."""
        fields = cipher.open_json(CREDENTIALS.encryption_key, outer["encdata"])
        assert checksum.verify_v4(fields, outer["checksum"], datetime.now(UTC))
        self.opened.append(fields)
        return fields
