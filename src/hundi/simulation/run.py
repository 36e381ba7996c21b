"""One run: a seed, so many hours, a quiet time, and what the auditor finds."""

import asyncio
import base64
import random
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from pathlib import Path

import structlog

from hundi.api import addresses
from hundi.infra import embedded_postgres
from hundi.infra.migrate import migrate
from hundi.infra.settings import Settings, load_settings
from hundi.infra.vault import open_vault
from hundi.kernel import clock, ids
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import actions as books
from hundi.money.ledger import store as ledger
from hundi.money.ledger.rules import Balance
from hundi.sdk import Credentials, subscriptions
from hundi.sdk.errors import HundiError
from hundi.sdk.subscriptions import Subscription
from hundi.simulation import auditor
from hundi.simulation.acquirer import NAME, PROOF, SIGNATURE, SimulatedAcquirer, callback_body
from hundi.simulation.auditor import Evidence, Finding
from hundi.simulation.bank import Bank
from hundi.simulation.books import Asked, OrderBook
from hundi.simulation.customers import Customers
from hundi.simulation.faults import USUAL, Fault, Faults
from hundi.simulation.gateway import Gateway, NoReplyError, Size
from hundi.simulation.server import Server
from hundi.simulation.shops import BASE_URL, Shop, ShopServers
from hundi.simulation.virtual_time import SpinningError, StalledError, VirtualLoop
from hundi.simulation.world import Process, World

CALLBACK = BASE_URL + addresses.CALLBACK + NAME
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "128MB"}
"""Nothing of a simulation has to survive a power cut."""
SHOPS = 3
APIS = 2
KEY_BYTES = 32
WORKERS = (1, 2)
"""How many workers share the work: a seed chooses."""
HOUR_S = 3600.0
POLLS_S = (15.0, 60.0, 180.0)
"""How often workers look: a seed chooses one."""
SKEW_S = 45.0
"""How far a process's clock jumps at most."""
QUIET = ((HOUR_S, 60.0), (9 * 24 * HOUR_S, 2 * HOUR_S))
"""The quiet time: so long, while workers look so often. Banks and merchants answer, and everything may settle."""
FOUND_AGAIN_TIMES = 20
TELL_S = (1.0, 30.0, 300.0, 1800.0)
"""When the bank sends a callback: until it is taken."""
Progress = Callable[[float], None]


@dataclass(slots=True)
class Outcome:
    """What one run came to.

    stories: of the orders that findings are about. told: notifications by event. logged: the gateway's log lines.
    """

    seed: int
    hours: float
    trace: str
    steps: int
    orders: int
    done: Counter[str]
    faults: Mapping[Fault, int]
    told: Counter[str]
    findings: list[Finding]
    stories: dict[str, list[str]]
    logged: Counter[str]
    real_s: float = 0.0


@dataclass(slots=True)
class Plan:
    """What is simulated.

    orders_an_hour: how many new ones there are. weights: of the faults. acquirer: how the gateway reaches its bank.
    """

    seed: int
    hours: float
    orders_an_hour: float = 20.0
    weights: Mapping[Fault, float] = field(default_factory=lambda: USUAL)
    acquirer: type[SimulatedAcquirer] = SimulatedAcquirer


