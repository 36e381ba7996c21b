"""The gateway of a simulation: its real parts in processes that are killed and restarted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from hundi.acquirers.port.payments import Connector
from hundi.acquirers.registry import Registry
from hundi.api.context import GatewayContext
from hundi.api.interfaces import Interfaces
from hundi.gateway.app import build_with
from hundi.gateway.bootstrap import open_gateway
from hundi.gateway.worker import due_loops, schedules
from hundi.infra.background.schedules.jobs import Schedules
from hundi.infra.settings import Settings
from hundi.notifications.actions import Posts
from hundi_testbed.simulation.database import SimulatedDatabase
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.world import SimulatedProcess, World

PATIENCE_S = 10.0
"""How long a caller waits for the gateway."""
LATE_S = (1.0, 30.0)
RESTART_S = (0.5, 5.0)
Reach = Callable[[SimulatedProcess], Connector]
SCHEDULED_S = {
    "roll_checkpoints": (1_800.0, 14_400.0),
    "settle_merchants": (3_600.0, 28_800.0),
    "prepare_payouts": (3_600.0, 21_600.0),
    "look_for_disputes": (21_600.0, 86_400.0),
    "seal_books": (21_600.0, 86_400.0),
}
"""The period of each schedule: longer than on a real worker, for the same work is found."""
CALLER = ("192.0.2.1", 40000)


@dataclass(frozen=True, slots=True)
class Size:
    """The number of processes. poll_s: between two polls of a worker's loops."""

    apis: int
    workers: int
    poll_s: float


class NoReplyError(Exception):
    """A caller of the gateway got no answer. sent: whether the call may have arrived."""

    def __init__(self, *, sent: bool) -> None:
        """Keep whether it may have arrived."""
        super().__init__("no reply")
        self.sent = sent


