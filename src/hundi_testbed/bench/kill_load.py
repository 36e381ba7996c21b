"""The load under kills: customers who pay and repeat calls, and their books of the answers."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import httpx

from hundi.sdk import AsyncClient, Credentials, Gateway, HundiError, RefundItem
from hundi.sdk.callback import Callbacks
from hundi.sdk.errors import UntrustedError
from hundi.sdk.transaction import Transaction
from hundi.sdk.upi import QrOrder

PAYERS = ("success@hundi",) * 11 + ("silent@hundi",)
"""One of twelve customers has a bank that sends no answer: an inquiry finds that payment."""
AMOUNTS_PAISE = (100, 99_900)
REFUNDED_PART = 0.15
AGAIN_S = (0.1, 0.8)
VERIFIED_EVERY_S = 0.7
PATIENCE_S = 300.0
"""How long a customer repeats a call: a restarted gateway answers long before."""
SUCCESSES = frozenset({"paid", "late_success"})
REFUNDED = "refund_done"
Result = TypeVar("Result")


@dataclass(slots=True)
class CrowdOrder:
    """One order as its customer and its merchant know it.

    reference: of the paid QR. acknowledged: verify returned paid. under: the last kill before that.
    refund_id: of the accepted refund.
    """

    order_id: str
    shop: int
    amount_paise: int
    reference: str = ""
    transaction_id: str = ""
    acknowledged: bool = False
    under: str = ""
    refund_id: str = ""
    given_up: str = ""


@dataclass(slots=True)
class KillBooks:
    """The knowledge of the load.

    heard: the events of notifications, by order. broken: failed calls by the last kill.
    """

    orders: dict[str, CrowdOrder] = field(default_factory=dict)
    heard: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    broken: Counter[str] = field(default_factory=Counter)
    last_kill: str = "none"
    unbelievable: list[str] = field(default_factory=list)


class CheckedInbox:
    """The merchants' server: checks and records every notification."""

    def __init__(self, books: KillBooks) -> None:
        """Record in these books."""
        self._books = books
        self._callbacks: dict[str, Callbacks] = {}

    def know(self, credentials: Sequence[Credentials]) -> None:
        """Accept notifications of these merchants."""
        self._callbacks = {each.merchant_id: Callbacks(each) for each in credentials}

    def take(self, head: bytes, body: bytes) -> None:
        """Record one notification."""
        lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
        headers = {name.lower(): value.strip() for name, _, value in lines}
        problems: list[str] = []
        for each in self._callbacks.values():
            try:
                notification = each.read_notification(headers, body)
            except UntrustedError as problem:
                problems.append(str(problem))
                continue
            self._books.heard[notification.transaction.order_id].add(notification.event)
            return
        self._books.unbelievable.append(problems[-1])


