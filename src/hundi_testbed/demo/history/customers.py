"""The customers of a history: what they buy, how they pay, and how it ends."""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random

from hundi.acquirers.port.answers import Redirect
from hundi.api.addresses import SESSION_PAGE
from hundi.api.context import GatewayContext
from hundi.instruments.card import CardNumber
from hundi.instruments.methods import NETBANKING, WALLET
from hundi.kernel.clock import utc_now
from hundi.kernel.money import Money
from hundi.kernel.refusals import Refused
from hundi.kernel.states import PaymentKind, SubscriptionPeriod
from hundi.merchants.directory.rules import Merchant
from hundi.payments.attempts.actions import payable
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Buyer, NewOrder, PaymentView
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.payments.subscriptions.rules import ApprovalTerms
from hundi_testbed.demo.history.bank import BankClient

_FIRST = (
    *(
        "Aarav",
        "Ananya",
        "Arjun",
        "Deepa",
        "Farah",
        "Gauri",
        "Harpreet",
        "Imran",
        "Isha",
        "Jaya",
        "Karan",
        "Kavya",
    ),
    *(
        "Lakshmi",
        "Manish",
        "Meera",
        "Mohan",
        "Neha",
        "Nikhil",
        "Pooja",
        "Rahul",
        "Ravi",
        "Sana",
        "Sunil",
        "Tara",
    ),
)
_LAST = (
    "Bose",
    "Das",
    "Gill",
    "Iyer",
    "Jain",
    "Khan",
    "Kulkarni",
    "Menon",
    "Nair",
    "Patel",
    "Rao",
    "Reddy",
    "Singh",
)
_GOODS = {
    0: (
        ("Cotton saree", 2_49_900),
        ("Silk stole", 1_29_900),
        ("Ikat cushion", 64_900),
        ("Block-print quilt", 4_79_900),
    ),
    1: (
        ("Garam masala, 6 jars", 89_400),
        ("Cardamom, 250 g", 74_900),
        ("Pickle box", 54_900),
        ("Tea chest", 1_64_900),
    ),
}
"""The goods of each merchant, in paise."""
_WAYS = (("qr", 58), ("card", 22), (NETBANKING.name, 13), (WALLET.name, 7))
_BANKS = (("HDFC", 30), ("SBIN", 28), ("ICIC", 18), ("UTIB", 10), ("KKBK", 8), ("PUNB", 6))
_WALLETS = (("MOBK", 50), ("AMZP", 30), ("PHPE", 20))
_GOOD_CARDS = (
    *(("4111111111111111", "123"), ("5267318187975449", "123"), ("6082015309577308", "123")),
    *(("4000056655665556", "123"), ("378282246310005", "1234")),
)
_BAD_CARDS = ("4000000000000002", "4000000000009995", "4000000000000069")
_BAD_PAYERS = (("insufficient@hundi", 45), ("decline@hundi", 35), ("expired@hundi", 20))
_OTP, _WRONG_OTP = "123456", "000000"
_WORD_S_MAX, _LOOK_S = 1.5, 0.01
FAILS, WALKS_AWAY, AGAIN = 0.13, 0.07, 0.55
"""Probabilities that a try fails, that nobody tries, and that a failure is tried again."""
BAD_BANK_FAILS = 0.6
"""Probability that a try fails at a bank on its bad day."""


@dataclass(frozen=True, slots=True)
class BadDay:
    """A bank's bad day."""

    bank: str
    day: date


