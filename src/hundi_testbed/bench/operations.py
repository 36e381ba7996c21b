"""Other operations, on a gateway of their own with an API process for each core.

Reads scale with processes. Payments are measured with one process: concurrent calls share a commit,
and two processes share less.
"""

import asyncio
import base64
import json
import time
from itertools import count, cycle
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from hundi.infra.embedded import server as embedded_postgres
from hundi.instruments.methods import CHANNELS
from hundi.wire.merchant.banks import BANKS
from hundi.wire.merchant.qr_orders import GENERATE
from hundi.wire.merchant.refunds import REFUND
from hundi.wire.merchant.verify import VERIFY
from hundi_testbed.bench import load, serving, wrk
from hundi_testbed.bench.chain import BenchShop, connect
from hundi_testbed.bench.load import BrokenChainError
from hundi_testbed.bench.measures import CUSTOMERS, Run, Spans
from hundi_testbed.bench.processes import CORES, Meter
from hundi_testbed.bench.progress import Step
from hundi_testbed.bench.serving import Serving

REFUNDS = 1_000
VERIFIED = 100
"""Paid orders to verify in turn."""
QR_ORDERS = 4_000
"""More than one run needs, so that each is new."""
SETTLED_S_MAX = 60.0
_POLL_S = 0.05
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"
_ANSWERED = b'"response_code":"00"'


async def measure(folder: Path, spans: Spans, rounds: int, step: Step) -> dict[str, list[Run]]:
    """Return the figures of every operation, after a clean audit."""
    running = await serving.serve(folder / "operations", api_processes=CORES)
    try:
        (shop,) = await serving.open_shops(running, 1, "", channels=tuple(CHANNELS))
        bench = _Bench(running, shop, spans, folder)
        runs: dict[str, list[Run]] = {}
        # Last what leaves work behind: the worker asks the bank about thousands of unpaid QRs for
        # minutes.
        for measured in (
            {"verify_all": bench.verify, "banks": bench.banks},
            {"refunds": bench.refunds, "qr": bench.qr},
        ):
            for round_no in range(1, rounds + 1):
                for name, make in measured.items():
                    step(f"{name}, run {round_no} of {rounds}")
                    runs.setdefault(name, []).append(await make())
        step("audit of the operations")
        _hold(await serving.audit(running))
    except BrokenChainError as broken:
        raise BrokenChainError(running.story(str(broken))) from None
    else:
        return runs
    finally:
        await asyncio.to_thread(running.stop)


def _hold(audited: dict[str, Any]) -> None:
    broken = [each for each in audited["checked"] if each["violations"]]
    if broken:
        message = f"audit of the operations: {json.dumps(broken)}"
        raise BrokenChainError(message)


