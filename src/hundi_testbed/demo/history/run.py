"""Makes the weeks before today: the gateway and the bank, with clocks that are moved."""

import random
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

import msgspec

from hundi.api.context import GatewayContext
from hundi.gateway.app import build_with
from hundi.gateway.bootstrap import open_gateway
from hundi.gateway.worker import Carriers, carriers_for, due_loops, schedules
from hundi.infra import demo_past
from hundi.infra.background.due import WorkSpan
from hundi.infra.http.client import HttpAnswer, NoAnswerError
from hundi.infra.http.server import serving
from hundi.infra.settings import SIMULATOR, Settings, with_simulator
from hundi.infra.sockets import listen
from hundi.kernel.clock import INDIA, business_day, ist, set_ahead, utc_now, world_now
from hundi.kernel.ids import first_id
from hundi.letters.mobile.actions import open_http
from hundi.letters.rules import Letter, LetterChannel, SendOutcome, SendVerdict
from hundi.merchants.directory.rules import Merchant
from hundi_testbed.demo.history import store
from hundi_testbed.demo.history.bank import BankClient, open_bank
from hundi_testbed.demo.history.business import BackOffice
from hundi_testbed.demo.history.customers import BadDay, DemoCustomers
from hundi_testbed.demo.merchants import demo_shops

ORDERS_A_DAY = (8, 5)
"""Orders of each merchant on a weekday; fewer on a Sunday, more towards the end."""
_HOURS = (0, 0, 0, 0, 0, 0, 1, 2, 4, 7, 10, 11, 9, 7, 6, 6, 7, 9, 11, 12, 13, 10, 6, 3)
"""The relative number of orders in each hour of the Indian day."""
_SEED = 20_261_123
# Rare events, by the number of days before today.
_DISPUTES: Mapping[int, str] = {26: "contest", 19: "accept", 1: "open"}
_MISTAKES: Mapping[int, str] = {29: "late", 22: "other_fee", 8: "other_amount", 3: "missing"}
_LARGE = (30, 23, 16, 9, 2, 1)
_SUBSCRIPTIONS: Mapping[int, str] = {33: "", 31: "nodebit@hundi", 27: "", 6: ""}
_TROUBLE = (14, 13)
"""The days when customers of one bank could hardly pay."""
_DOWN = 15
"""The day when the merchants' servers were down for an afternoon."""
_LEFT_OPEN = 1
"""The last days before today, with open payouts and reviews."""
_REVIEWS_LEFT = 2
_WORK_EVERY_HOURS = 3
_NO_HISTORY = timedelta(hours=1)
_ENDS_BEFORE = timedelta(minutes=5)
"""Time before the present, so that the last steps are in the past even on a slow machine."""
Progress = Callable[[int, int], None]


class MerchantServers:
    """The merchants' servers: they accept every notification, except on one bad afternoon."""

    def __init__(self) -> None:
        """Start without a failure."""
        self.down = False

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float
    ) -> HttpAnswer:
        """Accept a notification. Raises NoAnswerError."""
        del url, body, headers
        if self.down:
            reason = "timeout"
            raise NoAnswerError(reason, sent=True, latency_ms=int(timeout_s * 1000))
        return HttpAnswer(200, b"OK", 40, {})


