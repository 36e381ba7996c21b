"""A stand-in of a bank's UPI by Juspay's merchant stack, as at Axis, YES, Kotak, RBL and AU.

    async with UpiStack.running() as stack:
        ...                                   # registerIntent at stack.url + BASE
        stack.pay("10001")                    # or fail, hold, drop; by merchantRequestId
        stack.end_refund("R1")                # when stack.refunds_end is PENDING or DEEMED
        await stack.send(stack.webhooks[-1], "http://gateway/callbacks/…")

Written by a hand that has not read a connector, from docs.juspay.io/upi-merchant-stack (register
intent, transaction status 360, refund 360, pay and refund callbacks) as stored; what is signed, and
the fields of payloads, also from the connectors of the five banks in juspay/hyperswitch-prism,
which is Juspay's, and a client. The codes guide and the samples are not stored. Open, and how it
is here:

- the HTTP status of refusals but the three of status360 (200): 401 unsigned, 400 bad, 200 the rest.
- jpupi-routing-id of a refund: the page says originalMerchantRequestId, prism sends the refund's
  id. Here the page's.
- what x-response-signature is over: here RS256 over the whole body, base64.
- a callback's signature is of another kind: RSA-PSS with SHA-256 over the JSON with sorted keys,
  as prism checks it for Axis.
- what status360 says of an intent that nobody opened: here REQUEST_PENDING, then REQUEST_EXPIRED.
- a refund that is asked for again with another amount: here its state, as for any known id.
- what an early UDIR (5 minutes) or a late refund (180 days) gets: here INVALID_DATA.
- whether the JWS in an encrypted answer is RS256 or PSS: prism does not look. Here RS256. Refusals
  are not encrypted, as prism takes them.
"""

import base64
import binascii
import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from aiohttp import web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from tests.acquirers.juspay_upi.sealing import PSS, key, opened, sealed
from tests.acquirers.stage import Document, Stage, StandinError, Webhook

MERCHANT_ID, CHANNEL_ID = "STANDIN", "STANDINAPP"
BASE = "/api/n2"
PAYEE = {"payeeVpa": "standin@axisbank", "payeeName": "Stand-in", "payeeMcc": "5411"}
OUTCOMES = {"00": "SUCCESS", "01": "PENDING", "RB": "DEEMED", "BT": "DEEMED", "JPREFD": "DEEMED"}
ADJUSTMENTS = {"1061", "1063", "1064", "1084"}
UDIR_AFTER, REFUND_WITHIN = 5 * 60, 180 * 86400
_ID = re.compile(r"[A-Za-z0-9._-]{1,35}\Z")
_AMOUNT = re.compile(r"\d{1,13}\.\d{2}\Z")
_MILLISECONDS = re.compile(r"\d{13}\Z")


def callback_holds(body: bytes, signature: str) -> bool:
    """Return whether a callback is of Juspay."""
    text = json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode()
    try:
        public = key("juspay").public_key()
        public.verify(base64.b64decode(signature), text, PSS, hashes.SHA256())
    except (InvalidSignature, binascii.Error):
        return False
    return True


def refusal(code: str, message: str, status: int = 200) -> StandinError:
    document = {"status": "FAILURE", "responseCode": code, "responseMessage": message}
    return StandinError(status, document | {"payload": {}})


