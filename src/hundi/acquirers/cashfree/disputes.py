"""Cashfree's disputes: inquiries, and answers with documents; webhooks only say when to ask.

Cashfree publishes no list of disputes. Its books (`POST /recon`) have an entry for all that
disputes take and return. Each entry names its order, whose disputes can be read: that finds what a
lost webhook did not tell.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from http import HTTPStatus
from urllib.parse import quote

from hundi.acquirers.calls.cashfree_wire import proven
from hundi.acquirers.calls.client import HttpCall
from hundi.acquirers.cashfree import cases, reports, rules
from hundi.acquirers.cashfree.account import Account
from hundi.acquirers.cashfree.cases import CashfreeDispute, Entries, TaggedOrder
from hundi.acquirers.cashfree.orders import CashfreeOrders
from hundi.acquirers.cashfree.words import CashfreeAnswer, decoded, refusal
from hundi.acquirers.port.answers import Accepted, Declined, NothingThere, Unknown
from hundi.acquirers.port.disputes import (
    DisputeAnswer,
    DisputePage,
    DisputeWord,
    EvidenceFile,
    PhaseName,
    Standing,
)
from hundi.kernel.clock import INDIA, utc_now
from hundi.kernel.ids import parse_reference
from hundi.kernel.records import replace

DISPUTE_GAPS_S = (600, 3_600, 14_400, 43_200, 86_400)
BOOKS = "/recon"
UPLOAD_WAITED_FOR_S = 20.0
"""Seconds; a document of some megabytes takes a while."""
_DAY = timedelta(days=1)
_NO_DISPUTE = Declined("no_dispute", "There is no such phase of a dispute.")


class CashfreeDisputes:
    """The connector's calls about disputes.

    _books_from: the first day whose books this process has not read to their end, None before the
    first one.
    """

    dispute_gaps_s = DISPUTE_GAPS_S
    _orders: CashfreeOrders
    _account: Account
    _books_from: date | None = None

    async def disputes(self, since: datetime, after: str = "") -> DisputePage | Unknown:
        """Return the disputes of the orders in a page of the books.

        The first time the books are read from `since` on, then from the day before the last one
        that was read.
        """
        text, _, cursor = after.partition(" ")
        day = date.fromisoformat(text) if text else self._first_day(since)
        client = self._orders.client
        call = client.question(BOOKS, reports.question(day, cursor))
        answer = await client.ask(replace(call, timeout_s=reports.WAITED_FOR_S))
        if isinstance(answer, Unknown):
            return answer
        entries = decoded(answer, Entries)
        if entries is None:
            return _unusable()
        words: list[DisputeWord] = []
        for order_id in cases.disputed_orders(entries):
            listed = await self._of_order(order_id)
            if isinstance(listed, Unknown):
                return listed
            words += listed
        return DisputePage(tuple(words), self._next(day, entries))

    def _first_day(self, since: datetime) -> date:
        first = since.astimezone(INDIA).date()
        return max(first, self._books_from - _DAY) if self._books_from else first

    def _next(self, day: date, read: Entries) -> str:
        """Return the cursor after a page of the books, "" at their end."""
        if read.cursor and read.data:
            return f"{day} {read.cursor}"
        today = utc_now().astimezone(INDIA).date()
        if day >= today:
            return ""
        self._books_from = max(self._books_from or day, day + _DAY)
        return f"{day + _DAY} "

    async def _of_order(self, order_id: str) -> list[DisputeWord] | Unknown:
        """Return the disputes of an order.

        One that cannot be used does not delay the others.
        """
        answer = await self._orders.client.ask(
            self._orders.client.look(f"/orders/{quote(order_id, safe='')}/disputes")
        )
        if isinstance(answer, Unknown):
            return answer
        if answer.status != HTTPStatus.OK:
            return [] if rules.not_found(answer.status, refusal(answer)) else _unusable()
        disputes = [
            (each, each.name) for each in decoded(answer, tuple[CashfreeDispute, ...]) or ()
        ]
        original = await self._reference(order_id) if disputes else None
        if original is None or isinstance(original, Unknown):
            return original or []
        words = [cases.word_of(each, name, original) for each, name in disputes if name]
        return [each for each in words if isinstance(each, DisputeWord)]

    async def inquire_dispute(self, name: PhaseName) -> DisputeWord | NothingThere | Unknown:
        """Return the standing of one phase."""
        dispute = await self._dispute(name)
        return await self._word(dispute, name) if isinstance(dispute, CashfreeDispute) else dispute

    async def send_evidence(
        self, name: PhaseName, evidence: EvidenceFile
    ) -> Accepted | Declined | Unknown:
        """Send one document, which contests the dispute; Cashfree gets each document once."""
        dispute = await self._dispute(name)
        if not isinstance(dispute, CashfreeDispute):
            return dispute if isinstance(dispute, Unknown) else _NO_DISPUTE
        if dispute.has(evidence):
            return Accepted()
        if dispute.name != name or not dispute.takes_more:
            return Declined(
                "no_more_documents", "Cashfree takes no more documents about this phase."
            )
        form = cases.upload(dispute, evidence)
        call = self._call("POST", name, "documents", evidence.reference)
        headers = {**call.headers, "Content-Type": form.content_type}
        call = replace(call, body=form.body, headers=headers, timeout_s=UPLOAD_WAITED_FOR_S)
        answer = await self._orders.client.ask(call)
        if isinstance(answer, Unknown):
            return answer
        after = decoded(answer, tuple[CashfreeDispute, ...])
        if after is None:
            return rules.refused(answer.status, refusal(answer))
        return Accepted() if any(each.name == name for each in after) else _unusable()

    async def answer_dispute(self, answer: DisputeAnswer) -> DisputeWord | Declined | Unknown:
        """Accept, or return the standing of the contest that the documents have begun."""
        dispute = await self._dispute(answer.name)
        word = (
            await self._word(dispute, answer.name)
            if isinstance(dispute, CashfreeDispute)
            else dispute
        )
        if not isinstance(dispute, CashfreeDispute) or not isinstance(word, DisputeWord):
            return word if isinstance(word, Unknown) else _NO_DISPUTE
        if dispute.name != answer.name or not dispute.takes_more:
            return word
        if answer.accepted.paise >= word.amount.paise:
            return await self._accepted(answer, word.original)
        if answer.accepted.paise:
            return Declined(
                "no_part", "Cashfree takes a dispute accepted or contested as a whole, not in part."
            )
        if word.standing is Standing.OPEN and not dispute.attached:
            return Declined("no_document", "Cashfree takes no contest without a document.")
        return word

    async def _accepted(
        self, answer: DisputeAnswer, original: str
    ) -> DisputeWord | Declined | Unknown:
        reply = await self._orders.client.ask(
            self._call("PUT", answer.name, "accept", answer.reference)
        )
        if isinstance(reply, Unknown):
            return reply
        after = decoded(reply, CashfreeDispute)
        if after is None:
            return rules.refused(reply.status, refusal(reply))
        word = cases.word_of(after, answer.name, original)
        return word if isinstance(word, DisputeWord) else _unusable()

    def read_dispute(
        self,
        headers: dict[str, str],
        body: bytes,
        *,
        now_s: int,  # noqa: ARG002 (a late webhook is believed: it only makes us ask)
    ) -> tuple[PhaseName, str] | None:
        """Return the dispute phase of an authenticated webhook, or None.

        With our reference of the payment where the webhook has one.
        """
        event = proven(headers, body, self._account.secrets)
        if event is None or event.get("type") not in cases.EVENTS:
            return None
        data = rules.json_object(event.get("data"))
        dispute, order = (
            rules.json_object(data.get("dispute")),
            rules.json_object(data.get("order_details")),
        )
        name = cases.phase_name(dispute.get("dispute_id"), dispute.get("dispute_type"))
        return (name, next(iter(_ours([order.get("order_id")])), "")) if name else None

    def _call(self, method: str, name: PhaseName, what: str, key: str) -> HttpCall:
        return self._orders.call(method, f"/disputes/{name.case}/{what}", {}, key)

    async def _dispute(self, name: PhaseName) -> CashfreeDispute | NothingThere | Unknown:
        if not cases.is_case(name.case):
            return NothingThere()
        answer = await self._orders.client.ask(self._orders.client.look(f"/disputes/{name.case}"))
        if isinstance(answer, Unknown):
            return answer
        dispute = decoded(answer, CashfreeDispute)
        if dispute is not None:
            return dispute if str(dispute.dispute_id) == name.case else _unusable()
        return NothingThere() if rules.not_found(answer.status, refusal(answer)) else _unusable()

    async def _word(
        self, dispute: CashfreeDispute, name: PhaseName
    ) -> DisputeWord | NothingThere | Unknown:
        original = await self._reference(dispute.order_details.order_id)
        if original is None or isinstance(original, Unknown):
            return original or _unusable()
        word = cases.word_of(dispute, name, original)
        return _unusable() if word is None else word

    async def _reference(self, order_id: str) -> str | Unknown | None:
        """Return our reference of an order: a payment link's is in the order's tags.

        "" for a foreign order, None where Cashfree does not show it.
        """
        if parse_reference(order_id):
            return order_id
        answer: CashfreeAnswer | Unknown = await self._orders.client.ask(
            self._orders.client.look(f"/orders/{quote(order_id, safe='')}")
        )
        if isinstance(answer, Unknown):
            return answer
        order = decoded(answer, TaggedOrder)
        if order is None or order.order_id != order_id:
            return None
        return next(iter(_ours([(order.order_tags or {}).get("link_id"), order.link_id])), "")


def _ours(answer: Sequence[object]) -> list[str]:
    return [each for each in answer if isinstance(each, str) and parse_reference(each)]


def _unusable() -> Unknown:
    return Unknown(message="the acquirer's answer about a dispute cannot be used")
