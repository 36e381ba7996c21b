"""The connector of PhonePe v2: UPI links, its payment page, net banking, refunds.

See docs/phonepe.md.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from hundi.acquirers.calls.address_checks import AddressAnswer, AddressChecks
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, HttpCall, Timeouts
from hundi.acquirers.phonepe import banks, messages, rules
from hundi.acquirers.phonepe.token import PhonePeCredentials, PhonePeTokens
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import BankEntry, Charge, InquirySchedule, RefundOrder

INQUIRY_GAPS_S = (5, 10, 10, 10, 20, 20, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
REFUND_GAPS_S = (60, 300, 900, 3_600, 14_400, 43_200, 86_400)
CURRENCY_CODE, HOLD_CODE, METHOD_CODE = "HUNDI-CURRENCY", "HUNDI-HOLD", "HUNDI-METHOD"
"""Our own codes for requests that are refused without calling PhonePe."""
READABLE = (200, 400, 401, 402, 403, 404, 409, 417, 422)
CARD_MODES = [{"type": "CARD", "cardTypes": ["DEBIT_CARD", "CREDIT_CARD"]}]


@dataclass(frozen=True, slots=True)
class PhonePePlaces:
    """PhonePe's addresses: its payment interface, its tokens, and the pages for customers.

    Addresses have no slash at the end; origins are scheme, host and port.
    """

    url: str
    token_url: str
    checkout_origins: tuple[str, ...]
    bank_origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The user name and password of the dashboard's webhook.

    Without a user name no webhook is believed.
    """

    username: str = ""
    password: str = ""

    def __repr__(self) -> str:
        """Hide the password: this value reaches tracebacks."""
        return "Webhooks(****)"


NO_WEBHOOKS = Webhooks()


