"""The end of a run: everything is asked once more, and the auditor names the faults."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from hundi.money.audit import actions as audit
from hundi.money.ledger import store as ledger
from hundi.sdk import Subscription
from hundi.sdk.errors import HundiError
from hundi_testbed.simulation import auditor, auditor_money
from hundi_testbed.simulation.acquirer import SimulatedAcquirer
from hundi_testbed.simulation.auditor import AuditFinding, OrderEvidence
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.books import OrderBook, OrderKind
from hundi_testbed.simulation.customers import SimulatedCustomers
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.shops import SimulatedShop
from hundi_testbed.simulation.world import SimulatedProcess, World

DAY_S = 86_400


@dataclass(slots=True)
class Verdict:
    """Asks and judges. known: the evidence of each order, by shop and key."""

    world: World
    bank: SimulatedBank
    server: Server
    customers: SimulatedCustomers
    known: dict[int, dict[str, OrderEvidence]] = field(default_factory=dict)

    async def of(self, shops: list[SimulatedShop]) -> AsyncIterator[AuditFinding]:
        """Yield all faults."""
        for shop in shops:
            cases = self.known.setdefault(shop.number, {})
            for words in shop.strange:
                yield AuditFinding(words)
            for order in shop.orders.values():
                async for finding in self._of_order(shop, order, cases):
                    yield finding
            for finding in (
                *self._of_balances(shop),
                *auditor_money.judge_disputes(self.bank, cases, shop.heard),
            ):
                yield finding
        for finding in (*auditor_money.judge_payouts(self.bank), *self._of_books()):
            yield finding

    async def _of_order(
        self, shop: SimulatedShop, order: OrderBook, cases: dict[str, OrderEvidence]
    ) -> AsyncIterator[AuditFinding]:
        """Ask about an order for the last time, and judge it. cases: receives its evidence."""
        answers_before = len(order.said)
        await self.customers.verify(shop, order)
        if len(order.said) == answers_before:
            # An order whose every request was lost is none; one that was paid, or heard of, must be
            # known.
            if answers_before or any(
                each.order == order.key for each in self.bank.charges.values()
            ):
                yield AuditFinding(
                    "the gateway does not know an order that it acknowledged or charged", order.key
                )
            return
        last_answer = order.said.pop()
        cases[order.key] = auditor.evidence(
            self.bank, order, last_answer, shop.heard, late_refunds=shop.late_refunds
        )
        for finding in auditor.judge(cases[order.key]):
            yield finding
        if order.asked is OrderKind.SUBSCRIPTION:
            subscription = await self._subscription(shop, order)
            for finding in auditor.judge_debits(self.bank, order, subscription, shop.heard):
                yield finding

    async def _subscription(self, shop: SimulatedShop, order: OrderBook) -> Subscription | None:
        try:
            return await shop.operations.subscription(order.transaction_id)
        except HundiError:
            return None

    def _of_balances(self, shop: SimulatedShop) -> Iterator[AuditFinding]:
        """Compare the gateway's balances of a merchant with those of the bank's books."""
        says: Counter[str] = Counter()
        for each in self.server.run(ledger.balances(self.server.real, shop.number)):
            says[each.account.partition(":")[0]] += each.paise
        books = auditor_money.expected(
            shop.number, shop.agreement, self.known[shop.number], self.bank
        )
        days = int(self.world.loop.time() // DAY_S) + 1
        return auditor_money.judge_merchant(shop.number, shop.agreement, books, says, days)

    def _of_books(self) -> Iterator[AuditFinding]:
        acquirer = SimulatedAcquirer(self.world, self.bank, SimulatedProcess(self.world, "auditor"))
        report = self.server.run(audit.audit(self.server.real, [acquirer], self.world.now))
        for each in report.checked:
            if each.count:
                yield AuditFinding(
                    f"hundi audit: {each.violation}: {each.count}:"
                    f" {[str(one) for one in each.samples[:2]]}"
                )