class UpiStack(Stage):
    """The server. intents and refunds: by their ids.

    refunds_end: the gatewayResponseCode that an ONLINE or UDIR refund gets at once; an OFFLINE one
    is always pending until `end_refund`. encrypts: whether this bank's answers are JWEs.
    """

    def __init__(self) -> None:
        super().__init__()
        self.intents: dict[str, Document] = {}
        self.refunds: dict[str, Document] = {}
        self.refunds_end = "00"
        self.encrypts = False
        self._ids = count(1)

    # What customers and banks do.

    def pay(self, name: str, amount: str = "", code: str = "00") -> None:
        """Let a customer pay a registered intent; the PSP refuses another amount and a late one."""
        intent = self.intents[name]
        if self.now >= intent["expires"]:
            code = "X1"
        elif amount and amount != intent["amount"]:
            code = "YG"
        self._end(intent, code)

    def fail(self, name: str, code: str = "ZA") -> None:
        """Let the customer or the bank decline."""
        self._end(self.intents[name], code)

    def hold(self, name: str) -> None:
        """Let the bank not know yet."""
        self._end(self.intents[name], "01")

    def drop(self, name: str) -> None:
        """Let the customer leave the flow, which only a plugin tells."""
        self.intents[name]["dropped"] = True

    def end_refund(self, name: str, code: str = "00") -> None:
        """End a refund, and tell it: 00, or a code of failure."""
        refund = self.refunds[name]
        refund |= _outcome(code)
        told = {field: refund[field] for field in refund if field not in {"remarks", "adjCode"}}
        self._tell("REFUND", told)

    def _end(self, intent: Document, code: str) -> None:
        paid = code in {"00", "01", "RB"}
        intent["paid_at"] = self.now if paid else None
        intent["outcome"] = {
            **_outcome(code),
            "gatewayTransactionId": intent["gatewayTransactionId"],
            "gatewayReferenceId": f"6{next(self._ids):011d}",
            "transactionTimestamp": self._instant(),
            "type": "MERCHANT_CREDITED_VIA_PAY",
        }
        self._tell("PAY", self._told(intent))

    def _told(self, intent: Document) -> Document:
        return {
            "merchantId": MERCHANT_ID,
            "merchantChannelId": CHANNEL_ID,
            "merchantRequestId": intent["merchantRequestId"],
            "amount": intent["amount"],
            "payeeVpa": PAYEE["payeeVpa"],
            "payeeMcc": PAYEE["payeeMcc"],
            "payerVpa": "asha@upi",
            "customResponse": "{}",
            **intent["outcome"],
        }

    def _tell(self, name: str, told: Document) -> None:
        text = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
        signed = key("juspay").sign(text, PSS, hashes.SHA256())
        headers = {
            "Content-Type": "application/json",
            "x-merchant-payload-signature": base64.b64encode(signed).decode(),
        }
        # The body is not the text that is signed: its keys are not sorted.
        self.webhooks.append(Webhook(name, headers, json.dumps(told).encode()))

    # Its interface.

    def trouble_document(self, status: int) -> Document:
        codes = {500: "INTERNAL_SERVER_ERROR", 429: "BAD_REQUEST"}
        return refusal(codes.get(status, "SERVICE_UNAVAILABLE"), "trouble").document

    def routes(self, app: web.Application) -> None:
        place = f"{BASE}/merchants/transactions"
        app.router.add_post(f"{place}/registerIntent", self._register)
        app.router.add_post(f"{place}/status360", self._status)
        app.router.add_post(f"{place}/refund360", self._refund)

    async def _register(self, request: web.Request) -> web.Response:
        asked = await self._asked(request, "merchantRequestId")
        name, amount = asked["merchantRequestId"], str(asked.get("amount", ""))
        minutes = str(asked.get("intentRequestExpiryMinutes", "5"))
        if not _AMOUNT.match(amount) or Decimal(amount) <= 0 or not minutes.isdecimal():
            raise refusal("BAD_REQUEST", "amount or intentRequestExpiryMinutes", 400)
        if asked.get("flow", "TRANSACTION") not in {"TRANSACTION", "MANDATE"}:
            raise refusal("BAD_REQUEST", "flow", 400)
        if name in self.intents:
            raise refusal("DUPLICATE_REQUEST", "Duplicate merchantRequestId")
        number = f"AXB{next(self._ids):032d}"
        self.intents[name] = {
            "merchantRequestId": name,
            "amount": amount,
            "gatewayTransactionId": number,
            "expires": self.now + 60 * int(minutes),
            "outcome": None,
            "paid_at": None,
            "dropped": False,
        }
        return self._said(
            {
                "merchantId": MERCHANT_ID,
                "merchantChannelId": CHANNEL_ID,
                "merchantRequestId": name,
                "gatewayTransactionId": number,
                "orderId": name,
                **PAYEE,
                "amount": amount,
                "currency": "INR",
                "flow": asked.get("flow", "TRANSACTION"),
                "TxnInitiationMode": "00",
                **{each: asked[each] for each in ("remarks", "refUrl") if asked.get(each)},
            }
        )

    async def _status(self, request: web.Request) -> web.Response:
        asked = await self._asked(request, "merchantRequestId")
        intent = self.intents.get(asked["merchantRequestId"])
        kind = asked.get("transactionType")
        if kind not in {"MERCHANT_CREDITED_VIA_PAY", "MERCHANT_CREDITED_VIA_COLLECT"}:
            raise refusal("BAD_REQUEST", "transactionType", 400)
        if intent is None or kind == "MERCHANT_CREDITED_VIA_COLLECT":
            raise refusal("REQUEST_NOT_FOUND", "Request not found")
        if intent["outcome"] is None:
            late = self.now >= intent["expires"]
            code = "REQUEST_EXPIRED" if late else "REQUEST_PENDING"
            raise refusal("DROPOUT" if intent["dropped"] else code, "No payment")
        return self._said(self._told(intent))

    async def _refund(self, request: web.Request) -> web.Response:
        asked = await self._asked(request, "originalMerchantRequestId")
        name, kind = str(asked.get("refundRequestId", "")), asked.get("refundType")
        if not _ID.match(name):
            raise refusal("BAD_REQUEST", "refundRequestId", 400)
        if name in self.refunds:
            return self._said(self.refunds[name])
        amount = self._refundable(asked, kind)
        code = "01" if kind == "OFFLINE" else self.refunds_end
        self.refunds[name] = {
            "merchantId": MERCHANT_ID,
            "merchantChannelId": CHANNEL_ID,
            "refundRequestId": name,
            "originalMerchantRequestId": asked["originalMerchantRequestId"],
            "transactionAmount": self.intents[asked["originalMerchantRequestId"]]["amount"],
            "gatewayTransactionId": self.intents[asked["originalMerchantRequestId"]][
                "gatewayTransactionId"
            ],
            "gatewayRefundTransactionId": f"AXBR{next(self._ids):031d}",
            "gatewayRefundReferenceId": f"7{next(self._ids):011d}",
            "refundAmount": amount,
            "refundType": kind,
            "refundTimestamp": self._instant(),
            "remarks": asked["remarks"],
            **_outcome(code),
        }
        if kind == "UDIR":
            self.refunds[name] |= {"adjCode": asked["adjCode"], "adjFlag": asked["adjFlag"]}
        return self._said(self.refunds[name])

    def _refundable(self, asked: Document, kind: Any) -> str:
        """Return the amount to give back, or refuse."""
        amount, remarks = str(asked.get("refundAmount", "")), str(asked.get("remarks", ""))
        wanted = {
            "ONLINE": bool(asked.get("merchantRefundVpa")),
            "OFFLINE": True,
            "UDIR": asked.get("adjFlag") == "REF" and asked.get("adjCode") in ADJUSTMENTS,
        }
        spelt = re.fullmatch(r"[A-Za-z0-9 ]{1,50}", remarks)
        if not wanted.get(str(kind)) or not _AMOUNT.match(amount) or not spelt:
            raise refusal("BAD_REQUEST", "refundType and what it needs, amount, remarks", 400)
        intent = self.intents.get(asked["originalMerchantRequestId"])
        if intent is None:
            raise refusal("INVALID_TRANSACTION_ID", "No such transaction")
        outcome = intent["outcome"] or {}
        if outcome.get("gatewayResponseStatus") != "SUCCESS":
            raise refusal("UNINITIATED_REQUEST", "Transaction was not successful")
        age = self.now - intent["paid_at"]
        if age > REFUND_WITHIN or (kind == "UDIR" and age < UDIR_AFTER):
            raise refusal("INVALID_DATA", "Too late, or too early")
        given = sum(
            Decimal(each["refundAmount"])
            for each in self.refunds.values()
            if each["originalMerchantRequestId"] == intent["merchantRequestId"]
            and each["gatewayResponseStatus"] != "FAILURE"
        )
        if not 0 < Decimal(amount) <= Decimal(intent["amount"]) - given:
            raise refusal("INVALID_REFUND_AMOUNT", "More than was paid")
        return amount

    async def _asked(self, request: web.Request, routed: str) -> Document:
        """Read a call, whose headers and signature must hold."""
        given = request.headers
        if (given.get("x-merchant-id"), given.get("x-merchant-channel-id")) != (
            MERCHANT_ID,
            CHANNEL_ID,
        ):
            raise refusal("INVALID_MERCHANT", "Invalid merchant", 401)
        try:
            asked = opened(await request.json())
        except (InvalidSignature, KeyError, ValueError, TypeError):
            raise refusal("UNAUTHORIZED", "Unauthorized", 401) from None
        stamps = str(asked.get("iat", "")), given.get("x-timestamp", "")
        if not all(_MILLISECONDS.match(each) for each in stamps):
            raise refusal("BAD_REQUEST", "iat and x-timestamp have 13 digits", 400)
        if not _ID.match(str(asked.get(routed, ""))):
            raise refusal("BAD_REQUEST", routed, 400)
        if given.get("jpupi-routing-id") != asked[routed]:
            raise refusal("BAD_REQUEST", "jpupi-routing-id", 400)
        return asked

    def _said(self, payload: Document) -> web.Response:
        said = {"status": "SUCCESS", "responseCode": "SUCCESS", "responseMessage": "SUCCESS"}
        answer = said | {"payload": payload}
        body = json.dumps(sealed(answer) if self.encrypts else answer).encode()
        signed = key("juspay").sign(body, padding.PKCS1v15(), hashes.SHA256())
        headers = {"x-response-signature": base64.b64encode(signed).decode()}
        return web.Response(body=body, content_type="application/json", headers=headers)

    def _instant(self) -> str:
        local = datetime.fromtimestamp(self.clock, UTC) + timedelta(hours=5, minutes=30)
        return f"{local:%Y-%m-%dT%H:%M:%S}+05:30"


def _outcome(code: str) -> Document:
    return {
        "gatewayResponseCode": code,
        "gatewayResponseStatus": OUTCOMES.get(code, "FAILURE"),
        "gatewayResponseMessage": f"outcome {code}",
    }