class _Bench:
    """One merchant, and its calls."""

    def __init__(self, running: Serving, shop: BenchShop, spans: Spans, folder: Path) -> None:
        self._running, self._shop, self._spans, self._folder = running, shop, spans, folder
        self._host, self._bank = running.addresses.gateway, running.addresses.bank
        self._orders = count(1)
        self._verified: list[str] = []

    async def verify(self) -> Run:
        """The state of a paid order, 32 callers."""
        await self._renew()
        if not self._verified:
            before = next(self._orders)
            await self._paid(VERIFIED)
            self._verified = [f"q-{before + each}" for each in range(1, VERIFIED + 1)]
        return await self._rate(
            "verify_all_rate",
            [self._call(VERIFY.address, {"orderid": each}) for each in self._verified],
        )

    async def banks(self) -> Run:
        """The list of all channels and banks, 32 callers."""
        await self._renew()
        return await self._rate("banks_rate", [self._call(BANKS.address, {})])

    async def qr(self) -> Run:
        """A new order and its picture with every call, 32 callers."""
        await self._renew()
        calls = [self._call(GENERATE.address, self._order()) for _ in range(QR_ORDERS)]
        return await self._rate("qr_rate", calls)

    async def _rate(self, name: str, calls: list[wrk.Call]) -> Run:
        program = wrk.installed()
        meter = Meter(self._running.process.pid)
        seconds = self._spans.verify_s
        if program:
            async with meter:
                wrk_load = wrk.Load(
                    _ANSWERED.decode(), f"http://{self._host}/", seconds, CUSTOMERS, self._folder
                )
                count, spent = await wrk.run(program, calls, wrk_load)
            return Run({name: count / spent}, meter.cost(count))
        turn = cycle(calls)

        def caller() -> load.Chain:
            connection = connect(self._host)

            async def ask() -> None:
                path, body = next(turn)
                _right(await connection.send(load.post(self._host, path, _FORM, body)))

            return ask

        sample = await load.closed_loop(
            [caller() for _ in range(CUSTOMERS)], load.Span(self._spans.warm_up_s, seconds), meter
        )
        return Run({name: sample.per_second}, meter.cost(len(sample.took_s)))

    async def refunds(self) -> Run:
        """One batch of refunds over paid orders: until its answer, and until all are refunded."""
        await self._renew()
        paid = await self._paid(REFUNDS)
        items = [{"ap_transactionid": each} for each in paid]
        packed = base64.b64encode(msgspec.json.encode(items)).decode()
        path, body = self._call(REFUND.address, {"mode": "refund", "transactions": packed})
        connection = connect(self._host)
        began = time.perf_counter()
        answer = _right(await connection.send(load.post(self._host, path, _FORM, body)))
        answered = time.perf_counter() - began
        accepted = sum(each["success"] == "true" for each in answer["data"]["transactions"])
        if accepted != REFUNDS:
            message = f"{accepted} of {REFUNDS} refunds were accepted"
            raise BrokenChainError(message)
        await self._until_none("SELECT count(*) FROM refunds WHERE state <> 'done'")
        connection.close()
        return Run({"refund_answered": answered, "refund_settled": time.perf_counter() - began})

    async def _paid(self, number: int) -> list[str]:
        """Return the transaction ids of orders made as QRs and paid."""
        turns = asyncio.Semaphore(CUSTOMERS)
        idle: list[tuple[load.Connection, load.Connection]] = []

        async def pay() -> str:
            async with turns:
                pair = idle.pop() if idle else (connect(self._host), connect(self._bank))
                path, body = self._call(GENERATE.address, self._order())
                order = _right(await pair[0].send(load.post(self._host, path, _FORM, body)))["data"]
                scan = msgspec.json.encode(
                    {"uri": order["qr_string"], "payer_vpa": "success@hundi"}
                )
                await pair[1].send(load.post(self._bank, "/upi/pay", _JSON, scan))
                idle.append(pair)
                return order["ap_transactionid"]

        paid = await asyncio.gather(*(pay() for _ in range(number)))
        for pair in idle:
            for each in pair:
                each.close()
        await self._until_none(
            "SELECT count(*) FROM payments WHERE payment_id = ANY($1) AND state <> 'paid'", paid
        )
        return paid

    async def _until_none(self, query: str, ids: list[str] | None = None) -> None:
        """Wait until a count is zero. Raises BrokenChainError after SETTLED_S_MAX."""
        url = embedded_postgres.running_url(self._running.data_dir, "hundi")
        connection = await asyncpg.connect(url)
        ends = time.perf_counter() + SETTLED_S_MAX
        values = [] if ids is None else [[int(each) for each in ids]]
        try:
            while await connection.fetchval(query, *values):
                if time.perf_counter() > ends:
                    message = f"not done after {SETTLED_S_MAX:.0f} s: {query}"
                    raise BrokenChainError(message)
                await asyncio.sleep(_POLL_S)
        finally:
            await connection.close()

    def _order(self) -> dict[str, str]:
        return {"orderid": f"q-{next(self._orders)}", "amount": "349.00"}

    def _call(self, path: str, fields: dict[str, str]) -> wrk.Call:
        return f"{path}?token={self._shop.token}", self._shop.form(fields)

    async def _renew(self) -> None:
        connection = connect(self._host)
        await self._shop.renew(connection, self._host)
        connection.close()


def _right(answer: load.LoadReply) -> dict[str, Any]:
    """Return an envelope that says success; it stands in plain text beside its sealed form."""
    if _ANSWERED not in answer.body:
        message = f"a call was answered {answer.body[:300]!r}"
        raise BrokenChainError(message)
    return json.loads(answer.body)
