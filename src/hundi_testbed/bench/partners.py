"""The partners' interfaces: GST calculator, card details, and documents with signature and zip."""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from hundi.gateway.bootstrap import open_operator_context
from hundi.infra.settings import load_settings
from hundi.kernel.clock import utc_now
from hundi.partners.directory import actions as partners
from hundi.partners.directory.rules import CALLS_A_MINUTE_MAX, PartnerKeys, PartnerSettings
from hundi.partners.registers.sandbox import number_of
from hundi.staff.trail.actions import at_command_line
from hundi.wire.partner.envelope import checksum
from hundi_testbed.bench import load, serving, wrk
from hundi_testbed.bench.chain import connect
from hundi_testbed.bench.load import BrokenChainError
from hundi_testbed.bench.measures import CUSTOMERS, Run, Spans
from hundi_testbed.bench.processes import CORES, Meter
from hundi_testbed.bench.progress import Step
from hundi_testbed.bench.serving import Serving

DOCUMENTS = 90
"""Documents of one round; each holder gets one password only, and the register has 300."""
_MS = "/gateway/ms"
_XML = _MS + "/baas/api/aadhaar-xml"
_FORM = "application/x-www-form-urlencoded"
_ANSWERED = b'"status":200'
_SENT = b'"status":"200"'
_CALCULATION = {"cost": "10000", "profit": "500", "gst": "100.50", "same_state": "Y"}


async def measure(folder: Path, spans: Spans, rounds: int, step: Step) -> dict[str, list[Run]]:
    """Return the figures of the partners' interfaces."""
    running = await serving.serve(folder / "partners", api_processes=CORES)
    try:
        bench = _Bench(running, *await _partner(running), spans, folder)
        runs: dict[str, list[Run]] = {name: [] for name in ("calculator", "cards", "documents")}
        for round_no in range(1, rounds + 1):
            for name, make in (
                ("calculator", bench.calculator),
                ("cards", bench.cards),
                ("documents", bench.documents),
            ):
                step(f"{name}, run {round_no} of {rounds}")
                runs[name].append(await make())
    except BrokenChainError as broken:
        raise BrokenChainError(running.story(str(broken))) from None
    else:
        return runs
    finally:
        await asyncio.to_thread(running.stop)


async def _partner(running: Serving) -> tuple[str, PartnerKeys]:
    most = CALLS_A_MINUTE_MAX
    settings = PartnerSettings(
        card_programme="DEMO", calls_a_minute=most, lookups_a_minute=most, lookups_a_day=most
    )
    async with open_operator_context(load_settings(data_dir=str(running.data_dir))) as context:
        return await partners.add(
            context.db,
            at_command_line("bench", context.vault),
            name="Bench",
            settings=settings,
            now=utc_now(),
        )


class _Bench:
    """One partner, and its calls."""

    def __init__(
        self, running: Serving, affiliate: str, keys: PartnerKeys, spans: Spans, folder: Path
    ) -> None:
        self._running, self._affiliate, self._keys = running, affiliate, keys
        self._spans, self._folder = spans, folder
        self._host, self._bank = running.addresses.gateway, running.addresses.bank
        self._holders = iter(range(1, 300))

    async def calculator(self) -> Run:
        """The published sample, 32 callers."""
        return await self._rate(
            "calculator_rate",
            _MS + "/baas/api/gst-calculator",
            [_CALCULATION],
            self._headers(_CALCULATION),
        )

    async def cards(self) -> Run:
        """One customer's cards, since the checksum is part of the headers.

        Answered from memory, as for 5 s they are.
        """
        request = {"entity_id": "CUST0001"}
        headers = {
            "token": self._keys.card_token,
            "checksum": checksum(request.values(), self._keys.secret),
        }
        return await self._rate("cards_rate", _MS + "/cards/api/card-details", [request], headers)

    async def documents(self) -> Run:
        """So many documents, 16 callers; their passwords are sent before the clock runs."""
        requests = await asyncio.gather(*(self._begun() for _ in range(DOCUMENTS)))
        turns = iter(requests)
        meter = Meter(self._running.process.pid)

        async def caller() -> None:
            connection = connect(self._host)
            for each in turns:
                await self._call(connection, _XML, each, _ANSWERED)
            connection.close()

        async with meter:
            began = time.perf_counter()
            await asyncio.gather(*(caller() for _ in range(CUSTOMERS // 2)))
            spent = time.perf_counter() - began
        return Run({"documents_rate": DOCUMENTS / spent}, meter.cost(DOCUMENTS))

    async def _begun(self) -> dict[str, str]:
        """Send a password to a holder's phone; return the call that uses it for the document."""
        holder = next((each for each in self._holders if each % 50), 0)
        if not holder:
            message = "the register has no more holders: fewer rounds"
            raise BrokenChainError(message)
        connection, bank = connect(self._host), connect(self._bank)
        request = {"type": "otp", "aadhaarNo": number_of(holder)}
        reply = await self._call(connection, _XML, request, _SENT)
        path = f"/phones/messages?mobile=60000{holder:05d}"
        answer = await bank.send(f"GET {path} HTTP/1.1\r\nhost: {self._bank}\r\n\r\n".encode())
        otp = json.loads(answer.body)[0]["words"][:6]
        connection.close()
        bank.close()
        return {
            "type": "file",
            "requestId": reply["requestId"],
            "otp": otp,
            "gateway_txn_id": str(reply["gateway_txn_id"]),
        }

    async def _call(
        self,
        connection: load.Connection,
        path: str,
        request: Mapping[str, str],
        answer_text: bytes,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        lines = "".join(
            f"{name}: {value}\r\n" for name, value in (headers or self._headers(request)).items()
        )
        body = urlencode(request).encode()
        answer = await connection.send(load.post(self._host, path, _FORM, body, lines))
        if answer_text not in answer.body:
            message = f"a call was answered {answer.body[:300]!r}"
            raise BrokenChainError(message)
        return json.loads(answer.body)

    async def _rate(
        self, name: str, path: str, calls: list[dict[str, str]], headers: Mapping[str, str]
    ) -> Run:
        program, seconds = wrk.installed(), self._spans.verify_s
        meter = Meter(self._running.process.pid)
        bodies = [(path, urlencode(each).encode()) for each in calls]
        if program:
            async with meter:
                wrk_load = wrk.Load(
                    _ANSWERED.decode(),
                    f"http://{self._host}/",
                    seconds,
                    CUSTOMERS,
                    self._folder,
                    headers,
                )
                count, spent = await wrk.run(program, bodies, wrk_load)
            return Run({name: count / spent}, meter.cost(count))

        def caller() -> load.Chain:
            connection = connect(self._host)

            async def ask() -> None:
                await self._call(connection, path, calls[0], _ANSWERED, headers)

            return ask

        span = load.Span(self._spans.warm_up_s, seconds)
        sample = await load.closed_loop([caller() for _ in range(CUSTOMERS)], span, meter)
        return Run({name: sample.per_second}, meter.cost(len(sample.took_s)))

    def _headers(self, request: Mapping[str, str]) -> dict[str, str]:
        return {
            "affiliate": self._affiliate,
            "api-key": self._keys.api_key,
            "processor-key": self._keys.processor_key,
            "checksum": checksum(request.values(), self._keys.secret),
        }
