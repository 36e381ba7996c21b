"""The customers and merchants at work: their random acts on one order."""

import asyncio
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import parse_qs, urlsplit

from hundi.kernel.clock import business_day
from hundi.sdk import RefundItem, payments, refunds, seamless, splits, upi
from hundi.sdk.errors import HundiError, RefusedError
from hundi.sdk.order import Buyer, Order, SubscriptionTerms
from hundi.sdk.seamless import Card, DirectPayment, NextStep
from hundi.sdk.splits import Split
from hundi.sdk.upi import QrOrder
from hundi_testbed.simulation.agreements import LINKED
from hundi_testbed.simulation.bank import Scanned, SimulatedBank
from hundi_testbed.simulation.bank_books import Charged
from hundi_testbed.simulation.books import OrderBook, OrderKind, RefundBook, SplitBook
from hundi_testbed.simulation.gateway import NoReplyError
from hundi_testbed.simulation.shops import SimulatedShop
from hundi_testbed.simulation.world import World

BUYER = Buyer(first_name="Asha", last_name="Rao", email="asha@example.in", phone="9812345670")
VISA = Card(number="4111111111111111", expiry="12/39", cvv="123", holder="Asha Rao")
TRIES_MAX = 4
PAYS, DECLINES = 0.78, 0.12
"""Probabilities that a customer says yes or no; the others do nothing."""
SALES, HOLDS = 0.72, 0.18
"""Parts of all orders; the others are subscriptions."""
AMOUNTS_PAISE = (100, 4_999_00)
WHOLE_SPLIT = 100_00
_THINKS_S = (2.0, 240.0)
_WAYS = ("qr", "link", "collect", "card", "bank")
_HOLDS = ("card",)
_REDIRECTS = frozenset({"card", "bank"})