@dataclass(slots=True)
class GatewayReply:
    """An HTTP reply."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: bytes) -> str:
        """Return one header, "" when it was not sent."""
        return next((value.decode() for each, value in self.headers if each == name), "")


class SimulatedGateway:
    """A number of API processes and workers on one database.

    reach: returns a process's connector.
    """

    def __init__(
        self,
        world: World,
        settings: Settings,
        server: Server,
        reach: Reach,
        http: Posts,
        size: Size,
    ) -> None:
        """Prepare without a process."""
        self._world = world
        self._settings = settings
        self._server = server
        self._reach = reach
        self._http = http
        self._poll_s = size.poll_s
        self._started = 0
        self._fell = asyncio.Event()
        self.apis: list[SimulatedProcess | None] = [None] * size.apis
        self.workers: list[SimulatedProcess | None] = [None] * size.workers
        # Building an application takes longer than all its work in a simulated hour: it is used
        # again.
        self._opened: list[Callable[[], AbstractAsyncContextManager[GatewayContext]]] = [
            self._never
        ] * size.apis
        self._apps = [build_with(settings, self._opening(place)) for place in range(size.apis)]

    @asynccontextmanager
    async def _never(self) -> AsyncIterator[GatewayContext]:
        raise AssertionError
        yield

    def _opening(
        self, place: int
    ) -> Callable[[Settings], AbstractAsyncContextManager[GatewayContext]]:
        return lambda _: self._opened[place]()

    def open(self, process: SimulatedProcess) -> AbstractAsyncContextManager[GatewayContext]:
        """Open the gateway's real parts for a process."""
        database = SimulatedDatabase(self._world, self._server, process)
        return open_gateway(
            self._settings, database=database, connectors=Registry([self._reach(process)])
        )

    def _process(self, kind: str) -> SimulatedProcess:
        self._started += 1
        return SimulatedProcess(self._world, f"{kind}-{self._started}", self._fell.set)

    async def start(self) -> None:
        """Start every process and wait until all serve."""
        for place in range(len(self.apis)):
            await self.start_api(place)
        for place in range(len(self.workers)):
            self.start_worker(place)

    async def start_api(self, place: int) -> None:
        """Start one API process; one that dies while starting is left to the supervisor."""
        process = self._process("api")
        self._opened[place] = lambda: self.open(process)
        up: asyncio.Future[bool] = self._world.loop.create_future()
        serving = process.start(_live(self._apps[place], up))

        def ended(done: asyncio.Task[None]) -> None:
            if not process.alive:
                # Killed while it starts: its framework wraps the exception.
                _forget(done)
            if not up.done():
                up.set_result(False)

        serving.add_done_callback(ended)
        if await up:
            self.apis[place] = process
            self._world.note(f"started {process.name}")
        else:
            process.kill()

    def start_worker(self, place: int) -> None:
        """Start a worker."""
        process = self._process("worker")
        self.workers[place] = process
        working = process.start(self._work(process, self._poll_s))
        # A worker that cannot go on ends by itself.
        working.add_done_callback(lambda done: (_forget(done), process.kill()))
        self._world.note(f"started {process.name}")

    async def _work(self, process: SimulatedProcess, poll_s: float) -> None:
        async with self.open(process) as gateway, asyncio.TaskGroup() as tasks:
            for loop in due_loops(gateway, self._http):
                tasks.create_task(loop.forever(asyncio.Event(), poll_s=poll_s))
            planned = schedules(gateway)
            for name, every_s in SCHEDULED_S.items():
                tasks.create_task(self._again(process, planned, name, every_s))

    async def _again(
        self, process: SimulatedProcess, planned: Schedules, name: str, every_s: tuple[float, float]
    ) -> None:
        """Run a schedule now and then.

        The schedules themselves use the database's clock.
        """
        while process.alive:
            await self._world.sleep(*every_s)
            await planned.run(name)

    def poll_every(self, poll_s: float) -> None:
        """Set the poll time of workers started from now on."""
        self._poll_s = poll_s

    async def supervise(self) -> None:
        """Restart killed processes after a moment."""
        while True:
            await self._fell.wait()
            self._fell.clear()
            await self._world.sleep(*RESTART_S)
            for place, process in enumerate(self.apis):
                if process is None or not process.alive:
                    await self.start_api(place)
            for place, process in enumerate(self.workers):
                if process is None or not process.alive:
                    self.start_worker(place)

    async def call(
        self,
        address: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "POST",
    ) -> GatewayReply:
        """Call the gateway over a faulty network. Raises NoReplyError."""
        faults = self._world.faults
        fault = faults.first(
            Fault.CALL_REFUSED, Fault.CALL_LOST, Fault.CALL_TWICE, Fault.CALL_LATE, Fault.REPLY_LOST
        )
        if fault is Fault.CALL_REFUSED:
            raise NoReplyError(sent=False)
        if fault is Fault.CALL_LOST:
            return await self._in_vain()
        if fault is Fault.CALL_LATE:
            # Later calls overtake it; it may arrive after its caller gave up.
            late = asyncio.create_task(self._deliver(address, body, headers, method, LATE_S))
            return await self._within_patience(late)
        if fault is Fault.CALL_TWICE:
            again = asyncio.create_task(self._deliver(address, body, headers, method, LATE_S))
            again.add_done_callback(_forget)
        reply = await self._within_patience(
            asyncio.create_task(self._deliver(address, body, headers, method))
        )
        return await self._in_vain() if fault is Fault.REPLY_LOST else reply

    async def _in_vain(self) -> GatewayReply:
        await asyncio.sleep(PATIENCE_S)
        raise NoReplyError(sent=True)

    async def _within_patience(self, call: asyncio.Task[GatewayReply]) -> GatewayReply:
        call.add_done_callback(_forget)
        await asyncio.wait([call], timeout=PATIENCE_S)
        if not call.done():
            raise NoReplyError(sent=True)
        return call.result()

    async def _deliver(
        self,
        address: str,
        body: bytes,
        headers: Mapping[str, str] | None,
        method: str,
        after_s: tuple[float, float] = (0.0005, 0.01),
    ) -> GatewayReply:
        await self._world.sleep(*after_s)
        up = [place for place, each in enumerate(self.apis) if each is not None and each.alive]
        if not up:
            raise NoReplyError(sent=False)
        place = self._world.random.choice(up)
        process = self.apis[place]
        assert process is not None
        reply, scope = GatewayReply(), _scope(address, headers or {}, method)
        serving = process.start(_serve(self._apps[place], scope, body, reply))
        await asyncio.wait([serving])
        if serving.cancelled() or not process.alive or not reply.status:
            raise NoReplyError(sent=True)
        return reply


def _forget(call: asyncio.Task[Any]) -> None:
    if not call.cancelled():
        call.exception()


def _scope(address: str, headers: Mapping[str, str], method: str) -> dict[str, Any]:
    parts = urlsplit(address)
    sent = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": parts.scheme,
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(b"host", parts.netloc.encode()), *sent],
        "client": CALLER,
        "server": (parts.hostname, 443),
        "state": {},
    }


async def _serve(app: Interfaces, scope: Any, body: bytes, reply: GatewayReply) -> None:  # noqa: ANN401 (ASGI)
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:  # noqa: ANN401 (ASGI)
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Any) -> None:  # noqa: ANN401 (ASGI)
        if message["type"] == "http.response.start":
            reply.status, reply.headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            reply.body += message.get("body", b"")

    await app(scope, receive, send)


async def _live(app: Interfaces, up: asyncio.Future[bool]) -> None:
    """Let an application start, and live until its process is killed."""
    heard: list[Sequence[str]] = []

    async def receive() -> Any:  # noqa: ANN401 (ASGI)
        if not heard:
            heard.append("startup")
            return {"type": "lifespan.startup"}
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:  # noqa: ANN401 (ASGI)
        if not up.done():
            up.set_result(message["type"] == "lifespan.startup.complete")

    scope: Any = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    await app(scope, receive, send)
