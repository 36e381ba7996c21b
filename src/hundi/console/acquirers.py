"""The operator's acquirers: owner, health, changes, and switching them off and on."""

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec
from litestar import Response

from hundi.acquirers.calls.front import answers
from hundi.acquirers.port.checkout import SendsTriggers
from hundi.acquirers.port.payments import SpeaksBack
from hundi.acquirers.port.probes import Probe, probe
from hundi.acquirers.registry import Member, UnknownConnectorError
from hundi.console import acquirer_money
from hundi.console.acquirer_settings import setting_rows
from hundi.console.certifications import certification
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import tone_of, words
from hundi.console.names import method_name
from hundi.console.queries import acquirers as queries
from hundi.console.queries.acquirers import ByMethod, MethodFigures
from hundi.console.queries.across import names_of
from hundi.console.trail_words import act_words, detail_words
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import METHODS
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.acquirer_accounts import store
from hundi.payments.acquirer_accounts.actions import NOUN, OPERATOR
from hundi.payments.acquirer_accounts.rules import EVERYBODY, AcquirerAccount, AcquirerAccountState
from hundi.payments.routing.actions import live
from hundi.payments.routing.health.rules import LOOKED_AT_MIN, LOOKED_BACK, Health, Outcomes, health
from hundi.staff.people.rules import Permission
from hundi.staff.trail import store as trail
from hundi.verbs.acquirer import disable, enable

