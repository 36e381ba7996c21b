"""The connector of Paytm Payment Gateway: its payment page, UPI QR codes, refunds.

See docs/paytm.md.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec

from hundi.acquirers.calls.aggregators import RUPEES, rupees_text, while_open
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.paytm import checksums, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.clock import ist
from hundi.kernel.records import replace

INQUIRY_GAPS_S = (15, 15, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
"""Paytm refuses inquiries less than 15 s apart."""
REFUND_GAPS_S = (60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400)
CURRENCY_CODE, HOLD_CODE, METHOD_CODE, STATE_CODE = (
    "HUNDI-CURRENCY",
    "HUNDI-HOLD",
    "HUNDI-METHOD",
    "HUNDI-STATE",
)
"""Our own codes for requests that are refused without calling Paytm."""
TOKEN_LIFE_S = 900
"""Seconds for which a page can be opened after its request."""
TERMINAL = "HUNDI"
"""Paytm requires a terminal's name for each QR code, even without a terminal."""


@dataclass(frozen=True, slots=True)
class Account:
    """A merchant account: in memory only, without a readable form."""

    mid: str
    key: str
    website: str
    client_id: str

    def __repr__(self) -> str:
        """Hide the key: this value reaches tracebacks."""
        return "Account(****)"


class PaytmConnector:
    """One merchant account at Paytm.

    url: without a slash at the end. simulated: it is Paytm's staging environment. now_s: returns
    the time in Unix seconds.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(
        self,
        name: str,
        account: Account,
        url: str,
        memory: Memory,
        *,
        simulated: bool = False,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name, self.simulated = name, simulated
        self._account, self._memory, self._now_s, self._url = account, memory, now_s, url
        self._http = AcquirerClient(
            url, lambda *_call: {}, lambda answer: rules.read(answer.body), timeouts
        )
        self.checkout_origins = (self._http.origin,)
        self.breaker = self._http.breaker

    async def close(self) -> None:
        """Close the connection pool."""
        await self._http.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return Paytm's state of an order.

        A failed try ends nothing while its page or QR is open.
        """
        words = await self._memory.known(reference)
        reply = await self._status(reference)
        answer = (
            reply
            if isinstance(reply, Unknown)
            else rules.payment_outcome(reply, reference, self._account.mid)
        )
        return while_open(answer) if self._now_s() < float(words.get("until", 0)) else answer

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the form that the browser posts to Paytm's page, with cards only."""
        if method != "card":
            return Declined(METHOD_CODE, "Paytm's page is used for cards.")
        if not capture:
            return Declined(HOLD_CODE, "Paytm's page cannot hold an amount.")
        # A page can be opened as long as its token lives, whatever our page says.
        if refused := await self._begin(charge, "page", max(expires_in_s, TOKEN_LIFE_S)):
            return refused
        customer, mid = charge.customer, self._account.mid
        contact = {"mobile": customer.phone, "email": customer.email, "firstName": customer.name}
        body = {
            "requestType": "Payment",
            "mid": mid,
            "websiteName": self._account.website,
            "orderId": charge.reference,
            "callbackUrl": return_url,
            "txnAmount": {"value": rupees_text(charge.amount), "currency": RUPEES},
            "userInfo": {
                "custId": charge.reference,
                **{name: value for name, value in contact.items() if value},
            },
            "enablePaymentMode": rules.CARD_MODES,
        }
        place = urlencode({"mid": mid, "orderId": charge.reference})
        answer = await self._ask(f"/theia/api/v1/initiateTransaction?{place}", body)
        token = answer if isinstance(answer, Unknown) else rules.page_token(answer)
        if isinstance(token, Unknown):
            return token
        fields = (("mid", mid), ("orderId", charge.reference), ("txnToken", token))
        return Redirect(
            f"{self._url}/theia/api/v1/showPaymentPage?{place}", charge.reference, fields
        )

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI QR code, which phones open as well."""
        if refused := await self._begin(charge, "qr", expires_in_s):
            return refused
        expires_at = datetime.fromtimestamp(self._now_s() + expires_in_s, UTC)
        body = {
            "mid": self._account.mid,
            "orderId": charge.reference,
            "amount": rupees_text(charge.amount),
            "businessType": rules.QR_BUSINESS,
            "posId": TERMINAL,
            "expiryDate": ist(expires_at).strftime("%Y-%m-%d %H:%M:%S"),
        }
        head = {"clientId": self._account.client_id, "version": "v1"}
        answer = await self._ask("/paymentservices/qr/create", body, head)
        url = answer if isinstance(answer, Unknown) else rules.upi_url(answer, charge.amount)
        return url if isinstance(url, Unknown) else UpiLink(url, expires_at)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund under our own id.

        If Paytm refuses it, its record of the refund decides.
        """
        if order.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "Paytm pays in rupees.")
        txn_id = await self._paid(order.original)
        if not isinstance(txn_id, str):
            return txn_id
        await self._memory.keep(order.reference, {"order": order.original})
        body = {
            "mid": self._account.mid,
            "txnType": "REFUND",
            "orderId": order.original,
            "txnId": txn_id,
            "refId": order.reference,
            "refundAmount": rupees_text(order.amount),
        }
        reply = await self._ask("/refund/apply", body)
        if isinstance(reply, Unknown):
            return reply
        if reply.status == "PENDING":
            return Unknown(reply.code, reply.message)
        answer = rules.refund_refused(reply, await self.inquire_refund(order.reference))
        if isinstance(answer, Approved) and answer.amount != order.amount:
            return Unknown(message="Paytm gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return Paytm's state of a refund, by its order and our own id."""
        words = await self._memory.known(reference)
        if "order" not in words:
            return NothingThere()
        body = {"mid": self._account.mid, "orderId": words["order"], "refId": reference}
        answer = await self._ask("/v2/refund/status", body, is_question=True)
        return (
            answer
            if isinstance(answer, Unknown)
            else rules.refund_outcome(answer, reference, self._account.mid)
        )

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (the checksum is in the body, and no time is signed)
        """Return the trigger of an authenticated webhook."""
        return rules.trigger(body, self._account.mid, self._account.key)

    async def _begin(self, charge: Charge, way: str, life_s: int) -> Declined | Unknown | None:
        """Store the use of a reference, and until when it may be paid.

        None when Paytm can be called.
        """
        if charge.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "Paytm takes rupees.")
        purpose = f"{charge.amount.paise} {way}"
        words = {"asked": purpose, "until": str(int(self._now_s()) + life_s)}
        stored = await self._memory.keep(charge.reference, words)
        return (
            None
            if stored["asked"] == purpose
            else Unknown(message="this reference was used for something else")
        )

    async def _paid(self, original: str) -> str | Declined | Unknown:
        """Return Paytm's id of a paid transaction, or why nothing is sent about another."""
        words = await self._memory.known(original)
        if "txn_id" in words:
            return words["txn_id"]
        reply = await self._status(original)
        if isinstance(reply, Unknown):
            return replace(reply, sent=False)
        if txn_id := rules.paid_id(reply, original, self._account.mid):
            await self._memory.keep(original, {"txn_id": txn_id})
            return txn_id
        answer = rules.payment_outcome(reply, original, self._account.mid)
        if isinstance(answer, Unknown):
            return replace(answer, sent=False)
        return Declined(STATE_CODE, "Paytm was paid nothing for this payment.")

    async def _status(self, reference: str) -> rules.PaytmAnswer | Unknown:
        body = {"mid": self._account.mid, "orderId": reference}
        return await self._ask("/v3/order/status", body, is_question=True)

    async def _ask(
        self,
        path: str,
        body: Mapping[str, Any],
        head: Mapping[str, str] | None = None,
        *,
        is_question: bool = False,
    ) -> rules.PaytmAnswer | Unknown:
        """Make a signed call: the signed bytes are the bytes that are sent."""
        text = msgspec.json.encode(body)
        signed = {**(head or {}), "signature": checksums.sign(text, self._account.key)}
        whole = b'{"head":' + msgspec.json.encode(signed) + b',"body":' + text + b"}"
        return await self._http.ask(
            replace(self._http.post(path, {}), body=whole, repeatable=is_question)
        )
