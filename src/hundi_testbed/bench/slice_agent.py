"""Serves the build whose Python runs it, and loads it for as long as each line of its input says.

`slices` starts it once for each build, as a file: so it uses nothing of the bench but what older
builds have by the same names.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec

from hundi_testbed.bench import load, measures, serving
from hundi_testbed.bench.chain import Payments, Seat, ShopInbox, connect
from hundi_testbed.bench.measures import CUSTOMERS, SHOPS
from hundi_testbed.bench.processes import Meter

WARM_UP_S = 0.2
READY = "ready"
_PAID = b'"transaction_payment_status":"SUCCESS"'
Customers = list[Callable[[], Any]]


class SliceLoad:
    """The customers of one gateway, whose connections stay open from slice to slice."""

    def __init__(self, running: serving.Serving, shops: list[Any], inbox: ShopInbox) -> None:
        """Seat the customers. shops: the merchants' servers, with tokens."""
        gateway, turn = running.addresses.gateway, cycle(shops)
        self._pid = running.process.pid
        payments = Payments(running.addresses, inbox)
        seats = [Seat(running.addresses) for _ in range(CUSTOMERS)]
        self._payments: Customers = [
            lambda seat=seat: payments.chain(seat, next(turn)) for seat in seats
        ]
        lines = [connect(gateway) for _ in range(CUSTOMERS)]

        async def verify(line: load.Connection) -> None:
            shop, order_id = payments.paid[-1]
            payments.paid.rotate(1)
            answer = await line.send(shop.verify(gateway, order_id))
            if _PAID not in answer.body:
                message = f"verify said {answer.body[:300]!r}"
                raise load.BrokenChainError(message)

        self._verifies: Customers = [lambda line=line: verify(line) for line in lines]

    async def of(self, work: str, seconds: float) -> dict[str, Any]:
        """Load with one kind of work; return its rate, its median and p99, and its costs."""
        customers = self._payments if work == "payments" else self._verifies
        meter = Meter(self._pid)
        sample = await load.closed_loop(customers, load.Span(WARM_UP_S, seconds), meter)
        cost = meter.cost(len(sample.took_s))
        costs = {str(name): value for name, value in cost.cpu_ms.items()}
        return {
            "rate": sample.per_second,
            "p50": sample.quantile_ms(0.50),
            "p99": sample.quantile_ms(0.99),
            "yardstick": cost.yardstick_ms,
            **costs,
        }


async def answer(folder: Path) -> None:
    """Serve; say `ready`; tell a line of JSON for each line of the input; audit at its end.

    A line names the work, its seconds, and whether shops get new tokens: `payments 2.0 0`.
    """
    running = await serving.serve(folder / "data")
    inbox = ShopInbox()
    try:
        async with measures.merchants_server(inbox) as address:
            shops = await serving.open_shops(running, SHOPS, address)
            inbox.shops = {shop.credentials.merchant_id: shop for shop in shops}
            sliced = SliceLoad(running, shops, inbox)
            _tell(READY)
            while line := await asyncio.to_thread(sys.stdin.readline):
                work, seconds, renews = line.split()
                if renews == "1":
                    await _renew(running, shops)
                _tell(msgspec.json.encode(await sliced.of(work, float(seconds))).decode())
            _tell(msgspec.json.encode(await serving.audit(running)).decode())
    finally:
        running.stop()


async def _renew(running: serving.Serving, shops: list[Any]) -> None:
    line = connect(running.addresses.gateway)
    for shop in shops:
        await shop.renew(line, running.addresses.gateway)
    line.close()


def _tell(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="hundi-slices-") as made:
        asyncio.run(answer(Path(made)))
