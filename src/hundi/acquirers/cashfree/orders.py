"""Orders and payment links at Cashfree: created once, found after a lost answer, and closed."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import structlog

from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, HttpCall, Timeouts
from hundi.acquirers.cashfree import questions, rules
from hundi.acquirers.cashfree.words import (
    READABLE,
    CashfreeAnswer,
    CashfreeLink,
    CashfreeOrder,
    CashfreePayment,
    CashfreeRefund,
    PaymentSession,
    decoded,
    refusal,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge
from hundi.infra.http.client import HttpAnswer
from hundi.kernel.records import replace

ANSWER_BYTES_MAX = 512 * 1024
"""Bytes; enough for the payments of an order whose customer tried often."""
EXPIRY_FLOOR_S = 960
"""Cashfree takes no order that ends within 15 minutes.

Observed; its documents do not say it.
"""
ORDER_LIFE_S = 1_800
"""Seconds; the life of an order whose customer is sent to a bank's page."""
LINK_ORDERS_MAX = 20
"""More than a customer opens; with more orders, nothing is decided."""
SESSIONS = "/orders/sessions"
"""The path that begins payments, with the secret of an order and without our keys."""
OnHold = Approved | Declined | Unknown | NothingThere | Voided
_log = structlog.get_logger(__name__)


