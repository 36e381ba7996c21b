"""A shop at an acquirer's stand-in, with one clock for both."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from hundi.acquirers.port.mandates import MandateRequest
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refused
from hundi.kernel.states import SubscriptionState
from hundi.payments.subscriptions import store
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.payments.subscriptions.rules import ApprovalTerms
from tests.payments.subscriptions.conftest import TERMS, Plan, ordered
from tests.payments.subscriptions.faces import Face
from tests.shop import NOW, Shop, inquire_due

STEP = timedelta(minutes=30)
TWELVE = replace(TERMS, starts_on=date(2026, 11, 24), debits_max=12, retries_max=1)


@dataclass
class World:
    """A shop at an acquirer, and the one clock of both."""

    shop: Shop
    face: Face
    now: datetime = NOW

    async def order(self, order_id: str, terms: ApprovalTerms = TWELVE) -> Plan:
        """Return a subscription that nobody has approved."""
        view = await ordered(self.shop, terms, order_id, self.now)
        return Plan(self.shop, view.payment.payment_id, self.now)

    async def subscribe(self, order_id: str, terms: ApprovalTerms = TWELVE) -> Plan:
        """Return a subscription whose customer approves it at the acquirer."""
        plan = await self.order(order_id, terms)
        reference = await self.link_of(plan)
        if not reference:
            # The order of a subscription whose first payment fails is over.
            plan = await self.order(f"{order_id}-2", terms)
            reference = await self.link_of(plan)
        self.face.approve(reference)
        await self.live(self.now + timedelta(hours=3))
        assert await self.state(plan) is SubscriptionState.ACTIVE
        return plan

    async def link_of(self, plan: Plan) -> str:
        """Return the reference of a link or page, at most at the third press; else ""."""
        request = approvals.mandate_request(self.shop.merchant, (await plan.view()).subscription)
        for _ in range(3):
            offer = asyncio.ensure_future(self._offer(plan, request))
            self.face.wire.kill = offer.cancel
            with suppress(Refused, asyncio.CancelledError):
                reference = await offer
                if reference:
                    return reference
            self.now += timedelta(minutes=1)
        return ""

    async def _offer(self, plan: Plan, request: MandateRequest) -> str:
        case = await self.shop.case(plan.subscription_id, self.now)
        return await self.face.begin(case, request)

    async def mandate(self, plan: Plan) -> str:
        return (await plan.view()).subscription.mandate_reference

    async def state(self, plan: Plan) -> SubscriptionState:
        return (await plan.view()).subscription.state

    async def live(self, until: datetime) -> None:
        """Let time pass, from one due time to the next."""
        while self.now < until:
            self.face.at(self.now)
            round_ = asyncio.ensure_future(self._round())
            self.face.wire.kill = round_.cancel
            with suppress(asyncio.CancelledError):
                await round_
            due = [await store.next_due(self.shop.db, self.now), await self._next_inquiry()]
            first = min((each for each in due if each is not None), default=until)
            self.now = min(until, max(first, self.now + STEP))

    async def _round(self) -> None:
        worker = Plan(self.shop, 0, self.now)
        await worker.work(self.now)
        while await inquire_due(self.shop.context, self.now):
            pass
        await worker.work(self.now)

    async def _next_inquiry(self) -> datetime | None:
        text = "SELECT min(inquire_at) FROM attempts WHERE inquire_at > $1"
        return await self.shop.db.fetchval(text, self.now)