class SimulatedCustomers:
    """Everybody outside the gateway, except the bank."""

    def __init__(self, world: World, bank: SimulatedBank, shops: list[SimulatedShop]) -> None:
        """Keep the parts."""
        self._world = world
        self._bank = bank
        self._shops = shops
        self._numbers = 0
        bank.phone = self._phone

    def _chance(self, probability: float) -> bool:
        return self._world.random.random() < probability

    def _consents(self) -> bool | None:
        """Return a customer's yes or no; None: nothing."""
        drawn = self._world.random.random()
        return True if drawn < PAYS else False if drawn < PAYS + DECLINES else None

    def _phone(self, charge: Charged) -> None:
        """Ring the customer's phone: they answer after a while, or never."""
        consents = self._consents()
        if consents is not None:
            decide = partial(
                self._bank.decide, charge.reference, consents=consents, payer="payer@simulated"
            )
            self._world.loop.call_later(self._world.between(*_THINKS_S), decide)

    def new_order(self) -> OrderBook:
        """Create a new order at a merchant."""
        self._numbers += 1
        shop = self._world.random.choice(self._shops)
        drawn = self._world.random.random()
        kind = (
            OrderKind.SALE
            if drawn < SALES
            else OrderKind.HOLD
            if drawn < SALES + HOLDS
            else OrderKind.SUBSCRIPTION
        )
        order = OrderBook(
            shop.number, f"O-{self._numbers}", self._world.random.randint(*AMOUNTS_PAISE), kind
        )
        shop.orders[order.order_id] = order
        self._world.done[f"order: {kind}"] += 1
        self._world.note(f"new order {kind} {order.amount_paise}", order.key)
        return order

    async def live(self, order: OrderBook) -> None:
        """Live through one order: pay it, ask about it, and refund some of it."""
        shop = next(each for each in self._shops if each.number == order.shop)
        try:
            await self._pay(shop, order)
        except HundiError as problem:
            self._world.note(
                f"customer gives up: {type(problem).__name__} {_code(problem)}", order.key
            )
        for _ in range(self._world.random.randint(1, 4)):
            await self._world.sleep(1.0, 600.0)
            await self.verify(shop, order)
        if order.asked is OrderKind.HOLD:
            await self._end_hold(shop, order)
        paid = bool(order.said) and order.said[-1].is_paid
        if paid and shop.agreement.linked and self._chance(0.4):
            await self._share(shop, order)
        while paid and self._chance(0.35):
            # Two tills that refund at the same moment: only a lock on the payment separates them.
            times = 2 if self._chance(0.3) else 1
            await asyncio.gather(*(self.refund(shop, order) for _ in range(times)))
            await self._world.sleep(1.0, 900.0)

    async def _pay(self, shop: SimulatedShop, order: OrderBook) -> None:
        for _ in range(TRIES_MAX):
            way = self._world.random.choice(_HOLDS if order.asked is OrderKind.HOLD else _WAYS)
            began = False
            for _ in range(3):
                try:
                    await self._try(
                        shop, order, "qr" if order.asked is OrderKind.SUBSCRIPTION else way
                    )
                except RefusedError as refused:
                    self._world.note(f"refused {way}: {_code(refused)}", order.key)
                except HundiError as problem:
                    self._world.note(f"no answer to {way}: {type(problem).__name__}", order.key)
                    await self._world.sleep(1.0, 20.0)
                    continue
                began = True
                break
            if not began or self._chance(0.6):
                return
            # An unsure customer tries again: after a while, or at once, while the first try is
            # open.
            await self._world.sleep(*((0.5, 5.0) if self._chance(0.3) else (20.0, 1200.0)))

    async def _try(self, shop: SimulatedShop, order: OrderBook, way: str) -> None:
        self._world.done[f"pay: {way}"] += 1
        if way == "qr":
            await self._by_qr(shop, order)
            return
        order_request = Order(
            order_id=order.order_id,
            amount_paise=order.amount_paise,
            buyer=BUYER,
            authorise_only=order.asked is OrderKind.HOLD,
        )
        direct = {
            "link": DirectPayment(order=order_request, pay_by="upi"),
            "collect": DirectPayment(order=order_request, pay_by="upi", vpa="payer@simulated"),
            "card": DirectPayment(order=order_request, pay_by="pg", card=VISA),
            "bank": DirectPayment(order=order_request, pay_by="nb", bank_code="SIMB"),
        }[way]
        step = await shop.ask(seamless.begin(shop.calls, direct))
        order.transaction_id = step.transaction_id
        self._world.note(f"begun {way}: {step.action}", order.key)
        if step.action == "upi_link":
            asyncio.create_task(self._scan(order, step.link))  # noqa: RUF006 (the loop of a simulation ends with all)
        elif step.action == "redirect":
            await self._at_page(shop, order, step)

    async def _by_qr(self, shop: SimulatedShop, order: OrderBook) -> None:
        terms = None
        if order.asked is OrderKind.SUBSCRIPTION:
            order.debit_paise = order.debit_paise or self._world.random.randint(*AMOUNTS_PAISE)
            terms = SubscriptionTerms(
                period="D",
                amount_paise=order.debit_paise,
                first_debit=business_day(self._world.now) + timedelta(days=2),
                debits=2,
                retries=1,
            )
        request = QrOrder(
            order_id=order.order_id,
            amount_paise=order.amount_paise,
            buyer=BUYER,
            subscription=terms,
        )
        qr = await shop.ask(upi.generate_qr(shop.calls, request))
        order.transaction_id = qr.transaction_id
        self._world.note("begun qr", order.key)
        asyncio.create_task(self._scan(order, qr.text))  # noqa: RUF006 (as above)

    async def _scan(self, order: OrderBook, link: str) -> None:
        """Pay a QR with an app: soon, late, twice with two apps, or never."""
        fields = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
        until = datetime.fromisoformat(fields["QRexpire"])
        mandate = fields.get("txnType") == "CREATE"
        amount, most = (fields["fam"], fields["am"]) if mandate else (fields["am"], "")
        consents = self._consents()
        if consents is None:
            return
        left_s = max(1.0, (until - self._world.now).total_seconds())
        await self._world.sleep(1.0, left_s if self._chance(0.15) else min(left_s, 60.0))
        most_paise = _paise(most) if mandate else 0
        self._bank.scan(
            Scanned(fields["tr"], _paise(amount), until, order.key, most_paise),
            consents=consents,
        )

    async def _at_page(self, shop: SimulatedShop, order: OrderBook, step: NextStep) -> None:
        """Act at the challenge or at the bank's page, and come back, or not."""
        visit = urlsplit(step.redirect_url).path.strip("/")
        charge = next(each for each in self._bank.charges.values() if each.visit == visit)
        charge.order = order.key
        consents = self._consents()
        if consents is None:
            return
        await self._world.sleep(*_THINKS_S)
        self._bank.decide(charge.reference, consents=consents)
        self._world.note(f"customer at {visit}: {'yes' if consents else 'no'}", order.key)
        if self._chance(0.8):
            try:
                await shop.gateway.call(charge.return_url, method="GET")
            except NoReplyError:
                self._world.note("customer sees no page", order.key)

    async def verify(self, shop: SimulatedShop, order: OrderBook) -> None:
        """Ask the gateway for the state of an order, and keep its answer."""
        self._world.done["verify"] += 1
        try:
            record = await shop.ask(
                payments.verify(
                    shop.calls,
                    order_id=order.order_id,
                    amount_paise=order.amount_paise,
                    currency="INR",
                    transaction_id="",
                    rrn="",
                )
            )
        except HundiError as problem:
            self._world.note(f"verify fails: {type(problem).__name__} {_code(problem)}", order.key)
            return
        order.said.append(record)
        order.transaction_id = record.transaction_id
        self._world.note(
            f"verify says {record.status_code} {record.payment_status} {record.refunded_paise}",
            order.key,
        )

    async def _end_hold(self, shop: SimulatedShop, order: OrderBook) -> None:
        if not order.said or not order.said[-1].is_authorised or self._chance(0.15):
            return
        part = self._world.random.randint(1, order.amount_paise) if self._chance(0.4) else None
        captures = self._chance(0.75)
        self._world.done["capture" if captures else "void"] += 1
        try:
            if captures:
                await shop.ask(payments.capture(shop.calls, order.transaction_id, part))
                order.captured_paise = order.amount_paise if part is None else part
            else:
                await shop.ask(payments.void(shop.calls, order.transaction_id))
                order.voided = True
        except HundiError as problem:
            self._world.note(
                f"hold not ended: {type(problem).__name__} {_code(problem)}", order.key
            )
        await self._world.sleep(1.0, 600.0)
        await self.verify(shop, order)

    async def _share(self, shop: SimulatedShop, order: OrderBook) -> None:
        """Share a payment with the linked account, and repeat the call if no answer comes."""
        self._world.done["split"] += 1
        points = self._world.random.randint(1, WHOLE_SPLIT)
        order.split = SplitBook(order.order_id.removeprefix("O-"), points)
        request = Split(
            transaction_id=order.transaction_id,
            rrn=order.said[-1].rrn,
            request_id=order.split.request_id,
            primary=WHOLE_SPLIT - points,
            shares={LINKED: points},
        )
        for _ in range(3):
            try:
                await shop.ask(splits.split(shop.calls, request))
            except HundiError as problem:
                self._world.note(
                    f"split unanswered: {type(problem).__name__} {_code(problem)}", order.key
                )
                await self._world.sleep(1.0, 60.0)
                continue
            order.split.acknowledged = True
            return

    async def refund(self, shop: SimulatedShop, order: OrderBook) -> None:
        """Refund, and ask again with the same id when no answer comes."""
        self._world.done["refund"] += 1
        part = self._world.random.randint(1, order.amount_paise) if self._chance(0.6) else None
        book = RefundBook(f"R-{order.order_id}-{len(order.refunds)}", part)
        order.refunds.append(book)
        order.refund_asked_at = self._world.now
        for _ in range(self._world.random.randint(1, 3)):
            item = RefundItem(order.transaction_id, part)
            try:
                (result,) = await shop.ask(refunds.refund(shop.calls, [item], book.request_id))
            except HundiError as problem:
                self._world.note(
                    f"refund unanswered: {type(problem).__name__} {_code(problem)}", order.key
                )
                await self._world.sleep(1.0, 60.0)
                continue
            if result.accepted:
                book.refund_id, book.accepted_paise = result.refund_id, result.amount_paise
            else:
                book.refused = result.message
            self._world.note(
                f"refund {result.accepted} {result.amount_paise} {result.message}", order.key
            )
            if self._chance(0.8):
                return


def _paise(decimal: str) -> int:
    whole, _, part = decimal.partition(".")
    return int(whole) * 100 + int(part.ljust(2, "0") or 0)


def _code(problem: HundiError) -> str:
    return getattr(problem, "code", "") or str(problem)[:80]
