"""The simulated bank network as an aggregator, which decides without us.

One attempt of ours is one order there; a refund has an id of its own. Captures, disputes, payouts,
lists and books are the network's own.
"""

import time
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

import msgspec

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, AcquirerClient, Timeouts
from hundi.acquirers.calls.json_answers import is_sound
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.books import BookPage
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import BankEntry, Charge, InquirySchedule, RefundOrder
from hundi.acquirers.sandbox import questions, refunds, rules
from hundi.acquirers.sandbox.connector import CALLBACK_SIGNATURE, INQUIRY_GAPS_S, SandboxConnector
from hundi.acquirers.sandbox.disputes import SandboxDisputes
from hundi.acquirers.sandbox.lists import decoded
from hundi.acquirers.sandbox.payouts import SandboxPayouts
from hundi.acquirers.simulator import sign, signature_holds, simulator_client
from hundi.infra.http.client import HttpAnswer
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money

VISIT_LIFE_S = 600
ORDER_ID, REFUND_OF, REFUND_ID = "order_id", "refund_of", "refund_id"
_READABLE = (HTTPStatus.OK, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_STANDS = {
    "failed": "declined",
    "expired": "declined",
    "created": "challenge",
    "attempted": "challenge",
}
"""The network's own word for an order's state."""
_Short = Annotated[str, msgspec.Meta(max_length=64)]


class SandboxOrder(msgspec.Struct, frozen=True):
    """An order at the aggregator. http: the status of its answer."""

    id: _Short = ""
    receipt: _Short = ""
    status: _Short = ""
    expires_at: _Short = ""
    link: Annotated[str, msgspec.Meta(max_length=2_048)] = ""
    page: Annotated[str, msgspec.Meta(max_length=2_000, pattern=r"^[!-~]*\Z")] = ""
    visit: _Short = ""
    fields: dict[str, str] = {}
    word: rules.BankAnswer | None = None
    http: int = 200


class _News(msgspec.Struct, frozen=True):
    """The only part of a webhook that is read: its receipt."""

    event_id: _Short
    reference: _Short


_ORDER, _NEWS = msgspec.json.Decoder(SandboxOrder), msgspec.json.Decoder(_News)


def read_order(answer: HttpAnswer) -> SandboxOrder | None:
    """Return the order in an answer; None if it cannot be used."""
    if answer.status != HTTPStatus.OK:
        return SandboxOrder(http=answer.status)
    order, word = decoded(_ORDER, answer.body), rules.read_word(answer.body)
    if order is None or word is None or (not order.id.strip() and not order.receipt):
        return None
    return msgspec.structs.replace(
        order, word=msgspec.structs.replace(word, status=_STANDS.get(word.status, word.status))
    )


class _Aggregator(SandboxDisputes, SandboxPayouts):
    """One simulated aggregator, one instance a process."""

    simulated = True
    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(INQUIRY_GAPS_S)

    def __init__(
        self,
        base_url: str,
        key: bytes,
        memory: Memory,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        name: str = "sandbox",
    ) -> None:
        """Keep the configuration; the first call opens a connection."""
        self.name = name
        self._key, self._memory = key, memory
        self._network = SandboxConnector(base_url, key, timeouts, name=name)
        self._acquirer = simulator_client(base_url, key, timeouts, rules.read_word)
        self._open_disputes(base_url, key, timeouts)

        def signed(method: str, path: str, body: bytes) -> Mapping[str, str]:
            return {
                "Acquirer-Signature": sign(
                    key, int(time.time()), body if method == "POST" else path.encode()
                )
            }

        self._client = AcquirerClient(base_url, signed, read_order, timeouts, readable=_READABLE)
        self._refunds = AcquirerClient(
            base_url, signed, refunds.read, timeouts, readable=refunds.READABLE
        )
        self.breaker = self._client.breaker
        self.checkout_origins = self.direct_origins = self.redirect_origins = (self._client.origin,)

    async def close(self) -> None:
        """Close the connection pools."""
        await self._client.close()
        await self._refunds.close()
        await self._network.close()
        await self._acquirer.close()
        await self._close_disputes()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def _made(
        self,
        charge: Charge,
        way: str,
        expires_in_s: int,
        **more: Any,  # noqa: ANN401 (JSON)
    ) -> SandboxOrder | Declined | Unknown:
        """Create the order of a charge, and store its id.

        A used receipt begins nothing again.
        """
        if charge.amount.currency != "INR":
            return Declined("57", "The aggregator takes rupees alone")
        request = {
            "receipt": charge.reference,
            **questions.amount(charge.amount),
            "way": way,
            "expires_in_s": expires_in_s,
            "payee_name": charge.payee_name,
            **more,
        }
        order = await self._client.ask(self._client.post("/aggregator/orders", request))
        if isinstance(order, SandboxOrder) and order.http == HTTPStatus.CONFLICT:
            order = await self._begun_before(charge)
        if isinstance(order, Unknown):
            return order
        if order.http != HTTPStatus.OK or order.receipt != charge.reference or order.word is None:
            return Unknown(message=f"the aggregator made no order (HTTP {order.http})")
        await self._memory.keep(charge.reference, {ORDER_ID: order.id})
        if order.word.status == "declined":
            answer = rules.outcome(order.word)
            return (
                answer
                if isinstance(answer, Declined)
                else Unknown(order.word.code, order.word.message)
            )
        return order

    async def _begun_before(self, charge: Charge) -> SandboxOrder | Unknown:
        """Return the order that already has the receipt of a charge.

        An open visit is the same one.
        """
        order = await self._client.ask(self._client.look(f"/aggregator/orders/{charge.reference}"))
        if (
            isinstance(order, SandboxOrder)
            and order.word is not None
            and order.word.amount_paise != charge.amount.paise
        ):
            return Unknown(message="the aggregator has another amount under this receipt")
        return order

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge."""
        order = await self._made(charge, "upi", expires_in_s)
        if not isinstance(order, SandboxOrder):
            return order
        try:
            ends = datetime.fromisoformat(order.expires_at)
        except ValueError:
            return Unknown(message="the aggregator's link has no end")
        return (
            UpiLink(order.link, ends)
            if order.link and ends.tzinfo
            else Unknown(message="no link came")
        )

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks, wallets and lenders customers can be sent to."""
        return await self._network.banks()

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of the bank's page; the outcome comes by inquiry only."""
        return self._there(
            await self._made(
                charge, method, VISIT_LIFE_S, return_url=return_url, bank_code=bank_code
            )
        )

    def _there(self, order: SandboxOrder | Declined | Unknown) -> Redirect | Declined | Unknown:
        if not isinstance(order, SandboxOrder):
            return order
        if not order.visit or not order.page.startswith(self._client.origin + "/"):
            return Unknown(message="the aggregator's page is none of its own")
        return Redirect(order.page, order.visit, tuple(order.fields.items()))

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the aggregator's state of a reference.

        A failed try ends no order that takes others.
        """
        words = await self._memory.known(reference)
        look = self._client.look(f"/aggregator/orders/{words.get(ORDER_ID, reference)}")
        order = await self._client.ask(look)
        if isinstance(order, Unknown):
            return order
        if order.http == HTTPStatus.NOT_FOUND:
            return NothingThere()
        if order.word is None or order.receipt != reference:
            return Unknown(message="the aggregator answered about another order")
        return rules.outcome(order.word)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture the held amount, or a part of it; the rest is released."""
        return await self._network.capture(original, amount)

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void the whole hold."""
        return await self._network.void(original)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; the same reference again moves money once.

        The payment's id is stored before the call, so that a refund whose id never came is found
        among those of its order.
        """
        await self._memory.keep(order.reference, {REFUND_OF: order.original})
        request = {
            "receipt": order.reference,
            "order": order.original,
            **questions.amount(order.amount),
        }
        reply = await self._refunds.ask(self._refunds.post("/aggregator/refunds", request))
        if isinstance(reply, Unknown):
            return reply
        answer = await self._refund_outcome(reply, order.reference)
        if isinstance(answer, NothingThere):
            return Unknown(message="the aggregator made no refund")
        if isinstance(answer, Approved) and answer.amount != order.amount:
            return Unknown(message="the aggregator gave another amount back")
        return answer

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the aggregator's state of a refund, by its id or among those of its order."""
        words = await self._memory.known(reference)
        if REFUND_OF not in words:
            return NothingThere()
        by_id = REFUND_ID in words
        path = (
            f"/aggregator/refunds/{words[REFUND_ID]}"
            if by_id
            else f"/aggregator/orders/{words[REFUND_OF]}/refunds"
        )
        answer = await self._refunds.ask(self._refunds.look(path))
        return (
            answer if isinstance(answer, Unknown) else await self._refund_outcome(answer, reference)
        )

    async def _refund_outcome(
        self, answer: refunds.RefundAnswer, reference: str
    ) -> Approved | Declined | Unknown | NothingThere:
        """Return the outcome of a refund, and store the aggregator's id of it."""
        refund = answer.of(reference)
        if isinstance(refund, refunds.SandboxRefund):
            await self._memory.keep(reference, {REFUND_ID: refund.id})
            return refunds.outcome(refund)
        return refund

    async def books(self, after: str = "") -> BookPage | Unknown:
        """Return a page of the books, the first one without `after`."""
        return await self._network.books(after)

    def app_link(self, upi_uri: str) -> str:
        """Return the address of the simulated UPI app, opened at a `upi://` link."""
        return self._network.app_link(upi_uri)

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the order or refund of an authenticated webhook.

        The rest of it is not read.
        """
        if not signature_holds(
            self._key, headers.get(CALLBACK_SIGNATURE, ""), body, now_s
        ) or not is_sound(body):
            return None
        news = decoded(_NEWS, body)
        return (
            Trigger(news.event_id, (news.reference,))
            if news and news.event_id and news.reference
            else None
        )


class SandboxAggregator(_Aggregator):
    """An aggregator with a page of its own for cards."""

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return the page on which a charge is paid; the browser posts a form there."""
        assert method == "card", "all that its page takes"
        order = await self._made(
            charge, "card_page", expires_in_s, return_url=return_url, capture=capture
        )
        return self._there(order)


class DirectAggregator(_Aggregator):
    """An aggregator that charges cards typed at our page, in one step."""

    async def charge_card(
        self, charge: Charge, card: CardNumber, *, return_url: str, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Send the card and return the address of its challenge."""
        typed = questions.typed(card)
        order = await self._made(
            charge, "card", VISIT_LIFE_S, return_url=return_url, capture=capture, card=typed
        )
        return self._there(order)
