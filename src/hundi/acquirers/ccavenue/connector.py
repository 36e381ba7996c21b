"""The connector of CCAvenue: its payment page, holds, refunds; see docs/ccavenue.md."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hundi.acquirers.calls.aggregators import RUPEES, rupees_text, while_open
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.ccavenue import envelope, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace

INQUIRY_GAPS_S = (20, 20, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
REFUND_GAPS_S = (60, 300, 900, 3_600, 14_400, 43_200, 86_400, 86_400)
CURRENCY_CODE, HOLD_CODE, METHOD_CODE, STATE_CODE = (
    "HUNDI-CURRENCY",
    "HUNDI-HOLD",
    "HUNDI-METHOD",
    "HUNDI-STATE",
)
"""Our own codes for requests that are refused without calling CCAvenue."""
PAGE_PATH = "/transaction/transaction.do?command=initiateTransaction"
API_PATH = "/apis/servlet/DoWebTrans"
VERSION, STATUS_VERSION = "1.1", "1.2"
NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, PHONE_LENGTH_MAX = 60, 70, 10


@dataclass(frozen=True, slots=True)
class Account:
    """A merchant account: in memory only, without a readable form."""

    merchant_id: str
    access_code: str
    working_key: str

    def __repr__(self) -> str:
        """Hide the key: this value reaches tracebacks."""
        return "Account(****)"


class CCAvenueConnector:
    """One merchant account at CCAvenue.

    page_url, api_url: its two hosts, without a slash at the end. holds: the account does not
    confirm orders by itself. simulated: it is CCAvenue's test environment. now_s: returns the time
    in Unix seconds.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(  # noqa: PLR0913 (who we are and where CCAvenue is)
        self,
        name: str,
        account: Account,
        page_url: str,
        api_url: str,
        memory: Memory,
        *,
        holds: bool = False,
        simulated: bool = False,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name, self.simulated, self.checkout_origins = name, simulated, (page_url,)
        self._account, self._memory, self._now_s, self._holds = account, memory, now_s, holds
        self._page_url = page_url + PAGE_PATH
        self._http = AcquirerClient(
            api_url,
            lambda *_call: {},
            lambda answer: rules.read(answer.body),
            timeouts,
            opened=lambda body: rules.opened(body, account.working_key),
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
        """Return CCAvenue's state of an order.

        A payment to be captured is confirmed here: an order that nobody confirms is refunded after
        12 days.
        """
        words = await self._memory.known(reference)
        order = await self._order(reference)
        if (
            isinstance(order, rules.CCAvenueOrder)
            and order.state == rules.PAID
            and words.get("asked") == str(order.amount)
        ):
            if words.get("hold") == "1":
                return rules.outcome(order)
            await self._end("confirmOrder", order.number, Money(order.amount))
            order = await self._order(reference)
        answer = rules.outcome(order) if isinstance(order, rules.CCAvenueOrder) else order
        if isinstance(answer, Approved) and answer.authorised_only and words.get("hold") != "1":
            return self._unconfirmed(answer, words)
        return while_open(answer) if self._now_s() < float(words.get("until", 0)) else answer

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the form that the browser posts to CCAvenue's page; CCAvenue is not called."""
        if method != "card":
            return Declined(METHOD_CODE, "CCAvenue's page is used for cards.")
        if not capture and not self._holds:
            return Declined(HOLD_CODE, "This account confirms orders by itself.")
        if charge.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "CCAvenue takes rupees here.")
        hold = "0" if capture else "1"
        words = {
            "asked": str(charge.amount.paise),
            "hold": hold,
            "until": str(int(self._now_s()) + expires_in_s),
        }
        stored = await self._memory.keep(charge.reference, words)
        if (stored["asked"], stored["hold"]) != (words["asked"], hold):
            return Unknown(message="this reference was used for something else")
        customer = charge.customer
        contact = {
            "billing_name": rules.plain(customer.name, NAME_LENGTH_MAX),
            "billing_email": rules.plain(customer.email, EMAIL_LENGTH_MAX),
            "billing_tel": rules.plain(customer.phone[-PHONE_LENGTH_MAX:], PHONE_LENGTH_MAX),
        }
        text = rules.request(
            {
                "merchant_id": self._account.merchant_id,
                "order_id": charge.reference,
                "currency": RUPEES,
                "amount": rupees_text(charge.amount),
                "redirect_url": return_url,
                "cancel_url": return_url,
                "language": "EN",
                **{name: value for name, value in contact.items() if value},
            }
        )
        if text is None or not rules.is_plain_address(return_url):
            return Unknown(
                message="the address to come back to cannot be sent to CCAvenue", sent=False
            )
        sealed = envelope.seal(text, self._account.working_key)
        fields = (("encRequest", sealed), ("access_code", self._account.access_code))
        return Redirect(self._page_url, charge.reference, fields)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Confirm a held order, or a part of it, and ask for its outcome."""
        order = await self._held(original)
        if not isinstance(order, rules.CCAvenueOrder):
            return order
        refused: Declined | Unknown = Unknown("QUEUED")
        if order.state == rules.PAID:
            refused = await self._end("confirmOrder", order.number, amount)
            order = await self._order(original)
        answer = (
            rules.outcome(order) if isinstance(order, rules.CCAvenueOrder) else Unknown("QUEUED")
        )
        if isinstance(answer, Voided):
            return Declined("Cancelled", "The hold was given back.")
        if isinstance(answer, Approved) and not answer.authorised_only:
            return (
                answer
                if answer.amount == amount
                else Unknown(answer.code, "another amount was captured")
            )
        return refused if isinstance(answer, Approved) else answer

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Cancel a held order, and ask for its outcome."""
        order = await self._held(original)
        if not isinstance(order, rules.CCAvenueOrder):
            return order
        refused: Declined | Unknown = Unknown("QUEUED")
        if order.state == rules.PAID:
            refused = await self._end("cancelOrder", order.number, Money(order.amount))
            order = await self._order(original)
        answer = (
            rules.outcome(order) if isinstance(order, rules.CCAvenueOrder) else Unknown("QUEUED")
        )
        if isinstance(answer, Approved):
            return (
                refused
                if answer.authorised_only
                else Declined(rules.CONFIRMED, "The amount was captured.")
            )
        return answer

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund of a confirmed amount, under our token, and ask for its outcome."""
        if order.amount.currency != RUPEES:
            return Declined(CURRENCY_CODE, "CCAvenue pays in rupees here.")
        number = await self._captured(order.original)
        if not isinstance(number, str):
            return number
        token = rules.token(order.reference)
        await self._memory.keep(order.reference, {"number": number, "token": token})
        request = {
            "reference_no": number,
            "refund_amount": rupees_text(order.amount),
            "refund_ref_no": token,
        }
        reply = await self._ask("refundOrder", request)
        if isinstance(reply, Unknown):
            return reply
        answer = rules.refund_answered(reply, await self.inquire_refund(order.reference))
        if isinstance(answer, Approved) and answer.amount != order.amount:
            return Unknown(message="CCAvenue gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return CCAvenue's state of a refund, found by our token in its transaction."""
        words = await self._memory.known(reference)
        if "token" not in words:
            return NothingThere()
        answer = await self._ask(
            "getRefundDetails", {"reference_no": words["number"]}, is_question=True
        )
        return (
            answer
            if isinstance(answer, Unknown)
            else rules.refund_outcome(answer, words["number"], words["token"])
        )

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (nothing is signed, and no time is told)
        """Return the trigger of an encrypted callback."""
        return rules.trigger(body, self._account.working_key)

    @staticmethod
    def _unconfirmed(answer: Approved, words: Mapping[str, str]) -> Approved | Unknown:
        """Return the answer for a paid order that was to be captured and is not confirmed.

        A wrong amount is reported as it is; the order is refunded by itself.
        """
        if words.get("asked") == str(answer.amount.paise):
            return Unknown(rules.PAID, "paid, and not confirmed yet")
        return replace(answer, authorised_only=False)

    async def _order(self, reference: str) -> rules.CCAvenueOrder | NothingThere | Unknown:
        answer = await self._ask(
            "orderStatusTracker", {"order_no": reference}, is_question=True, version=STATUS_VERSION
        )
        return answer if isinstance(answer, Unknown) else rules.order(answer, reference)

    async def _end(self, command: str, number: str, amount: Money) -> Declined | Unknown:
        """Confirm or cancel an order.

        Return why that may not have happened; the caller asks for the outcome.
        """
        answer = await self._ask(
            command, {"order_List": [{"reference_no": number, "amount": rupees_text(amount)}]}
        )
        return answer if isinstance(answer, Unknown) else rules.end_refused(answer, number)

    async def _held(self, original: str) -> rules.CCAvenueOrder | Declined | Unknown:
        """Return an order that was to be held, or why nothing is sent about another."""
        words = await self._memory.known(original)
        if words.get("hold") != "1":
            return Declined(STATE_CODE, "CCAvenue holds nothing for this payment.")
        order = await self._order(original)
        if isinstance(order, Unknown):
            return replace(order, sent=False)
        if isinstance(order, NothingThere):
            return Declined(STATE_CODE, "CCAvenue holds nothing for this payment.")
        return order

    async def _captured(self, original: str) -> str | Declined | Unknown:
        """Return CCAvenue's number of a confirmed payment, or why nothing is sent about another."""
        words = await self._memory.known(original)
        if "number" in words:
            return words["number"]
        answer = await self.inquire(original)
        if isinstance(answer, Unknown):
            return replace(answer, sent=False)
        if not isinstance(answer, Approved) or answer.authorised_only:
            return Declined(STATE_CODE, "CCAvenue has captured nothing for this payment.")
        order = await self._order(original)
        if not isinstance(order, rules.CCAvenueOrder):
            return Unknown(message="CCAvenue changed its mind", sent=False)
        await self._memory.keep(original, {"number": order.number})
        return order.number

    async def _ask(
        self,
        command: str,
        request: Mapping[str, Any],
        *,
        is_question: bool = False,
        version: str = VERSION,
    ) -> dict[str, Any] | Unknown:
        """Send a command. Only one that moves no money is repeated after silence."""
        form = {
            "enc_request": envelope.seal(msgspec.json.encode(request), self._account.working_key),
            "access_code": self._account.access_code,
            "command": command,
            "request_type": "JSON",
            "response_type": "JSON",
            "version": version,
        }
        return await self._http.ask(
            replace(self._http.form(API_PATH, form), repeatable=is_question)
        )
