"""The connector of Cashfree Payments; see docs/cashfree.md."""

import time
from functools import cache
from http import HTTPStatus
from urllib.parse import quote

import msgspec
import structlog

from hundi.acquirers.calls.aggregators import NOT_IN_INSTALMENTS
from hundi.acquirers.calls.breaker import BreakerState
from hundi.acquirers.calls.test_instruments import decline_test_card
from hundi.acquirers.cashfree import banks, questions, refunds, rules, webhooks
from hundi.acquirers.cashfree.account import Account
from hundi.acquirers.cashfree.disputes import CashfreeDisputes
from hundi.acquirers.cashfree.easy_split import CashfreeEasySplit
from hundi.acquirers.cashfree.orders import ORDER_LIFE_S, CashfreeOrders, ends_at
from hundi.acquirers.cashfree.reports import CashfreeReports
from hundi.acquirers.cashfree.words import (
    CashfreeAnswer,
    CashfreeOrder,
    CashfreePayment,
    CashfreeRefund,
    decoded,
    refusal,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown, Voided
from hundi.acquirers.port.checkout import Trigger, UpiLink
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import BankEntry, Charge, InquirySchedule, RefundOrder
from hundi.acquirers.port.splits import ReversalOrder
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money

INQUIRY_GAPS_S = (3, 5, 5, 10, 10, 20, 30, 60, 60, 120, 300, 300, 600, 1_800, 3_600)
REFUND_GAPS_S = (10, 60, 300, 1_800, 7_200, 21_600, 86_400)
KEPT_MAX = 2_048
"""Characters of a value in the memory."""
USED = Unknown(message="this reference was used for another payment")
_NO_HOLD = Declined("no-hold", "Nothing was to be held.")
_log = structlog.get_logger(__name__)


class CashfreeConnector(CashfreeReports, CashfreeDisputes, CashfreeEasySplit):
    """One account at Cashfree.

    UPI links, banks, wallets, its page for cards, refunds, disputes, webhooks.
    """

    inquiry_schedule = InquirySchedule(INQUIRY_GAPS_S)
    refund_schedule = InquirySchedule(REFUND_GAPS_S)

    def __init__(self, name: str, account: Account, memory: Memory) -> None:
        """Keep the account; the first call opens a connection."""
        self.name, self.simulated, self._account = name, account.simulated, account
        self._orders = CashfreeOrders(
            account.base_url,
            client_id=account.client_id,
            client_secret=account.secrets[0],
            api_version=account.api_version,
            memory=memory,
        )
        self._memory = memory
        self.breaker = self._orders.client.breaker
        self.redirect_origins = self.direct_origins = account.page_origins
        self.checkout_origins = account.link_origins
        if account.instalments_from_paise:
            self.instalments_from_paise = account.instalments_from_paise

    async def close(self) -> None:
        """Close the connection pool."""
        await self._orders.client.close()

    def reachable(self) -> bool:
        """Return whether calls are made: not while the breaker is open after failures in a row."""
        return self.breaker.state(time.monotonic()) is not BreakerState.OPEN

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Declined | Unknown:
        """Return the link that pays a charge.

        Cashfree sets its life, at least 16 minutes.
        """
        if await self._orders.remember(charge, "upi") is None:
            return USED
        order = await self._order(charge, "upi", "", expires_in_s)
        if not isinstance(order, CashfreeOrder):
            return order
        session = await self._orders.begin_payment(order, charge, questions.upi())
        if isinstance(session, Declined | Unknown):
            return session
        url, ends = rules.upi_url(session), rules.moment(order.order_expiry_time)
        if url is None or ends is None:
            return Unknown("no-upi-link", "the acquirer made no link that UPI apps open")
        return UpiLink(url, ends)

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the banks and wallets of the published list.

        The account may have fewer.
        """
        return banks.ENTRIES

    async def start_redirect(
        self, charge: Charge, *, method: str, bank_code: str, return_url: str
    ) -> Redirect | Declined | Unknown:
        """Return the address of the bank's page; the outcome comes by inquiry only."""
        phone = rules.phone_of(charge.customer.phone, self._account.phone)
        way_to_pay = questions.bank(method, bank_code, phone)
        if way_to_pay is None:
            return Declined("unknown-bank", "The acquirer sends nobody to this bank.")
        if await self._orders.remember(charge, "bank") is None:
            return USED
        return await self._page(charge, method, return_url, way_to_pay)

    async def _page(
        self, charge: Charge, method: str, return_url: str, way_to_pay: dict[str, object]
    ) -> Redirect | Declined | Unknown:
        """Begin a payment that goes on at a page, and return that page.

        A repeat returns the same page.
        """
        words = await self._memory.known(charge.reference)
        if "page" in words:
            return msgspec.json.decode(words["page"], type=Redirect)
        order = await self._order(charge, method, return_url, ORDER_LIFE_S)
        if not isinstance(order, CashfreeOrder):
            return order
        session = await self._orders.begin_payment(order, charge, way_to_pay)
        if isinstance(session, Declined | Unknown):
            return session
        page = rules.page(session, charge.reference, self._account.page_origins)
        if page is None:
            _log.warning("bank_page_unusable", bank=self.name, action=session.action)
            return Unknown("no-page", "the acquirer named no page that customers may be sent to")
        page_json = msgspec.json.encode(page).decode()
        if len(page_json) <= KEPT_MAX:
            await self._memory.keep(charge.reference, {"page": page_json})
        return page

    async def start_checkout(
        self, charge: Charge, *, method: str, return_url: str, expires_in_s: int, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Return a payment link's page.

        Cashfree documents it for pages without its own script.
        """
        if not capture and not self._account.holds:
            return Declined("no-holds", "The account does not hold amounts.")
        if method == "emi" and not 0 < self._account.instalments_from_paise <= charge.amount.paise:
            return NOT_IN_INSTALMENTS
        if await self._orders.remember(charge, "link", hold=not capture) is None:
            return USED
        link = await self._orders.link(
            charge, questions.link(charge, self._terms(method, return_url, expires_in_s))
        )
        if isinstance(link, Declined | Unknown):
            return link
        if link.link_status != "ACTIVE" or not rules.at_origin(
            link.link_url, self._account.link_origins
        ):
            _log.warning("bank_page_unusable", bank=self.name, status=link.link_status)
            return Unknown("no-page", "the acquirer named no page that customers may be sent to")
        return Redirect(link.link_url, charge.reference)

    async def _order(
        self, charge: Charge, method: str, return_url: str, life_s: int
    ) -> CashfreeOrder | Declined | Unknown:
        return await self._orders.create(
            charge, questions.order(charge, self._terms(method, return_url, life_s))
        )

    def _terms(self, method: str, return_url: str, life_s: int) -> questions.Terms:
        return questions.Terms(
            mode=questions.MODES.get(method, questions.CARDS),
            phone=self._account.phone,
            return_url=return_url,
            notify_url=self._account.notify_url,
            ends=ends_at(life_s),
        )

    async def inquire(
        self, reference: str
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Return Cashfree's state of a reference.

        An order that nobody can pay any more is closed on the way.
        """
        words = await self._memory.known(reference)
        if words.get("way") == "link":
            answer = await self._orders.link_outcome(reference)
            if isinstance(answer, NothingThere) and "link" in words:
                answer = rules.nothing_or_doubt({"order": ""})
        else:
            answer = await self._orders.outcome(reference, closes="way" in words)
            if isinstance(answer, NothingThere):
                answer = rules.nothing_or_doubt(words)
        held = isinstance(answer, Approved) and answer.authorised_only
        if held and isinstance(answer, Approved) and words.get("hold") == "false":
            # The account holds every card, and this one was to be charged.
            ended = await self._end_hold(reference, "CAPTURE", answer.amount)
            return (
                ended
                if isinstance(ended, Approved) and not ended.authorised_only
                else Unknown("held")
            )
        return answer

    async def _end_hold(
        self, original: str, action: str, amount: Money | None = None
    ) -> Approved | Declined | Unknown | NothingThere | Voided:
        """Capture or void a hold, and return its state afterwards, as Cashfree says it."""
        order_id = await self._orders.order_id(original)
        if order_id is None:
            return Unknown(message="the acquirer has no order of this reference so far")
        request: dict[str, object] = {"action": action}
        if amount is not None:
            request["amount"] = questions.in_rupees(amount)
        call = self._orders.call(
            "POST", f"/orders/{quote(order_id, safe='')}/authorization", request, action
        )
        answer = await self._orders.client.ask(call)
        if isinstance(answer, Unknown) and not answer.sent:
            return answer
        after = await self._orders.outcome(order_id, closes=False)
        done = isinstance(answer, CashfreeAnswer) and decoded(answer, CashfreePayment) is not None
        unended = isinstance(after, Approved) and after.authorised_only
        if unended and isinstance(answer, CashfreeAnswer) and not done:
            return rules.refused(answer.status, refusal(answer))
        return Unknown(message="the end of the hold is not certain yet") if unended else after

    async def refund(self, order: RefundOrder) -> Approved | Declined | Unknown:
        """Refund an amount; the same reference again moves money once."""
        return await self.refund_with_shares(order, ())

    async def refund_with_shares(
        self, order: RefundOrder, reversals: tuple[ReversalOrder, ...]
    ) -> Approved | Declined | Unknown:
        """Refund an amount of which vendors bear parts."""
        order_id = await self._orders.order_id(order.original)
        if order_id is None:
            return Unknown(message="the acquirer has no order of this reference so far", sent=False)
        use = {"refund_of": order_id, "amount": rules.said_amount(order.amount)}
        if reversals:
            use["vendors"] = refunds.said_parts(reversals)
        words = await self._memory.keep(order.reference, use)
        if not use.items() <= words.items():
            return USED
        path = f"/orders/{quote(order_id, safe='')}/refunds"
        reply = await self._orders.client.ask(
            self._orders.call("POST", path, questions.refund(order, reversals), order.reference)
        )
        if isinstance(reply, Unknown):
            return reply
        refund = decoded(reply, CashfreeRefund)
        if refund is not None:
            return refunds.refund_outcome(
                refund, refunds.refund_id(order.reference), order_id, use["amount"]
            )
        why = refusal(reply)
        # A refused refund may have been requested before: it was not made only if Cashfree has no
        # record.
        answer = await self.inquire_refund(order.reference)
        if not isinstance(answer, NothingThere):
            return answer
        doubt = rules.refused(reply.status, why)
        unknown_order = reply.status == HTTPStatus.NOT_FOUND and rules.not_found(reply.status, why)
        return Declined(why.code, why.message) if unknown_order and why is not None else doubt

    async def inquire_refund(self, reference: str) -> Approved | Declined | Unknown | NothingThere:
        """Return Cashfree's state of a refund.

        Without a record in our memory it was never requested.
        """
        words = await self._memory.known(reference)
        if "refund_of" not in words:
            return NothingThere()
        order_id, refund_id = words["refund_of"], refunds.refund_id(reference)
        answer = await self._orders.refund_of(order_id, refund_id)
        if isinstance(answer, CashfreeRefund):
            return refunds.refund_outcome(answer, refund_id, order_id, words["amount"])
        return answer

    def read_trigger(self, headers: dict[str, str], body: bytes, *, now_s: int) -> Trigger | None:
        """Return the trigger of an authentic webhook; it proves no outcome."""
        return webhooks.trigger(headers, body, self._account.secrets, now_s)


class CashfreeCards(CashfreeConnector):
    """An account that may also take typed cards."""

    async def charge_card(
        self, charge: Charge, card: CardNumber, *, return_url: str, capture: bool
    ) -> Redirect | Declined | Unknown:
        """Send the card and return the address of its challenge."""
        declined = None if self.simulated else decline_test_card(card.number)
        if declined is not None:
            return declined
        if not capture and not self._account.holds:
            return Declined("no-holds", "The account does not hold amounts.")
        if await self._orders.remember(charge, "card", hold=not capture) is None:
            return USED
        return await self._page(
            charge, "card", return_url, questions.card(card, charge.customer.name)
        )


class CashfreeHolds(CashfreeConnector):
    """An account that also holds cards until they are captured or released."""

    async def capture(self, original: str, amount: Money) -> Approved | Declined | Unknown:
        """Capture the held amount, or a part of it; the rest is released."""
        if not await self._was_to_be_held(original):
            return _NO_HOLD
        standing = await self.inquire(original)
        if isinstance(standing, Approved) and standing.authorised_only:
            if standing.amount < amount:
                return Declined("more-than-held", "More than is held cannot be captured.")
            standing = await self._end_hold(original, "CAPTURE", amount)
        if isinstance(standing, Declined):
            return standing
        return rules.captured_outcome(standing, amount)

    async def void(self, original: str) -> Voided | Declined | Unknown:
        """Void the whole hold."""
        if not await self._was_to_be_held(original):
            return _NO_HOLD
        standing = await self.inquire(original)
        if isinstance(standing, Approved) and standing.authorised_only:
            standing = await self._end_hold(original, "VOID")
        if isinstance(standing, Declined):
            return standing
        return rules.voided_outcome(standing)

    async def _was_to_be_held(self, original: str) -> bool:
        """Return whether a reference was to be held.

        A charge in one step cannot be captured or voided.
        """
        return (await self._memory.known(original)).get("hold") == "true"


@cache
def connector_for(*more: type[CashfreeConnector]) -> type[CashfreeConnector]:
    """Return the connector class of an account that can do more, in several ways."""
    if len(more) > 1:
        return type("CashfreeAccount", more, {})
    return next(iter(more), CashfreeConnector)