class PhonePeConnector:
    """One merchant account at PhonePe.

    unknown_refund_code: see `rules.refund_outcome`. bank_codes: see `banks`.
    checks_addresses: UPI addresses are checked with it. simulated: it is PhonePe's sandbox.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(  # noqa: PLR0913 (who we are, where PhonePe is, and what is not published)
        self,
        name: str,
        credentials: PhonePeCredentials,
        places: PhonePePlaces,
        memory: Memory,
        *,
        webhooks: Webhooks = NO_WEBHOOKS,
        unknown_refund_code: str = "",
        bank_codes: tuple[str, ...] = (),
        checks_addresses: bool = False,
        simulated: bool = False,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name, self.simulated = name, simulated
        self.checkout_origins, self.redirect_origins = places.checkout_origins, places.bank_origins
        self._memory, self._webhooks = memory, webhooks
        self._unknown_refund_code = unknown_refund_code
        self._banks = banks.enabled(bank_codes)
        self._tokens = PhonePeTokens(places.token_url, credentials, timeouts)
        self._http = AcquirerClient(
            places.url,
            lambda *_call: {},
            lambda answer: messages.read(answer.status, answer.body),
            timeouts,
            readable=READABLE,
        )
        self.breaker = self._http.breaker
        if checks_addresses:
            addresses = AddressChecks(self._holder, simulated=simulated)
            self.check_address = addresses.check_address

    async def close(self) -> None:
        """Close the connection pools."""
        await asyncio.gather(self._http.close(), self._tokens.close())

    def reachable(self) -> bool:
        """Return whether calls are made: not while calls, or those for tokens, failed in a row."""
        return (
            self._tokens.reachable()
            and self.breaker.state(time.monotonic()) is not BreakerState.OPEN
        )

    async def inquire(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return PhonePe's state of an order; its root state alone decides."""
        words = await self._memory.known(reference)
        product = words.get("product", "payments")
        path = (
            f"/{product}/v2/order/{quote(reference, safe='')}/status?details=true&errorContext=true"
        )
        answer = await self._ask(self._http.look(path))
        return (
            answer
            if isinstance(answer, Unknown)
            else rules.order_outcome(answer, reference, words.get("order_id", ""))
        )

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of a UPI QR, which phones open as well."""
        order = await self._make(
            charge,
            "payments",
            {"type": "PG", "paymentMode": {"type": "UPI_QR"}},
            rules.life_s(expires_in_s, rules.LINK_LIFE_S),
        )
        return (
            rules.upi_link(order, charge.amount)
            if isinstance(order, messages.AnswerBody)
            else order
        )

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return PhonePe's own page, with cards only; PhonePe cannot hold an amount."""
        if method != "card":
            return Declined(METHOD_CODE, "PhonePe's page is used for cards.")
        if not capture:
            return Declined(HOLD_CODE, "PhonePe cannot hold an amount.")
        flow = {
            "type": "PG_CHECKOUT",
            "merchantUrls": {"redirectUrl": return_url},
            "paymentModeConfig": {"enabledPaymentModes": CARD_MODES},
        }
        order = await self._make(
            charge, "checkout", flow, rules.life_s(expires_in_s, rules.PAGE_LIFE_S)
        )
        return (
            rules.page(order, self.checkout_origins)
            if isinstance(order, messages.AnswerBody)
            else order
        )

    async def banks(self) -> tuple[BankEntry, ...]:
        """Return the banks that PhonePe publishes and the operator's account has."""
        return self._banks

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of a bank's page; a repeat returns the same one.

        PhonePe takes a reference once.
        """
        if (method, bank_code) not in {(each.method, each.code) for each in self._banks}:
            return Declined(METHOD_CODE, "PhonePe does not offer this bank.")
        words = await self._memory.known(charge.reference)
        purpose = f"{bank_code} {charge.amount.paise}"
        if words.get("asked", purpose) != purpose:
            return Unknown(message="this reference was used for another bank or amount")
        if "page" in words:
            return Redirect(words["page"], words.get("order_id", ""))
        flow = {
            "type": "PG",
            "paymentMode": {"type": "NET_BANKING", "bankId": bank_code},
            "merchantUrls": {"redirectUrl": return_url},
        }
        order = await self._make(charge, "payments", flow, rules.LINK_LIFE_S[0], {"asked": purpose})
        if not isinstance(order, messages.AnswerBody):
            return order
        page = rules.page(order, self.redirect_origins)
        if isinstance(page, Redirect):
            await self._memory.keep(charge.reference, {"page": page.url})
        return page

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund under our own id.

        If PhonePe refuses it, its record decides: it may have the refund already.
        """
        if order.amount.currency != rules.RUPEES:
            return Declined(CURRENCY_CODE, "PhonePe pays in rupees.")
        request = {
            "merchantRefundId": order.reference,
            "originalMerchantOrderId": order.original,
            "amount": order.amount.paise,
        }
        reply = await self._ask(self._http.post("/payments/v2/refund", request))
        if isinstance(reply, Unknown) or reply.refused:
            return (
                reply if isinstance(reply, Unknown) else Unknown(reply.word.code or "", sent=False)
            )
        if reply.status == rules.HTTPStatus.OK:
            answer = rules.refund_outcome(reply, order.reference)
        else:
            answer = rules.refund_refused(reply, await self.inquire_refund(order.reference))
        if isinstance(answer, NothingThere) or (
            isinstance(answer, Approved) and answer.amount != order.amount
        ):
            return Unknown(message="PhonePe gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return PhonePe's state of a refund, by our own id alone."""
        answer = await self._ask(
            self._http.look(f"/payments/v2/refund/{quote(reference, safe='')}/status")
        )
        if isinstance(answer, Unknown):
            return answer
        return rules.refund_outcome(answer, reference, self._unknown_refund_code)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (no time is signed)
        """Return the trigger of an authenticated webhook.

        Its proof does not cover its body: PhonePe is always asked.
        """
        username, password = self._webhooks.username, self._webhooks.password
        if (
            not username
            or not password
            or not rules.authentic(username, password, headers.get("authorization", ""))
        ):
            return None
        return rules.trigger(body)

    async def _holder(self, vpa: str) -> AddressAnswer:
        request = {"type": "VPA", "vpa": vpa}
        answer = await self._ask(self._http.question("/v2/validate/upi", request))
        return answer if isinstance(answer, Unknown) else rules.address_outcome(answer, vpa)

    async def _make(
        self,
        charge: Charge,
        product: str,
        flow: Mapping[str, Any],
        life_s: int,
        words: Mapping[str, str] | None = None,
    ) -> messages.AnswerBody | Declined | Unknown:
        """Create an order. Its record for inquiries is stored before, its PhonePe id after."""
        if charge.amount.currency != rules.RUPEES:
            return Declined(CURRENCY_CODE, "PhonePe takes rupees.")
        await self._memory.keep(charge.reference, {"product": product, **(words or {})})
        request = {
            "merchantOrderId": charge.reference,
            "amount": charge.amount.paise,
            "expireAfter": life_s,
            "paymentFlow": flow,
        }
        answer = await self._ask(self._http.post(f"/{product}/v2/pay", request))
        order = answer if isinstance(answer, Unknown) else rules.order_of(answer)
        if isinstance(order, messages.AnswerBody) and order.order_id:
            await self._memory.keep(charge.reference, {"order_id": order.order_id})
        return order

    async def _ask(self, call: HttpCall) -> messages.PhonePeAnswer | Unknown:
        return await self._tokens.ask(
            self._http, call, lambda answer: answer.status == rules.HTTPStatus.UNAUTHORIZED
        )