DAY = timedelta(days=1)
CHANGES_SHOWN = 50
CHECK_S_MAX = 20
"""Seconds that a check may take.

It makes several calls of at most 8 s each, and a person waits for the page.
"""
_NAME = re.compile(r"[a-z0-9_]{1,32}\Z")
_MINUTES = int(LOOKED_BACK.total_seconds() // 60)
_CANNOT_BE_OPENED = "Cannot be opened"


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show the acquirers in the order of routing."""
    accounts = await store.select_all(visit.db)
    lately = await queries.figures(visit.db, visit.now, LOOKED_BACK)
    names = await names_of(visit.db, {each.serves for each in accounts if each.serves != EVERYBODY})
    members = {each.connector.name: each for each in visit.gateway.connectors.members}
    money = await acquirer_money.money_rows(visit, members)
    accounts_by_name = {each.name: each for each in accounts}
    order = [*members, *(name for name in accounts_by_name if name not in members)]
    return visit.page(
        "acquirers.html",
        "Acquirers",
        rows=[
            {
                **_head(
                    visit,
                    name,
                    accounts_by_name.get(name),
                    members.get(name),
                    (lately or {}).get(name, {}),
                ),
                "whose": names.get(accounts_by_name[name].serves, "")
                if name in accounts_by_name
                else "",
            }
            for name in order
        ],
        missed=lately is None,
        minutes=_MINUTES,
        money_out=list((money or {}).values()),
        money_out_missed=money is None and visit.may(Permission.MONEY_SEE),
        may_change=visit.may(Permission.ACQUIRERS_CHANGE),
        **acquirer_money.frame(),
    )


def _head(
    visit: ConsoleVisit,
    name: str,
    account: AcquirerAccount | None,
    member: Member | None,
    lately: ByMethod,
) -> dict[str, Any]:
    """Return the facts that an acquirer's row in the list and its page share."""
    total = _total(lately)
    simulated = account.simulated if account else member is not None and member.connector.simulated
    state, tone, why = _state_of(account, member)
    return {
        "name": name,
        "kind": account.kind
        if account
        else visit.gateway.settings.acquirers.get(name, {}).get("kind", ""),
        "money": "Simulated" if simulated else "Real",
        "serves": account.serves if account else EVERYBODY,
        "state": state,
        "tone": tone,
        "why": why,
        "since": account.added_at if account else None,
        "does": told_health(total.outcomes),
        "total": total,
        "methods": _by_method(lately),
        "abilities": acquirer_money.told_abilities(member),
        "bad": [
            method_name(name)
            for name, each in lately.items()
            if health(each.outcomes) is not Health.UP
        ],
    }


def _state_of(account: AcquirerAccount | None, member: Member | None) -> tuple[str, str, str]:
    """Return whether an acquirer takes new payments, the colour of the state, and the reason."""
    if account is not None and account.state is AcquirerAccountState.DISABLED:
        return "Disabled", "", "it takes no new payment; what was begun goes on"
    if member is None:
        return _CANNOT_BE_OPENED, "failed", "hundi acquirer check says why"
    if not answers(member.connector.name):
        why = (
            "its calls failed one after the other, or it refuses our keys; one is let through"
            " every few seconds"
        )
        return "Cannot be reached", "failed", why
    if not member.takes_new:
        return "Begins in seconds", "waiting", "it takes payments as soon as every process knows it"
    if not member.can:
        return "In use", "paid", "it takes no payments"
    return "Takes payments", "paid", ""


def _total(lately: ByMethod) -> MethodFigures:
    names = ("tried", "paid", "unknown", "troubled", "open")
    return MethodFigures(*(sum(getattr(each, name) for each in lately.values()) for name in names))


def told_health(outcomes: Outcomes) -> dict[str, str]:
    """Return the health of an acquirer or bank, and its colour.

    With too few ended attempts it says nothing good.
    """
    if outcomes.ended < LOOKED_AT_MIN:
        return {"does": "Too few to say", "tone": ""}
    return {"does": words(health(outcomes)), "tone": tone_of(health(outcomes))}


def _by_method(figures: ByMethod) -> list[dict[str, Any]]:
    rows = [
        {
            "method": method_name(name),
            "figures": each,
            "part": f"{each.paid * 100 // ended} %" if (ended := each.outcomes.ended) else "",
            **told_health(each.outcomes),
        }
        for name, each in figures.items()
    ]
    return sorted(rows, key=lambda each: (-each["figures"].tried, each["method"]))


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one acquirer: facts, health, changes, and attempts in trouble."""
    return await _page(visit, _named(visit))


async def _page(
    visit: ConsoleVisit, name: str, checked: Sequence[dict[str, Any]] = (), *, late: bool = False
) -> Response[Any]:
    accounts = {each.name: each for each in await store.select_all(visit.db)}
    members = {each.connector.name: each for each in visit.gateway.connectors.members}
    account, member = accounts.get(name), members.get(name)
    if account is None and member is None:
        raise refuse(RefusalCode.NO_RECORDS, field="acquirer", received=name)
    lately = await queries.figures(visit.db, visit.now, LOOKED_BACK)
    of_a_day = await queries.figures(visit.db, visit.now, DAY)
    serves = account.serves if account else EVERYBODY
    return visit.page(
        "acquirer.html",
        name,
        **_head(visit, name, account, member, (lately or {}).get(name, {})),
        account=account,
        whose=(await names_of(visit.db, {serves})).get(serves, "") if serves else "",
        trouble=(await store.troubles(visit.db)).get(name),
        webhook_address=visit.gateway.accounts.callback_url(name)
        if member and _calls_back(member)
        else "",
        settings=await setting_rows(visit, name, account),
        takes=[method_name(each) for each in member.can] if member else [],
        checked=checked,
        late=late,
        may_check=member is not None and visit.may(Permission.ACQUIRERS_CHANGE),
        minutes=_MINUTES,
        missed=lately is None or of_a_day is None,
        day=_by_method((of_a_day or {}).get(name, {})),
        troubles=await _troubles(visit, name),
        certification=await certification(visit, account, member),
        changes=await _changes(visit, name),
        money_out=(await acquirer_money.money_rows(visit, members) or {}).get(name),
        payout_plan=await acquirer_money.payout_rules(visit, name),
        **acquirer_money.frame(),
        plan=[each.name for each in (await live(visit.db)).rules if name in each.acquirers],
        alone=_alone(visit, name),
        may_change=account is not None and visit.may(Permission.ACQUIRERS_CHANGE),
    )


def _named(visit: ConsoleVisit) -> str:
    name = str(visit.params["name"])
    if not _NAME.match(name):
        raise refuse(RefusalCode.NO_RECORDS, field="acquirer", received=name[:32])
    return name


def _calls_back(member: Member) -> bool:
    return isinstance(member.connector, SendsTriggers | SpeaksBack)


async def _troubles(visit: ConsoleVisit, name: str) -> list[dict[str, Any]] | None:
    attempts = await queries.troubles(visit.db, name, visit.now, DAY)
    if attempts is None:
        return None
    return [
        {
            **row,
            "how": method_name(row["method"]),
            "said": f"{row['bank_code']} {row['bank_message']}".strip()
            or "nothing: nobody knows what became of it",
        }
        for row in attempts
    ]


async def _changes(visit: ConsoleVisit, name: str) -> list[dict[str, Any]]:
    """Return the changes of an acquirer, newest first: names of fields, never a value."""
    if not visit.may(Permission.TRAIL_SEE):
        return []
    entries = await trail.select_page(visit.db, OPERATOR, act=NOUN, about=name, limit=CHANGES_SHOWN)
    return [
        {
            "at": each.at,
            "by": each.person,
            "act": act_words(each.act),
            "detail": list(detail_words(msgspec.json.decode(each.detail))),
        }
        for each in entries
    ]


def _alone(visit: ConsoleVisit, name: str) -> list[str]:
    """Return the methods of an acquirer that no other takes for every merchant.

    Customers lose them when it is disabled.
    """
    methods: list[str] = []
    for method in METHODS.values():
        able = {each.connector.name for each in visit.gateway.connectors.ways((method,))}
        if able == {name}:
            methods.append(method_name(method.name))
    return methods


async def check(visit: ConsoleVisit) -> Response[Any]:
    """Ask an acquirer without moving money, and show its answers."""
    name = _named(visit)
    try:
        connector = visit.gateway.connectors.get(name)
    except UnknownConnectorError:
        raise refuse(RefusalCode.NO_RECORDS, field="acquirer", received=name) from None
    answers: Sequence[Probe] | None = None
    with suppress(TimeoutError):
        async with asyncio.timeout(CHECK_S_MAX):
            answers = await probe(connector)
    probes, late = answers or (), answers is None
    passed = sum(each.passed for each in probes)
    result = f"no answer in {CHECK_S_MAX} seconds" if late else f"{passed} of {len(probes)}"
    await visit.record(f"{NOUN}.check", name, passed=result)
    return await _page(visit, name, [_probed(each) for each in probes], late=late)


def _probed(probe: Probe) -> dict[str, Any]:
    return {
        "name": words(probe.name.replace("-", "_")),
        "called": probe.called,
        "expected": probe.expected,
        "said": probe.said,
        "outcome": "Passed" if probe.passed else "Failed",
        "tone": "paid" if probe.passed else "failed",
    }


_SEE, _CHANGE = Permission.CHANNELS_SEE, Permission.ACQUIRERS_CHANGE
_ONE = "acquirers/{name:str}"
ROUTES = (
    ConsoleRoute("GET", "acquirers", show_list, _SEE, at="all"),
    ConsoleRoute("GET", _ONE, show, _SEE, at="all"),
    ConsoleRoute("POST", f"{_ONE}/check", check, _CHANGE, fresh=True, at="all"),
    *(form_of(each, f"{_ONE}/{each.name}", "acquirers/{name}") for each in (disable, enable)),
)
