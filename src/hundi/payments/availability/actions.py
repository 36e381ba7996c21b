"""The actions of availability: list a merchant's methods and banks with their health."""

import asyncio
import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain

import structlog
from asyncpg import PostgresError

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.instalments import (
    ChargesInstalments,
    HostsInstalments,
    InstalmentPlan,
    OffersInstalments,
)
from hundi.acquirers.port.payments import BankEntry, Connector, SendsToBanks
from hundi.acquirers.registry import ANYBODY, Registry, Way
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.instruments import limits
from hundi.instruments.bank_names import name_of
from hundi.instruments.methods import CHANNELS, EMI, EMI_PAGE, Channel, Method
from hundi.kernel.clock import ticks_s
from hundi.kernel.ids import reference
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.rules import Merchant
from hundi.payments.availability import rules, store
from hundi.payments.availability.rules import NO_EMI_CHOICE, EmiChoice, MethodLine
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.channels.rules import emi_way
from hundi.payments.orders.rules import Payment
from hundi.payments.routing.actions import able
from hundi.payments.routing.health.rules import LOOKED_BACK, NOBODYS_FAULT, Health, Outcomes
from hundi.payments.routing.health.rules import health as health_of
from hundi.payments.routing.rules import RoutingCase

HEALTH_KEPT_S = 10.0
"""Seconds for which one process keeps what it read of the banks' health.

See docs/spec/payment-interfaces.md#limits.
"""
PROBE_S_MAX = 1.0
"""Seconds for which a list of banks waits for an acquirer that did not answer before."""
NO_PAYMENT = reference(1, 10**14)
"""A reference of no merchant's attempt."""
_log = structlog.get_logger(__name__)


