"""The merchants of a simulation: each calls the gateway by the SDK and hears notifications."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from hundi.infra.http.client import HttpAnswer, NoAnswerError
from hundi.merchants.directory.rules import MerchantSettings
from hundi.sdk import Credentials
from hundi.sdk.callback import Callbacks, Notification
from hundi.sdk.calls import Answer, Calls, HttpReply, Lost, Pause, Send, Step, Steps, performed
from hundi.sdk.calls import Gateway as Address
from hundi.sdk.carried import CarriedOperations
from hundi.sdk.errors import HundiError
from hundi_testbed.simulation.agreements import Agreement
from hundi_testbed.simulation.books import OrderBook
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.gateway import NoReplyError, SimulatedGateway
from hundi_testbed.simulation.world import World

Result = TypeVar("Result")
BASE_URL = "https://gateway.example"
SLOW_S = (0.005, 0.4)


@dataclass(slots=True)
class SimulatedShop:
    """One merchant. late_refunds: whether it keeps no late payments.

    orders: its own books, by order id. strange: untrusted messages that it heard.
    """

    number: int
    credentials: Credentials
    settings: MerchantSettings
    agreement: Agreement
    world: World
    gateway: SimulatedGateway
    orders: dict[str, OrderBook] = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)
    heard: list[Notification] = field(default_factory=list)
    calls: Calls = field(init=False)
    operations: CarriedOperations = field(init=False)
    _callbacks: Callbacks = field(init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        """Prepare the SDK, with the world's clock."""

        def wall() -> float:
            return self.world.now.timestamp()

        self.calls = Calls(
            self.credentials,
            Address(base_url=BASE_URL),
            wall_clock=wall,
            ticks=self.world.loop.time,
        )
        self.operations = CarriedOperations(self.calls, self.ask)
        self._callbacks = Callbacks(self.credentials, clock=wall)

    @property
    def late_refunds(self) -> bool:
        """Return whether late payments are refunded."""
        return self.settings.late_success == "refund"

    async def ask(self, steps: Steps[Result]) -> Result:
        """Perform an operation of the SDK. Raises HundiError."""
        return await performed(steps, self._perform)

    async def _perform(self, step: Step) -> Answer:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        if isinstance(step, Send):
            try:
                reply = await self.gateway.call(
                    step.url, step.body, {"content-type": step.content_type}
                )
            except NoReplyError as silence:
                return Lost(str(silence))
            return HttpReply(reply.status, reply.body)
        async with self._turn:
            return await self.ask(self.calls.issue_token(step.scope, step.rejected))

    def hear(self, headers: Mapping[str, str], body: bytes) -> int:
        """Receive a notification and return the HTTP status."""
        try:
            notification = self._callbacks.read_notification(headers, body)
        except HundiError as problem:
            self.strange.append(
                f"a notification that proves nothing: {type(problem).__name__}: {problem}"
            )
            return 400
        webhook_ids = {each.webhook_id for each in self.heard}
        about = f"{self.number}/{notification.transaction.order_id}"
        is_repeat = notification.webhook_id in webhook_ids
        self.world.note(f"shop hears {notification.event}{' again' if is_repeat else ''}", about)
        if not is_repeat:
            self.heard.append(notification)
        return 200


class ShopServers:
    """The merchants' servers, in place of the gateway's client for notifications."""

    def __init__(self, world: World) -> None:
        """Start without merchants. shops: by the host of their notification address."""
        self._world = world
        self.shops: dict[str, SimulatedShop] = {}

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float
    ) -> HttpAnswer:
        """Send one notification. Raises NoAnswerError."""
        await self._world.sleep(*SLOW_S)
        fault = self._world.faults.first(Fault.SHOP_DOWN, Fault.SHOP_REPLY_LOST)
        self._world.done["notification"] += 1
        if fault is Fault.SHOP_DOWN:
            reason = "connect"
            raise NoAnswerError(reason, sent=False)
        status = self.shops[url].hear(headers, body)
        if fault is Fault.SHOP_REPLY_LOST:
            await asyncio.sleep(timeout_s)
            reason = "timeout"
            raise NoAnswerError(reason, sent=True)
        await self._world.sleep(*SLOW_S)
        return HttpAnswer(status, b"", 1, {})
