"""Acquirers that a test lives a year with: their stand-ins, played by customers and banks."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from hundi.acquirers.calls.banks import ANY_BANK
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.payu.mandates import PayUMandateConnector
from hundi.acquirers.phonepe.kind import KIND as PHONEPE
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.mandates import MandateRequest
from hundi.acquirers.port.memory import Memory
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.razorpay.api import Account
from hundi.acquirers.razorpay.enach import RazorpayBankMandateConnector
from hundi.acquirers.razorpay.mandates import (
    RazorpayCardMandateConnector,
    RazorpayMandateConnector,
)
from hundi.instruments.methods import ENACH
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.redirect import actions as redirect
from hundi.payments.methods.upi import actions as upi
from hundi.payments.methods.upi.links.actions import link_of
from hundi.payments.orders import actions as orders
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import Attempt
from tests.acquirers.between import Between, between
from tests.acquirers.cashfree import account as cashfree
from tests.acquirers.cashfree.standin import Bank
from tests.acquirers.cashfree.standin_mandates import running_with_mandates
from tests.acquirers.cashfree.standin_subscriptions import Subscriptions
from tests.acquirers.payu import opened as payu
from tests.acquirers.payu.standin_payments import Transaction
from tests.acquirers.payu.standin_si import IST, StandingPayU
from tests.acquirers.phonepe.opened import CALLBACK, settings
from tests.acquirers.phonepe.standin_autopay import AutoPay
from tests.acquirers.playing import CARD, running
from tests.acquirers.razorpay.standin import KEY_ID, KEY_SECRET, WEBHOOK_SECRET
from tests.acquirers.razorpay.standin_books import Order
from tests.acquirers.razorpay.standin_enach import EnachStandin
from tests.acquirers.razorpay.standin_recurring import RecurringStandin
from tests.acquirers.razorpay.test_contract import collect_first_amounts
from tests.acquirers.shared import Clock

BACK = "https://pay.example.in/back"


@dataclass
class Face(ABC):
    """An acquirer, its customers and their banks.

    wire: its calls. broke: references of mandates whose accounts are empty. period: in which a
    debit is made on its second try at the latest.
    """

    connector: Connector
    wire: Between
    broke: set[str] = field(default_factory=set)
    period: timedelta = timedelta(days=4)

    @abstractmethod
    def at(self, now: datetime) -> None:
        """Set the acquirer's clock, and let banks do what waits for them."""

    async def begin(self, case: PaymentCase, mandate: MandateRequest) -> str:
        """Press the way to approve a mandate; return its reference, "" where nothing opened."""
        attempt = await upi.offer_qr(case, mandate=mandate)
        link = await link_of(case.context, attempt)
        assert link is None or link.url.startswith("upi://mandate?")
        return attempt.reference if link else ""

    @abstractmethod
    def approve(self, mandate: str) -> None:
        """Approve a mandate at its link or page."""

    @abstractmethod
    def customer(self, mandate: str, act: str) -> None:
        """Let a customer end, pause or resume a mandate in the app."""

    @abstractmethod
    def is_over(self, mandate: str) -> bool:
        """Return whether the acquirer debits nothing by a mandate any more."""

    @abstractmethod
    def moved(self) -> list[int]:
        """Return the amounts that banks debited by mandates so far, without first payments."""


@dataclass
class RazorpayFace(Face):
    """Razorpay; its clock is the connector's, too."""

    bank: RecurringStandin = field(kw_only=True)

    def at(self, now: datetime) -> None:
        self.bank.clock = now.timestamp()
        for payment_id, (token, _) in self.bank.mandates.debits.items():
            waits = self.bank.books.payment(payment_id).status == "created"
            if waits and token in self._tokens(self.broke):
                self.bank.mandates.refuse(self.bank.books.payment(payment_id))
        self.bank.mandates.run()

    def _tokens(self, mandates: set[str]) -> set[str]:
        return {self._token(each) for each in mandates}

    def _token(self, mandate: str) -> str:
        books = self.bank.books
        return str(books.payments_of(self._order(mandate).id)[-1].details["token_id"])

    def _order(self, mandate: str) -> Order:
        return next(each for each in self.bank.books.orders.values() if each.receipt == mandate)

    def approve(self, mandate: str, *, dummy: bool = False) -> None:
        payments = self.bank.books.payments_of(self._order(mandate).id)
        self.bank.mandates.authorise(payments[-1].id, dummy=dummy)

    def customer(self, mandate: str, act: str) -> None:
        mandates = self.bank.mandates
        acts = {"end": mandates.cancel_at_bank, "pause": mandates.pause, "resume": mandates.resume}
        acts[act](self._token(mandate))

    def is_over(self, mandate: str) -> bool:
        return self.bank.mandates.tokens[self._token(mandate)].status == "cancelled"

    def moved(self) -> list[int]:
        payments = [self.bank.books.payment(each) for each in self.bank.mandates.debits]
        return [each.amount for each in payments if each.status == "captured"]


