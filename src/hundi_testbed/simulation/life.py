"""The parts of one run: the gateway, its bank, merchants, customers, and their time."""

import asyncio
import base64
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from hundi.infra.secrets.vault import open_vault
from hundi.infra.settings import Settings, load_settings
from hundi.kernel.events import Kind
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import MerchantSettings
from hundi.sdk import Credentials
from hundi.staff.trail.actions import at_command_line, recording_merchant
from hundi_testbed.simulation import agreements, auditor
from hundi_testbed.simulation.acquirer import SimulatedAcquirer
from hundi_testbed.simulation.auditor import AuditFinding
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_calls import BankCalls
from hundi_testbed.simulation.customers import SimulatedCustomers
from hundi_testbed.simulation.disputants import Disputants, days_of
from hundi_testbed.simulation.faults import SLOW, USUAL, Fault, Faults
from hundi_testbed.simulation.gateway import SimulatedGateway, Size
from hundi_testbed.simulation.operators import Operators
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.shops import BASE_URL, ShopServers, SimulatedShop
from hundi_testbed.simulation.verdict import Verdict
from hundi_testbed.simulation.virtual_time import VirtualLoop
from hundi_testbed.simulation.world import World

SHOPS = 3
APIS = 2
KEY_BYTES = 32
WORKERS = (1, 2)
"""The number of workers: a seed chooses."""
HOUR_S, DAY_S = 3600.0, 86_400.0
POLLS_S = (15.0, 60.0, 180.0)
"""The workers' poll times: a seed chooses one."""
SLOW_POLL_S = 2 * HOUR_S
SKEW_S = 45.0
"""The largest jump of a process's clock."""
QUIET = ((HOUR_S, 60.0), (13 * DAY_S, 2 * SLOW_POLL_S))
"""The quiet time: its length, and the workers' poll time.

Banks and merchants answer, and everything may settle.
"""
Progress = Callable[[float], None]


@dataclass(slots=True)
class SimulationPlan:
    """A plan of a simulation.

    orders_an_hour: number of new ones. days: how long money is then settled, paid out and disputed
    under faults. weights: of the faults. acquirer: the gateway's connector. bank: the bank's class.
    bend: called before the audit. heard: called with each line of the trace.
    """

    seed: int
    hours: float
    orders_an_hour: float = 20.0
    weights: Mapping[Fault, float] = field(default_factory=lambda: USUAL)
    acquirer: type[SimulatedAcquirer] = SimulatedAcquirer
    bank: type[SimulatedBank] = SimulatedBank
    bend: Callable[[Server], None] = lambda _: None
    days: float = 4.0
    heard: Callable[[str], None] = lambda _: None


