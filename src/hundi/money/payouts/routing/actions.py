"""The actions of payouts' routing: choose providers by the plan in force, publish a plan."""

import math
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

import structlog

from hundi.acquirers.plans.document import RoutingFault, RoutingFaultCode
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.payouts import PaysOut, RailTerms
from hundi.acquirers.registry import Member, Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day, ticks_s
from hundi.kernel.ids import first_id
from hundi.kernel.masking import masked
from hundi.money.calendar.rules import NATIONAL, Calendar
from hundi.money.calendar.store import calendar_of
from hundi.money.payouts.routing import rules, store
from hundi.money.payouts.routing.document import read
from hundi.money.payouts.routing.replay import rules as replay
from hundi.money.payouts.routing.replay.rules import PayoutReplay
from hundi.money.payouts.routing.rules import NO_PLAN, PayoutCase, PayoutPlan, PayoutProvider
from hundi.money.payouts.rules import PayoutTry, PayoutWay
from hundi.staff.people.rules import OPERATOR
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

KEPT_S = 5.0
"""Seconds for which a worker keeps the plan and the calendar that it read."""
TRIED = 200
"""Payouts that a trial of a plan tries, each with a number of its own."""
PAST_AT_ONCE = 200
"""Past payouts between two pauses in which the process answers others."""
_Paying = tuple[Connector, tuple[RailTerms, ...], Collection[int]]
"""A connector that pays out, what its rails carry, and whose it is."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PayoutRoute:
    """The ways of a payout, in the order of trying. why: why there is none, for people."""

    ways: tuple[PayoutWay, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class PayoutTrial:
    """What a plan does with payouts of an amount.

    rule: the name of the rule that decides, "" for the configured order. ways: in the order of
    trying, each with how many of TRIED payouts take them. why: why there is none, for people.
    """

    rule: str
    ways: tuple[tuple[tuple[PayoutWay, ...], int], ...]
    why: str = ""


class PayoutRouter:
    """Choose providers by the plan in force, one for each worker."""

    def __init__(self) -> None:
        """Begin without a plan; the first payout reads it."""
        self._read_at = -math.inf
        self._plan = NO_PLAN
        self._calendar = Calendar(NATIONAL)
        self._members: tuple[Member, ...] = ()
        self._paying: tuple[_Paying, ...] = ()

    async def route(
        self, db: Database, connectors: Registry, payout: PayoutTry, now: datetime
    ) -> PayoutRoute:
        """Return the ways of a payout, or why there is none."""
        if ticks_s() - self._read_at > KEPT_S:
            self._plan, self._calendar = await live(db), await calendar_of(db)
            self._read_at = ticks_s()
        case = PayoutCase(
            payout.merchant_id,
            payout.payout_id,
            payout.amount_paise,
            now,
            self._calendar.is_working(business_day(now)),
        )
        providers = self._providers(connectors)
        if ways := rules.decide(self._plan, case, providers):
            return PayoutRoute(ways)
        return PayoutRoute((), rules.why_none(self._plan, case, providers))

    def _providers(self, connectors: Registry) -> tuple[PayoutProvider, ...]:
        """Return the connectors that take new payouts, in the configured order.

        What each can do is asked once: checks of capabilities are slow.
        """
        if connectors.members is not self._members:
            self._members = connectors.members
            self._paying = _paying(connectors)
        return _providers(self._paying)


def _paying(connectors: Registry) -> tuple[_Paying, ...]:
    return tuple(
        (member.connector, rails_of(member.connector), member.merchants)
        for member in paying(connectors)
    )


def _providers(members: tuple[_Paying, ...]) -> tuple[PayoutProvider, ...]:
    return tuple(
        PayoutProvider(one.name, rails, one.reachable(), merchants)
        for one, rails, merchants in members
    )


def providers_of(connectors: Registry) -> tuple[PayoutProvider, ...]:
    """Return the connectors that take new payouts, as routing finds them now."""
    return _providers(_paying(connectors))


async def try_plan(
    db: Database,
    providers: Sequence[PayoutProvider],
    plan: PayoutPlan,
    paise: int,
    merchant_id: int,
    at: datetime,
) -> PayoutTrial:
    """Return which ways payouts of an amount would take at a time, by a plan. Nothing is sent.

    Shares of a rule are drawn by the payout, so that many are tried.
    """
    working_day = (await calendar_of(db)).is_working(business_day(at))
    cases = [PayoutCase(merchant_id, each, paise, at, working_day) for each in range(TRIED)]
    ways = Counter(rules.decide(plan, each, providers) for each in cases)
    rule = rules.deciding(plan, cases[0], providers)
    return PayoutTrial(
        rule.name if rule else "",
        tuple((each, number) for each, number in ways.most_common() if each),
        "" if any(ways) else rules.why_none(plan, cases[0], providers),
    )


async def try_on_past(
    db: Database,
    providers: Sequence[PayoutProvider],
    plan: PayoutPlan,
    merchant_ids: Sequence[int],
    since: datetime,
) -> AsyncIterator[PayoutReplay]:
    """Yield what a plan would have done with past payouts, after each batch; nothing changes."""
    calendar, done = await calendar_of(db), PayoutReplay()
    for merchant_id in merchant_ids:
        after = first_id(since) - 1
        while rows := await store.select_past(db, merchant_id, after, PAST_AT_ONCE):
            for row in rows:
                at = row["sent_at"]
                case = PayoutCase(
                    merchant_id,
                    row["payout_id"],
                    row["amount_paise"],
                    at,
                    calendar.is_working(business_day(at)),
                )
                replay.add(done, plan, case, PayoutWay(row["provider"], row["rail"]), providers)
            after = rows[-1]["payout_id"]
            yield done
        done.merchants += 1
        yield done


def rails_of(connector: Connector) -> tuple[RailTerms, ...]:
    """Return what the rails of a connector carry, () for one that pays nothing out."""
    return connector.payout_rails if isinstance(connector, PaysOut) else ()


def paying(connectors: Registry) -> tuple[Member, ...]:
    """Return the connectors that take new payouts, of every merchant or of their own."""
    return tuple(
        member
        for member in connectors.members
        if member.takes_new and isinstance(member.connector, PaysOut)
    )


async def live(db: Database) -> PayoutPlan:
    """Return the plan in force; one without rules if none is published.

    One that cannot be read says so: no payout leaves by it, because a payout that waits can be sent
    later, and one that left by the wrong provider cannot be called back.
    """
    row = await store.select_live(db)
    if row is None:
        return NO_PLAN
    plan = read(row["document"], version=row["version"])
    if not isinstance(plan, PayoutPlan):
        fault = ": ".join(filter(None, (plan[0].place, plan[0].words)))
        _log.error("payout_plan_not_read", version=row["version"], fault=fault)
        return PayoutPlan(version=row["version"], fault=fault)
    return plan


async def publish(
    db: Database,
    document: str,
    carried: Mapping[str, Sequence[RailTerms]],
    who: Who,
    now: datetime,
    seen: int | None = None,
) -> int | tuple[RoutingFault, ...]:
    """Put a plan into force and return its version, or all its faults.

    carried: what the rails of each acquirer that pays out carry; a plan names no other. seen: the
    version in force when the plan was written, 0 for none, None for any; if another was published
    meanwhile, that is a fault.
    """
    document = masked(document)  # stored with its comments
    plan = read(document, carried)
    if not isinstance(plan, PayoutPlan):
        return plan
    async with db.transaction() as conn:
        newest = await store.lock_live(conn)
        in_force = newest["version"] if newest else 0
        if newest and seen not in {None, in_force}:
            words = f"version {in_force} was published by {newest['published_by']} meanwhile"
            return (RoutingFault(RoutingFaultCode.PUBLISHED_MEANWHILE, "", "", words),)
        version = in_force + 1
        await store.insert(conn, version, document, who.name, now)
        details = {"rules": len(plan.rules), "sha256": sha256(document.encode()).hexdigest()}
        await trail.record(conn, OPERATOR, who, "payout.plan", version, now, **details)
    return version
