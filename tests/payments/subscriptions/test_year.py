"""A year of subscriptions at the acquirers' stand-ins, lived from one due time to the next."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest

from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day
from hundi.kernel.records import replace
from hundi.kernel.states import DebitState as D
from hundi.kernel.states import SubscriptionState
from hundi.money.audit import actions as audit
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.methods.upi import actions as upi
from hundi.payments.methods.upi.links.actions import link_of
from hundi.payments.subscriptions import store
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.payments.subscriptions.rules import ApprovalTerms
from tests.payments.subscriptions.conftest import TERMS, Plan, ordered
from tests.payments.subscriptions.faces import FACES, Face
from tests.shop import NOW, Shop, inquire_due, open_shop

STEP = timedelta(minutes=30)
YEAR = timedelta(days=366)
TWELVE = replace(TERMS, starts_on=date(2026, 11, 24), debits_max=12, retries_max=1)
DAY = timedelta(days=1)


@dataclass
class World:
    """A shop at an acquirer, and the one clock of both."""

    shop: Shop
    face: Face
    now: datetime = NOW

    async def subscribe(self, order_id: str, terms: ApprovalTerms = TWELVE) -> Plan:
        """Return a subscription whose customer approves it by the acquirer's link."""
        view = await ordered(self.shop, terms, order_id, self.now)
        plan = Plan(self.shop, view.payment.payment_id, self.now)
        request = approvals.mandate_request(self.shop.merchant, (await plan.view()).subscription)
        case = await self.shop.case(plan.subscription_id, self.now)
        attempt = await upi.offer_qr(case, mandate=request)
        link = await link_of(self.shop.context, attempt)
        assert link is not None
        assert link.url.startswith("upi://mandate?")
        self.face.approve(attempt.reference)
        await self.live(self.now + timedelta(hours=1))
        assert await self.state(plan) is SubscriptionState.ACTIVE
        return plan

    async def mandate(self, plan: Plan) -> str:
        return (await plan.view()).subscription.mandate_reference

    async def state(self, plan: Plan) -> SubscriptionState:
        return (await plan.view()).subscription.state

    async def live(self, until: datetime) -> None:
        """Let time pass, from one due time to the next."""
        worker = Plan(self.shop, 0, self.now)
        while self.now < until:
            self.face.at(self.now)
            await worker.work(self.now)
            while await inquire_due(self.shop.context, self.now):
                pass
            await worker.work(self.now)
            due = [await store.next_due(self.shop.db, self.now), await self._next_inquiry()]
            first = min((each for each in due if each is not None), default=until)
            self.now = min(until, max(first, self.now + STEP))

    async def _next_inquiry(self) -> datetime | None:
        text = "SELECT min(inquire_at) FROM attempts WHERE inquire_at > $1"
        return await self.shop.db.fetchval(text, self.now)


@pytest.fixture(params=FACES)
async def world(request: pytest.FixtureRequest, db: Database) -> AsyncIterator[World]:
    shop = await open_shop(db)
    async with FACES[request.param](KeptWords(db)) as face:
        context = replace(shop.context, connectors=Registry([face.connector]))
        face.at(NOW)
        yield World(replace(shop, context=context), face)


async def test_a_year_of_debits_is_lived_and_the_books_hold(world: World) -> None:
    monthly = await world.subscribe("MONTHLY")
    await world.live(NOW + YEAR)
    assert await monthly.states() == [D.DONE] * 12
    assert await world.state(monthly) is SubscriptionState.COMPLETED
    assert world.face.moved() == [49_900] * 12
    debits = await monthly.debits()
    days = [business_day(each.planned_at) for each in debits]
    assert len({(day.year, day.month) for day in days}) == 12
    for debit in debits:
        assert debit.noticed_at is not None
        assert debit.planned_at - debit.noticed_at >= DAY
    orders = [await monthly.order(each) for each in range(1, 13)]
    assert all(len(order.attempts) == 1 and order.success for order in orders)
    assert (await audit.audit(world.shop.db, [], world.now)).holds


async def test_what_customers_do_at_the_bank_is_followed(world: World) -> None:
    ended, paused, broke = [await world.subscribe(each) for each in ("ENDED", "PAUSED", "BROKE")]
    world.face.broke.add(await world.mandate(broke))
    first_notice = datetime(2026, 11, 23, 12, 0, tzinfo=NOW.tzinfo)
    await world.live(first_notice)
    assert await ended.states() == [D.ANNOUNCED]
    world.face.customer(await world.mandate(ended), "end")
    world.face.customer(await world.mandate(paused), "pause")
    await world.live(first_notice + timedelta(days=20))
    assert await world.state(ended) is SubscriptionState.CANCELLED
    standing = (await paused.view()).subscription
    assert (standing.state, standing.paused_at_bank) == (SubscriptionState.PAUSED, True)
    assert await broke.states() == [D.FAILED]
    assert world.face.moved() == []
    world.face.customer(await world.mandate(paused), "resume")
    world.face.broke.clear()
    await world.live(first_notice + timedelta(days=45))
    assert (await paused.states())[-1] is D.DONE
    assert (await broke.states())[-1] is D.DONE
    assert world.face.moved() == [49_900] * 2
    assert (await audit.audit(world.shop.db, [], world.now)).holds
