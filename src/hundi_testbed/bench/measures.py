"""The measurements: figures of one run, the cost of a unit of work, and what else ran."""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from hundi.wire import cipher
from hundi_testbed.bench import databases, flood, load, wrk
from hundi_testbed.bench.chain import BenchShop, Payments, Seat, ShopInbox, connect
from hundi_testbed.bench.databases import Baseline
from hundi_testbed.bench.load import BrokenChainError, Chain, NotificationListener, Span, SpanSample
from hundi_testbed.bench.processes import Component, Meter, WorkCost
from hundi_testbed.bench.serving import HOST, Serving

CUSTOMERS = 32
FIXED_PER_SECOND = 100
SHOPS = 100
SKEW_ONE_IN = 10
"""Skewed load: all but one of so many payments go to one merchant."""
VERIFIED_ORDERS_MIN = 200
TOKEN_AGE_S_MAX = 120
"""Tokens live 300 s; no measurement lasts longer than the rest."""
_PAID = '"transaction_payment_status":"SUCCESS"'


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one measurement: its figures by name, and the cost of a unit where it has one."""

    figures: Mapping[str, float]
    cost: WorkCost | None = None


@dataclass(frozen=True, slots=True)
class Spans:
    """How long each measurement lasts, in seconds; warm_up_s counts for nothing."""

    warm_up_s: float
    payments_s: float
    fixed_s: float
    verify_s: float
    skew_s: float
    baseline_s: float


class Bench:
    """The running gateway and the load generator, for every measurement."""

    def __init__(
        self,
        serving: Serving,
        shops: Sequence[BenchShop],
        inbox: ShopInbox,
        spans: Spans,
        folder: Path,
    ) -> None:
        """Keep the parts. folder: for scripts of other load generators."""
        self.payments = Payments(serving.addresses, inbox)
        self._serving = serving
        self._shops = shops
        self._spans = spans
        self._folder = folder
        self._renewed_at = float("-inf")
        self._baseline_url = ""

    async def payments_closed(self) -> Run:
        """32 customers in a closed loop over all merchants, and the same statements by pgbench."""
        alone = await self._pgbench(databases.payment_writes())
        sample, cost = await self._closed(self._chains(self._shops), self._spans.payments_s)
        figures = _chain_figures("payments", sample)
        figures |= {"payments_alone": alone, "payments_ratio": sample.per_second / alone}
        figures["payments_cpu"] = cost.cpu_ms[Component.GATEWAY] + cost.cpu_ms[Component.WORKER]
        figures["payments_cpu_all"] = sum(cost.cpu_ms.values())
        return Run(figures, cost)

    async def payments_single(self) -> Run:
        """One customer after the other, with no other load."""
        sample, cost = await self._closed(self._chains(self._shops)[:1], self._spans.skew_s)
        return Run(_chain_figures("single", sample), cost)

    async def payments_scanned(self) -> Run:
        """The same with every customer at a computer, so that every QR is drawn."""
        sample, cost = await self._closed(self._chains(self._shops, scans=True), self._spans.skew_s)
        return Run(_chain_figures("scanned", sample), cost)

    async def payments_fixed(self) -> Run:
        """100 payments a second, whatever happens."""
        free: list[Seat] = []
        shops = cycle(self._shops)
        await self._renew()

        async def arrive() -> None:
            seat = free.pop() if free else Seat(self._serving.addresses)
            await self.payments.chain(seat, next(shops))
            free.append(seat)

        meter = self._meter()
        sample = await load.open_loop(
            FIXED_PER_SECOND, arrive, self._span(self._spans.fixed_s), meter
        )
        for seat in free:
            seat.close()
        return Run(_chain_figures("fixed", sample), meter.cost(len(sample.took_s)))

    async def payments_skewed(self) -> Run:
        """90 % of the payments at one merchant, right after the same load spread over all."""
        spread, _ = await self._closed(self._chains(self._shops), self._spans.skew_s)
        others = cycle(self._shops[1:])
        uneven = [
            next(others) if place % SKEW_ONE_IN == 0 else self._shops[0]
            for place in range(SHOPS * SKEW_ONE_IN)
        ]
        skewed, cost = await self._closed(self._chains(uneven), self._spans.skew_s)
        figures = _chain_figures("skewed", skewed)
        figures |= {
            "spread_rate": spread.per_second,
            "skew_ratio": skewed.per_second / spread.per_second,
        }
        return Run(figures, cost)

    async def verify(self) -> Run:
        """Verify alone, by wrk where it is installed; and a bare select by pgbench."""
        alone = await self._pgbench(databases.bare_select())
        await self._make_orders()
        await self._renew()
        paid = list(self.payments.paid)
        by_wrk = wrk.installed()
        rate, cost = await (
            self._verify_by_wrk(by_wrk, paid) if by_wrk else self._verify_by_ourselves(paid)
        )
        return Run({"verify_rate": rate, "verify_alone": alone, "verify_ratio": rate / alone}, cost)

    async def flooded(self) -> Run:
        """Verify of many merchants at a fixed rate, alone, and beside one at full speed."""
        await self._make_orders()
        await self._renew()
        flooder, gateway = self._shops[0], self._serving.addresses.gateway
        # The flooding server authenticates from the flood's address.
        name, _, port = gateway.rpartition(":")
        await flooder.renew(load.Connection(name, int(port), flood.SOURCE), gateway)
        others = [(shop, order_id) for shop, order_id in self.payments.paid if shop is not flooder]
        alone = await self._bystanders(others)
        figures = {"alone_p99": alone.quantile_ms(0.99)}
        floods = {
            "flood": [flooder.verify(gateway, f"none-{number}") for number in range(50)],
            "forged": [
                load.post(gateway, flooder.verify_path, "application/json", hostile_body(flooder))
            ],
        }
        for name, requests in floods.items():
            seconds = self._spans.warm_up_s + self._spans.verify_s + flood.START_S
            async with flood.flood(gateway, requests, seconds) as sent:
                beside = await self._bystanders(others)
            figures[f"{name}_p99"] = beside.quantile_ms(0.99)
            figures[f"{name}_ratio"] = figures[f"{name}_p99"] / figures["alone_p99"]
            figures[f"{name}_rate"] = sent.answered / seconds
        return Run(figures)

    async def _bystanders(self, paid: Sequence[tuple[BenchShop, str]]) -> SpanSample:
        gateway, turns = self._serving.addresses.gateway, cycle(paid)
        free: list[load.Connection] = []

        async def ask() -> None:
            connection = free.pop() if free else connect(gateway)
            shop, order_id = next(turns)
            answer = await connection.send(shop.verify(gateway, order_id))
            if _PAID.encode() not in answer.body:
                message = f"verify beside a flood said {answer.body[:300]!r}"
                raise BrokenChainError(message)
            free.append(connection)

        sample = await load.open_loop(
            flood.BYSTANDERS_PER_SECOND,
            ask,
            self._span(self._spans.verify_s),
            contextlib.nullcontext(),
        )
        for connection in free:
            connection.close()
        return sample

    async def _verify_by_wrk(
        self, program: str, paid: Sequence[tuple[BenchShop, str]]
    ) -> tuple[float, WorkCost]:
        calls = [(shop.verify_path, shop.verify_body(order_id)) for shop, order_id in paid]
        url = f"http://{self._serving.addresses.gateway}/"
        async with self._meter() as meter:
            wrk_load = wrk.Load(_PAID, url, self._spans.verify_s, CUSTOMERS, self._folder)
            count, seconds = await wrk.run(program, calls, wrk_load)
        return count / seconds, meter.cost(count)

    async def _verify_by_ourselves(
        self, paid: Sequence[tuple[BenchShop, str]]
    ) -> tuple[float, WorkCost]:
        gateway = self._serving.addresses.gateway
        requests = cycle([shop.verify(gateway, order_id) for shop, order_id in paid])

        def customer() -> Chain:
            connection = connect(gateway)

            async def ask() -> None:
                answer = await connection.send(next(requests))
                if _PAID.encode() not in answer.body:
                    message = f"verify said {answer.body[:300]!r}"
                    raise BrokenChainError(message)

            return ask

        sample, cost = await self._closed(
            [customer() for _ in range(CUSTOMERS)], self._spans.verify_s
        )
        return sample.per_second, cost

    async def _make_orders(self) -> None:
        """Make sure that there are paid orders to verify."""
        missing = VERIFIED_ORDERS_MIN - len(self.payments.paid)
        if missing > 0:
            await self._renew()
            chain = self._chains(self._shops)[0]
            for _ in range(missing):
                await chain()

    async def _closed(
        self, customers: Sequence[Chain], seconds: float
    ) -> tuple[SpanSample, WorkCost]:
        await self._renew()
        meter = self._meter()
        sample = await load.closed_loop(customers, self._span(seconds), meter)
        return sample, meter.cost(len(sample.took_s))

    def _chains(self, shops: Sequence[BenchShop], *, scans: bool = False) -> list[Chain]:
        """Return one chain for each customer; together they use all shops in turn."""
        turn = cycle(shops)

        def customer() -> Chain:
            seat = Seat(self._serving.addresses)
            return lambda: self.payments.chain(seat, next(turn), scans=scans)

        return [customer() for _ in range(CUSTOMERS)]

    async def _renew(self) -> None:
        """Give every shop a token that outlives the next measurement."""
        if time.monotonic() - self._renewed_at < TOKEN_AGE_S_MAX:
            return
        gateway = self._serving.addresses.gateway
        connection = connect(gateway)
        for shop in self._shops:
            await shop.renew(connection, gateway)
        connection.close()
        self._renewed_at = time.monotonic()

    async def _pgbench(self, baseline: Baseline) -> float:
        if not self._baseline_url:
            self._baseline_url = await databases.prepare(self._serving.data_dir)
        return await databases.run(
            self._baseline_url, baseline, self._spans.baseline_s, self._folder
        )

    def _span(self, seconds: float) -> Span:
        return Span(self._spans.warm_up_s, seconds)

    def _meter(self) -> Meter:
        return Meter(self._serving.process.pid)


def hostile_body(shop: BenchShop) -> bytes:
    """Return 64 kB that name a merchant and prove nothing: nested values under a wrong checksum."""
    nested = '{"a":[' + ",".join("[1]" for _ in range(8_000)) + "]}"
    encdata = cipher.seal(shop.credentials.encryption_key, nested.encode())
    fields = {
        "merchant_id": shop.credentials.merchant_id,
        "privatekey": shop.credentials.privatekey,
    }
    return json.dumps(fields | {"encdata": encdata, "checksum": "0" * 64}).encode()


def _chain_figures(name: str, sample: SpanSample) -> dict[str, float]:
    return {
        f"{name}_rate": sample.per_second,
        f"{name}_p50": sample.quantile_ms(0.50),
        f"{name}_p99": sample.quantile_ms(0.99),
    }


MEASUREMENTS: Mapping[str, Callable[[Bench], Awaitable[Run]]] = {
    "payments": Bench.payments_closed,
    "single": Bench.payments_single,
    "fixed": Bench.payments_fixed,
    "scanned": Bench.payments_scanned,
    "skew": Bench.payments_skewed,
    "verify": Bench.verify,
    "flood": Bench.flooded,
}
"""In the order of one round."""


@contextlib.asynccontextmanager
async def merchants_server(inbox: ShopInbox) -> AsyncIterator[str]:
    """Run the server of all merchants in this process.

    Yield the address for notifications.
    """
    server = await asyncio.get_running_loop().create_server(
        lambda: NotificationListener(inbox.take), HOST, 0
    )
    try:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}/notifications"
    finally:
        server.close()


def violations(audited: Mapping[str, Any]) -> list[str]:
    """Return what the audit found."""
    return [f"audit: {json.dumps(each)}" for each in audited["checked"] if each["violations"]]


def differences(payments: Payments, inbox: ShopInbox, audited: Mapping[str, Any]) -> list[str]:
    """Return the differences between the counts of generator, gateway and bank."""
    figures = audited["figures"]
    expected = {
        "payments": payments.count,
        "payments_paid": payments.count,
        "postings": payments.count,
        "posted_paise": payments.paise,
        "deliveries": payments.count,
        "deliveries_delivered": payments.count,
        "bank_entries": payments.count,
    }
    faults = [
        f"{name}: {count:,} by our own count, {figures.get(name)} by the audit's"
        for name, count in expected.items()
        if figures.get(name) != count
    ]
    if inbox.taken < payments.count:
        faults.append(f"notifications: {inbox.taken:,} came for {payments.count:,} payments")
    return faults