class Crowd:
    """A number of customers at once. bases: the gateways' addresses, read again for each call."""

    def __init__(
        self,
        books: KillBooks,
        credentials: Sequence[Credentials],
        bases: Callable[[], Sequence[str]],
        bank: str,
    ) -> None:
        """Prepare. bank: the address of the bank's app."""
        self.books = books
        self._credentials = credentials
        self._bases = bases
        self._bank = bank
        self._random = Random(18)  # noqa: S311 (the load, not a secret)
        self._clients: dict[tuple[int, str], AsyncClient] = {}
        self._http = httpx.AsyncClient(timeout=10, trust_env=False)
        self.stopping = asyncio.Event()

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()
        for each in self._clients.values():
            await each.close()

    def _client(self, shop: int) -> AsyncClient:
        base = self._random.choice(self._bases())
        if (shop, base) not in self._clients:
            gateway = Gateway(base_url=base, timeout_s=10.0, pauses_s=())
            self._clients[shop, base] = AsyncClient(self._credentials[shop], gateway)
        return self._clients[shop, base]

    async def live(self) -> None:
        """Let one customer after the other pay, until stopped."""
        while not self.stopping.is_set():
            number = len(self.books.orders) + 1
            shop = number % len(self._credentials)
            order = CrowdOrder(f"K-{number}", shop, self._random.randint(*AMOUNTS_PAISE))
            self.books.orders[order.order_id] = order
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await self._pay(order)
            except TimeoutError:
                order.given_up = f"not through within {PATIENCE_S:.0f} s"

    async def _pay(self, order: CrowdOrder) -> None:
        request = QrOrder(order_id=order.order_id, amount_paise=order.amount_paise)
        qr = await self._again(lambda: self._client(order.shop).generate_qr(request))
        order.transaction_id = qr.transaction_id
        order.reference = parse_qs(urlsplit(qr.text).query)["tr"][0]
        payer = self._random.choice(PAYERS)
        await self._again(lambda: self._scan(qr.text, payer))
        while not (await self._again(lambda: self.verify(order))).is_paid:  # noqa: ASYNC110 (another process knows)
            await asyncio.sleep(VERIFIED_EVERY_S)
        order.acknowledged, order.under = True, self.books.last_kill
        if self._random.random() < REFUNDED_PART:
            item = RefundItem(order.transaction_id)
            (result,) = await self._again(
                lambda: self._client(order.shop).refund([item], request_id=f"R-{order.order_id}")
            )
            order.refund_id = result.refund_id if result.accepted else ""

    async def verify(self, order: CrowdOrder) -> Transaction:
        """Ask the gateway about an order. Raises HundiError."""
        return await self._client(order.shop).verify(
            order_id=order.order_id, amount_paise=order.amount_paise
        )

    async def _scan(self, link: str, payer: str) -> None:
        answer = await self._http.post(
            f"{self._bank}/upi/pay", json={"uri": link, "payer_vpa": payer}
        )
        answer.raise_for_status()

    async def _again(self, act: Callable[[], Awaitable[Result]]) -> Result:
        """Retry until it succeeds."""
        while True:
            try:
                return await act()
            except (HundiError, httpx.HTTPError):
                self.books.broken[self.books.last_kill] += 1
                await asyncio.sleep(self._random.uniform(*AGAIN_S))

    async def finally_verified(self, order: CrowdOrder) -> Transaction:
        """Return the gateway's last answer about an order."""
        return await self._again(lambda: self.verify(order))

    async def bank_entries(self) -> list[Mapping[str, Any]]:
        """Return the whole books of the bank."""
        entries: dict[str, Mapping[str, Any]] = {}
        after = 0
        while True:
            answer = await self._http.get(f"{self._bank}/books", params={"after": after})
            page = answer.raise_for_status().json()
            if not page["entries"]:
                return list(entries.values())
            entries |= {each["rrn"]: each for each in page["entries"]}
            after = page["next"]


async def judge(crowd: Crowd) -> dict[str, list[str]]:
    """Return the faults by name of the demand; empty lists meet it."""
    debits: Counter[str] = Counter()
    refunds: Counter[str] = Counter()
    for entry in await crowd.bank_entries():
        if entry["state"] == "done":
            counted = debits if entry["kind"] == "debit" else refunds
            counted[entry["reference"]] += entry["amount_paise"]
    books = crowd.books
    wrong: dict[str, list[str]] = {
        name: []
        for name in (
            "acknowledged and lost",
            "charged twice",
            "charged and not paid",
            "refund",
            "untold",
        )
    }
    for order in books.orders.values():
        charged = debits[order.reference]
        record = await crowd.finally_verified(order) if order.transaction_id else None
        paid = record is not None and (record.is_paid or record.payment_status == "REFUNDED")
        if order.acknowledged and (not paid or not charged):
            wrong["acknowledged and lost"].append(f"{order.order_id} (after {order.under})")
        if charged > order.amount_paise:
            wrong["charged twice"].append(
                f"{order.order_id}: {charged} of {order.amount_paise} paise"
            )
        if charged and not paid:
            wrong["charged and not paid"].append(order.order_id)
        if order.refund_id and refunds[order.reference] != order.amount_paise:
            wrong["refund"].append(
                f"{order.order_id}: {refunds[order.reference]} of {order.amount_paise} paise"
            )
        heard = books.heard[order.order_id]
        if paid and charged and not heard & SUCCESSES:
            wrong["untold"].append(order.order_id)
        if order.refund_id and REFUNDED not in heard:
            wrong["untold"].append(f"{order.order_id}: {REFUNDED}")
    return wrong
