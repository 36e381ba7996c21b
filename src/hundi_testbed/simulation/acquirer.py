"""The acquirer of a simulation: the sandbox connector, with faults on its way to the bank."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from hundi.acquirers.calls.client import AcquirerClient, HttpCall, Timeouts
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.books import BookPage
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.payments import BankEntry
from hundi.acquirers.sandbox.connector import SandboxConnector
from hundi.infra.http.client import HttpAnswer
from hundi_testbed.bank.messages import reference_of
from hundi_testbed.bank.replies import json
from hundi_testbed.simulation import bank_interface
from hundi_testbed.simulation.bank import PAGES, SimulatedBank
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.world import SimulatedProcess, World

Word = TypeVar("Word")
NAME = "simulated"
KEY = b"a key of simulated calls"
WAITS_S = 10.0
"""Seconds that a call waits for its answer."""
LATE_S = (WAITS_S, 40.0)
"""When a call arrives after its caller gave up: in the minute that the gateway allows for it."""
ABOUT = ("original", "reference", "mandate", "dispute")
"""The field of a request that says what it is about, in the trace."""
Send = Callable[[HttpCall], Awaitable[bytes | Unknown]]


class SimulatedClient(AcquirerClient[Word]):
    """The connector's client, over a simulated network. send: returns an answer's body."""

    def __init__(self, send: Send, read: Callable[[bytes], Word | None]) -> None:
        """Keep both."""
        super().__init__(PAGES, lambda *_: {}, lambda answer: read(answer.body))
        self._sent = send

    async def ask(self, call: HttpCall) -> Word | Unknown:
        """Make one call, once."""
        body = await self._sent(call)
        if isinstance(body, Unknown):
            return body
        word = self._read(HttpAnswer(200, body, 0, {}))
        assert word is not None, body
        return word


class SimulatedAcquirer(SandboxConnector):
    """The connector of one process of the gateway."""

    payout_gaps_s = (3, 3, 5, 10, 20, 60, 300, 1_800)
    returned_gaps_s = (60, 3_600, 7_200, 43_200, 86_400)
    dispute_gaps_s = (5, 30, 300, 1_800)

    def __init__(self, world: World, bank: SimulatedBank, process: SimulatedProcess) -> None:
        """Connect a process and the bank."""
        self._world = world
        self._bank = bank
        self._process = process
        super().__init__(PAGES, KEY, name=NAME, connect=self._connect)

    def _connect(
        self,
        _base_url: str,
        _key: bytes,
        _timeouts: Timeouts,
        read: Callable[[bytes], Word | None],
        _answer_bytes_max: int = 0,
    ) -> SimulatedClient[Word]:
        return SimulatedClient(self._send, read)

    def reachable(self) -> bool:
        """Return True: calls are made."""
        return True

    async def _send(self, call: HttpCall) -> bytes | Unknown:
        request, handler = bank_interface.read(call.path, call.body)
        about = next((getattr(request, name, "") for name in ABOUT if hasattr(request, name)), "")
        name = call.path.removeprefix("/acquirer/") if request else "cards/authentications"
        answer = await self._travel(name, about, lambda: handler(self._bank, request))
        if isinstance(answer, Unknown):
            return answer
        return json(answer, reference=reference_of(request)).body

    async def _travel(
        self, name: str, about: str, ask: Callable[[], msgspec.Struct]
    ) -> msgspec.Struct | Unknown:
        """Send one call, which a fault may lose, double or delay."""
        process, faults = self._process, self._world.faults
        await process.travel()
        process.may_die()
        self._world.done[f"bank {name}"] += 1
        fault = faults.first(
            Fault.BANK_REFUSED,
            Fault.BANK_CALL_LOST,
            Fault.BANK_CALL_LATE,
            Fault.BANK_CALL_TWICE,
            Fault.BANK_REPLY_LOST,
        )
        charge = self._bank.charges.get(about)
        self._world.note(
            f"{process.name} asks bank {name} {about} {fault or ''}", charge.order if charge else ""
        )
        if fault is Fault.BANK_REFUSED:
            return Unknown(sent=False, message="The bank cannot be reached")
        if fault is Fault.BANK_CALL_LOST:
            return await self._in_vain()
        if fault is Fault.BANK_CALL_LATE:
            self._world.loop.call_later(self._world.between(*LATE_S), ask)
            return await self._in_vain()
        answer = ask()
        if fault is Fault.BANK_CALL_TWICE:
            self._world.loop.call_later(self._world.between(*LATE_S), ask)
        if fault is Fault.BANK_REPLY_LOST:
            return await self._in_vain()
        await process.travel()
        process.may_die()
        return answer

    async def _in_vain(self) -> msgspec.Struct | Unknown:
        await asyncio.sleep(WAITS_S)
        self._process.check()
        return Unknown(message="The bank did not answer in time")

    async def banks(self) -> tuple[BankEntry, ...] | Unknown:
        """Return the only bank."""
        return (BankEntry("netbanking", "SIMB", "Simulated Bank"),)

    async def plans(self) -> tuple[InstalmentPlan, ...] | Unknown:
        """Return no plan of instalments."""
        return ()

    async def books(self, after: str = "") -> BookPage | Unknown:
        """Return all of the books: the audit asks outside virtual time."""
        del after
        return BookPage(tuple(self._bank.books.entries))
