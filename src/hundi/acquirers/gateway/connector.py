"""The connector of another gateway: its page, UPI links, holds, refunds, webhooks.

See docs/another-gateway.md.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hundi.acquirers.calls.aggregators import RUPEES, pays
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.test_instruments import decline_test_vpa
from hundi.acquirers.gateway import rules
from hundi.acquirers.gateway.account import Account
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    RegisteredName,
    Unknown,
    Voided,
)
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Charge, InquirySchedule, RefundOrder
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.sdk import RefundItem, UpiAddress, payments, refunds, upi
from hundi.sdk.callback import Callbacks
from hundi.sdk.calls import Steps
from hundi.sdk.errors import (
    HundiError,
    InvalidRequestError,
    NotFoundError,
    RefusedError,
    UntrustedError,
)
from hundi.sdk.order import Buyer, Order
from hundi.sdk.refunds import RefundResult
from hundi.sdk.transaction import Transaction
from hundi.sdk.upi import QrCode, QrOrder

INQUIRY_GAPS_S = (10, 10, 10, 20, 20, 30, 30, 60, 60, 120, 300, 600, 1_800, 3_600)
REFUND_GAPS_S = (10, 30, 60, 300, 900, 3_600, 14_400, 43_200, 86_400)
USED = Unknown(message="this reference was used for something else")
NO_RUPEES = Declined("HUNDI-CURRENCY", "The account at the other gateway takes rupees.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """An operator's settings of the account.

    email, phone: sent for customers who gave none, because the interface takes no payment without.
    simulated: the other gateway moves no real money. page_origin: of its payment page.
    bank_origins: of its banks' pages.
    """

    email: str
    phone: str
    simulated: bool
    page_origin: str
    bank_origins: tuple[str, ...] = ()


class GatewayConnector:
    """A merchant account at another gateway. now_s: returns the time in Unix seconds.

    The memory has, for each reference, its use, until when a page or link can be begun, and the
    names of refunds.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(
        self,
        name: str,
        account: Account,
        terms: Terms,
        memory: Memory,
        *,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Keep the account; the first call opens a connection."""
        self.name, self.simulated = name, terms.simulated
        self.account, self.terms, self.memory, self._now_s = account, terms, memory, now_s
        self.checkout_origins = (terms.page_origin,)
        self.redirect_origins = self.direct_origins = terms.bank_origins
        self.breaker = account.client.breaker

    async def close(self) -> None:
        """Close the connection pool."""
        await self.account.client.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return the other gateway's state of a payment.

        A page that nobody has opened may still be opened.
        """
        record = await self._told(order_id=reference)
        if isinstance(record, Transaction):
            return rules.outcome(record, reference)
        if not isinstance(record, NothingThere):
            return record
        until = (await self.memory.known(reference)).get("until", "0")
        return Unknown(awaiting_customer=True) if self._now_s() < float(until) else record

    async def start_checkout(
        self,
        charge: Charge,
        *,
        method: str,
        return_url: str,  # noqa: ARG002 (there is one address for all customers: `read_return`)
        expires_in_s: int,
        capture: bool,
    ) -> Redirect | Declined | Unknown:
        """Return the form that the browser posts to the other gateway's page, with cards only."""
        if method != "card":
            return Declined("HUNDI-METHOD", "The other gateway's page is used for cards.")
        if charge.amount.currency != RUPEES:
            return NO_RUPEES
        if not await self.remember(charge, "page", hold=not capture, life_s=expires_in_s):
            return USED
        order = self.order(charge, ("pg",), hold=not capture)
        form = await self.account.ask(self.account.calls.payment_form(order))
        if isinstance(form, Unknown):
            # Nobody pays on a page whose form we do not have.
            return replace(form, sent=False)
        if isinstance(form, RefusedError | InvalidRequestError):
            return rules.refused(form)
        return Redirect(form.action_url, charge.reference, tuple(form.fields.items()))

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link of an order by UPI; the other gateway sets its life."""
        if charge.amount.currency != RUPEES:
            return NO_RUPEES
        if not await self.remember(charge, "upi", life_s=expires_in_s):
            return USED
        order = QrOrder(
            order_id=charge.reference, amount_paise=charge.amount.paise, buyer=self._buyer(charge)
        )
        code = await self.account.ask(upi.generate_qr(self.account.calls, order))
        if not isinstance(code, QrCode):
            return code if isinstance(code, Unknown) else rules.refused(code)
        if not pays(code.text, charge.amount):
            return Unknown("no-upi-link", "the other gateway made no link of this amount")
        ends = datetime.fromtimestamp(self._now_s(), UTC) + timedelta(seconds=expires_in_s)
        return UpiLink(code.text, code.expires_at or ends)

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture a hold, or a part of it, and ask for the payment's state."""
        held = await self._held(original)
        if isinstance(held, Transaction):
            if held.amount_paise < amount.paise:
                return Declined("121", "More than is held cannot be captured.")
            steps = payments.capture(self.account.calls, held.transaction_id, amount.paise)
            held = await self._ended(original, steps)
        return rules.captured(held, amount)

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void the whole hold, and ask for the payment's state."""
        held = await self._held(original)
        if isinstance(held, Transaction):
            held = await self._ended(
                original, payments.void(self.account.calls, held.transaction_id)
            )
        return rules.voided(held)

    async def _held(self, original: str) -> object:
        """Return the transaction of a standing hold, else the payment's state.

        Other payments stay untouched.
        """
        if (await self.memory.known(original)).get("hold") != "1":
            return NothingThere()
        record = await self._told(order_id=original)
        if isinstance(record, Unknown):
            return replace(record, sent=False)
        if not isinstance(record, Transaction):
            return record
        standing = rules.outcome(record, original)
        return record if isinstance(standing, Approved) and standing.authorised_only else standing

    async def _ended(self, original: str, steps: Steps[Transaction]) -> object:
        """Capture or void a hold.

        The other gateway's state of the payment afterwards is the outcome.
        """
        answer = await self.account.ask(steps, repeatable=False, waits_for_bank=True)
        if isinstance(answer, Unknown) and not answer.sent:
            return answer
        return await self.inquire(original)

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Request a refund under our reference: the same one again moves money once."""
        if order.amount.currency != RUPEES:
            return NO_RUPEES
        words = {"refund_of": order.original, "amount": str(order.amount.paise)}
        if not words.items() <= (await self.memory.keep(order.reference, words)).items():
            return USED
        paid = await self._told(order_id=order.original)
        if isinstance(paid, Unknown):
            return replace(paid, sent=False)
        if isinstance(paid, NothingThere) or paid.order_id != order.original:
            return Declined("503", "The other gateway has no such payment.")
        items = [RefundItem(paid.transaction_id, order.amount.paise)]
        steps = refunds.refund(self.account.calls, items, order.reference)
        answer = await self.account.ask(steps)
        if isinstance(answer, Unknown):
            return answer
        return (
            await self._refunding(order, answer[0])
            if isinstance(answer, tuple)
            else rules.refused(answer)
        )

    async def _refunding(
        self, order: RefundOrder, answer: RefundResult
    ) -> Approved | Declined | Unknown:
        if not answer.accepted:
            problem = answer.error
            return rules.refund_refused(problem) if problem else Unknown()
        if answer.amount_paise not in {None, order.amount.paise}:
            return Unknown(message="the other gateway gives another amount back")
        await self.memory.keep(order.reference, {"refund_id": answer.refund_id})
        return Unknown("INITIATED")

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return the other gateway's state of a refund.

        Without its name there, it counts as absent: it is sent again under its reference, and then
        has one.
        """
        refund_id = (await self.memory.known(reference)).get("refund_id")
        if refund_id is None:
            return NothingThere()
        record = await self._told(refund_id=refund_id)
        if isinstance(record, NothingThere):
            return Unknown(message="the other gateway does not find what it called a refund")
        return (
            rules.refund_outcome(record, refund_id, reference)
            if isinstance(record, Transaction)
            else record
        )

    async def check_address(self, vpa: str) -> RegisteredName | NotRegistered | Unknown:
        """Return the name of a UPI address's holder."""
        if not self.simulated and decline_test_vpa(vpa):
            return NotRegistered()
        answer = await self.account.ask(upi.validate_vpa(self.account.calls, vpa))
        if isinstance(answer, InvalidRequestError):
            return NotRegistered()
        if not isinstance(answer, UpiAddress):
            return answer if isinstance(answer, Unknown) else rules.unanswered(answer)
        if answer.address.lower() != vpa.strip().lower():
            return Unknown(message="the other gateway speaks of something else")
        return RegisteredName(answer.name) if answer.is_registered else NotRegistered()

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the trigger of a signed notification; `ap_SecureHash` alone proves nothing."""
        try:
            notification = self._callbacks(now_s).read_notification(headers, body)
        except UntrustedError:
            return None
        about = notification.transaction
        return Trigger(
            notification.webhook_id,
            (about.refund_request_id if about.refund_id else about.order_id,),
        )

    async def read_return(self, form: Mapping[str, str], *, now_s: int) -> str | None:
        """Return the reference of a signed return of a browser, None for any other form."""
        callbacks = self._callbacks(now_s)
        try:
            reference = callbacks.claimed_order_id(form)
            amount = (await self.memory.known(reference)).get("amount", "")
            return (
                callbacks.read_return(form, order_id=reference, amount_paise=int(amount))
                and reference
            )
        except (HundiError, ValueError):
            # ValueError: it is no reference of ours, or has no record.
            return None

    def _callbacks(self, now_s: int) -> Callbacks:
        return Callbacks(self.account.credentials, clock=lambda: float(now_s))

    async def _told(
        self, *, order_id: str = "", refund_id: str = ""
    ) -> Transaction | NothingThere | Unknown:
        """Return the transaction record of a reference.

        The caller checks its contents.
        """
        answer = await self.account.ask(self._verify(order_id, refund_id))
        if isinstance(answer, NotFoundError):
            return NothingThere()
        if isinstance(answer, RefusedError | InvalidRequestError):
            return rules.unanswered(answer)
        return answer

    def _verify(self, order_id: str, refund_id: str) -> Steps[Transaction]:
        """Request a record without an expected amount: we want to know it."""
        record = yield from payments.recorded(
            self.account.calls, order_id=order_id, refund_id=refund_id
        )
        record.demand(
            merchant_id=self.account.calls.merchant_id,
            order_id=order_id or record.order_id,
            amount_paise=record.amount_paise,
            currency=record.iso_currency,
        )
        return record

    async def remember(
        self, charge: Charge, way: str, *, hold: bool = False, life_s: int = 0
    ) -> bool:
        """Store the use of a reference before anybody can pay.

        Return False if it was used for something else.
        """
        words = {"way": way, "amount": str(charge.amount.paise), "hold": "1" if hold else "0"}
        until = str(int(self._now_s()) + life_s)
        stored = await self.memory.keep(charge.reference, {**words, "until": until})
        return words.items() <= stored.items()

    def _buyer(self, charge: Charge) -> Buyer:
        return rules.buyer(charge.customer, self.terms.email, self.terms.phone)

    def order(self, charge: Charge, channels: tuple[str, ...] = (), *, hold: bool = False) -> Order:
        """Return a charge as an order of ours at the other gateway."""
        return Order(
            order_id=charge.reference,
            amount_paise=charge.amount.paise,
            buyer=self._buyer(charge),
            channels=channels,
            authorise_only=hold,
        )
