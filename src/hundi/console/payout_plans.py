"""The operator's plans of payouts: the one in force, its versions, and which way a payout takes."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from litestar import Response

from hundi.acquirers.plans.document import PAISE_MAX
from hundi.acquirers.plans.rules import whole_paise
from hundi.acquirers.port.payouts import RailTerms
from hundi.console.guard import refusal_words
from hundi.console.lists import ID_DIGITS, id_of
from hundi.console.plan_pages import PlanKind
from hundi.console.plan_words import OF_PAYOUTS, told
from hundi.console.queries.across import MERCHANTS_MAX, select_merchants
from hundi.console.routing_plans import TRY_S_MAX
from hundi.console.routing_plans import USUAL_DAYS as PAST_DAYS
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import INDIA, business_day, for_people, ist
from hundi.kernel.money import Money, paise_typed, shown
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.calendar.store import calendar_of
from hundi.money.payouts.routing import actions, rules, store
from hundi.money.payouts.routing.actions import TRIED, PayoutTrial, providers_of, rails_of
from hundi.money.payouts.routing.document import PayoutPlanWords, read
from hundi.money.payouts.routing.replay.rules import PastShare, PayoutReplay
from hundi.money.payouts.routing.rules import PayoutPlan, PayoutProvider
from hundi.money.payouts.rules import PayoutWay
from hundi.verbs.payout_plan import set_plan

AT_FORM = "%Y-%m-%dT%H:%M"
"""A time as a browser's field has it, in India."""
USUAL = "10000"
"""Rupees that a form of a trial begins with."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the plan in force, what providers carry now, a trial, and every version."""
    typed = visit.query
    plan = await actions.live(visit.db)
    working_day = (await calendar_of(visit.db)).is_working(business_day(visit.now))
    return await KIND.page(
        visit,
        carried_rails=[
            line
            for provider in providers_of(visit.gateway.connectors)
            for line in _carried(provider, visit.now, working_day=working_day)
        ],
        tried=await _answer(visit, plan, typed) if "amount" in typed else None,
        **_trial_of(visit, typed),
    )


def _carried(provider: PayoutProvider, now: datetime, *, working_day: bool) -> list[dict[str, Any]]:
    """Return what each rail of a provider carries, and whether a payout leaves on it now."""
    return [
        {
            "provider": provider.name,
            "own": bool(provider.merchants),
            "reachable": provider.reachable,
            "rail": terms.rail.upper(),
            "amounts": _amounts(terms),
            "hours": _hours(terms),
            "open": rules.is_open(terms, now, working_day=working_day),
        }
        for terms in provider.rails
    ]


def _amounts(terms: RailTerms) -> str:
    least = f"from {shown(Money(terms.least_paise))}" if terms.least_paise > 1 else ""
    most = f"up to {shown(Money(terms.most_paise))}" if terms.most_paise is not None else ""
    return " ".join(filter(None, (least, most))) or "any"


def _hours(terms: RailTerms) -> str:
    hours = (
        "" if terms.opens == terms.closes else f"{terms.opens:%H:%M} to {terms.closes:%H:%M} IST"
    )
    days = "on days of banks" if terms.working_days else ""
    return ", ".join(filter(None, (hours, days))) or "always"


# --- a trial ---


async def _answer(
    visit: ConsoleVisit, plan: PayoutPlan, typed: Mapping[str, str]
) -> dict[str, Any]:
    """Return the results of a trial, or the fault of what was typed."""
    try:
        return await _tried(visit, plan, typed)
    except Refused as refused:
        return {"fault": refusal_words(refused.refusal)}


async def _tried(visit: ConsoleVisit, plan: PayoutPlan, typed: Mapping[str, str]) -> dict[str, Any]:
    """Return which way payouts take that a form describes. Raises Refused (FIELD_INVALID)."""
    paise = paise_typed(typed.get("amount", ""))
    if not paise or paise > PAISE_MAX:
        raise _wrong("amount", typed, "rupees, such as 1499.50")
    merchant = typed.get("merchant", "").strip()
    merchant_id = id_of(merchant) if merchant else 0
    if merchant_id is None:
        raise _wrong("merchant", typed, f"its id, {ID_DIGITS} digits at most")
    at = _at(visit, typed)
    providers = providers_of(visit.gateway.connectors)
    trial = await actions.try_plan(visit.db, providers, plan, paise, merchant_id, at)
    return {
        "fault": "",
        "amount": shown(Money(paise)),
        "at": for_people(at),
        "rule": trial.rule,
        "why": trial.why,
        "ways": _ways(plan, trial, paise),
    }


def _at(visit: ConsoleVisit, typed: Mapping[str, str]) -> datetime:
    """Return the time that a form has, now for none. Raises Refused."""
    text = typed.get("at", "").strip()
    if not text:
        return visit.now
    try:
        return datetime.strptime(text, AT_FORM).replace(tzinfo=INDIA)
    except ValueError:
        raise _wrong("at", typed, "a time in India, such as 2026-11-29T14:30") from None