@dataclass
class RazorpayCardFace(RazorpayFace):
    """Razorpay, where customers type their cards; deleting a card's token ends its mandate."""

    async def begin(self, case: PaymentCase, mandate: MandateRequest) -> str:
        begun = await cards.pay(case, CARD, lambda _: BACK, mandate=mandate)
        return await _opened(case, begun)

    def is_over(self, mandate: str) -> bool:
        return self.bank.mandates.tokens[self._token(mandate)].forgotten


@dataclass
class RazorpayBankFace(RazorpayFace):
    """Razorpay's page that registers accounts, whose banks answer days later."""

    period: timedelta = timedelta(days=8)

    async def begin(self, case: PaymentCase, mandate: MandateRequest) -> str:
        begun = await redirect.start(case, ENACH.name, ANY_BANK, lambda _: BACK, mandate=mandate)
        return await _opened(case, begun)

    def approve(self, mandate: str, *, dummy: bool = False) -> None:
        order_id = self._order(mandate).id
        registration = self.bank.mandates.registrations[order_id]
        account = {"account_number": "1121431121541121", "ifsc": "HDFC0000001", "name": "Asha K"}
        typed = {"bank": "HDFC", "auth_type": "netbanking", "bank_account": account}
        registered = {name: registration[name] for name in ("customer_id", "method", "currency")}
        begun = self.bank.mandates.begin({"order_id": order_id, "amount": 0} | registered | typed)
        self.bank.mandates.authorise(begun.id)
        collect_first_amounts(self.bank)

    def is_over(self, mandate: str) -> bool:
        return self.bank.mandates.tokens[self._token(mandate)].forgotten


async def _opened(case: PaymentCase, begun: Redirect | Attempt) -> str:
    """Return the reference of a page, "" where none opened."""
    found = await orders.view(case.context, case.merchant.merchant_id, case.payment.payment_id)
    assert found is not None
    return found.live[-1].reference if isinstance(begun, Redirect) else ""


@dataclass
class CashfreeFace(Face):
    """Cashfree with controlled payments."""

    bank: Bank = field(kw_only=True)
    mandates: Subscriptions = field(kw_only=True)

    def at(self, now: datetime) -> None:
        world = self.bank.world
        world.pass_time(now - world.now())
        for debit in list(self.mandates.debits.values()):
            if debit.kind == "CHARGE" and debit.status == "PENDING":
                act = self.mandates.refuse if debit.subscription.id in self.broke else None
                (act or self.mandates.take)(debit.id)

    def approve(self, mandate: str) -> None:
        self.mandates.approve(mandate)

    def customer(self, mandate: str, act: str) -> None:
        acts = {"end": "CUSTOMER_CANCELLED", "pause": "CUSTOMER_PAUSED", "resume": "ACTIVE"}
        self.mandates.put(mandate, acts[act])

    def is_over(self, mandate: str) -> bool:
        return self.mandates.one(mandate).status == "CANCELLED"

    def moved(self) -> list[int]:
        return [
            int(each.amount * 100)
            for each in self.mandates.debits.values()
            if each.kind == "CHARGE" and each.status == "SUCCESS"
        ]


@dataclass
class PhonePeFace(Face):
    """PhonePe's AutoPay."""

    bank: AutoPay = field(kw_only=True)

    def at(self, now: datetime) -> None:
        self.bank.clock = now.timestamp()
        for cycle in list(self.bank.cycles.values()):
            if cycle.state == "PENDING" and cycle.tries:
                refused = cycle.mandate.id in self.broke
                (self.bank.refuse if refused else self.bank.take)(cycle.merchant_order_id)
        self.bank.pass_time(0)

    def approve(self, mandate: str) -> None:
        self.bank.approve(mandate)

    def customer(self, mandate: str, act: str) -> None:
        self.bank.put(mandate, {"end": "REVOKED", "pause": "PAUSED", "resume": "ACTIVE"}[act])

    def is_over(self, mandate: str) -> bool:
        return self.bank.mandates[mandate].state == "CANCELLED"

    def moved(self) -> list[int]:
        return [
            each.amount
            for each in self.bank.cycles.values()
            if each.tries and each.state == "COMPLETED"
        ]


