"""A stand-in of Paytm's payment gateway, made of its documents before the connector was.

Sources: paytm/paytm-agent-skills (June 2026), paytmpayments.com/docs, paytmchecksum 1.7.0. What
they leave open is marked "not published" here.
"""

import base64
import hashlib
import itertools
import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.acquirers.server import Server

MID, KEY = "STANDIN0001", "standin-key-0001"
IV = b"@@@@&&&&####$$$$"
SALT = "aB3x"


def signature(text: str, key: str = KEY, salt: str = SALT) -> str:
    """paytmchecksum: base64(AES-CBC(sha256hex(text|salt) + salt))."""
    plain = (hashlib.sha256(f"{text}|{salt}".encode()).hexdigest() + salt).encode()
    padded = plain + bytes([16 - len(plain) % 16]) * (16 - len(plain) % 16)
    encryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(IV)).encryptor()
    return base64.b64encode(encryptor.update(padded) + encryptor.finalize()).decode()


def holds(text: str, said: str, key: str = KEY) -> bool:
    decryptor = Cipher(algorithms.AES(key.encode()), modes.CBC(IV)).decryptor()
    padded = decryptor.update(base64.b64decode(said)) + decryptor.finalize()
    # Under another key it is no text at all.
    plain = padded[: -padded[-1]].decode(errors="replace")
    return plain == hashlib.sha256(f"{text}|{plain[-4:]}".encode()).hexdigest() + plain[-4:]


@dataclass
class Order:
    """One order, and the transaction that began when the customer came."""

    asked: dict[str, Any]
    amount: str
    token: str
    txn_id: str = ""
    status: str = ""
    code: str = ""
    words: str = ""
    paid: str = ""
    refunds: dict[str, dict[str, Any]] = field(default_factory=dict)


