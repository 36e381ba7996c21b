"""The end of a run: everything is asked once more, and the auditor says what is wrong."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from hundi.money.audit import actions as audit
from hundi.money.ledger import store as ledger
from hundi.sdk import Subscription
from hundi.sdk.errors import HundiError
from hundi.simulation import auditor, auditor_money
from hundi.simulation.acquirer import SimulatedAcquirer
from hundi.simulation.auditor import Evidence, Finding
from hundi.simulation.bank import Bank
from hundi.simulation.books import Asked, OrderBook
from hundi.simulation.customers import Customers
from hundi.simulation.server import Server
from hundi.simulation.shops import Shop
from hundi.simulation.world import Process, World

DAY_S = 86_400


@dataclass(slots=True)
class Verdict:
    """Asks and judges. known: the evidence of each order, by shop and key."""

    world: World
    bank: Bank
    server: Server
    customers: Customers
    known: dict[int, dict[str, Evidence]] = field(default_factory=dict)

    async def of(self, shops: list[Shop]) -> AsyncIterator[Finding]:
        """Yield all that is wrong."""
        for shop in shops:
            known = self.known.setdefault(shop.number, {})
            for words in shop.strange:
                yield Finding(words)
            for order in shop.orders.values():
                async for finding in self._of_order(shop, order, known):
                    yield finding
            for finding in (
                *self._of_balances(shop),
                *auditor_money.judge_disputes(self.bank, known, shop.heard),
            ):
                yield finding
        for finding in (*auditor_money.judge_payouts(self.bank), *self._of_books()):
            yield finding

    async def _of_order(
        self, shop: Shop, order: OrderBook, known: dict[str, Evidence]
    ) -> AsyncIterator[Finding]:
        """Ask about an order for the last time, and judge it. known: where its evidence is kept."""
        asked = len(order.said)
        await self.customers.verify(shop, order)
        if len(order.said) == asked:
            # An order whose every request was lost is none; one that anybody paid, or heard of,
            # must be known.
            if asked or any(each.order == order.key for each in self.bank.charges.values()):
                yield Finding(
                    "the gateway does not know an order that it acknowledged or charged", order.key
                )
            return
        said = order.said.pop()
        known[order.key] = auditor.evidence(
            self.bank, order, said, shop.heard, late_refunds=shop.late_refunds
        )
        for finding in auditor.judge(known[order.key]):
            yield finding
        if order.asked is Asked.SUBSCRIPTION:
            shown = await self._subscription(shop, order)
            for finding in auditor.judge_debits(self.bank, order, shown, shop.heard):
                yield finding

    async def _subscription(self, shop: Shop, order: OrderBook) -> Subscription | None:
        try:
            return await shop.operations.subscription(order.transaction_id)
        except HundiError:
            return None

    def _of_balances(self, shop: Shop) -> Iterator[Finding]:
        """Compare the gateway's balances of a merchant with those of the bank's books."""
        says: Counter[str] = Counter()
        for each in self.server.run(ledger.balances(self.server.real, shop.number)):
            says[each.account.partition(":")[0]] += each.paise
        books = auditor_money.expected(
            shop.number, shop.agreement, self.known[shop.number], self.bank
        )
        days = int(self.world.loop.time() // DAY_S) + 1
        return auditor_money.judge_merchant(shop.number, shop.agreement, books, says, days)

    def _of_books(self) -> Iterator[Finding]:
        acquirer = SimulatedAcquirer(self.world, self.bank, Process(self.world, "auditor"))
        report = self.server.run(audit.audit(self.server.real, [acquirer], self.world.now))
        for each in report.checked:
            if each.count:
                yield Finding(
                    f"hundi audit: {each.violation}: {each.count}:"
                    f" {[str(one) for one in each.samples[:2]]}"
                )