class CashfreeOrders:
    """Cashfree's orders and links, which every way to pay needs.

    The memory has, for each reference, its way, its amount, whether it is only held (`hold`), and
    Cashfree's name of the order.
    """

    def __init__(
        self,
        base_url: str,
        *,
        client_id: str,
        client_secret: str,
        api_version: str,
        memory: Memory,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        headers = {
            "x-client-id": client_id,
            "x-client-secret": client_secret,
            "x-api-version": api_version,
        }
        self.client: AcquirerClient[CashfreeAnswer] = AcquirerClient(
            base_url,
            lambda _method, _path, _body: headers,
            lambda answer: CashfreeAnswer(answer.status, answer.body),
            timeouts,
            answer_bytes_max=ANSWER_BYTES_MAX,
            readable=READABLE,
            refuses_credentials=_refuses_credentials,
        )
        self.memory = memory

    def call(self, method: str, path: str, request: dict[str, Any], *key: str) -> HttpCall:
        """Return a call that Cashfree recognises when it is repeated.

        key: what identifies the call.
        """
        return replace(
            self.client.post(path, request),
            method=method,
            headers=questions.key(method, path, *key),
        )

    async def remember(
        self, charge: Charge, way: str, *, hold: bool = False
    ) -> Mapping[str, str] | None:
        """Store the use of a reference; None if it was used for something else."""
        use = {"way": way, "amount": rules.said_amount(charge.amount), "hold": str(hold).lower()}
        words = await self.memory.keep(charge.reference, use)
        return words if use.items() <= words.items() else None

    async def create(
        self, charge: Charge, request: dict[str, Any]
    ) -> CashfreeOrder | Declined | Unknown:
        """Create an order, or find it.

        Nobody can pay it before its session is used, so no money can move yet.
        """
        call = replace(self.call("POST", "/orders", request, charge.reference), repeatable=True)
        answer = await self.client.ask(call)
        order = decoded(answer, CashfreeOrder) if isinstance(answer, CashfreeAnswer) else None
        if order is None:
            doubt = (
                answer
                if isinstance(answer, Unknown)
                else rules.refused(answer.status, refusal(answer))
            )
            if isinstance(doubt, Declined) or not doubt.sent:
                return doubt
            earlier = await self.order(charge.reference)
            if not isinstance(earlier, CashfreeOrder):
                return replace(doubt, sent=False)
            order = earlier
        if not rules.fits(order, charge.reference, charge.amount):
            return Unknown(message="the acquirer has another order of this reference")
        if order.cf_order_id:
            await self.memory.keep(charge.reference, {"order": str(order.cf_order_id)})
        if order.order_status != "ACTIVE" or not order.payment_session_id:
            return Unknown(order.order_status, "the order takes no payment")
        return order

    async def begin_payment(
        self, order: CashfreeOrder, charge: Charge, way_to_pay: dict[str, Any]
    ) -> PaymentSession | Declined | Unknown:
        """Begin a payment at an order; a refusal, or another amount, closes the order."""
        request = {"payment_session_id": order.payment_session_id, "payment_method": way_to_pay}
        call = self.call("POST", SESSIONS, request, charge.reference)
        answer = await self.client.ask(call)
        if isinstance(answer, Unknown):
            return answer
        word = decoded(answer, PaymentSession)
        if word is not None and rules.same_amount(word, charge.amount):
            return word
        why = rules.refused(answer.status, refusal(answer))
        if word is not None:
            why = Declined("amount-differs", "The acquirer asks for another amount.")
        if isinstance(why, Unknown):
            # Some cards are charged without a challenge: even after refused keys, one is not sent
            # elsewhere (decision 0059). Nobody can pay a link or page that did not come.
            return replace(why, sent=True) if "card" in way_to_pay else why
        ended = await self.close_order(order.order_id)
        return why if isinstance(ended, Declined) else Unknown(why.code, why.message)

    async def order(self, order_id: str) -> CashfreeOrder | Unknown | NothingThere:
        """Return an order; NothingThere when Cashfree says that it has none."""
        answer = await self.client.ask(self.client.look(f"/orders/{quote(order_id, safe='')}"))
        if isinstance(answer, Unknown):
            return answer
        order = decoded(answer, CashfreeOrder)
        if order is not None:
            return (
                order
                if order.order_id == order_id
                else Unknown(message="the acquirer answered about another order")
            )
        why = refusal(answer)
        return NothingThere() if rules.not_found(answer.status, why) else no_answer(answer)

    async def payments(self, order_id: str) -> list[CashfreePayment] | Unknown:
        """Return the payments of an order so far, as Cashfree lists them."""
        answer = await self.client.ask(
            self.client.look(f"/orders/{quote(order_id, safe='')}/payments")
        )
        if isinstance(answer, Unknown):
            return answer
        items = decoded(answer, list[CashfreePayment])
        return items if items is not None else no_answer(answer)

    async def outcome(
        self, order_id: str, *, closes: bool
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of an order.

        closes: nobody can begin another payment of it, so it ends with its last.
        """
        order = await self.order(order_id)
        if not isinstance(order, CashfreeOrder):
            return order
        payments = await self.payments(order_id)
        if isinstance(payments, Unknown):
            return payments
        answer = rules.outcome(order, payments, datetime.now(UTC))
        if closes and isinstance(answer, Unknown) and rules.can_be_closed(order, payments):
            return await self.close_order(order_id)
        return answer

    async def close_order(self, order_id: str) -> Approved | Declined | Unknown | Voided:
        """Close an order to further payments, then return its outcome."""
        request = {"order_status": "TERMINATED"}
        answer = await self.client.ask(
            self.call("PATCH", f"/orders/{quote(order_id, safe='')}", request, "close")
        )
        order = decoded(answer, CashfreeOrder) if isinstance(answer, CashfreeAnswer) else None
        if order is None or order.order_id != order_id:
            return (
                answer
                if isinstance(answer, Unknown)
                else Unknown(message="the order could not be closed")
            )
        payments = await self.payments(order_id)
        if isinstance(payments, Unknown):
            return payments
        return rules.outcome(order, payments, datetime.now(UTC))

    async def link(
        self, charge: Charge, request: dict[str, Any]
    ) -> CashfreeLink | Declined | Unknown:
        """Create a payment link, or find it."""
        call = replace(self.call("POST", "/links", request, charge.reference), repeatable=True)
        answer = await self.client.ask(call)
        link = decoded(answer, CashfreeLink) if isinstance(answer, CashfreeAnswer) else None
        if link is None:
            doubt = (
                answer
                if isinstance(answer, Unknown)
                else rules.refused(answer.status, refusal(answer))
            )
            if isinstance(doubt, Declined) or not doubt.sent:
                return doubt
            earlier = await self.link_of(charge.reference)
            if not isinstance(earlier, CashfreeLink):
                return replace(doubt, sent=False)
            link = earlier
        if not rules.link_fits(link, charge.reference, charge.amount):
            return Unknown(message="the acquirer has another payment link of this reference")
        await self.memory.keep(charge.reference, {"link": "made"})
        return link

    async def link_of(self, reference: str) -> CashfreeLink | Unknown | NothingThere:
        """Return a payment link; NothingThere when Cashfree says that it has none."""
        answer = await self.client.ask(self.client.look(f"/links/{quote(reference, safe='')}"))
        if isinstance(answer, Unknown):
            return answer
        link = decoded(answer, CashfreeLink)
        if link is not None:
            return (
                link
                if link.link_id == reference
                else Unknown(message="the acquirer answered about another link")
            )
        return (
            NothingThere() if rules.not_found(answer.status, refusal(answer)) else no_answer(answer)
        )

    async def link_outcome(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of a payment link: each visit of its page may have made an order."""
        link = await self.link_of(reference)
        if not isinstance(link, CashfreeLink):
            return link
        reply = await self.client.ask(
            self.client.look(f"/links/{quote(reference, safe='')}/orders?status=ALL")
        )
        if isinstance(reply, Unknown):
            return reply
        orders = decoded(reply, list[CashfreeOrder])
        if orders is None or len(orders) > LINK_ORDERS_MAX:
            return no_answer(reply)
        answers = []
        for order in sorted(orders, key=lambda each: each.order_status != "PAID"):
            closes = link.link_status in rules.LINK_CLOSED
            answer = await self.outcome(order.order_id, closes=closes)
            if isinstance(answer, Approved | Voided):
                await self.memory.keep(reference, {"order_id": order.order_id})
                return answer
            answers.append(Unknown() if isinstance(answer, NothingThere) else answer)
        return rules.link_outcome(link, answers)

    async def refund_of(
        self, order_id: str, refund_id: str
    ) -> CashfreeRefund | Unknown | NothingThere:
        """Return a refund of an order; NothingThere when Cashfree says that it has none."""
        path = f"/orders/{quote(order_id, safe='')}/refunds/{quote(refund_id, safe='')}"
        answer = await self.client.ask(self.client.look(path))
        if isinstance(answer, Unknown):
            return answer
        refund = decoded(answer, CashfreeRefund)
        if refund is not None:
            return refund
        missing = rules.not_found(answer.status, refusal(answer))
        return NothingThere() if missing else no_answer(answer)

    async def order_id(self, reference: str) -> str | None:
        """Return the order that took or holds the money of a reference, None where none did."""
        words = await self.memory.known(reference)
        if words.get("way") != "link":
            return reference
        if "order_id" not in words:
            await self.link_outcome(reference)
            words = await self.memory.known(reference)
        return words.get("order_id")


def _refuses_credentials(path: str, answer: HttpAnswer) -> bool:
    """Return whether Cashfree refuses our keys; at a session it does not check them."""
    if answer.status != HTTPStatus.UNAUTHORIZED or path == SESSIONS:
        return False
    why = refusal(CashfreeAnswer(answer.status, answer.body))
    return why is not None and why.type == "authentication_error"


def ends_at(life_s: int) -> datetime:
    """Return the end of an order with at least this life, in seconds."""
    return datetime.now(UTC) + timedelta(seconds=max(life_s, EXPIRY_FLOOR_S))


def no_answer(answer: CashfreeAnswer) -> Unknown:
    """Return Unknown, for an answer that cannot be used."""
    if answer.status == HTTPStatus.OK:
        return Unknown(message="an answer that is not in the acquirer's form")
    doubt = rules.refused(answer.status, refusal(answer))
    return doubt if isinstance(doubt, Unknown) else Unknown(doubt.code, doubt.message)
