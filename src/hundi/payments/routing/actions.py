"""The actions of routing: choose acquirers, publish a plan, try one on the past."""

import math
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from asyncpg import PostgresError

from hundi.acquirers.registry import Registry, Way
from hundi.infra.postgres.database import UNREACHABLE, Database
from hundi.infra.postgres.row_cache import RowCache
from hundi.instruments.methods import Method
from hundi.kernel.clock import ticks_s
from hundi.kernel.ids import first_id
from hundi.kernel.masking import masked
from hundi.payments.routing import rules, store
from hundi.payments.routing.document import RoutingFault, RoutingFaultCode, read
from hundi.payments.routing.health import rules as health
from hundi.payments.routing.health.rules import ANY_BANK, NOBODYS_FAULT, Health, Outcomes
from hundi.payments.routing.needs import rules as needs
from hundi.payments.routing.replay.rules import PastAttempt, Replay, add
from hundi.payments.routing.rules import (
    NO_PLAN,
    AcquirerStanding,
    AttemptRoute,
    RoutingCase,
    RoutingPlan,
)
from hundi.staff.trail import actions as trail
from hundi.staff.trail.actions import Who

CHANGED_CHANNEL = "hundi_routing_plans"
"""NOTIFY channel: another plan is in force."""
LOOKED_BACK = timedelta(minutes=5)
"""The age of attempts that show an acquirer's health.

A recovered acquirer is soon used again.
"""
LOOKED_AT_MAX = 20_000
"""The most attempts of that time that are read, latest first."""
HEALTH_KEPT_S = 5.0
"""Seconds for which one process keeps what it read of the acquirers' health."""
MERCHANTS_MAX = 2_000
"""The most merchants whose latest attempts are all counted.

With more, only attempts for which an acquirer was chosen are: an index finds those by their time.
"""
_ROWS_AT_ONCE = 2_000
NOUN = "routing"
"""The noun of entries about plans in the trail."""
OPERATOR = 0
"""The owner of the trail that has these entries."""
_ONE_PLAN = 0
NOBODY_CANNOT: Mapping[str, str] = {}
_log = structlog.get_logger(__name__)


def able(connectors: Registry, case: RoutingCase, among: Collection[Method]) -> tuple[Way, ...]:
    """Return every way that can take an attempt by any of some methods, in the configured order."""
    return needs.able(connectors.ways(among, case.merchant_id), case.needs)


class Router:
    """Choose acquirers by the plan in force, which each process caches, and by their health.

    Without a database there is no plan: the configured order applies.
    """

    def __init__(self, db: Database | None = None) -> None:
        """Keep the dependencies; call `start` before the first request."""
        self._db = db
        self._known = (
            RowCache[int, RoutingPlan](db, CHANGED_CHANNEL, self._load, lambda _: _ONE_PLAN)
            if db
            else None
        )
        self._read_at = -math.inf
        self._outcomes: Mapping[health.Key, Outcomes] = {}

    async def start(self) -> None:
        """Listen for plans that other processes publish."""
        if self._known is not None:
            await self._known.start()

    async def _load(self, _: int) -> RoutingPlan:
        assert self._db is not None, "there is a cache of it"
        return await live(self._db)

    async def route(
        self,
        connectors: Registry,
        case: RoutingCase,
        among: Collection[Method],
        cannot: Mapping[str, str] = NOBODY_CANNOT,
    ) -> AttemptRoute:
        """Return the ways to make an attempt by any of some methods, in the order of trying.

        cannot: by acquirer, a reason of the caller's why it cannot take the attempt.
        """
        ways = tuple(
            each for each in able(connectors, case, among) if each.connector.name not in cannot
        )
        if len(ways) < 2:  # noqa: PLR2004 (nothing to choose)
            return AttemptRoute(ways)
        plan = (await self._known.get(_ONE_PLAN) if self._known else None) or NO_PLAN
        outcomes = await self._health(case.at) if plan.rules and case.at else {}
        standings = {
            way.connector.name: standing
            for way in ways
            if (standing := _standing(way, case.bank, outcomes))
        }

        def why_not(name: str) -> str:
            there = (
                way
                for way in connectors.ways(among, case.merchant_id)
                if way.connector.name == name
            )
            standing = next((needs.lacks(way, case.needs) for way in there), "")
            disabled = any(
                each.connector.name == name and not each.takes_new for each in connectors.members
            )
            return (
                cannot.get(name)
                or standing
                or (rules.TAKES_NOTHING_NEW if disabled else rules.NOT_FOR_THIS)
            )

        return rules.decide(plan, case, ways, standings, why_not)

    async def _health(self, now: datetime) -> Mapping[health.Key, Outcomes]:
        if self._db is not None and ticks_s() - self._read_at > HEALTH_KEPT_S:
            # Set first, so that one request reads and the others use the old values.
            self._read_at = ticks_s()
            try:
                troubles = sorted(NOBODYS_FAULT)
                outcomes = await store.outcomes(
                    self._db, now - LOOKED_BACK, troubles, LOOKED_AT_MAX
                )
                self._outcomes = health.with_totals(outcomes)
            except (PostgresError, *UNREACHABLE) as error:
                # Routing works without it, and old health is better than none.
                _log.warning("acquirer_health_not_read", error=type(error).__name__)
        return self._outcomes


