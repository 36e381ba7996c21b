"""The connector of Razorpay: UPI links, its page, banks and wallets, holds, refunds and webhooks.

docs/razorpay.md lists what its documents say, and what they leave open.
"""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from hundi.acquirers.calls.address_checks import (
    AddressAnswer,
    AddressChecks,
    address_answer,
)
from hundi.acquirers.calls.client import DEFAULT_TIMEOUTS, Timeouts
from hundi.acquirers.calls.razorpay_wire import SIGNATURE, decoded, refused, signed_by, unusable
from hundi.acquirers.calls.test_instruments import decline_test_card
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import BankEntry, Charge, InquirySchedule, RefundOrder
from hundi.acquirers.razorpay import instalments, messages, questions, rules, webhooks
from hundi.acquirers.razorpay.api import Account, RazorpayApi
from hundi.acquirers.razorpay.disputes import RazorpayDisputes
from hundi.acquirers.razorpay.orders import LINK_LIFE_S, RazorpayOrders
from hundi.acquirers.razorpay.reports import RazorpayReports
from hundi.acquirers.razorpay.route import RazorpayRoute
from hundi.acquirers.razorpay.rules import RazorpayWay, Terms
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace

INQUIRY_GAPS_S = (
    5,
    10,
    15,
    30,
    60,
    120,
    180,
    300,
    300,
    600,
    900,
    1_800,
    3_600,
    7_200,
    14_400,
    28_800,
    43_200,
)
REFUND_GAPS_S = (10, 60, 300, 1_800, 3_600, 14_400, 43_200, 86_400)
EVENT_ID_MAX = 64
EVENT_ID = "x-razorpay-event-id"
NEVER = 2**53
_REFUND_KEY = "X-Refund-Idempotency"


