"""The operator's routing plans: the one in force, its versions, trying and publishing another."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from time import monotonic
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.acquirers.plans.document import RoutingFaultCode, words_of
from hundi.console.acquirers import told_health
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import id_of, words
from hundi.console.plan_words import compared, costs_of, rules_of, told, tried_of
from hundi.console.queries.across import MERCHANTS_MAX, names_of, select_merchants
from hundi.console.verb_forms import do
from hundi.console.visits import ConsoleVisit
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.acquirer_accounts import store as accounts
from hundi.payments.routing import actions, store
from hundi.payments.routing.actions import LOOKED_AT_MAX, LOOKED_BACK
from hundi.payments.routing.document import PlanWords, read
from hundi.payments.routing.health.rules import ANY_BANK, NOBODYS_FAULT, Health, health, with_totals
from hundi.payments.routing.replay.rules import Replay
from hundi.payments.routing.rules import RoutingPlan
from hundi.payments.routing.warnings.rules import warnings
from hundi.staff.people.rules import Permission
from hundi.verbs.context import DocumentFaultsError
from hundi.verbs.route import set_plan

VERSIONS_SHOWN = 100
VERSION_MAX = 2**31 - 1
DOCUMENT_MAX = 64 * 1024
"""Characters of a plan in a form; a longer one is set by command."""
FORM_BYTES_MAX = 9 * DOCUMENT_MAX
"""Bytes of a form with such a plan: browsers write one letter of an Indian script as nine bytes."""
DAYS = (1, 7, 30, 90)
"""Days of the past on which a plan can be tried here."""
TRY_S_MAX = 8.0
"""Seconds that a plan is tried here: a person waits for the page."""
TRIED_AT_ONCE = 200
"""Attempts between two pauses in which this process answers others, payments among them."""
_FIRST = """\
note = "what it is for"

[[rules]]
name = "everything"
use = [{{ acquirer = "{name}" }}]
"""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the plan in force, the health of the acquirers in routing, and every version."""
    row = await store.select_live(visit.db)
    heads = await store.select_heads(visit.db, VERSIONS_SHOWN)
    return visit.page(
        "routing.html",
        "Routing",
        plan=await _read(visit, row) if row else None,
        names=[each.name for each in visit.gateway.connectors.all()],
        standings=await _standings(visit),
        minutes=int(LOOKED_BACK.total_seconds() // 60),
        versions=heads,
        may_change=visit.may(Permission.ACQUIRERS_CHANGE),
        may_trail=visit.may(Permission.TRAIL_SEE),
    )


async def _read(visit: ConsoleVisit, row: Record) -> dict[str, Any]:
    """Return a version for people.

    `unreadable` says why a version of an older release cannot be read.
    """
    document = row["document"]
    plan, plan_text = read(document), words_of(document, PlanWords)
    row_facts = {
        name: row[name] for name in ("version", "document", "published_by", "published_at")
    }
    if not isinstance(plan, RoutingPlan) or not isinstance(plan_text, PlanWords):
        faults = plan if isinstance(plan, tuple) else ()
        empty = {"rules": [], "costs": [], "note": "", "warnings": []}
        return {**row_facts, **empty, "unreadable": [told(each) for each in faults]}
    merchants = {each for rule in plan_text.rules for each in rule.when.merchants}
    return {
        **row_facts,
        "unreadable": [],
        "note": plan_text.note,
        "rules": rules_of(plan_text, await names_of(visit.db, merchants)),
        "costs": costs_of(plan_text),
        "warnings": await _warned(visit, plan),
    }


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
            "method": words(method),
            "bank": "" if bank == ANY_BANK else bank,
            "told": each.words,
            **told_health(each),
        }
        for (name, method, bank), each in with_totals(outcomes).items()
        if bank == ANY_BANK or (bank and health(each) is not Health.UP)
    ]
    return sorted(rows, key=lambda each: (each["acquirer"], each["method"], each["bank"]))


async def show_version(visit: ConsoleVisit) -> Response[Any]:
    """Show one version, and its changes from another one, by default from the one before."""
    row = await _version(visit, int(visit.params["version"]))
    against = id_of(visit.query.get("against", ""))
    other = (
        await _version(visit, against)
        if against
        else await store.select_version(visit.db, row["version"] - 1)
    )
    return visit.page(
        "routing_version.html",
        f"Routing, version {row['version']}",
        plan=await _read(visit, row),
        other=other,
        lines=compared(other["document"], row["document"]) if other else [],
        versions=[each["version"] for each in await store.select_heads(visit.db, VERSIONS_SHOWN)],
        may_change=visit.may(Permission.ACQUIRERS_CHANGE),
    )