class Simulation:
    """All parts of one run."""

    def __init__(
        self, plan: SimulationPlan, loop: VirtualLoop, server: Server, folder: Path
    ) -> None:
        """Prepare; `run` does the rest."""
        source = random.Random(plan.seed)  # noqa: S311 (a run is to be repeated)
        self._plan = plan
        self.world = World(plan.seed, loop, Faults(source, plan.weights), plan.heard)
        self._server = server
        self._calls = BankCalls(self.world)
        self.bank = plan.bank(self.world, self._calls.tell, folder)
        self._servers = ShopServers(self.world)
        self._settings = _settings(server.url, folder)
        size = Size(APIS, source.choice(WORKERS), source.choice(POLLS_S))
        reach = partial(plan.acquirer, self.world, self.bank)
        self.gateway = SimulatedGateway(
            self.world, self._settings, server, reach, self._servers, size
        )
        self._calls.connect(self.bank, self.gateway)
        self.shops: list[SimulatedShop] = []

    async def run(self, progress: Progress) -> list[AuditFinding]:
        """Run the hours and the days after them, let everything settle, then audit."""
        self.shops = [self._shop(number) for number in range(SHOPS)]
        customers = SimulatedCustomers(self.world, self.bank, self.shops)
        operators = Operators(self.world, self.bank, self.gateway, self.shops)
        operators.agree(self._server, open_vault(self._settings))
        await self.gateway.start()
        disputants = Disputants(self.world, self.bank, self.shops, customers)
        others = (
            self.gateway.supervise(),
            days_of(self.world, self.bank),
            operators.work(),
            disputants.live(),
        )
        working = [asyncio.create_task(each) for each in others]
        trouble = asyncio.create_task(self._strike(self._plan.weights))
        await self._serve(customers, progress)
        trouble.cancel()
        trouble = asyncio.create_task(self._strike(self._be_slow()))
        await self._pass(self._plan.days * DAY_S, SLOW_POLL_S)
        trouble.cancel()
        self.world.faults.heal()
        for lasts_s, poll_s in QUIET:
            await self._pass(lasts_s, poll_s)
        for each in working:
            if each.done():
                each.result()
        verdict = Verdict(self.world, self.bank, self._server, customers)
        self._plan.bend(self._server)
        findings = [AuditFinding(each) for each in operators.strange]
        findings += [finding async for finding in verdict.of(self.shops)]
        return findings + list(auditor.judge_callbacks(self.bank, self._calls.answered))

    async def _serve(self, customers: SimulatedCustomers, progress: Progress) -> None:
        """Create customers for so many hours, and wait until the last one has gone."""
        living: list[asyncio.Task[None]] = []
        ends_s = self._plan.hours * HOUR_S
        while self.world.loop.time() < ends_s:
            await asyncio.sleep(self.world.random.expovariate(self._plan.orders_an_hour / HOUR_S))
            living.append(asyncio.create_task(customers.live(customers.new_order())))
            progress(min(self.world.loop.time() / ends_s, 1.0))
        await asyncio.wait(living)
        for each in living:
            each.result()

    def _be_slow(self) -> Mapping[Fault, float]:
        """Stretch faults over days instead of hours; return their new weights."""
        weights = {each: SLOW.get(each, weight) for each, weight in self._plan.weights.items()}
        self.world.faults.weights = weights
        return weights

    def _shop(self, number: int) -> SimulatedShop:
        """Add a merchant, with its own setting for late payments."""
        agreement = agreements.draw(self.world.random)
        url = f"https://shop-{number}.example/told"
        settings = MerchantSettings(
            notification_url=url,
            channels=("upi", "pg", "nb"),
            late_success=self.world.random.choice(("keep", "refund")),
            multiple_partial_refunds=True,
            upi_collect_allowed=True,
            seamless=True,
            seamless_cards=True,
            events=tuple(Kind),
            capture_within_hours=48,
            dispute_fee_paise=agreement.dispute_fee_paise,
        )
        vault = open_vault(self._settings)
        merchant_id, keys = self._server.run(
            merchants.add(
                self._server.real,
                vault,
                name=f"Shop {number}",
                mode="live",
                settings=settings,
                now=self.world.now,
                beside=recording_merchant(
                    at_command_line("simulation", vault), "merchant.add", self.world.now
                ),
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
        shop = SimulatedShop(
            merchant_id, credentials, settings, agreement, self.world, self.gateway
        )
        self._servers.shops[url] = shop
        return shop

    async def _strike(self, weights: Mapping[Fault, float]) -> None:
        """Kill processes and move their clocks, now and then."""
        kinds = (Fault.KILL_API, Fault.KILL_WORKER, Fault.CLOCK_JUMP)
        rates = [weights.get(each, 0.0) for each in kinds]
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
                self.world.note(
                    f"clock of {victim.name} is {victim.skew.total_seconds():.1f} s ahead"
                )
            else:
                victim.kill()

    async def _pass(self, lasts_s: float, poll_s: float) -> None:
        """Let time pass, with this poll time."""
        self.gateway.poll_every(poll_s)
        for each in self.gateway.workers:
            if each is not None:
                each.kill()
        await asyncio.sleep(lasts_s)


def _settings(url: str, folder: Path) -> Settings:
    return load_settings(
        # A run has its seed's settings, whatever the operator's environment says.
        {},
        data_dir=folder,
        database_url=url,
        base_url=BASE_URL,
        allow_private_callbacks=True,
        log_level="error",
        # A key file would be read again each second: a million times in the quiet days alone.
        keys=f"simulated:{base64.b64encode(bytes(KEY_BYTES)).decode()}",
    )
