"""A shop with one subscription that its customer has approved."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest

from hundi.acquirers.port.answers import Approved
from hundi.infra.postgres.database import Database
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import DebitState, PaymentKind, SubscriptionPeriod
from hundi.payments.attempts import actions as attempts
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import Buyer, NewOrder, PaymentView
from hundi.payments.subscriptions import actions, jobs
from hundi.payments.subscriptions.actions import SubscriptionView
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.payments.subscriptions.debits import jobs as debit_jobs
from hundi.payments.subscriptions.rules import ApprovalTerms, Debit
from hundi.payments.subscriptions.standings.jobs import standings
from tests.shop import NOW, Shop, open_shop

FIRST_DAY = date(2026, 12, 31)
TERMS = ApprovalTerms(
    amount=Money(49_900),
    maximum=Money(1_000_00),
    period=SubscriptionPeriod.MONTH,
    frequency=1,
    starts_on=FIRST_DAY,
    debits_max=3,
    retries_max=2,
)


@dataclass
class Plan:
    """A subscription, and the clock of its worker."""

    shop: Shop
    subscription_id: int
    now: datetime

    @property
    def key(self) -> tuple[int, int]:
        return self.shop.merchant.merchant_id, self.subscription_id

    async def view(self) -> SubscriptionView:
        found = await actions.find(self.shop.db, *self.key)
        assert found is not None
        return found

    async def debits(self) -> list[Debit]:
        """Return the debits, oldest first."""
        return list(reversed((await self.view()).debits))

    async def states(self) -> list[DebitState]:
        return [each.state for each in await self.debits()]

    async def order(self, period_no: int) -> PaymentView:
        """Return the order that a debit is."""
        debit = (await self.debits())[period_no - 1]
        assert debit.payment_id is not None
        found = await payments.view(
            self.shop.context, self.shop.merchant.merchant_id, debit.payment_id
        )
        assert found is not None
        return found

    async def work(self, now: datetime | None = None) -> None:
        """Let a worker do what is due at a moment, until nothing is."""
        self.now = now or self.now
        context = self.shop.context
        loops = jobs.subscriptions(context), debit_jobs.debits(context), standings(context)
        while sum([await loop.once(self.now) for loop in loops]):
            pass

    async def live(self, until: datetime) -> None:
        """Let the time go by an hour at a time."""
        while self.now < until:
            await self.work(min(self.now + timedelta(hours=1), until))


async def ordered(
    shop: Shop, terms: ApprovalTerms = TERMS, order_id: str = "PLAN-1", now: datetime = NOW
) -> PaymentView:
    """Open the order of a subscription."""
    order = NewOrder(
        order_id=order_id,
        amount=Money(9_900),
        kind=PaymentKind.SUBSCRIPTION,
        buyer=Buyer(email="asha@example.in", firstname="Asha"),
        content_hash=bytes(32),
    )
    return await approvals.register(shop.context, shop.merchant, order, terms, now)


async def pay(shop: Shop, view: PaymentView, now: datetime = NOW) -> None:
    """Let the customer approve by the QR of an order."""
    attempt = view.offered
    assert attempt is not None
    answer = Approved(attempt.amount, "632512340000", payer_vpa="asha@hundi")
    await attempts.settle(PaymentCase(shop.context, shop.merchant, view, now), attempt, answer)


Approve = Callable[..., Awaitable[Plan]]


@pytest.fixture
async def shop(db: Database) -> Shop:
    """One merchant with UPI and cards, on this test's own database."""
    return await open_shop(db)


@pytest.fixture
def approve(shop: Shop) -> Approve:
    """Make approved subscriptions: with these changes of the usual terms."""

    async def approved(**changes: object) -> Plan:
        view = await ordered(shop, replace(TERMS, **changes))  # type: ignore[arg-type]
        await pay(shop, view)
        plan = Plan(shop, view.payment.payment_id, NOW)
        await plan.work()
        return plan

    return approved