class Simulation:
    """Everybody of one run."""

    def __init__(self, plan: Plan, loop: VirtualLoop, server: Server, folder: Path) -> None:
        """Prepare; `run` does the rest."""
        source = random.Random(plan.seed)  # noqa: S311 (a run is to be repeated)
        self._plan = plan
        self.world = World(plan.seed, loop, Faults(source, plan.weights))
        self._server = server
        self.bank = Bank(self.world, self._tell)
        self._servers = ShopServers(self.world)
        self._settings = _settings(server.url, folder)
        size = Size(APIS, source.choice(WORKERS), source.choice(POLLS_S))
        reach = partial(plan.acquirer, self.world, self.bank)
        self.gateway = Gateway(self.world, self._settings, server, reach, self._servers, size)
        self.shops: list[Shop] = []
        self._callbacks: set[asyncio.Task[None]] = set()
        self._answered: dict[str, list[int]] = {}

    async def run(self, progress: Progress) -> list[Finding]:
        """Run the hours, let everything settle, then audit."""
        self.shops = [self._shop(number) for number in range(SHOPS)]
        customers = Customers(self.world, self.bank, self.shops)
        await self.gateway.start()
        trouble = [asyncio.create_task(each) for each in (self.gateway.supervise(), self._strike())]
        living: list[asyncio.Task[None]] = []
        ends_s = self._plan.hours * HOUR_S
        while self.world.loop.time() < ends_s:
            await asyncio.sleep(self.world.random.expovariate(self._plan.orders_an_hour / HOUR_S))
            living.append(asyncio.create_task(customers.live(customers.new_order())))
            progress(min(self.world.loop.time() / ends_s, 1.0))
        await asyncio.wait(living)
        self.world.faults.heal()
        trouble[1].cancel()
        for each in living:
            each.result()
        await self._be_quiet()
        return [finding async for finding in self._judge(customers)]

    def _shop(self, number: int) -> Shop:
        """Add a merchant, each with its own mind about late payments."""
        url = f"https://shop-{number}.example/told"
        settings = MerchantSettings(
            notification_url=url,
            channels=("upi", "pg", "nb"),
            late_success=self.world.random.choice(("keep", "refund")),
            multiple_partial_refunds=True,
            upi_collect_allowed=True,
            seamless=True,
            seamless_cards=True,
            extra_events=("attempt_failed", "expired", "unknown"),
            capture_within_hours=48,
        )
        vault = open_vault(self._settings)
        merchant_id, keys = self._server.run(
            merchants.add(
                self._server.real, vault, name=f"Shop {number}", mode="live", settings=settings, now=self.world.now
            )
        )
        credentials = Credentials(
            merchant_id=str(merchant_id),
            username=keys.username,
            password=keys.password,
            api_secret=keys.secret,
            oauth_client_id=keys.client_id,
            oauth_client_secret=keys.client_secret,
            webhook_keys=keys.webhook_keys,
        )
        shop = Shop(merchant_id, credentials, settings, self.world, self.gateway)
        self._servers.shops[url] = shop
        return shop

    def _tell(self, event_id: str, reference: str) -> None:
        task = asyncio.create_task(self._call_back(event_id, reference))
        self._callbacks.add(task)
        task.add_done_callback(self._callbacks.discard)

    async def _call_back(self, event_id: str, reference: str) -> None:
        """Tell the gateway, again until it takes it; or believe that it was told."""
        faults = self.world.faults
        charge = self.bank.charges.get(reference)
        # Of what it once did not know, nobody asks it any more: it tells until it was heard.
        found_again = charge is not None and charge.forgotten
        if faults.strikes(Fault.CALLBACK_LOST) and not found_again:
            return
        times = 2 if faults.strikes(Fault.CALLBACK_TWICE) else 1
        for wait_s in TELL_S * (FOUND_AGAIN_TIMES if found_again else times):
            await self.world.sleep(0.01, wait_s)
            try:
                reply = await self.gateway.call(CALLBACK, callback_body(event_id, reference), {SIGNATURE: PROOF})
            except NoReplyError:
                continue
            self._answered.setdefault(reference, []).append(reply.status)
            self.world.done[f"callback answered {reply.status}"] += 1
            self.world.note(f"callback {reference} {reply.status}", charge.order if charge else "")
            if reply.status == HTTPStatus.NO_CONTENT and times == 1:
                return

    async def _strike(self) -> None:
        """Kill processes and move their clocks, now and then."""
        kinds = (Fault.KILL_API, Fault.KILL_WORKER, Fault.CLOCK_JUMP)
        rates = [self._plan.weights.get(each, 0.0) for each in kinds]
        while sum(rates):
            await asyncio.sleep(self.world.random.expovariate(sum(rates) / HOUR_S))
            (kind,) = self.world.random.choices(kinds, rates)
            victims = self.gateway.workers if kind is Fault.KILL_WORKER else self.gateway.apis
            if kind is Fault.CLOCK_JUMP:
                victims = [*victims, *self.gateway.workers]
            victim = self.world.random.choice(victims)
            if victim is None or not victim.alive:
                continue
            self.world.faults.counted[kind] += 1
            if kind is Fault.CLOCK_JUMP:
                victim.skew = timedelta(seconds=self.world.between(-SKEW_S, SKEW_S))
                self.world.note(f"clock of {victim.name} is {victim.skew.total_seconds():.1f} s ahead")
            else:
                victim.kill()

    async def _be_quiet(self) -> None:
        for lasts_s, poll_s in QUIET:
            self.gateway.poll_every(poll_s)
            for each in self.gateway.workers:
                if each is not None:
                    each.kill()
            await asyncio.sleep(lasts_s)

    async def _judge(self, customers: Customers) -> AsyncIterator[Finding]:
        for shop in self.shops:
            known: dict[str, Evidence] = {}
            for words in shop.strange:
                yield Finding(words)
            for order in shop.orders.values():
                async for finding in self._judge_order(customers, shop, order, known):
                    yield finding
            for finding in self._judge_balance(shop, known):
                yield finding
        for finding in (*auditor.judge_callbacks(self.bank, self._answered), *self._judge_books()):
            yield finding

    async def _judge_order(
        self, customers: Customers, shop: Shop, order: OrderBook, known: dict[str, Evidence]
    ) -> AsyncIterator[Finding]:
        """Ask about an order for the last time, and judge it. known: where its evidence is kept."""
        asked = len(order.said)
        await customers.verify(shop, order)
        if len(order.said) == asked:
            # An order whose every request was lost is none; one that anybody paid, or heard of, must be known.
            if asked or any(each.order == order.key for each in self.bank.charges.values()):
                yield Finding("the gateway does not know an order that it acknowledged or charged", order.key)
            return
        said = order.said.pop()
        known[order.key] = auditor.evidence(self.bank, order, said, shop.heard, late_refunds=shop.late_refunds)
        for finding in auditor.judge(known[order.key]):
            yield finding
        if order.asked is Asked.SUBSCRIPTION:
            shown = await self._subscription(shop, order)
            for finding in auditor.judge_debits(self.bank, order, shown, shop.heard):
                yield finding

    async def _subscription(self, shop: Shop, order: OrderBook) -> Subscription | None:
        try:
            return await shop.ask(subscriptions.status(shop.calls, order.transaction_id, ""))
        except HundiError:
            return None

    def _judge_balance(self, shop: Shop, known: Mapping[str, Evidence]) -> Iterator[Finding]:
        """Compare what the gateway owes a merchant with what the bank's books come to."""
        found = self._server.run(ledger.balances(self._server.real, shop.number))
        shown = {each.account: each for each in found}
        expected = auditor.expected_payable(known, self.bank)
        for name, paise in (("payable", expected), ("owed_back", 0), ("refunds_in_flight", 0)):
            has = _balance(shown.get(name))
            if has != paise:
                yield Finding(f"merchant {shop.number}: {name} is {has} paise, and has to be {paise}")

    def _judge_books(self) -> Iterator[Finding]:
        acquirer = SimulatedAcquirer(self.world, self.bank, Process(self.world, "auditor"))
        report = self._server.run(books.audit(self._server.real, [acquirer], self.world.now))
        for each in report.checked:
            if each.count:
                yield Finding(f"hundi audit: {each.violation}: {each.count}: {[str(one) for one in each.samples[:2]]}")


