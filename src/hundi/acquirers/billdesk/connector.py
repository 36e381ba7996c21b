"""The connector of BillDesk: its payment page and refunds; see docs/billdesk.md."""

import secrets
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from hundi.acquirers.billdesk import jose, rules
from hundi.acquirers.calls.aggregators import RUPEES, rupees_text, while_open
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.clock import ist
from hundi.kernel.money import Money
from hundi.kernel.records import replace

INQUIRY_GAPS_S = (30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
REFUND_GAPS_S = (60, 300, 900, 3_600, 14_400, 43_200, 86_400)
CURRENCY_CODE, HOLD_CODE, METHOD_CODE, STATE_CODE = (
    "HUNDI-CURRENCY",
    "HUNDI-HOLD",
    "HUNDI-METHOD",
    "HUNDI-STATE",
)
"""Our own codes for requests that are refused without calling BillDesk."""
READABLE = (200, 400, 401, 403, 404, 409, 422)
ENVELOPE = "application/jose"
PLACE = "/payments/ve1_2"
UNKNOWN_ADDRESS = "127.0.0.1"
NOT_SAID = "NA"


class UnknownCodes(msgspec.Struct, frozen=True):
    """BillDesk's error codes for an order and a refund that it does not have, found in its UAT."""

    order: str = ""
    refund: str = ""


NOTHING_KNOWN = UnknownCodes()


class BillDeskConnector:
    """One merchant account at BillDesk.

    url: without a slash at the end. page_origins: origins of its page. simulated: it is BillDesk's
    UAT environment. now_s: returns the time in Unix seconds.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(  # noqa: PLR0913 (who we are, where BillDesk is, and what is not published)
        self,
        name: str,
        mercid: str,
        keys: jose.Keys,
        url: str,
        page_origins: tuple[str, ...],
        memory: Memory,
        *,
        unknown_codes: UnknownCodes = NOTHING_KNOWN,
        item_code: str = "DIRECT",
        simulated: bool = False,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name, self.simulated, self.checkout_origins = name, simulated, page_origins
        self._mercid, self._keys, self._memory, self._now_s = mercid, keys, memory, now_s
        self._unknown, self._item_code = unknown_codes, item_code
        self._http = AcquirerClient(
            url,
            lambda *_call: {},
            lambda answer: rules.read(answer.status, answer.body),
            timeouts,
            readable=READABLE,
            opened=lambda body: jose.opened(body, keys),
        )
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
        """Return BillDesk's state of an order.

        A failed try ends nothing while its page is open.
        """
        words = await self._memory.known(reference)
        reply = await self._transaction(reference)
        answer = reply if isinstance(reply, Unknown) else self._outcome(reply, reference, words)
        return while_open(answer) if self._now_s() < float(words.get("until", 0)) else answer

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Create an order and return the form that the browser posts to BillDesk's page."""
        if method != "card":
            return Declined(METHOD_CODE, "BillDesk's page is used for cards.")
        if not capture:
            return Declined(HOLD_CODE, "BillDesk's page cannot hold an amount.")
        if charge.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "BillDesk takes rupees.")
        amount = str(charge.amount.paise)
        words = {"asked": amount, "until": str(int(self._now_s()) + expires_in_s)}
        if (await self._memory.keep(charge.reference, words))["asked"] != amount:
            return Unknown(message="this reference was used for another amount")
        body = {
            "mercid": self._mercid,
            "orderid": charge.reference,
            "amount": rupees_text(charge.amount),
            "order_date": self._now().isoformat(timespec="seconds"),
            "currency": rules.RUPEES_CODE,
            "ru": return_url,
            "itemcode": self._item_code,
            "additional_info": {f"additional_info{place}": NOT_SAID for place in range(1, 8)},
            "device": {
                "init_channel": "internet",
                "ip": charge.customer.address or UNKNOWN_ADDRESS,
                "user_agent": charge.customer.user_agent or NOT_SAID,
            },
        }
        answer = await self._ask(
            "/orders/create", body, trace=rules.trace("order", charge.reference)
        )
        if isinstance(answer, Unknown):
            return answer
        return rules.page(
            answer, charge.reference, self._mercid, charge.amount, self.checkout_origins
        )

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund under our own reference.

        If BillDesk refuses it, its record of the refund decides.
        """
        if order.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "BillDesk pays in rupees.")
        paid = await self._paid(order.original)
        if not isinstance(paid, Mapping):
            return paid
        await self._memory.keep(order.reference, {"refunds": order.original})
        body = {
            "mercid": self._mercid,
            "orderid": order.original,
            "transactionid": paid["transaction"],
            "transaction_date": paid["at"],
            "txn_amount": paid["amount"],
            "refund_amount": rupees_text(order.amount),
            "currency": rules.RUPEES_CODE,
            "merc_refund_ref_no": order.reference,
        }
        reply = await self._ask(
            "/refunds/create", body, trace=rules.trace("refund", order.reference)
        )
        if isinstance(reply, Unknown):
            return reply
        answer: Approved | Declined | Unknown | NothingThere
        answer = rules.refund_outcome(reply, order.reference, self._mercid, "")
        if not isinstance(answer, Approved) and reply.status != rules.HTTPStatus.OK:
            answer = rules.refund_refused(reply, await self.inquire_refund(order.reference))
        if isinstance(answer, NothingThere) or (
            isinstance(answer, Approved) and answer.amount != order.amount
        ):
            return Unknown(message="BillDesk gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return BillDesk's state of a refund, by our own reference."""
        if "refunds" not in await self._memory.known(reference):
            return NothingThere()
        answer = await self._ask(
            "/refunds/get", {"mercid": self._mercid, "merc_refund_ref_no": reference}
        )
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, reference, self._mercid, self._unknown.refund)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (the signature is in the body, and no time is signed)
        """Return what an authenticated webhook is about."""
        return rules.trigger(body, self._mercid, self._keys)

    def _outcome(
        self, answer: rules.BillDeskAnswer, reference: str, words: Mapping[str, str]
    ) -> Approved | Declined | Unknown | NothingThere:
        amount = Money(int(words["asked"])) if "asked" in words else None
        return rules.payment_outcome(answer, reference, self._mercid, self._unknown.order, amount)

    async def _paid(self, original: str) -> Mapping[str, str] | Declined | Unknown:
        """Return the fields of a payment that its refund must name.

        Declined for a payment that was not made.
        """
        stored = await self._memory.known(original)
        if "transaction" in stored:
            return stored
        reply = await self._transaction(original)
        if isinstance(reply, Unknown):
            return replace(reply, sent=False)
        answer = self._outcome(reply, original, stored)
        words = rules.paid_words(reply) if isinstance(answer, Approved) else {}
        if words:
            return await self._memory.keep(original, words)
        if isinstance(answer, Declined | NothingThere):
            return Declined(STATE_CODE, "BillDesk was paid nothing for this payment.")
        return replace(reply.unknown(), sent=False)

    async def _transaction(self, reference: str) -> rules.BillDeskAnswer | Unknown:
        return await self._ask("/transactions/get", {"mercid": self._mercid, "orderid": reference})

    async def _ask(
        self, path: str, body: Mapping[str, Any], *, trace: str = ""
    ) -> rules.BillDeskAnswer | Unknown:
        """Make a call in its envelope.

        trace: for a call that may move money; a question gets a new one.
        """
        headers = {
            "Content-Type": ENVELOPE,
            "Accept": ENVELOPE,
            "BD-Traceid": trace or secrets.token_hex(rules.TRACE_LENGTH // 2),
            "BD-Timestamp": self._now().strftime("%Y%m%d%H%M%S"),
        }
        call = replace(
            self._http.post(PLACE + path, {}), body=jose.seal(msgspec.json.encode(body), self._keys)
        )
        return await self._http.ask(replace(call, headers=headers))

    def _now(self) -> datetime:
        return ist(datetime.fromtimestamp(self._now_s(), UTC))