def _wrong(field: str, typed: Mapping[str, str], allowed: str) -> Refused:
    received = typed.get(field, "")[:40]
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received, allowed=allowed)


def _ways(plan: PayoutPlan, trial: PayoutTrial, paise: int) -> list[dict[str, Any]]:
    """Return the orders of trying, with the share of payouts that take each."""
    return [
        {
            "share": f"{number * 100 / TRIED:.0f} %" if len(trial.ways) > 1 else "",
            "steps": [_step(plan, each, paise) for each in ways],
        }
        for ways, number in trial.ways
    ]


def _step(plan: PayoutPlan, way: PayoutWay, paise: int) -> dict[str, str]:
    cost = plan.cost_of(way, paise)
    costs = "" if cost is None else shown(Money(whole_paise(cost)))
    return {"provider": way.connector, "rail": way.rail.upper(), "cost": costs}


async def try_plan(visit: ConsoleVisit) -> Response[Any]:
    """Show which way a payout would take by the plan of a form. Nothing is stored or sent."""
    document, seen = KIND.written(visit)
    plan = read(document, carried(visit))
    if not isinstance(plan, PayoutPlan):
        return await KIND.form(visit, document, seen, faults=[told(each) for each in plan])
    tried, past = await _answer(visit, plan, visit.form), await _past(visit, plan)
    return await KIND.form(visit, document, seen, tried=tried, past=past)


async def review(visit: ConsoleVisit, document: str, seen: int) -> Response[Any]:
    """Show a plan that has no fault, with its results on past payouts and its changes."""
    plan = read(document, carried(visit))
    assert isinstance(plan, PayoutPlan), "the form found its faults"
    return await KIND.form(visit, document, seen, past=await _past(visit, plan))


def carried(visit: ConsoleVisit) -> Mapping[str, Sequence[RailTerms]]:
    """Return what the rails of each acquirer carry, as a plan's document is read with."""
    return {each.name: rails_of(each) for each in visit.gateway.connectors.all()}


async def _past(visit: ConsoleVisit, plan: PayoutPlan) -> dict[str, Any]:
    """Return what a plan would have done with past payouts, with as many as time allows."""
    everyone = [
        row["merchant_id"] for row in await select_merchants(visit.db, 0, "", MERCHANTS_MAX)
    ]
    since, ends_at = visit.now - timedelta(days=PAST_DAYS), monotonic() + TRY_S_MAX
    providers = providers_of(visit.gateway.connectors)
    replay = PayoutReplay()
    async for each in actions.try_on_past(visit.db, providers, plan, everyone, since):
        replay = each
        if monotonic() > ends_at:
            break
        # Let others run: two merchants may follow each other without a wait for the database.
        await asyncio.sleep(0)
    return {
        "days": PAST_DAYS,
        "payouts": replay.payouts,
        "elsewhere": replay.elsewhere,
        "waiting": replay.waiting,
        "merchants": replay.merchants,
        "all_merchants": len(everyone),
        "by_rule": list(replay.by_rule.items()),
        "by_provider": [
            {
                "name": name,
                "then": _past_share(replay.before[name]),
                "now": _past_share(replay.after[name]),
            }
            for name in sorted({*replay.before, *replay.after})
        ],
    }


def _past_share(share: PastShare) -> dict[str, Any]:
    return {
        "payouts": share.payouts,
        "amount": shown(Money(share.paise)),
        "cost": shown(Money(whole_paise(share.cost_parts))),
    }


async def _warned(visit: ConsoleVisit, plan: PayoutPlan) -> list[str]:
    """Return the names of rules whose providers take no payout now."""
    able = {each.name for each in providers_of(visit.gateway.connectors)}
    return [
        f"{rule.name}: {name} takes no payouts now"
        for rule in plan.rules
        for name in rule.providers
        if name not in able
    ]


def _names(visit: ConsoleVisit) -> Sequence[str]:
    return [each.name for each in providers_of(visit.gateway.connectors)]


def _trial_of(visit: ConsoleVisit, typed: Mapping[str, str]) -> dict[str, Any]:
    usual = {"amount": USUAL, "merchant": "", "at": f"{ist(visit.now):{AT_FORM}}"}
    return {"asked": {name: typed.get(name, text) for name, text in usual.items()}}


def _trial(visit: ConsoleVisit) -> dict[str, Any]:
    return _trial_of(visit, visit.form)


KIND = PlanKind(
    "payout-routing",
    "Routing of payouts",
    "Another plan of payouts",
    "payout_routing.html",
    OF_PAYOUTS,
    store,
    set_plan,
    read,
    PayoutPlanWords,
    _warned,
    _names,
    _trial,
)
ROUTES = KIND.routes(show, try_plan)