def _balance(found: Balance | None) -> int:
    return found.paise if found else 0


def _settings(url: str, folder: Path) -> Settings:
    return load_settings(
        data_dir=folder,
        database_url=url,
        base_url=BASE_URL,
        allow_private_callbacks=True,
        log_level="error",
        # A key file would be read again each second: a million times in the quiet days alone.
        keys=f"simulated:{base64.b64encode(bytes(KEY_BYTES)).decode()}",
    )


@contextmanager
def _driven(loop: VirtualLoop, seed: int) -> Iterator[Callable[[World], None]]:
    """Let the world of a run drive clocks, ids and chance of this process, until it is over."""
    source = random.Random(f"ids of {seed}")  # noqa: S311 (ids are no secrets, and a run is to be repeated)
    state = random.getstate()
    random.seed(seed)
    ids.draw_by(source.randrange)
    try:
        yield lambda world: clock.run_by(world.wall, loop.time)
    finally:
        clock.run_by()
        ids.draw_by()
        random.setstate(state)


@contextmanager
def own_server() -> Iterator[Callable[[str], str]]:
    """Start a database server for simulations alone; yield what makes a database and returns its address."""
    with tempfile.TemporaryDirectory(prefix="hundi-simulation-") as folder:
        Path(folder).chmod(0o755)
        with embedded_postgres.start(Path(folder) / "data", options=FAST) as server:

            def make(name: str) -> str:
                asyncio.run(migrate(server.url(name)))
                return server.url(name)

            yield make


