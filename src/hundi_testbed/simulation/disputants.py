"""Customers who claim money back through their bank; and the bank's days."""

import asyncio
from collections.abc import Iterator
from datetime import timedelta

from hundi.kernel.clock import INDIA
from hundi.sdk.callback import Event, Notification
from hundi_testbed.bank.disputes.rules import ENDED, Phase, PhaseStanding
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_books import Charged
from hundi_testbed.simulation.books import OrderBook, OrderKind
from hundi_testbed.simulation.customers import SimulatedCustomers
from hundi_testbed.simulation.shops import SimulatedShop
from hundi_testbed.simulation.world import World

EVERY_S = (1_800.0, 5 * 3_600.0)
OLD_ENOUGH = timedelta(hours=16)
"""After this time nothing of a paid order is unfinished.

Only the rest can be disputed.
"""
GOES_ON, REFUNDS = 0.6, 0.3
"""Probabilities that a losing customer goes on, and that a merchant refunds a disputed amount."""
DAY_ENDS = timedelta(minutes=20)
"""After midnight in India the bank writes its statements."""


class Disputants:
    """Customers who dispute past payments."""

    def __init__(
        self,
        world: World,
        bank: SimulatedBank,
        shops: list[SimulatedShop],
        customers: SimulatedCustomers,
    ) -> None:
        """Keep the parts."""
        self._world = world
        self._bank = bank
        self._shops = shops
        self._customers = customers

    async def live(self) -> None:
        """Dispute something now and then, under faults."""
        while True:
            await self._world.sleep(*EVERY_S)
            ready = list(self._ready())
            if not ready or not self._world.faults.weights:
                continue
            shop, order, charge, left = self._world.random.choice(ready)
            phase = self._phase(charge)
            paise = (
                left
                if self._world.random.random() < REFUNDS
                else self._world.random.randint(1, left)
            )
            self._world.note(f"customer disputes {paise}: {phase}", order.key)
            self._bank.disputes.raise_phase(charge.reference, paise, phase)
            if self._world.random.random() < REFUNDS:
                await self._world.sleep(60.0, 7_200.0)
                phases = len(self._bank.disputes.of(charge.reference))
                if sum(_opens(each, order) for each in shop.heard) == phases:
                    # Only after the merchant heard of it: before, the gateway would still refund.
                    await self._customers.refund(shop, order)

    def _phase(self, charge: Charged) -> Phase:
        before = self._bank.disputes.of(charge.reference)
        if not before:
            return Phase.RETRIEVAL if self._world.random.random() < REFUNDS else Phase.CHARGEBACK
        phases = list(Phase)
        return phases[min(phases.index(before[-1].phase) + 1, len(phases) - 1)]

    def _ready(self) -> Iterator[tuple[SimulatedShop, OrderBook, Charged, int]]:
        """Yield the charges that can be disputed now: paid once, with nothing unfinished."""
        for shop in self._shops:
            for order in shop.orders.values():
                if order.asked is OrderKind.SUBSCRIPTION or self._is_young(order):
                    continue
                charges = [
                    each
                    for each in self._bank.charges.values()
                    if each.order == order.key and each.taken_paise
                ]
                if len(charges) == 1 and (left := self._left(charges[0])):
                    yield shop, order, charges[0], left

    def _is_young(self, order: OrderBook) -> bool:
        return (
            order.refund_asked_at is not None
            and order.refund_asked_at + OLD_ENOUGH > self._world.now
        )

    def _left(self, charge: Charged) -> int:
        """Return the amount of a payment that can be disputed; 0 while any of it is unfinished."""
        refunds = [
            each for each in self._bank.refunds.made.values() if each.original == charge.reference
        ]
        before = self._bank.disputes.of(charge.reference)
        moving = any(each.status == "pending" for each in refunds) or any(
            each.standing not in ENDED for each in before
        )
        if moving or charge.moved_at is None or charge.moved_at + OLD_ENOUGH > self._world.now:
            return 0
        last = before[-1] if before else None
        over = last is not None and (
            last.standing is PhaseStanding.LOST
            or last.phase is Phase.ARBITRATION
            or self._world.now < last.changed_at + OLD_ENOUGH
        )
        if over or (last is not None and hash_of(last.case_no) >= GOES_ON):
            return 0
        back = self._bank.refunds.back_paise(charge.reference)
        return charge.taken_paise - back - self._bank.disputes.taken_paise(charge.reference)


def _opens(notification: Notification, order: OrderBook) -> bool:
    return (
        notification.event == Event.DISPUTE_OPENED
        and notification.transaction.order_id == order.order_id
    )


def hash_of(case: str) -> float:
    """Return a number from 0 to 1, always the same for a case."""
    return int(case[3:]) * 37 % 100 / 100


async def days_of(world: World, bank: SimulatedBank) -> None:
    """End each of the bank's days, for ever."""
    while True:
        local = world.now.astimezone(INDIA)
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        await asyncio.sleep((midnight + DAY_ENDS - local).total_seconds())
        bank.statements.end_day()