async def _version(visit: ConsoleVisit, version: int) -> Record:
    row = await store.select_version(visit.db, version) if 0 < version <= VERSION_MAX else None
    if row is None:
        raise refuse(RefusalCode.NO_RECORDS, field="version", received=str(version))
    return row


# --- another plan ---


async def show_form(visit: ConsoleVisit) -> Response[Any]:
    """Show the form of a new plan, filled in with the plan in force or with a chosen version."""
    version, live = id_of(visit.query.get("version", "")), await store.select_live(visit.db)
    row = await _version(visit, version) if version else live
    first = next((each.name for each in visit.gateway.connectors.all()), "")
    return _form(
        visit, row["document"] if row else _FIRST.format(name=first), live["version"] if live else 0
    )


def _form(
    visit: ConsoleVisit,
    document: str,
    seen: int,
    *,
    faults: Sequence[str] = (),
    meanwhile: int | None = None,
    tried: dict[str, Any] | None = None,
    days: int = DAYS[1],
) -> Response[Any]:
    return visit.page(
        "routing_new.html",
        "Another routing plan",
        409 if faults else 200,
        document=document,
        seen=seen,
        faults=faults,
        meanwhile=meanwhile,
        tried=tried,
        days=days,
        choices=DAYS,
        longest=DOCUMENT_MAX,
        names=[each.name for each in visit.gateway.connectors.all()],
    )


def _written(visit: ConsoleVisit) -> tuple[str, int]:
    """Return the plan of a form, and the version that its author saw."""
    document, seen = (
        visit.form.get("document", "").replace("\r\n", "\n"),
        id_of(visit.form.get("seen", "")),
    )
    if seen is None or len(document) > DOCUMENT_MAX:
        longest = f"{DOCUMENT_MAX} characters at most; hundi route set takes a longer plan"
        field, allowed = (
            ("seen", "the version that the form shows") if seen is None else ("document", longest)
        )
        raise refuse(RefusalCode.FIELD_INVALID, field=field, received="", allowed=allowed)
    return document, seen


async def try_on_past(visit: ConsoleVisit) -> Response[Any]:
    """Show a plan's results on past attempts, on as many as the time allows."""
    document, seen = _written(visit)
    days = id_of(visit.form.get("days", ""))
    days = days if days in DAYS else DAYS[1]
    connectors = visit.gateway.connectors
    plan = read(document, [each.name for each in connectors.all()])
    if not isinstance(plan, RoutingPlan):
        return _form(visit, document, seen, faults=[told(each) for each in plan], days=days)
    everyone = [
        row["merchant_id"] for row in await select_merchants(visit.db, 0, "", MERCHANTS_MAX)
    ]
    since, ends_at = visit.now - timedelta(days=days), monotonic() + TRY_S_MAX
    replay = Replay()
    async for each in actions.try_on_past(
        visit.db, connectors, plan, everyone, since, TRIED_AT_ONCE
    ):
        replay = each
        if monotonic() > ends_at:
            break
        # Let others run: two merchants may follow each other without a wait for the database.
        await asyncio.sleep(0)
    tried = {
        **tried_of(replay),
        "all_merchants": len(everyone),
        "warnings": await _warned(visit, plan),
    }
    return _form(visit, document, seen, tried=tried, days=days)


async def publish(visit: ConsoleVisit) -> Response[Any]:
    """Put a plan into force, unless another was published after the form was shown."""
    document, seen = _written(visit)
    try:
        await do(visit, set_plan, {"file": document, "seen": str(seen)})
    except DocumentFaultsError as problem:
        faults = [f"{each.place}: {each.words}".removeprefix(": ") for each in problem.faults]
        if problem.faults[0].code != RoutingFaultCode.PUBLISHED_MEANWHILE:
            return _form(visit, document, seen, faults=faults)
        live = await store.select_live(visit.db)
        assert live is not None, "it was published meanwhile"
        return _form(visit, document, live["version"], faults=faults, meanwhile=seen)
    return visit.see("routing", set_plan.notice[0])


_SEE, _CHANGE = Permission.CHANNELS_SEE, Permission.ACQUIRERS_CHANGE
ROUTES = (
    ConsoleRoute("GET", "routing", show, _SEE, at="all"),
    ConsoleRoute("GET", "routing/{version:int}", show_version, _SEE, at="all"),
    ConsoleRoute("GET", "routing/new", show_form, _CHANGE, at="all"),
    ConsoleRoute(
        "POST",
        "routing/try",
        try_on_past,
        _CHANGE,
        fresh=True,
        at="all",
        body_bytes_max=FORM_BYTES_MAX,
    ),
    ConsoleRoute(
        "POST", "routing", publish, _CHANGE, fresh=True, at="all", body_bytes_max=FORM_BYTES_MAX
    ),
)
