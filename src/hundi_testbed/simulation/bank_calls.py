"""The bank's callbacks to the gateway, and their answers."""

import asyncio
from http import HTTPStatus

from hundi.api import addresses
from hundi_testbed.bank import signing
from hundi_testbed.simulation.acquirer import KEY, NAME
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_books import BankNews
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.gateway import NoReplyError, SimulatedGateway
from hundi_testbed.simulation.shops import BASE_URL
from hundi_testbed.simulation.world import World

CALLBACK = BASE_URL + addresses.CALLBACK + NAME
FOUND_AGAIN_TIMES = 20
NO_REPLY = 0
"""In place of a status: a fault lost the answer to a callback whose earlier try was answered."""
TELL_S = (1.0, 30.0, 300.0, 1800.0)
"""Seconds between the tries of a callback, until it is accepted."""


class BankCalls:
    """The bank's callbacks. answered: HTTP statuses by reference."""

    def __init__(self, world: World) -> None:
        """Start unconnected: `connect` gives both sides."""
        self._world = world
        self._bank: SimulatedBank | None = None
        self._gateway: SimulatedGateway | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.answered: dict[str, list[int]] = {}

    def connect(self, bank: SimulatedBank, gateway: SimulatedGateway) -> None:
        """Set the bank that sends callbacks, and the gateway that receives them."""
        self._bank, self._gateway = bank, gateway

    def tell(self, news: BankNews) -> None:
        """Begin to tell the gateway of an event."""
        task = asyncio.create_task(self._call_back(news))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call_back(self, news: BankNews) -> None:
        """Call the gateway until it accepts; or, by a fault, stop as if it had accepted."""
        bank, gateway, faults = self._bank, self._gateway, self._world.faults
        assert bank is not None
        assert gateway is not None
        reference = news.reference
        charge = bank.charges.get(reference)
        # Nobody asks again about a charge that the bank did not know: it calls until it was heard.
        found_again = charge is not None and charge.forgotten and not news.of_dispute
        if faults.strikes(Fault.CALLBACK_LOST) and not found_again:
            return
        times = 2 if faults.strikes(Fault.CALLBACK_TWICE) else 1
        for wait_s in TELL_S * (FOUND_AGAIN_TIMES if found_again else times):
            await self._world.sleep(0.01, wait_s)
            try:
                now_s = int(self._world.now.timestamp())
                headers = {signing.CALLBACK_HEADER: signing.sign(KEY, news.body, now_s=now_s)}
                reply = await gateway.call(CALLBACK, news.body, headers)
            except NoReplyError:
                if reference in self.answered:
                    self.answered[reference].append(NO_REPLY)
                continue
            # The gateway refuses news of a dispute until the bank confirms it: it asks by itself.
            if not (news.of_dispute and reply.status >= HTTPStatus.CONFLICT):
                self.answered.setdefault(reference, []).append(reply.status)
            self._world.done[f"callback answered {reply.status}"] += 1
            self._world.note(f"callback {reference} {reply.status}", charge.order if charge else "")
            if reply.status == HTTPStatus.NO_CONTENT and times == 1:
                return