class RazorpayConnector(RazorpayOrders, RazorpayReports, RazorpayDisputes, RazorpayRoute):
    """One account at Razorpay, one instance a process. now: returns Unix seconds."""

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)
    registration_origins: tuple[str, ...] = ()
    """Where customers register bank accounts, beside Razorpay's own host."""

    def __init__(
        self,
        name: str,
        account: Account,
        memory: Memory,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        *,
        simulated: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection.

        simulated: its keys move no money.
        """
        self.name, self.simulated = name, simulated
        self._account, self._memory, self._now = account, memory, now
        self._api = RazorpayApi(account, timeouts)
        if account.checks_addresses:
            addresses = AddressChecks(self._holder, simulated=simulated)
            self.check_address = addresses.check_address
        self.checkout_origins = (self._api.origin,)
        self.redirect_origins = (self._api.origin, *self.registration_origins)

    async def close(self) -> None:
        """Close the connection pools."""
        await self._api.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self._api.reachable()

    async def _holder(self, vpa: str) -> AddressAnswer:
        answer = await self._api.address(vpa)
        if isinstance(answer, Unknown):
            return answer
        return address_answer(
            vpa, about=answer.vpa, exists=answer.success, name=answer.customer_name
        )

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge, as Razorpay made it."""
        customer = self._whom(charge)
        if isinstance(customer, Declined):
            return customer
        life_s = min(expires_in_s, LINK_LIFE_S)
        url = await self._begun(
            charge,
            Terms(RazorpayWay.LINK, hold=False, until_s=int(self._now()) + life_s),
            "/payments/create/upi",
            lambda order_id: questions.upi(charge, order_id, customer),
            lambda payment: rules.link_of(
                payment, charge.amount, mandate=charge.mandate is not None
            ),
        )
        if isinstance(url, Declined | Unknown):
            return url
        until_s = _terms(await self._memory.known(charge.reference)).until_s
        return UpiLink(url, datetime.fromtimestamp(until_s, UTC))

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return Razorpay's page, which a browser reaches by posting a form."""
        customer = self._whom(charge)
        if isinstance(customer, Declined):
            return customer
        order_id = await self._order(
            charge, Terms(RazorpayWay.PAGE, not capture, int(self._now()) + expires_in_s)
        )
        if isinstance(order_id, Declined | Unknown):
            return order_id
        key_id = self._account.key_id
        fields = questions.page(
            charge, order_id, customer, key_id=key_id, method=method, return_url=return_url
        )
        return Redirect(f"{self._account.base_url}/checkout/embedded", order_id, fields)

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks, wallets and lenders that the account has."""
        choices = await self._api.methods()
        return (
            choices
            if isinstance(choices, Unknown)
            else tuple(entry for _, entry in choices.values())
        )

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of the bank's page; a repeat returns the same address."""
        choices = await self._api.methods()
        if isinstance(choices, Unknown):
            return replace(choices, sent=False)
        if (method, bank_code) not in choices:
            return Declined("bank_not_enabled", "This bank is not offered.")
        code = choices[method, bank_code][0]

        def request(order_id: str, customer: Customer) -> dict[str, Any]:
            return questions.visit(
                charge, order_id, customer, method=method, code=code, return_url=return_url
            )

        return await self._sent_away(charge, request, capture=True)

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the outcome of a reference, of all payments of its order together."""
        words, orders = await self._memory.known(reference), ()
        if "order" in words:
            order_ids = [words["order"]]
        else:
            orders = await self._api.orders(reference)
            if isinstance(orders, Unknown):
                return orders
            order_ids = [each.id for each in orders]
        payments = await self._api.payments(order_ids)
        if isinstance(payments, Unknown) or not order_ids:
            return payments if isinstance(payments, Unknown) else NothingThere()
        answer = rules.outcome(payments, _terms(words, orders), int(self._now()))
        if isinstance(answer, Approved):
            name, payment = "held" if answer.authorised_only else "payment", rules.paid_by(payments)
            await self._memory.keep(reference, {name: payment.id})
            if payment.method == instalments.METHOD:
                # Its terms need a call of their own, whose silence must not delay the answer.
                return instalments.with_terms(answer, await self._api.terms(payment.id))
        return answer

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture all of a hold: Razorpay captures no part.

        An inquiry afterwards gives the answer.
        """
        before = await self.inquire(original)
        plan = _terms(await self._memory.known(original)).hold
        if not plan or isinstance(before, NothingThere | Voided):
            return Declined("not_held", "Nothing is held.")
        if not isinstance(before, Approved) or not before.authorised_only:
            return _captured(before, amount)
        if before.amount != amount:
            return Declined(
                "capture_in_part",
                "Razorpay captures the whole amount that is held, and no part of it.",
            )
        payment = (await self._memory.known(original))["held"]
        request = {"amount": amount.paise, "currency": amount.currency}
        answer = await self._api.send(f"/payments/{quote(payment, safe='')}/capture", request)
        after = await self.inquire(original)
        if not isinstance(after, Approved):
            return Unknown("capture", "the capture is not to be seen yet")
        if not after.authorised_only:
            return _captured(after, amount)
        refusal = None if isinstance(answer, Unknown) or answer[0] else refused(answer[1])
        return (
            rules.declined(refusal) if refusal else Unknown("capture", "the amount is still held")
        )

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Return whether a hold was voided.

        Razorpay has no call for it: a hold ends when its time is over.
        """
        answer = await self.inquire(original)
        if isinstance(answer, Voided | Unknown):
            return answer
        if isinstance(answer, Approved) and answer.authorised_only:
            return Unknown("lapses", "Razorpay gives a hold back by itself, after three days")
        return Declined("not_held", "Nothing is held.")

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; Razorpay treats the same key and body as the same refund."""
        payment = await self._paid_with(order.original)
        if isinstance(payment, Declined | Unknown):
            return payment
        await self._memory.keep(order.reference, {"payment": payment})
        answer = await self._api.send(
            f"/payments/{quote(payment, safe='')}/refund",
            questions.refund(order),
            headers={_REFUND_KEY: f"hundi-refund-{order.reference}"},
        )
        if isinstance(answer, Unknown):
            return answer
        if answer[0]:
            result = decoded(messages.RazorpayRefund, answer[1])
            if result is None or (result.payment_id, result.receipt) != (payment, order.reference):
                return unusable()
            return rules.refund_outcome(result, order.amount)
        standing = await self._api.refund(order.reference, payment)
        if isinstance(standing, messages.RazorpayRefund):
            return rules.refund_outcome(standing, order.amount)
        refusal = refused(answer[1])
        # Refused, and Razorpay has no record of it: it was not made.
        return (
            rules.declined(refusal)
            if refusal and isinstance(standing, NothingThere)
            else unusable()
        )

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the outcome of a refund, found among those of its payment."""
        payment = (await self._memory.known(reference)).get("payment")
        if payment is None:
            # Its record is stored before the call, so there was no call.
            return NothingThere()
        refund = await self._api.refund(reference, payment)
        return (
            rules.refund_outcome(refund) if isinstance(refund, messages.RazorpayRefund) else refund
        )

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:  # noqa: ARG002 (a webhook that comes late asks late)
        """Return the trigger of an authenticated webhook."""
        secrets = tuple(each.encode() for each in self._account.webhook_secrets)
        if not signed_by(secrets, headers.get(SIGNATURE, ""), body):
            return None
        event = webhooks.read_event(body)
        return (
            Trigger(
                headers.get(EVENT_ID, "")[:EVENT_ID_MAX],
                webhooks.references(event),
                webhooks.mandates(event),
            )
            if event
            else None
        )

    async def _paid_with(self, original: str) -> str | Declined | Unknown:
        """Return the payment that paid a reference."""
        payment = (await self._memory.known(original)).get("payment")
        if payment is not None:
            return payment
        answer = await self.inquire(original)
        if isinstance(answer, Approved) and not answer.authorised_only:
            return (await self._memory.known(original))["payment"]
        return (
            answer
            if isinstance(answer, Unknown)
            else Declined("not_paid", "Nothing was paid under this reference.")
        )


class RazorpayCardConnector(RazorpayConnector):
    """An account that may take card numbers from its merchant's own page."""

    @property
    def direct_origins(self) -> tuple[str, ...]:
        """Return where the customer's browser may be sent for the challenge."""
        return self.checkout_origins

    async def charge_card(
        self, charge: Charge, card: CardNumber, *, return_url: str, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Send the card and return the address of its challenge."""
        refused = None if self.simulated else decline_test_card(card.number)
        refused = refused or await self._not_offered(charge)
        if refused is not None:
            return refused

        def request(order_id: str, customer: Customer) -> dict[str, Any]:
            return questions.card(charge, order_id, customer, card, return_url)

        return await self._sent_away(charge, request, capture=capture)

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return the plans of the account; () where Razorpay has not enabled instalments."""
        return await self._api.plans()

    async def _not_offered(self, charge: Charge) -> Declined | Unknown | None:
        """Return why a charge cannot be made in its instalments, None when it can or has none.

        Razorpay gets the months, and finds the bank by the card's number.
        """
        plans = await self._api.plans() if charge.emi_months else ()
        if isinstance(plans, Unknown):
            return replace(plans, sent=False)
        plan, paise = (charge.emi_bank, charge.emi_months), charge.amount.paise
        if not charge.emi_months or any(
            (each.bank_code, each.months) == plan and paise >= each.minimum_paise for each in plans
        ):
            return None
        return Declined("emi_plan_unavailable", "These instalments are not offered.")


def _terms(words: Mapping[str, str], orders: tuple[messages.RazorpayOrder, ...] = ()) -> Terms:
    """Return the stored terms of a reference; without any, the most careful ones.

    orders: its orders at Razorpay, if they were read.
    """
    way, held, paise, currency, until_s = words.get(
        "terms", f"{RazorpayWay.PAGE} captured 0 INR {NEVER}"
    ).split()
    amounts = {Money(each.amount, each.currency) for each in orders} or {
        Money(int(paise), currency)
    }
    return Terms(
        RazorpayWay(way), held == "held", int(until_s), amounts.pop() if len(amounts) == 1 else None
    )


def _captured(
    answer: Approved | Declined | Unknown, amount: Money
) -> Approved | Declined | Unknown:
    """Return the answer to a capture of this amount, by the payment's state."""
    if isinstance(answer, Approved) and answer.amount != amount:
        return Unknown("other_amount", "another amount was captured")
    return answer