def at_razorpay(
    opened: type[RazorpayMandateConnector],
    played: type[RecurringStandin],
    face: Callable[..., Face],
) -> Callable[[Memory], AbstractAsyncContextManager[Face]]:
    """Return what opens a kind of Razorpay's mandates at a stand-in."""

    @asynccontextmanager
    async def at(memory: Memory) -> AsyncIterator[Face]:
        async with played.running() as bank, between(bank.url.removesuffix("/v1")) as wire:
            account = Account(
                key_id=KEY_ID,
                key_secret=KEY_SECRET,
                webhook_secrets=(WEBHOOK_SECRET,),
                email="shop@example.in",
                phone="9000090000",
                base_url=f"{wire.url}/v1",
                enach="netbanking",
            )
            # Its pages are reached over the wire, too.
            bank.url = account.base_url
            connector = opened("razorpay", account, memory, now=lambda: bank.clock)
            yield face(connector, wire, bank=bank)
            await connector.close()

    return at


@dataclass
class PayUFace(Face):
    """PayU's standing instructions by UPI. clock: the connector's."""

    bank: StandingPayU = field(kw_only=True)
    clock: Clock = field(kw_only=True)

    def at(self, now: datetime) -> None:
        self.clock.now_s, self.bank.now = now.timestamp(), now.astimezone(IST)
        for txnid, debit in self._debits().items():
            # PayU says of no debit by which mandate it is; no test debits two customers at once.
            if debit.unmapped == "pending" and self.broke:
                self.bank.end(txnid, "failed")
            elif debit.unmapped == "pending":
                self.bank.pay(txnid)

    def _debits(self) -> dict[str, Transaction]:
        """Return what no customer began."""
        begun = self.bank.transactions.items()
        return {txnid: each for txnid, each in begun if "surl" not in each.form}

    def approve(self, mandate: str) -> None:
        self.bank.consent(mandate)

    def customer(self, mandate: str, act: str) -> None:
        acts = {"end": self.bank.revoke, "pause": self.bank.pause, "resume": self.bank.unpause}
        acts[act](mandate)

    def is_over(self, mandate: str) -> bool:
        return self.bank.mandate(mandate).state == "revoked"

    def moved(self) -> list[int]:
        debits = self._debits().values()
        return [int(float(each.amount) * 100) for each in debits if each.unmapped == "captured"]


@asynccontextmanager
async def at_cashfree(memory: Memory) -> AsyncIterator[Face]:
    async with running_with_mandates() as (bank, mandates), between(bank.url) as wire:
        connector = cashfree.opened(bank, memory, mandates=True, url=f"{wire.url}/pg")
        yield CashfreeFace(connector, wire, bank=bank, mandates=mandates)
        await connector.close()


@asynccontextmanager
async def at_phonepe(memory: Memory) -> AsyncIterator[Face]:
    async with running(AutoPay()) as bank, between(bank.url) as wire:
        chosen = settings(bank, mandates=True, url=wire.url)
        connector = PHONEPE.open("phonepe", chosen, AcquirerContext(CALLBACK, memory))
        yield PhonePeFace(connector, wire, bank=bank)
        await connector.close()


@asynccontextmanager
async def at_payu(memory: Memory) -> AsyncIterator[Face]:
    async with running(StandingPayU()) as bank, between(bank.url) as wire:
        clock = Clock()
        wire.questions = (b"verify_payment", b"upi_mandate_status", b"check_action_status")
        connector = payu.connector_at(bank, memory, clock, PayUMandateConnector, wire.url)
        yield PayUFace(connector, wire, bank=bank, clock=clock)
        await connector.close()


FACES: dict[str, Callable[[Memory], AbstractAsyncContextManager[Face]]] = {
    "razorpay": at_razorpay(RazorpayMandateConnector, RecurringStandin, RazorpayFace),
    "razorpay cards": at_razorpay(RazorpayCardMandateConnector, RecurringStandin, RazorpayCardFace),
    "razorpay accounts": at_razorpay(RazorpayBankMandateConnector, EnachStandin, RazorpayBankFace),
    "cashfree": at_cashfree,
    "phonepe": at_phonepe,
    "payu": at_payu,
}
"""The stand-ins by name; another connector adds one here."""
