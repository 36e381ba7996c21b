"""A stand-in of BillDesk, made of its documents before the connector was.

Sources: docs.billdesk.io (headers-authentication, createorder, transactions-get, retrieverefund)
and sign-off reports of merchants. What they leave open is marked "not published" here.
"""

import base64
import hashlib
import hmac
import itertools
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.acquirers.server import Server

MERCID, CLIENT_ID, KID = "STANDINBD", "standinbd", "k1"
SIGNING, SEALING = "a-signing-key-of-nobody", "32-characters-of-nobody-for-test"
# Not published: what BillDesk says of what it does not have. An operator finds it in the UAT
# environment.
NO_ORDER, NO_REFUND = "STANDIN-NO-ORDER", "STANDIN-NO-REFUND"


def b64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def unb64(value: str) -> bytes:
    return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))


def envelope(
    said: bytes, signing: str = SIGNING, alg: str = "HS256", enc: str = "A256GCM", key: str = ""
) -> bytes:
    """JWS(HS256) around JWE(dir, A256GCM)."""
    protected = b64(
        json.dumps({"alg": "dir", "enc": enc, "kid": KID, "clientid": CLIENT_ID}).encode()
    )
    iv = os.urandom(12)
    sealed = AESGCM(SEALING.encode()).encrypt(iv, said, protected.encode())
    jwe = f"{protected}.{key}.{b64(iv)}.{b64(sealed[:-16])}.{b64(sealed[-16:])}"
    head = (
        f"{b64(json.dumps({'alg': alg, 'kid': KID, 'clientid': CLIENT_ID}).encode())}."
        f"{b64(jwe.encode())}"
    )
    return (
        f"{head}.{b64(hmac.new(signing.encode(), head.encode(), hashlib.sha256).digest())}".encode()
    )


def read(body: bytes) -> dict[str, Any] | None:
    head, jwe, mac = body.decode().split(".")
    expected = hmac.new(SIGNING.encode(), f"{head}.{jwe}".encode(), hashlib.sha256).digest()
    if not hmac.compare_digest(unb64(mac), expected):
        return None
    assert json.loads(unb64(head)) == {"alg": "HS256", "kid": KID, "clientid": CLIENT_ID}
    protected, key, iv, sealed, tag = unb64(jwe).decode().split(".")
    assert json.loads(unb64(protected)) == {
        "alg": "dir",
        "enc": "A256GCM",
        "kid": KID,
        "clientid": CLIENT_ID,
    }
    assert key == ""
    plain = AESGCM(SEALING.encode()).decrypt(
        unb64(iv), unb64(sealed) + unb64(tag), protected.encode()
    )
    return json.loads(plain)


@dataclass
class Order:
    """One order, and its last transaction."""

    asked: dict[str, Any]
    bd_order: str
    transaction: dict[str, str] = field(default_factory=dict)
    refunds: dict[str, dict[str, str]] = field(default_factory=dict)