def simulate(plan: Plan, url: str, progress: Progress = lambda _: None) -> Outcome:
    """Run a plan on an empty database with the newest schema, and return what it came to."""
    began = time.monotonic()
    logged: Counter[str] = Counter()
    serious: list[str] = []
    _watch_logs(logged, serious)
    loop, server = VirtualLoop(), Server(url)
    try:
        with tempfile.TemporaryDirectory(prefix="hundi-simulation-") as folder, _driven(loop, plan.seed) as drive:
            simulation = Simulation(plan, loop, server, Path(folder))
            drive(simulation.world)
            try:
                findings = loop.run_until_complete(simulation.run(progress))
            except (SpinningError, StalledError) as problem:
                findings = [Finding(f"the run did not end: {type(problem).__name__}: {problem}")]
            trace = simulation.world.trace
            _bury(loop)
    finally:
        server.close()
        structlog.reset_defaults()
    findings += [Finding(f"the gateway's own fault: {each}") for each in serious]
    return _outcome(plan, simulation, trace, findings, logged, time.monotonic() - began)


def _bury(loop: VirtualLoop) -> None:
    """End whatever still lives, so that nothing of one run is left to the next."""
    left = asyncio.all_tasks(loop)
    for each in left:
        each.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _watch_logs(logged: Counter[str], serious: list[str]) -> None:
    """Count the gateway's log lines instead of printing them; a broken assertion of ours is a finding."""

    def take(_logger: object, level: str, line: Mapping[str, object]) -> Mapping[str, object]:
        logged[f"{level} {line['event']}"] += 1
        problem = line.get("exc_info")
        if isinstance(problem, AssertionError):
            serious.append(f"{line['event']}: {problem}")
        raise structlog.DropEvent

    structlog.configure(processors=[take], cache_logger_on_first_use=False)


def _outcome(  # noqa: PLR0913 (what a run leaves)
    plan: Plan, simulation: Simulation, trace: str, findings: list[Finding], logged: Counter[str], real_s: float
) -> Outcome:
    world = simulation.world
    orders = [each for shop in simulation.shops for each in shop.orders.values()]
    told = Counter(each.event for shop in simulation.shops for each in shop.heard)
    stories = {each.about: world.story(each.about) for each in findings if each.about}
    return Outcome(
        plan.seed,
        plan.hours,
        trace,
        world.steps,
        len(orders),
        world.done,
        world.faults.counted,
        told,
        findings,
        stories,
        logged,
        real_s,
    )
