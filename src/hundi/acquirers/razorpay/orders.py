"""Orders at Razorpay: one for each reference, and its payment."""

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any

from hundi.acquirers.calls.razorpay_wire import decoded, refused, unusable
from hundi.acquirers.port.answers import Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.razorpay import mandate_questions, messages, questions, rules
from hundi.acquirers.razorpay.api import Account, RazorpayApi
from hundi.acquirers.razorpay.rules import RazorpayWay, Terms
from hundi.kernel.records import replace

LINK_LIFE_S = REDIRECT_LIFE_S = 600
"""Seconds; Razorpay fails an unanswered payment after ten minutes."""

URL_KEPT_MAX = 2_000


class RazorpayOrders:
    """The connector's calls that make orders and begin payments."""

    _api: RazorpayApi
    _account: Account
    _memory: Memory
    _now: Callable[[], float]

    def _whom(self, charge: Charge) -> Customer | Declined:
        found = questions.reachable_at(charge.customer, self._account.email, self._account.phone)
        return found or Declined(
            "no_customer", "Razorpay needs an e-mail address and a telephone number."
        )

    async def _order(self, charge: Charge, terms: Terms) -> str | Declined | Unknown:
        """Return the order of a charge, created once.

        Nobody can pay an unknown order: its silence moves no money.
        """
        reference = charge.reference
        before = "terms" in await self._memory.known(reference)
        words = await self._agreed(charge, terms)
        if isinstance(words, Unknown) or "order" in words:
            return words if isinstance(words, Unknown) else words["order"]
        order = await self._found(charge) if before else NothingThere()
        if isinstance(order, NothingThere):
            payer = await self._payer(charge)
            order = await self._made(charge, terms, payer) if isinstance(payer, str) else payer
        if isinstance(order, Unknown):
            return replace(order, sent=False)
        if isinstance(order, Declined):
            return order
        # A reference without a record cannot have a payment of ours: an order with tries is another
        # gateway's.
        is_taken = not before and order.status != "created"
        if is_taken or not rules.same_order(order, reference, charge.amount):
            return Unknown("other_order", "Razorpay speaks of another order", sent=False)
        return (await self._memory.keep(reference, {"order": order.id}))["order"]

    async def _agreed(self, charge: Charge, terms: Terms) -> Mapping[str, str] | Unknown:
        """Return the words of a charge, with these terms; Unknown where it has others.

        They are stored before the first call, so that any later payment is understood.
        """
        money = charge.amount
        purpose = (
            f"{terms.way.value} {'held' if terms.hold else 'captured'} {money.paise} "
            f"{money.currency}"
        )
        words = await self._memory.keep(charge.reference, {"terms": f"{purpose} {terms.until_s}"})
        if not words["terms"].startswith(f"{purpose} "):
            return Unknown("other_charge", "this reference is of another charge")
        return words

    async def _payer(self, charge: Charge) -> str | Declined | Unknown:
        """Return Razorpay's customer who approves a charge's mandate, "" without one."""
        customer = self._whom(charge) if charge.mandate else None
        if customer is None or isinstance(customer, Declined):
            return customer or ""
        words = await self._memory.known(charge.reference)
        if "payer" in words:
            return words["payer"]
        answer = await self._api.send("/customers", mandate_questions.customer(customer))
        if isinstance(answer, Unknown):
            return answer
        found = decoded(messages.RazorpayCustomer, answer[1]) if answer[0] else None
        if found is None:
            refusal = None if answer[0] else refused(answer[1])
            return rules.declined(refusal) if refusal else unusable()
        return (await self._memory.keep(charge.reference, {"payer": found.id}))["payer"]

    async def _made(
        self, charge: Charge, terms: Terms, payer: str
    ) -> messages.RazorpayOrder | Declined | Unknown:
        """Create an order; it may exist even if that is refused or not answered."""
        request = questions.order(charge, hold=terms.hold, payer=payer)
        if charge.mandate is not None:
            method = "upi" if terms.way is RazorpayWay.LINK else "card"
            request |= mandate_questions.approved(charge.mandate, method)
        answer = await self._api.send("/orders", request)
        if isinstance(answer, Unknown) and not answer.sent:
            return answer
        order = (
            None
            if isinstance(answer, Unknown) or not answer[0]
            else decoded(messages.RazorpayOrder, answer[1])
        )
        if order is not None:
            return order
        found = await self._found(charge)
        if not isinstance(found, NothingThere):
            return found
        refusal = None if isinstance(answer, Unknown) else refused(answer[1])
        return rules.declined(refusal) if refusal else unusable()

    async def _found(self, charge: Charge) -> messages.RazorpayOrder | NothingThere | Unknown:
        orders = await self._api.orders(charge.reference)
        if isinstance(orders, Unknown):
            return orders
        return orders[0] if orders else NothingThere()

    async def _sent_away(
        self, charge: Charge, request: Callable[[str, Customer], dict[str, Any]], *, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Begin a payment that goes on elsewhere, and return the customer's next page."""
        customer = self._whom(charge)
        if isinstance(customer, Declined):
            return customer
        url = await self._begun(
            charge,
            Terms(RazorpayWay.ONCE, not capture, int(self._now()) + REDIRECT_LIFE_S),
            "/payments/create/json",
            lambda order_id: request(order_id, customer),
            lambda payment: (
                payment.url("redirect")
                if payment.url("redirect").startswith(f"{self._api.origin}/")
                else ""
            ),
        )
        if isinstance(url, Declined | Unknown):
            return url
        return Redirect(url, (await self._memory.known(charge.reference))["order"])

    async def _begun(
        self,
        charge: Charge,
        terms: Terms,
        path: str,
        request: Callable[[str], dict[str, Any]],
        address: Callable[[messages.PaymentStart], str],
    ) -> str | Declined | Unknown:
        """Begin the one payment of a reference that we make ourselves, and return its address."""
        order_id = await self._order(charge, terms)
        if isinstance(order_id, Declined | Unknown):
            return order_id
        mine = token_hex(8)
        words = await self._memory.keep(charge.reference, {"begun": mine})
        if words["begun"] != mine:
            # A second payment of one order could be paid beside the first.
            return words.get("address") or Unknown("begun", "this payment was begun before")
        fields = request(order_id)
        if charge.mandate is not None:
            fields |= mandate_questions.approving(path, words["payer"])
        answer = await self._api.send(path, fields, waits=True)
        if isinstance(answer, Unknown):
            return answer
        if not answer[0]:
            refusal = refused(answer[1])
            return rules.declined(refusal) if refusal else unusable()
        payment = decoded(messages.PaymentStart, answer[1])
        url = address(payment) if payment else ""
        if not url:
            return Unknown("no_address", "Razorpay's answer has no address for this payment")
        if len(url) <= URL_KEPT_MAX:
            await self._memory.keep(charge.reference, {"address": url})
        return url