class DemoCustomers:
    """All customers. trouble: the bank that fails more often, by day."""

    def __init__(
        self, gateway: GatewayContext, bank: BankClient, random: Random, trouble: Sequence[BadDay]
    ) -> None:
        """Keep the parts."""
        self._gateway = gateway
        self._paying = gateway.payments
        self._bank = bank
        self._random = random
        self._trouble = {(each.bank, each.day) for each in trouble}
        self._numbers = 0

    def _drawn(self, weighted: Sequence[tuple[str, int]]) -> str:
        names, weights = zip(*weighted, strict=True)
        return self._random.choices(names, weights)[0]

    def _buyer(self) -> Buyer:
        first, last = self._random.choice(_FIRST), self._random.choice(_LAST)
        phone = f"98{self._random.randrange(10**8):08}"
        return Buyer(
            f"{first}.{last}@example.in".lower(),
            phone,
            first,
            last,
            city="Bengaluru",
            country="IND",
        )

    def _order(self, shop: int, *, large: bool, kind: PaymentKind = PaymentKind.SALE) -> NewOrder:
        self._numbers += 1
        title, paise = self._random.choice(_GOODS[shop])
        amount = paise * (30 if large else self._random.choices((1, 2, 3), (70, 22, 8))[0])
        order_id = f"{'AH' if shop == 0 else 'BSB'}-{1000 + self._numbers}"
        digest = hashlib.sha256(order_id.encode()).digest()
        return NewOrder(order_id, Money(amount), kind, self._buyer(), digest, custom_var=title)

    async def buy(
        self, merchant: Merchant, shop: int, day: date, *, large: bool = False
    ) -> PaymentView:
        """Order something, and pay for it, fail, or leave; return the payment afterwards."""
        view = await opening.initiate(
            self._paying, merchant, self._order(shop, large=large), utc_now()
        )
        if self._random.random() < WALKS_AWAY and not large:
            return view
        way = "qr" if large else self._drawn(_WAYS)
        try:
            fails = await self._try(merchant, view, way, day, never_fails=large)
            if fails and self._random.random() < AGAIN:
                await self._try(merchant, view, "qr", day, never_fails=True)
        except Refused:
            pass  # refusals by rules and limits are a part of business
        return (
            await payments.view(self._paying, merchant.merchant_id, view.payment.payment_id) or view
        )

    async def _try(
        self, merchant: Merchant, view: PaymentView, way: str, day: date, *, never_fails: bool
    ) -> bool:
        """Pay one way; return whether that failed."""
        view_after = await payments.view(
            self._paying, merchant.merchant_id, view.payment.payment_id
        )
        before = _heard(view_after or view)
        bank = self._drawn(_BANKS) if way == NETBANKING.name else self._drawn(_WALLETS)
        likely = (
            BAD_BANK_FAILS if way == NETBANKING.name and (bank, day) in self._trouble else FAILS
        )
        fails = not never_fails and self._random.random() < likely
        if way == "qr":
            await self._scan(merchant, view, fails=fails)
        elif way == "card":
            await self._pay_by_card(merchant, view, fails=fails)
        else:
            await self._pay_at(merchant, view, way, bank, pays=not fails)
        await self._hear(view, before)
        return fails

    async def _hear(self, view: PaymentView, before: int) -> None:
        """Wait for the bank's answer, which comes beside the customer's way.

        The clock must not move before it.
        """
        payment = view.payment
        with suppress(TimeoutError):
            async with asyncio.timeout(_WORD_S_MAX):
                while True:
                    now = await payments.view(self._paying, payment.merchant_id, payment.payment_id)
                    if now is None or _heard(now) > before:
                        return
                    await asyncio.sleep(_LOOK_S)

    async def _scan(self, merchant: Merchant, view: PaymentView, *, fails: bool) -> None:
        attempt = await upi.offer_qr(await self._case(merchant, view))
        link = await upi.pay_link(self._paying, merchant, view.payment.order_id, attempt)
        if link is not None:
            await self._bank.scan(
                link, self._drawn(_BAD_PAYERS) if fails else _address_of(view.payment.buyer)
            )

    async def _pay_by_card(self, merchant: Merchant, view: PaymentView, *, fails: bool) -> None:
        wrong_otp = fails and self._random.random() < 1 / 3
        number, cvv = self._random.choice(_GOOD_CARDS)
        if fails and not wrong_otp:
            number, cvv = self._random.choice(_BAD_CARDS), "123"
        card = CardNumber(number, 12, utc_now().year + 4, cvv)
        back = self._back(view, "3ds")
        begun = await cards.pay(await self._case(merchant, view), card, back)
        if isinstance(begun, Redirect):
            await self._bank.enter_otp(begun.url, _WRONG_OTP if wrong_otp else _OTP)

    async def _pay_at(
        self, merchant: Merchant, view: PaymentView, way: str, bank: str, *, pays: bool
    ) -> None:
        back = self._back(view, "bank")
        begun = await redirects.start(await self._case(merchant, view), way, bank, back)
        if isinstance(begun, Redirect):
            await self._bank.act_at(begun.url, pays=pays, customer=view.payment.buyer.firstname)

    async def _case(self, merchant: Merchant, view: PaymentView) -> PaymentCase:
        return await payable(self._paying, merchant, view.payment.payment_id, utc_now())

    def _back(self, view: PaymentView, word: str) -> "_Back":
        session = self._gateway.sessions.seal(view.payment.merchant_id, view.payment.payment_id)
        return _Back(f"{self._gateway.settings.payment_page_url}{SESSION_PAGE}{session}/{word}/")

    async def subscribe(
        self, merchant: Merchant, shop: int, first_debit: date, refuses: str = ""
    ) -> PaymentView:
        """Approve a mandate of a weekly debit.

        refuses: the payer whose bank later declines, "" for none.
        """
        order = self._order(shop, large=False, kind=PaymentKind.SUBSCRIPTION)
        terms = ApprovalTerms(
            amount=order.amount,
            maximum=order.amount,
            period=SubscriptionPeriod.WEEK,
            frequency=1,
            starts_on=first_debit,
            debits_max=26,
            retries_max=2,
        )
        view = await approvals.register(self._paying, merchant, order, terms, utc_now())
        attempt = await upi.offer_qr(await self._case(merchant, view))
        subscription = await subscriptions.find(
            self._gateway.db, merchant.merchant_id, view.payment.payment_id
        )
        assert subscription is not None, "it was registered above"
        link = approvals.approval_link(self._paying, merchant, subscription.subscription, attempt)
        if link is not None:
            await self._bank.scan(link, refuses or _address_of(view.payment.buyer))
        return view

    def due_in(self, least: timedelta, most: timedelta) -> datetime:
        """Return a time between two spans from now."""
        return utc_now() + least + (most - least) * self._random.random()


@dataclass(frozen=True, slots=True)
class _Back:
    """The return addresses of a bank's redirects, by attempt id."""

    page: str

    def __call__(self, attempt_id: int) -> str:
        return f"{self.page}{attempt_id}"


def _heard(view: PaymentView) -> int:
    return sum(each.settled_at is not None for each in view.attempts)


def _address_of(buyer: Buyer) -> str:
    return f"{buyer.firstname}.{buyer.lastname}@hundi".lower()