async def outcomes_of_methods(db: Database, now: datetime) -> Mapping[tuple[str, str], Outcomes]:
    """Return the outcomes of the latest attempts by acquirer and method, of all merchants."""
    since, troubles = now - LOOKED_BACK, sorted(NOBODYS_FAULT)
    merchants = await store.select_merchants(db, MERCHANTS_MAX + 1)
    if len(merchants) <= MERCHANTS_MAX:
        return await store.outcomes_of(db, merchants, troubles, first_id(since))
    totals = health.with_totals(await store.outcomes(db, since, troubles, LOOKED_AT_MAX))
    return {
        (name, method): each for (name, method, bank), each in totals.items() if bank == ANY_BANK
    }


def _standing(
    way: Way, bank: str, outcomes: Mapping[health.Key, Outcomes]
) -> AcquirerStanding | None:
    """Return an acquirer's trouble, None for none."""
    if not way.connector.reachable():
        return rules.UNREACHABLE
    outcome = health.worst(outcomes, way.connector.name, way.method.name, bank)
    state = health.health(outcome)
    if outcome is None or state is Health.UP:
        return None
    return AcquirerStanding(health=state, why=outcome.words)


async def live(db: Database) -> RoutingPlan:
    """Return the plan in force; one without rules if none is published or it cannot be read."""
    row = await store.select_live(db)
    if row is None:
        return NO_PLAN
    plan = read(row["document"], version=row["version"])
    if not isinstance(plan, RoutingPlan):
        # An older release allowed what this one does not: payments go on in the configured order.
        _log.error("routing_plan_not_read", version=row["version"], fault=str(plan[0]))
        return NO_PLAN
    return plan


async def publish(
    db: Database,
    document: str,
    acquirers: Collection[str],
    who: Who,
    now: datetime,
    seen: int | None = None,
) -> int | tuple[RoutingFault, ...]:
    """Put a plan into force and return its version, or all its faults.

    acquirers: the names of all. seen: the version in force when the plan was written, 0 for none,
    None for any; if another was published meanwhile, that is a fault.
    """
    document = masked(document)  # stored with its comments
    plan = read(document, acquirers)
    if not isinstance(plan, RoutingPlan):
        return plan
    async with db.transaction() as conn:
        newest = await store.lock_live(conn)
        in_force = newest["version"] if newest else 0
        if newest and seen not in {None, in_force}:
            words = (
                f"version {in_force} was published by {newest['published_by']} after "
                f"version {seen} was looked at"
            )
            return (RoutingFault(RoutingFaultCode.PUBLISHED_MEANWHILE, "", "", words),)
        version = in_force + 1
        await store.insert_plan(conn, version, document, who.name, now)
        details = {"rules": len(plan.rules), "sha256": sha256(document.encode()).hexdigest()}
        await trail.record(conn, OPERATOR, who, f"{NOUN}.publish", version, now, **details)
    db.wake(CHANGED_CHANNEL, "")
    return version


async def try_on_past(
    db: Database,
    connectors: Registry,
    plan: RoutingPlan,
    merchant_ids: Sequence[int],
    since: datetime,
    at_once: int = _ROWS_AT_ONCE,
) -> AsyncIterator[Replay]:
    """Yield what a plan would have done to past attempts, after each batch.

    at_once: attempts between two waits for the database. Nothing changes, and few attempts are in
    memory at a time. Archived payments are left out. The acquirers' health then is unknown, so each
    counts as healthy.
    """
    replay = Replay()
    for merchant_id in merchant_ids:
        after = first_id(since) - 1
        while rows := await store.select_past(db, merchant_id, after, at_once):
            for row in rows:
                past = PastAttempt.of(merchant_id, dict(row))
                add(replay, plan, past, able(connectors, past.case, past.among))
            after = rows[-1]["attempt_id"]
            yield replay
        replay.merchants += 1
        yield replay