class BankHealth:
    """The banks' health by their latest attempts.

    Shared within the process, and read again when old.
    """

    def __init__(self, db: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._db = db
        self._read_at = -math.inf
        self._outcomes: dict[tuple[str, str], Outcomes] = {}

    async def outcomes(self, now: datetime) -> dict[tuple[str, str], Outcomes]:
        """Return the outcomes by method and bank, read again when they are old."""
        if ticks_s() - self._read_at > HEALTH_KEPT_S:
            # Set first, so that one request reads and the others use the old values.
            self._read_at = ticks_s()
            try:
                since, troubles = now - LOOKED_BACK, sorted(NOBODYS_FAULT)
                self._outcomes = await store.outcomes(self._db, since, troubles)
            except (PostgresError, *UNREACHABLE) as error:
                # The list is useful without it, and old health is better than none.
                _log.warning("health_not_read", error=type(error).__name__)
        return self._outcomes

    async def troubles(self, now: datetime) -> dict[tuple[str, str], Health]:
        """Return the banks that are degraded or down, by method and code."""
        healths = ((key, health_of(each)) for key, each in (await self.outcomes(now)).items())
        return {key: health for key, health in healths if health is not Health.UP}


def enabled(context: PaymentContext, merchant: Merchant) -> tuple[str, ...]:
    """Return the channels a merchant has and some connector serves, in the merchant's order."""
    served = merchant.settings.channels
    return tuple(
        each for each in served if _ways(context, CHANNELS[each].first_steps, merchant.merchant_id)
    )


def _ways(context: PaymentContext, among: Collection[Method], merchant_id: int) -> tuple[Way, ...]:
    return able(context.connectors, RoutingCase(merchant_id), among)


async def listed(
    context: PaymentContext,
    bank_health: BankHealth,
    merchant: Merchant,
    channels: tuple[str, ...],
    now: datetime,
) -> tuple[MethodLine, ...]:
    """Return every bank of every channel, in the merchant's order.

    channels: only these; empty: all.

    A channel without banks is one line. Raises Refused: CHANNEL_NOT_ENABLED, NO_CHANNEL_SERVED.
    """
    own = enabled(context, merchant)
    codes = [code for code in own if not channels or code in channels]
    if not codes:
        received = "_".join(channels)
        allowed = "_".join(own) or "none: no acquirer is connected"
        code = RefusalCode.CHANNEL_NOT_ENABLED if own else RefusalCode.NO_CHANNEL_SERVED
        raise refuse(code, field="chmod", received=received, allowed=allowed)
    return await lines_of(context, bank_health, codes, merchant, now)


async def lines_of(
    context: PaymentContext,
    bank_health: BankHealth,
    codes: Sequence[str],
    merchant: Merchant | None,
    now: datetime,
) -> tuple[MethodLine, ...]:
    """Return every bank of some channels.

    merchant: whose limits apply, or None for what all acquirers offer.
    """
    health = await bank_health.outcomes(now)
    lines = await asyncio.gather(
        *(_of_channel(context, CHANNELS[code], merchant, health) for code in codes)
    )
    return tuple(chain.from_iterable(lines))


async def _of_channel(
    context: PaymentContext,
    channel: Channel,
    merchant: Merchant | None,
    outcomes: dict[tuple[str, str], Outcomes],
) -> list[MethodLine]:
    merchant_id, mcc = (merchant.merchant_id, merchant.settings.mcc) if merchant else (ANYBODY, "")
    ways = _ways(context, channel.first_steps, merchant_id)
    reached = Health.UP if await _answers(context, ways) else Health.DOWN
    first = ways[0] if ways else None
    method = first.method if first else channel.method
    if channel is EMI:
        plans = await _plans(first)
        lowest: dict[str, int] = {}
        for plan in plans:
            lowest[plan.bank_code] = min(
                plan.minimum_paise, lowest.get(plan.bank_code, plan.minimum_paise)
            )
        banks = [(code, name_of(code) or code, minimum) for code, minimum in lowest.items()]
    else:
        banks = [
            (each.code, each.name, rules.SMALLEST_PAISE)
            for each in await entries(context, channel.method, merchant_id)
        ]
    if not banks:
        least = limits.minimum(channel.code) or _least_at_page(first) or rules.SMALLEST_PAISE
        most = limits.maximum(channel.code, mcc)
        return [MethodLine(channel, health=reached, minimum_paise=least, maximum_paise=most)]
    return [
        MethodLine(
            channel,
            code,
            name,
            reached if reached is Health.DOWN else health_of(outcomes.get((method.name, code))),
            minimum,
        )
        for code, name, minimum in banks
    ]


async def _answers(context: PaymentContext, ways: Sequence[Way]) -> bool:
    """Return whether one of the acquirers answers."""
    for connector in dict.fromkeys(way.connector for way in ways):
        if await is_answering(context.connectors, connector):
            return True
    return False


async def is_answering(connectors: Registry, connector: Connector) -> bool:
    """Return whether an acquirer answers.

    One that failed gets an inquiry about a payment that does not exist, as soon as its breaker lets
    a call through: nobody else may find out that it is back.
    """
    if not connectors.answers(connector.name) and connector.reachable():
        with suppress(TimeoutError):
            async with asyncio.timeout(PROBE_S_MAX):
                await connector.inquire(NO_PAYMENT)
    return connectors.answers(connector.name)


async def entries(
    context: PaymentContext, method: Method, merchant_id: int
) -> tuple[BankEntry, ...]:
    """Return the banks or wallets that a merchant's customers can be sent to.

    Each appears once, whichever acquirer has it, with the public data set's name.
    """
    connectors = (way.connector for way in _ways(context, (method,), merchant_id))
    # Concurrently: slow acquirers cost their wait once.
    lists = await asyncio.gather(
        *(each.banks() for each in connectors if isinstance(each, SendsToBanks))
    )
    by_code: dict[str, BankEntry] = {}
    for each in chain.from_iterable(() if isinstance(banks, Unknown) else banks for banks in lists):
        if each.method == method.name and each.code not in by_code:
            by_code[each.code] = BankEntry(each.method, each.code, name_of(each.code) or each.name)
    return tuple(by_code.values())


async def _plans(way: Way | None) -> tuple[InstalmentPlan, ...]:
    """Return the instalment plans of a way; () where customers choose them at its page."""
    if (
        way is None
        or not isinstance(way.connector, OffersInstalments | ChargesInstalments)
        or way.method is EMI_PAGE
    ):
        return ()
    plans = await way.connector.plans()
    return () if isinstance(plans, Unknown) else plans


def _least_at_page(way: Way | None) -> int:
    """Return the smallest amount that an acquirer's own page takes in instalments, in paise.

    0 for any other way.
    """
    if way is None or way.method is not EMI_PAGE or not isinstance(way.connector, HostsInstalments):
        return 0
    return way.connector.instalments_from_paise


async def emi_choice(context: PaymentContext, payment: Payment) -> EmiChoice:
    """Return the instalments of an order at its first acquirer that offers any."""
    if EMI.code not in payment.channels:
        return NO_EMI_CHOICE
    way, paise = emi_way(context.connectors, payment), payment.amount.paise
    elsewhere = 0 < _least_at_page(way) <= paise
    plans = (
        rules.emi_plan(plan, name_of(plan.bank_code) or plan.bank_code, payment.amount)
        for plan in await _plans(way)
        if paise >= plan.minimum_paise and payment.emi_months in {0, plan.months}
    )
    return EmiChoice(tuple(plans), elsewhere)