class Paytm(Server):
    """The server."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: dict[str, Order] = {}
        self.visited = ""
        self._ids = itertools.count(20_261_123_111_212_800_110_168_524_301_000_001)
        self._tokens = itertools.count(1)

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/theia/api/v1/initiateTransaction", self._initiate)
        app.router.add_post("/theia/api/v1/processTransaction", self._process)
        app.router.add_post("/paymentservices/qr/create", self._qr)
        app.router.add_post("/v3/order/status", self._status)
        app.router.add_post("/refund/apply", self._refund)
        app.router.add_post("/v2/refund/status", self._refund_status)

    # What customers and banks do.

    def visit(self, url: str, fields: tuple[tuple[str, str], ...]) -> Order:
        """Open the page that a browser posts these fields to."""
        form = dict(fields)
        one = self.orders[form["orderId"]]
        self.visited = form["orderId"]
        assert url == f"{self.url}/theia/api/v1/showPaymentPage?mid={MID}&orderId={form['orderId']}"
        assert form == {"mid": MID, "orderId": form["orderId"], "txnToken": one.token}
        one.txn_id = one.txn_id or str(next(self._ids))
        one.status, one.code, one.words = (
            "PENDING",
            "402",
            "Looks like the payment is not complete.",
        )
        return one

    def pay(self, order_id: str, amount: str = "") -> None:
        """Let the customer pay; amount: another one than was asked."""
        one = self.orders[order_id]
        one.txn_id = one.txn_id or str(next(self._ids))
        one.status, one.code, one.words = "TXN_SUCCESS", "01", "Txn Success"
        one.paid = amount or one.amount

    def fail(
        self,
        order_id: str,
        code: str = "227",
        words: str = "Your payment has been declined by your bank.",
    ) -> None:
        one = self.orders[order_id]
        one.txn_id = one.txn_id or str(next(self._ids))
        one.status, one.code, one.words = "TXN_FAILURE", code, words

    def settle(self, ref_id: str, status: str = "TXN_SUCCESS", code: str = "10") -> None:
        """End a refund."""
        for one in self.orders.values():
            if ref_id in one.refunds:
                one.refunds[ref_id] |= {"status": status, "code": code}

    def webhook(self, order_id: str, /, **change: str) -> tuple[dict[str, str], bytes]:
        """Return a webhook about a payment, as JSON.

        Its spaces are Paytm's: the checksum is over these bytes.
        """
        body = {
            "mid": MID,
            "orderId": order_id,
            "txnAmount": "1.00",
            "status": "TXN_SUCCESS",
            "txnType": "SALE",
        }
        text = json.dumps(body, indent=1)
        head = json.dumps({"signature": signature(text)})
        for name, value in change.items():
            text = text.replace(json.dumps(body[name]), json.dumps(value))
        return {"content-type": "application/json"}, f'{{"head": {head}, "body": {text}}}'.encode()

    def form_webhook(self, order_id: str, /, **change: str) -> tuple[dict[str, str], bytes]:
        """Return a webhook about a payment, as the form that older accounts get."""
        form = {
            "ORDERID": order_id,
            "MID": MID,
            "TXNID": "20261123",
            "TXNAMOUNT": "1.00",
            "STATUS": "TXN_SUCCESS",
            "BANKNAME": "null",
        }
        text = "|".join("" if form[name] == "null" else form[name] for name in sorted(form))
        signed = {**form, "CHECKSUMHASH": signature(text), **change}
        return {"content-type": "application/x-www-form-urlencoded"}, urlencode(signed).encode()

    def refund_webhook(self, ref_id: str) -> tuple[dict[str, str], bytes]:
        body = json.dumps({"mid": MID, "orderId": "10001-1", "refId": ref_id, "txnType": "REFUND"})
        return {}, json.dumps({"head": {"signature": signature(body)}, "body": None}).replace(
            "null", body
        ).encode()

    # Its interface.

    async def _asked(self, request: web.Request) -> dict[str, Any] | None:
        """Return what is asked, or None when the checksum is not over the very bytes of `body`."""
        raw = (await request.read()).decode()
        said = json.loads(raw)
        start = raw.index('"body":') + len('"body":')
        return (
            said["body"]
            if holds(raw[start:-1], said["head"]["signature"]) and said["body"]["mid"] == MID
            else None
        )

    async def _initiate(self, request: web.Request) -> web.Response:
        body = await self._asked(request)
        if body is None:
            return _said({}, "F", "2005", "Checksum provided is invalid")
        assert request.query["mid"] == MID
        assert request.query["orderId"] == body["orderId"]
        assert body["requestType"] == "Payment"
        assert body["txnAmount"]["currency"] == "INR"
        assert body["userInfo"]["custId"]
        order_id, amount = body["orderId"], body["txnAmount"]["value"]
        known = self.orders.get(order_id)
        if known is not None and known.amount != amount:
            return _said({}, "F", "1007", "Order details differ")
        code = "0000" if known is None else "0002"
        one = self.orders.setdefault(order_id, Order(body, amount, f"token-{next(self._tokens)}"))
        return _said({"txnToken": one.token, "authenticated": False}, "S", code, "Success")

    async def _process(self, request: web.Request) -> web.Response:
        """Begin a transaction by its token, without a checksum: a link of an intent."""
        said = json.loads(await request.read())
        one = self.orders.get(said["body"]["orderId"])
        assert said["body"]["requestType"] == "NATIVE"
        assert said["body"]["mid"] == request.query["mid"] == MID
        if one is None or said["head"]["txnToken"] != one.token:
            return _said({}, "F", "2004", "SSO Token is invalid")
        assert said["body"]["paymentMode"] == "UPI_INTENT"
        order_id = said["body"]["orderId"]
        one.txn_id = one.txn_id or str(next(self._ids))
        one.status, one.code, one.words = (
            "PENDING",
            "402",
            "Looks like the payment is not complete.",
        )
        link = f"upi://pay?pa=standin@paytm&pn=Standin&tr={one.txn_id}&am={one.amount}&cu=INR"
        deep = {"deepLink": link, "transId": one.txn_id, "orderId": order_id}
        return _said({"deepLinkInfo": deep}, "S", "0000", "Success")

    async def _qr(self, request: web.Request) -> web.Response:
        body = await self._asked(request)
        head = json.loads(await request.read())["head"]
        if body is None:
            return _said({}, "FAILURE", "QR_1020", "Checksum provided is invalid")
        assert head["clientId"]
        assert head["version"] == "v1"
        assert body["businessType"] == "UPI_QR_CODE"
        assert body["posId"]
        if body["orderId"] in self.orders:
            return _said({}, "FAILURE", "QR_1033", "A QR Code with same order id already exists")
        self.orders[body["orderId"]] = Order(body, body["amount"], "")
        link = (
            f"upi://pay?pa=standin@paytm&pn=Standin&tr={body['orderId']}&am={body['amount']}&cu=INR"
        )
        return _said({"qrCodeId": "2810050501012", "qrData": link}, "SUCCESS", "QR_0001", "SUCCESS")

    async def _status(self, request: web.Request) -> web.Response:
        body = await self._asked(request)
        if body is None:
            return _said({}, "TXN_FAILURE", "330", "Checksum provided is invalid")
        one = self.orders.get(body["orderId"])
        if one is None or not one.txn_id:
            # Not published: what an order without a transaction is called. It has none to name.
            return _said({}, "TXN_FAILURE", "334", "Invalid Order ID")
        shown = {
            "txnId": one.txn_id,
            "bankTxnId": f"6325{one.txn_id[-8:]}" if one.paid else "",
            "orderId": body["orderId"],
            "txnAmount": one.paid or one.amount,
            "txnType": "SALE",
            "gatewayName": "HDFC",
            "bankName": "HDFC",
            "mid": MID,
            "paymentMode": "CC",
            "refundAmt": "0.00",
            "txnDate": "2026-11-23 14:12:13.0",
        }
        return _said(shown, one.status, one.code, one.words)

    async def _refund(self, request: web.Request) -> web.Response:
        body = await self._asked(request)
        if body is None:
            return _said({}, "TXN_FAILURE", "330", "Checksum provided is invalid")
        assert body["txnType"] == "REFUND"
        one = self.orders.get(body["orderId"])
        if one is None or one.txn_id != body["txnId"]:
            return _said({}, "TXN_FAILURE", "627", "Order Details Mismatch")
        if body["refId"] in one.refunds:
            return _said({}, "TXN_FAILURE", "617", "Refund Already Raised")
        given = sum((Decimal(each["amount"]) for each in one.refunds.values()), Decimal(0))
        if not one.paid or given + Decimal(body["refundAmount"]) > Decimal(one.paid):
            return _said({}, "TXN_FAILURE", "619", "Invalid refund amount")
        one.refunds[body["refId"]] = {
            "amount": body["refundAmount"],
            "status": "PENDING",
            "code": "601",
            "id": str(next(self._ids)),
        }
        shown = {
            "orderId": body["orderId"],
            "refId": body["refId"],
            "refundAmount": body["refundAmount"],
        }
        return _said(
            shown,
            "PENDING",
            "601",
            "Refund request was raised for this transaction. But it is pending state.",
        )

    async def _refund_status(self, request: web.Request) -> web.Response:
        body = await self._asked(request)
        if body is None:
            return _said({}, "TXN_FAILURE", "330", "Checksum provided is invalid")
        one = self.orders.get(body["orderId"])
        ours = one.refunds.get(body["refId"]) if one else None
        if ours is None:
            return _said({}, "TXN_FAILURE", "631", "Record not found")
        shown = {
            "orderId": body["orderId"],
            "refId": body["refId"],
            "refundId": ours["id"],
            "refundAmount": ours["amount"],
            "mid": MID,
        }
        return _said(shown, ours["status"], ours["code"], "")


def _said(body: dict[str, Any], status: str, code: str, words: str) -> web.Response:
    info = {"resultStatus": status, "resultCode": code, "resultMsg": words}
    answer = {
        "head": {"responseTimestamp": "1595910861048", "version": "v1"},
        "body": {"resultInfo": info, **body},
    }
    return web.Response(text=json.dumps(answer), content_type="application/json")