class TakenLetters:
    """A mail relay that takes every letter of the past; nobody reads them."""

    async def send(self, letter: Letter) -> SendOutcome:
        """Take a letter."""
        del letter
        return SendOutcome(SendVerdict.TAKEN)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A planned order: its time, and its shop. large: a rule holds it."""

    at: datetime
    shop: int
    large: bool = False


async def make_history(settings: Settings, days: int, progress: Progress) -> int:
    """Fill a demo without payments with so many days before today; return the number of payments.

    progress: called with the finished days, and all days. Where payments exist, nothing is done.
    """
    present = demo_past.present_since() or world_now().replace(microsecond=0)
    first_moment = world_now() - timedelta(days=days)
    behind = world_now() - datetime.combine(business_day(first_moment), time(7), INDIA)
    set_ahead(-behind)
    with listen("127.0.0.1", 0) as for_gateway, listen("127.0.0.1", 0) as for_bank:
        url = f"http://127.0.0.1:{for_gateway.getsockname()[1]}"
        bank_url = f"http://127.0.0.1:{for_bank.getsockname()[1]}"
        # Not a demo's gateway: moving the demo's clock must not move this one.
        own = msgspec.structs.replace(
            settings,
            demo=False,
            base_url=url,
            payment_page_url=url,
            # The phones are at this bank as well, by its slow clock.
            sms_url=settings.sms_url.replace(settings.simbank_url, bank_url),
            whatsapp_url=settings.whatsapp_url.replace(settings.simbank_url, bank_url),
            acquirers=with_simulator(
                settings.acquirers, bank_url, settings.acquirers[SIMULATOR]["key"]
            ),
        )
        async with open_gateway(own) as gateway:
            shops = [each.merchant_id for each in await demo_shops(gateway.directory)]
            # Payments made while it begins are no history.
            if await store.has_past(gateway.db, shops, first_id(world_now() - _NO_HISTORY)):
                return 0
            async with (
                _serving(own, gateway, for_gateway),
                open_bank(url, for_bank, behind) as bank,
                open_http() as providers,
            ):
                carriers = {
                    **carriers_for(gateway, providers),
                    LetterChannel.MAIL: TakenLetters(),
                }
                return await _live(gateway, bank, carriers, (days, present), progress)


@asynccontextmanager
async def _serving(
    settings: Settings, gateway: GatewayContext, listening: socket.socket
) -> AsyncIterator[None]:
    """Serve the gateway's interfaces on a socket, for the bank's callbacks and browsers."""

    @asynccontextmanager
    async def opened(_: Settings) -> AsyncIterator[GatewayContext]:
        yield gateway

    async with serving(build_with(settings, opened), listening):
        yield


async def _live(
    gateway: GatewayContext,
    bank: BankClient,
    carriers: Carriers,
    span: tuple[int, datetime],
    progress: Progress,
) -> int:
    days, present = span
    source = random.Random(_SEED)  # noqa: S311 (a demo looks the same on every machine)
    shops = await demo_shops(gateway.directory)
    servers = MerchantServers()
    loops = due_loops(gateway, servers, carriers, WorkSpan(before=present))
    business = BackOffice(gateway, bank, source, shops, loops, schedules(gateway))
    first = business_day(utc_now())
    trouble = [BadDay("SBIN", first + timedelta(days=days - ago)) for ago in _TROUBLE]
    customers = DemoCustomers(gateway, bank, source, trouble)
    history = _History(bank, source, shops, business, customers, servers, (first, days, present))
    await business.agree()
    for number in range(days + 1):
        await history.live(number)
        progress(number + 1, days + 1)
    await history.end()
    await business.work()
    await business.night()
    return history.orders


class _History:
    """The days, one after the other."""

    def __init__(
        self,
        bank: BankClient,
        source: random.Random,
        shops: list[Merchant],
        business: BackOffice,
        customers: DemoCustomers,
        servers: MerchantServers,
        span: tuple[date, int, datetime],
    ) -> None:
        self._bank = bank
        self._random = source
        self._shops = shops
        self._business = business
        self._customers = customers
        self._servers = servers
        self._first, self._days, present = span
        self._ends_at = present - _ENDS_BEFORE
        self.orders = 0

    async def live(self, number: int) -> None:
        """Live through one day, the last one up to now."""
        day, ago = self._first + timedelta(days=number), self._days - number
        if number:
            if not await self._go(_at(day, 1)):
                return
            await self._business.work()
            await self._business.night()
        is_open, worked_at = False, 0
        for plan in self._plans(number, day):
            if not is_open and plan.at >= _at(day, 10):
                is_open = True
                if not await self._open(number, ago, day):
                    return
            if not await self._go(plan.at):
                return
            hour = ist(plan.at).hour
            if hour >= worked_at + _WORK_EVERY_HOURS:
                worked_at = hour
                self._servers.down = ago == _DOWN and 12 <= hour < 17  # noqa: PLR2004 (hours of an afternoon)
                await self._business.refund_due()
                await self._business.work()
            await self._order(plan, day)
        if ago in _MISTAKES:
            await self._business.spoil(day, _MISTAKES[ago])

    async def end(self) -> None:
        """Move both clocks to the end of the past."""
        await self._go(self._ends_at)

    async def _open(self, number: int, ago: int, day: date) -> bool:
        """Do the morning's work; False where the morning is still to come."""
        if not await self._go(_at(day, 9, 30)):
            return False
        if number:
            await self._business.morning(day, release=ago >= _LEFT_OPEN)
        await self._notable(ago, day)
        return True

    async def _order(self, plan: _Plan, day: date) -> None:
        merchant = self._shops[plan.shop]
        view = await self._customers.buy(merchant, plan.shop, day, large=plan.large)
        await self._business.after(merchant, view, self._customers)
        self.orders += 1

    async def _notable(self, ago: int, day: date) -> None:
        """Make the day's rare events."""
        if ago in _DISPUTES:
            await self._business.dispute(_DISPUTES[ago])
        if ago in _SUBSCRIPTIONS:
            first_debit = day + timedelta(days=2)
            await self._customers.subscribe(self._shops[0], 0, first_debit, _SUBSCRIPTIONS[ago])
        await self._business.review(leave=_REVIEWS_LEFT if ago <= _LEFT_OPEN + 1 else 0)

    def _plans(self, number: int, day: date) -> list[_Plan]:
        weekday = 0.6 if day.weekday() == 6 else 1.25 if day.weekday() == 5 else 1.0  # noqa: PLR2004 (Sunday, Saturday)
        growth = 0.8 + 0.5 * number / self._days
        plans = [_Plan(_at(day, 11, 20), 1, large=True)] if self._days - number in _LARGE else []
        for shop, usual in enumerate(ORDERS_A_DAY):
            for _ in range(
                max(1, round(usual * weekday * growth * self._random.uniform(0.75, 1.25)))
            ):
                (hour,) = self._random.choices(range(24), _HOURS)
                at = _at(day, hour, self._random.randrange(60)) + timedelta(
                    seconds=self._random.randrange(60)
                )
                plans.append(_Plan(at, shop))
        return sorted(plans, key=lambda each: each.at)

    async def _go(self, to: datetime) -> bool:
        """Move both clocks to a time; return False, and do nothing, for a present time."""
        if to > self._ends_at:
            return False
        if to > utc_now():
            ahead = to - world_now()
            set_ahead(ahead)
            await self._bank.jump(ahead)
        return True


def _at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), INDIA)
