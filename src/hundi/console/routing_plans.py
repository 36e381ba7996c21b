"""The operator's routing plans of payments: the one in force, its versions, trying another."""

import asyncio
from datetime import timedelta
from time import monotonic
from typing import Any

from litestar import Response

from hundi.console.acquirers import told_health
from hundi.console.lists import id_of
from hundi.console.names import method_name
from hundi.console.plan_pages import PlanKind
from hundi.console.plan_words import OF_PAYMENTS, told, tried_of
from hundi.console.queries.across import MERCHANTS_MAX, select_merchants
from hundi.console.visits import ConsoleVisit
from hundi.payments.acquirer_accounts import store as accounts
from hundi.payments.routing import actions, store
from hundi.payments.routing.actions import LOOKED_AT_MAX, LOOKED_BACK
from hundi.payments.routing.document import PlanWords, read
from hundi.payments.routing.health.rules import ANY_BANK, NOBODYS_FAULT, Health, health, with_totals
from hundi.payments.routing.replay.rules import Replay
from hundi.payments.routing.rules import RoutingPlan
from hundi.payments.routing.warnings.rules import warnings
from hundi.verbs.route import set_plan

DAYS = (1, 7, 30, 90)
"""Days of the past on which a plan can be tried here."""
USUAL_DAYS = 30
TRY_S_MAX = 8.0
"""Seconds that a plan is tried here: a person waits for the page."""
TRIED_AT_ONCE = 200
"""Attempts between two pauses in which this process answers others, payments among them."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the plan in force, the health of the acquirers in routing, and every version."""
    return await KIND.page(
        visit,
        standings=await _standings(visit),
        minutes=int(LOOKED_BACK.total_seconds() // 60),
    )


async def _warned(visit: ConsoleVisit, plan: RoutingPlan) -> list[str]:
    return [told(each) for each in warnings(plan, await accounts.disabled(visit.db))]


async def _standings(visit: ConsoleVisit) -> list[dict[str, Any]]:
    """Return the health that routing uses, by acquirer and method, and by bank where one is bad."""
    outcomes = await store.outcomes(
        visit.db, visit.now - LOOKED_BACK, sorted(NOBODYS_FAULT), LOOKED_AT_MAX
    )
    rows = [
        {
            "acquirer": name,
            "method": method_name(method),
            "bank": "" if bank == ANY_BANK else bank,
            "told": each.words,
            **told_health(each),
        }
        for (name, method, bank), each in with_totals(outcomes).items()
        if bank == ANY_BANK or (bank and health(each) is not Health.UP)
    ]
    return sorted(rows, key=lambda each: (each["acquirer"], each["method"], each["bank"]))


async def try_on_past(visit: ConsoleVisit) -> Response[Any]:
    """Show a plan's results on past attempts, on as many as the time allows."""
    document, seen = KIND.written(visit)
    return await review(visit, document, seen)


async def review(visit: ConsoleVisit, document: str, seen: int) -> Response[Any]:
    """Show a plan with its faults, or with its results on past attempts and its changes."""
    plan = read(document, _names(visit))
    if not isinstance(plan, RoutingPlan):
        return await KIND.form(visit, document, seen, faults=[told(each) for each in plan])
    return await KIND.form(visit, document, seen, tried=await _past(visit, plan))


async def _past(visit: ConsoleVisit, plan: RoutingPlan) -> dict[str, Any]:
    everyone = [
        row["merchant_id"] for row in await select_merchants(visit.db, 0, "", MERCHANTS_MAX)
    ]
    since, ends_at = visit.now - timedelta(days=_days(visit)), monotonic() + TRY_S_MAX
    replay = Replay()
    async for each in actions.try_on_past(
        visit.db, visit.gateway.connectors, plan, everyone, since, TRIED_AT_ONCE
    ):
        replay = each
        if monotonic() > ends_at:
            break
        # Let others run: two merchants may follow each other without a wait for the database.
        await asyncio.sleep(0)
    return {
        **tried_of(replay),
        "all_merchants": len(everyone),
        "warnings": await _warned(visit, plan),
    }


def _days(visit: ConsoleVisit) -> int:
    days = id_of(visit.form.get("days", ""))
    return days if days in DAYS else USUAL_DAYS


def _names(visit: ConsoleVisit) -> list[str]:
    return [each.name for each in visit.gateway.connectors.all()]


def _trial(visit: ConsoleVisit) -> dict[str, Any]:
    return {"days": _days(visit), "choices": DAYS}


KIND = PlanKind(
    "routing",
    "Routing",
    "Another routing plan",
    "routing.html",
    OF_PAYMENTS,
    store,
    set_plan,
    read,
    PlanWords,
    _warned,
    _names,
    _trial,
)
ROUTES = KIND.routes(show, try_on_past)
