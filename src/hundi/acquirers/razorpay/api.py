"""Razorpay's calls that move no money, and the account for all calls."""

import time
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from cachetools import LRUCache, TTLCache

from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.client import AcquirerClient, HttpCall, Timeouts
from hundi.acquirers.calls.multipart import MultipartBody
from hundi.acquirers.calls.razorpay_wire import (
    MESSAGE_MAX,
    Read,
    client,
    decoded,
    refused,
    unusable,
)
from hundi.acquirers.port.answers import Declined, NothingThere, Unknown
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.payments import BankEntry
from hundi.acquirers.razorpay import instalments, messages, questions
from hundi.acquirers.razorpay.cases import Document, RazorpayDispute, RazorpayDisputePage
from hundi.kernel.records import replace

LIST_KEPT_S = 600.0
METHODS_BYTES_MAX = 1024 * 1024
REFERENCES_KEPT_MAX = 4_096
"""Payments whose reference is remembered.

It never changes, and lists of disputes name the same ones again.
"""
REPORT_BYTES_MAX = 2 * 1024 * 1024
REPORT_WAITED_FOR_S = 30.0
EVIDENCE_WAITED_FOR_S = 20.0
"""Seconds; a document of some megabytes takes a while."""
BEGINS = "/payments/create/"
"""The beginning of the paths that hand over customers and cards.

The order was made with the same key a moment ago: where the key is refused now, nothing guarantees
that the call was not worked on.
"""
NO_DISPUTE = ("does not exist", "is not a valid id", "is not a valid id.", "does not exist.")
"""The ends of Razorpay's words about a number that it does not know."""
REFUNDS_LISTED_MAX = 100
Choices = dict[tuple[str, str], tuple[str, BankEntry]]
_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account at Razorpay.

    email, phone: the merchant's, for customers who have none; "" for none. enach: how customers
    prove themselves when they register a bank account. checks_addresses: UPI addresses are
    checked with it.
    """

    key_id: str
    key_secret: str
    webhook_secrets: tuple[str, ...] = ()
    email: str = ""
    phone: str = ""
    enach: str = "netbanking"
    checks_addresses: bool = False
    base_url: str = "https://api.razorpay.com/v1"

    def __repr__(self) -> str:
        """Hide the secrets: this value reaches tracebacks."""
        return f"Account({self.key_id})"


class RazorpayApi:
    """Calls to an account over HTTP. origin: scheme, host and port of its pages."""

    def __init__(self, account: Account, timeouts: Timeouts) -> None:
        """Keep the account; the first call opens a connection."""
        url, credentials = account.base_url, f"{account.key_id}:{account.key_secret}"
        self._client = client(url, credentials, timeouts, in_doubt=BEGINS)
        # Requests for this list carry only the public half of the key.
        self._lists = client(url, f"{account.key_id}:", timeouts, METHODS_BYTES_MAX)
        self._reports = client(url, credentials, timeouts, REPORT_BYTES_MAX)
        # Linked accounts have the second version of the interface.
        self._accounts = client(url.removesuffix("/v1") + "/v2", credentials, timeouts)
        self._references: LRUCache[str, str] = LRUCache(REFERENCES_KEPT_MAX)
        self._listed: TTLCache[str, tuple[Choices, tuple[InstalmentPlan, ...]]] = TTLCache(
            1, LIST_KEPT_S
        )
        self.origin = self._client.origin

    async def close(self) -> None:
        """Close the connection pools."""
        await self._client.close()
        await self._lists.close()
        await self._reports.close()
        await self._accounts.close()

    def reachable(self) -> bool:
        """Return whether calls are made at all."""
        return self._client.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def send(
        self,
        path: str,
        request: dict[str, Any],
        *,
        headers: dict[str, str] | None = None,
        waits: bool = False,
        method: str = "POST",
    ) -> Read | Unknown:
        """Make a call that may move money. waits: it has the time limit of an authorisation."""
        call = replace(self._client.post(path, request), headers=headers or {}, method=method)
        return await self._client.ask(
            replace(call, timeout_s=self._client.timeouts.authorise_s) if waits else call
        )

    async def read(self, kind: type[_Kind], path: str) -> _Kind | Unknown:
        """Make a call that moves no money and has only an address."""
        return await self._asked(kind, self._client.look(path))

    async def read_2(self, kind: type[_Kind], path: str) -> _Kind | Unknown:
        """Make a call of the interface's second version that moves no money."""
        return await self._asked(kind, self._accounts.look(path), self._accounts)

    async def address(self, vpa: str) -> messages.RazorpayAddress | Unknown:
        """Return what Razorpay says of a UPI address."""
        call = self._client.question("/payments/validate/vpa", {"vpa": vpa})
        return await self._asked(messages.RazorpayAddress, call)

    async def orders(self, reference: str) -> tuple[messages.RazorpayOrder, ...] | Unknown:
        """Return the orders of a reference.

        One, or several if the account allows repeated receipts.
        """
        answer = await self._asked(
            messages.Orders, self._client.look(f"/orders?{urlencode({'receipt': reference})}")
        )
        if isinstance(answer, Unknown):
            return answer
        return (
            answer.items if all(each.receipt == reference for each in answer.items) else unusable()
        )

    async def payments(
        self, order_ids: list[str]
    ) -> tuple[messages.RazorpayPayment, ...] | Unknown:
        """Return every payment of these orders."""
        items: list[messages.RazorpayPayment] = []
        for order_id in order_ids:
            path = f"/orders/{quote(order_id, safe='')}/payments"
            answer = await self._asked(messages.RazorpayPayments, self._client.look(path))
            if isinstance(answer, Unknown):
                return answer
            if any(each.order_id != order_id for each in answer.items):
                return unusable()
            items += answer.items
        return tuple(items)

    async def refund(
        self, reference: str, payment: str
    ) -> messages.RazorpayRefund | NothingThere | Unknown:
        """Return the refund of a reference, found among those of its payment."""
        path = f"/payments/{quote(payment, safe='')}/refunds?count={REFUNDS_LISTED_MAX}"
        answer = await self._asked(messages.RazorpayRefunds, self._client.look(path))
        if isinstance(answer, Unknown):
            return answer
        ours = [each for each in answer.items if each.receipt == reference]
        if len(ours) == 1:
            return ours[0] if ours[0].payment_id == payment else unusable()
        if ours or len(answer.items) >= REFUNDS_LISTED_MAX:
            return Unknown("many_refunds", "this payment has more refunds than can be told apart")
        return NothingThere()

    async def methods(self) -> Choices | Unknown:
        """Return the account's banks, wallets and lenders."""
        offer = await self._offered()
        return offer if isinstance(offer, Unknown) else offer[0]

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return the account's plans of instalments."""
        offer = await self._offered()
        return offer if isinstance(offer, Unknown) else offer[1]

    async def _offered(self) -> tuple[Choices, tuple[InstalmentPlan, ...]] | Unknown:
        """Return the account's methods and plans, which seldom change."""
        if "methods" in self._listed:
            return self._listed["methods"]
        answer = await self._asked(messages.Methods, self._lists.look("/methods"), self._lists)
        if isinstance(answer, Unknown):
            return answer
        self._listed["methods"] = offer = (
            questions.choices(answer),
            instalments.plans_of(answer.emi_options),
        )
        return offer

    async def terms(self, payment_id: str) -> instalments.RazorpayEmi | None:
        """Return the instalments of a payment; None where Razorpay does not say them now."""
        path = (
            f"/payments/{quote(payment_id, safe='')}?{urlencode({'expand[]': instalments.METHOD})}"
        )
        answer = await self._asked(instalments.ExpandedPayment, self._client.look(path))
        return (
            answer.emi
            if isinstance(answer, instalments.ExpandedPayment) and answer.id == payment_id
            else None
        )

    async def refund_by_id(self, refund_id: str) -> messages.RazorpayRefund | Unknown:
        """Return a refund by Razorpay's number of it."""
        answer = await self._asked(
            messages.RazorpayRefund, self._client.look(f"/refunds/{quote(refund_id, safe='')}")
        )
        return (
            unusable()
            if isinstance(answer, messages.RazorpayRefund) and answer.id != refund_id
            else answer
        )

    async def reference_of_payment(self, payment_id: str) -> str | Unknown:
        """Return our reference of a payment: its order's receipt, else Razorpay's number."""
        if payment_id in self._references:
            return self._references[payment_id]
        payment = await self._asked(
            messages.RazorpayPayment, self._client.look(f"/payments/{quote(payment_id, safe='')}")
        )
        if isinstance(payment, Unknown) or payment.id != payment_id:
            return payment if isinstance(payment, Unknown) else unusable()
        # Notes are not used: they came through the customer's browser. Only orders are made with
        # our secret; anybody with the key's public half makes payments without one.
        reference = payment_id
        if payment.order_id:
            order = await self._asked(
                messages.RazorpayOrder,
                self._client.look(f"/orders/{quote(payment.order_id, safe='')}"),
            )
            if isinstance(order, Unknown) or order.id != payment.order_id:
                return order if isinstance(order, Unknown) else unusable()
            reference = order.receipt or reference
        self._references[payment_id] = reference
        return reference

    async def reference_of_dispute(self, dispute_id: str) -> str | Unknown:
        """Return our reference of a disputed payment."""
        dispute = await self.dispute(dispute_id)
        if not isinstance(dispute, RazorpayDispute):
            return dispute if isinstance(dispute, Unknown) else dispute_id
        return await self.reference_of_payment(dispute.payment_id)

    async def dispute(self, dispute_id: str) -> RazorpayDispute | NothingThere | Unknown:
        """Return a dispute; NothingThere where Razorpay does not know the number."""
        answer = await self._client.ask(
            self._client.look(f"/disputes/{quote(dispute_id, safe='')}")
        )
        if isinstance(answer, Unknown):
            return answer
        if not answer[0]:
            refusal = refused(answer[1])
            words = (refusal.description or "") if refusal else ""
            return NothingThere() if words.endswith(NO_DISPUTE) else unusable()
        return _same(decoded(RazorpayDispute, answer[1]), dispute_id)

    async def disputes(self, skipped: int, count: int) -> RazorpayDisputePage | Unknown:
        """Return a page of the account's disputes, newest first.

        skipped: how many come before it.
        """
        call = self._reports.look(f"/disputes?{urlencode({'count': count, 'skip': skipped})}")
        return await self._asked(RazorpayDisputePage, call, self._reports)

    async def upload(self, form: MultipartBody) -> Document | Declined | Unknown:
        """Upload a document."""
        call = HttpCall(
            method="POST",
            path="/documents",
            body=form.body,
            headers={"Content-Type": form.content_type},
            timeout_s=EVIDENCE_WAITED_FOR_S,
        )
        answer = await self._client.ask(call)
        if isinstance(answer, Unknown):
            return answer
        return (
            (decoded(Document, answer[1]) or unusable()) if answer[0] else refused_word(answer[1])
        )

    async def contest(
        self, dispute_id: str, request: dict[str, Any]
    ) -> RazorpayDispute | Declined | Unknown:
        """Change a contest of a dispute, or send it in."""
        call = self._client.post(f"/disputes/{quote(dispute_id, safe='')}/contest", request)
        return await self._answered(replace(call, method="PATCH"), dispute_id)

    async def accept(self, dispute_id: str) -> RazorpayDispute | Declined | Unknown:
        """Give up a dispute for ever."""
        return await self._answered(
            self._client.post(f"/disputes/{quote(dispute_id, safe='')}/accept", {}), dispute_id
        )

    async def _answered(
        self, call: HttpCall, dispute_id: str
    ) -> RazorpayDispute | Declined | Unknown:
        answer = await self._client.ask(call)
        if isinstance(answer, Unknown):
            return answer
        return (
            _same(decoded(RazorpayDispute, answer[1]), dispute_id)
            if answer[0]
            else refused_word(answer[1])
        )

    async def report(
        self, day: date, skipped: int, count: int, kind: type[_Kind]
    ) -> _Kind | Unknown:
        """Return a page of the settlement report of a day.

        skipped: how many lines come before it.
        """
        request = {
            "year": day.year,
            "month": f"{day.month:02d}",
            "day": f"{day.day:02d}",
            "count": count,
            "skip": skipped,
        }
        call = self._reports.look(f"/settlements/recon/combined?{urlencode(request)}")
        return await self._asked(kind, replace(call, timeout_s=REPORT_WAITED_FOR_S), self._reports)

    async def _asked(
        self, kind: type[_Kind], call: HttpCall, asked: AcquirerClient[Read] | None = None
    ) -> _Kind | Unknown:
        """Make a call that moves no money; its refusal decides nothing."""
        answer = await (asked or self._client).ask(call)
        if isinstance(answer, Unknown):
            return answer
        return (decoded(kind, answer[1]) if answer[0] else None) or unusable()


def refused_word(body: bytes) -> Declined | Unknown:
    """Return the refusal of a document or an answer.

    It is a decline where Razorpay calls it a bad request.
    """
    refusal = refused(body)
    if refusal is None or refusal.code != "BAD_REQUEST_ERROR":
        return unusable()
    return Declined(refusal.reason or "refused", (refusal.description or "")[:MESSAGE_MAX])


def _same(dispute: RazorpayDispute | None, dispute_id: str) -> RazorpayDispute | Unknown:
    return dispute if dispute is not None and dispute.id == dispute_id else unusable()