class BillDesk(Server):
    """The server.

    surcharge, discount: rupees that are added to what customers pay, and taken off it; told in
    `charge_amount`. asked: what every call said. traces: the trace ids of the last 24 hours;
    refused_traces: whose call had an old one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.orders: dict[str, Order] = {}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.traces: set[str] = set()
        self.refused_traces: list[str] = []
        self.page_url = ""
        self.surcharge = self.discount = "0.00"
        self._ids = itertools.count(1_000_001)

    def routes(self, app: web.Application) -> None:
        app.router.add_post("/payments/ve1_2/{what}/{act}", self._call)

    # What customers and banks do.

    def visit(self, url: str, fields: tuple[tuple[str, str], ...]) -> Order:
        """Open the page that a browser posts these fields to."""
        form = dict(fields)
        one = next(each for each in self.orders.values() if each.bd_order == form["bdorderid"])
        assert url == f"{self.url}/web/v1_2/embeddedsdk"
        assert form == {
            "merchantid": MERCID,
            "bdorderid": one.bd_order,
            "rdata": f"rdata-{one.bd_order}",
        }
        self._end(one, auth_status="0002", transaction_error_code="TRP0000")
        return one

    def pay(self, order_id: str, amount: str = "", **change: str) -> None:
        """Let the customer pay; amount: another one than was asked."""
        one = self.orders[order_id]
        paid = amount or one.asked["amount"]
        words = {
            "auth_status": "0300",
            "transaction_error_code": "TRS0000",
            "bank_ref_no": "632512345678",
        }
        charged = str(Decimal(paid) + Decimal(self.surcharge) - Decimal(self.discount))
        amounts = {
            "amount": paid,
            "charge_amount": charged,
            "surcharge": self.surcharge,
            "discount": self.discount,
        }
        self._end(one, **{**words, **amounts, **change})

    def fail(self, order_id: str, status: str = "0399") -> None:
        self._end(
            self.orders[order_id],
            auth_status=status,
            transaction_error_code="TRPPE0001",
            transaction_error_desc="Payment processing error",
        )

    def settle(self, ref: str, status: str = "0699") -> None:
        """End a refund."""
        for one in self.orders.values():
            if ref in one.refunds:
                one.refunds[ref]["refund_status"] = status

    def webhook(self, order_id: str) -> tuple[dict[str, str], bytes]:
        said = {
            "mercid": MERCID,
            "orderid": order_id,
            "objectid": "transaction",
            "auth_status": "0300",
        }
        return {"content-type": "application/jose"}, envelope(json.dumps(said).encode())

    def form_webhook(self, order_id: str) -> tuple[dict[str, str], bytes]:
        """What a browser brings back: the same envelope in a form."""
        form = {"transaction_response": self.webhook(order_id)[1].decode(), "orderid": order_id}
        return {"content-type": "application/x-www-form-urlencoded"}, urlencode(form).encode()

    def _end(self, one: Order, **words: str) -> None:
        one.transaction = {
            "objectid": "transaction",
            "mercid": MERCID,
            "orderid": one.asked["orderid"],
            "transactionid": f"USBI{next(self._ids)}",
            "transaction_date": "2026-11-23T14:12:13+05:30",
            "amount": one.asked["amount"],
            "currency": "356",
            **words,
        }

    # Its interface.

    async def _call(self, request: web.Request) -> web.Response:
        place = f"{request.match_info['what']}/{request.match_info['act']}"
        assert request.headers["Content-Type"] == request.headers["Accept"] == "application/jose"
        assert len(request.headers["BD-Timestamp"]) == 14
        trace = request.headers["BD-Traceid"]
        assert trace.isalnum()
        assert len(trace) <= 35
        said = read(await request.read())
        if said is None or said["mercid"] != MERCID:
            return answer_of({"error_code": "GNAUE0003", "message": "Signature does not hold"}, 401)
        self.asked.append((place, said))
        if trace in self.traces:
            self.refused_traces.append(place)
            return answer_of({"error_code": "GNIRE0001", "message": "BD-Traceid was used"}, 409)
        self.traces.add(trace)
        return self.answers()[place](said)

    def answers(self) -> dict[str, Callable[[dict[str, Any]], web.Response]]:
        """Return what answers each call."""
        return {
            "orders/create": self._order,
            "transactions/create": self._by_call,
            "transactions/get": self._transaction,
            "refunds/create": self._refund,
            "refunds/get": self._refund_state,
        }

    def _by_call(self, said: dict[str, Any]) -> web.Response:
        """Begin a transaction by call. Not published: its answer, but for a few fields of UPI."""
        if said["orderid"] in self.orders:
            return answer_of({"error_code": "ORDER-EXISTS", "message": "orderid was used"}, 422)
        way = said["payment_method_type"], said["txn_process_type"]
        assert way in {("netbanking", "nb"), ("upi", "intent")}
        assert said["bankid"]
        one = Order(said, f"OA{next(self._ids)}")
        self.orders[said["orderid"]] = one
        self._end(one, auth_status="0002", transaction_error_code="TRP0000")
        link = f"upi://pay?pa=standin@icici&pn=Standin&tr={one.bd_order}&am={said['amount']}&cu=INR"
        page = {
            "rel": "redirect",
            "method": "POST",
            "href": f"{self.url}/bank/{said['bankid']}",
            "parameters": {"token": f"token-{one.bd_order}"},
        }
        told = {
            "objectid": "transaction",
            "mercid": MERCID,
            "orderid": said["orderid"],
            "transactionid": one.bd_order,
            "amount": said["amount"],
            "bankid": said["bankid"],
        }
        more = {"links": [page]} if way[0] == "netbanking" else {"next_step": {"intent_url": link}}
        return answer_of({**told, **more})

    def _order(self, said: dict[str, Any]) -> web.Response:
        assert said["currency"] == "356"
        assert said["itemcode"] == "DIRECT"
        assert said["order_date"].endswith("+05:30")
        assert "?" not in said["ru"]
        assert len(said["additional_info"]) == 7
        if said["orderid"] in self.orders:
            return answer_of({"error_code": "ORDER-EXISTS", "message": "orderid was used"}, 422)
        one = Order(said, f"OA{next(self._ids)}")
        self.orders[said["orderid"]] = one
        words = {"mercid": MERCID, "bdorderid": one.bd_order, "rdata": f"rdata-{one.bd_order}"}
        href = f"{self.page_url or self.url}/web/v1_2/embeddedsdk"
        links = [
            {"href": f"{self.url}/orders", "rel": "self", "method": "GET"},
            {"href": href, "rel": "redirect", "method": "POST", "parameters": words},
        ]
        shown = {name: said[name] for name in ("mercid", "orderid", "amount", "currency", "ru")}
        return answer_of(
            {
                **shown,
                "objectid": "order",
                "bdorderid": one.bd_order,
                "status": "ACTIVE",
                "links": links,
            }
        )

    def _transaction(self, said: dict[str, Any]) -> web.Response:
        one = self.orders.get(said["orderid"])
        if one is None or not one.transaction:
            return answer_of(
                {"status": 404, "error_code": NO_ORDER, "message": "No transaction"}, 404
            )
        return answer_of(one.transaction)

    def _refund(self, said: dict[str, Any]) -> web.Response:
        one = self.orders.get(said["orderid"])
        if one is None or one.transaction.get("transactionid") != said["transactionid"]:
            return answer_of(
                {"error_code": "REFUND-OF-NOTHING", "message": "no such transaction"}, 422
            )
        assert said["transaction_date"] == one.transaction["transaction_date"]
        assert said["txn_amount"] == one.transaction["amount"]
        given = sum((Decimal(each["refund_amount"]) for each in one.refunds.values()), Decimal(0))
        if said["merc_refund_ref_no"] in one.refunds:
            return answer_of(
                {"error_code": "REFUND-EXISTS", "message": "merc_refund_ref_no was used"}, 422
            )
        if given + Decimal(said["refund_amount"]) > Decimal(one.transaction["amount"]):
            return answer_of({"error_code": "REFUND-AMOUNT", "message": "more than was paid"}, 422)
        made = {
            **said,
            "objectid": "refund",
            "refundid": f"R{next(self._ids)}",
            "refund_status": "0002",
        }
        one.refunds[said["merc_refund_ref_no"]] = made
        return answer_of(made)

    def _refund_state(self, said: dict[str, Any]) -> web.Response:
        for one in self.orders.values():
            if said["merc_refund_ref_no"] in one.refunds:
                return answer_of(one.refunds[said["merc_refund_ref_no"]])
        return answer_of({"status": 404, "error_code": NO_REFUND, "message": "No refund"}, 404)


def answer_of(said: object, status: int = 200) -> web.Response:
    """Return an answer in BillDesk's envelope."""
    return web.Response(
        status=status, body=envelope(json.dumps(said).encode()), content_type="application/jose"
    )
