"""What leaves by each provider: balances, payouts by state, checks of accounts; and mandates."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from litestar import Response

from hundi.acquirers.port.capabilities import CAPABILITIES, abilities
from hundi.acquirers.port.payouts import ChecksAccounts, PaysOut, TellsBalance
from hundi.acquirers.registry import Member
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import tone_of, words
from hundi.console.payouts import beneficiary_words
from hundi.console.queries import providers as queries
from hundi.console.queries.across import names_of
from hundi.console.queries.providers import NO_FIGURES, NOT_CHOSEN, ProviderCount, ProviderFigures
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.bank_accounts.rules import NAMED
from hundi.money.payouts.balances import store as balance_store
from hundi.money.payouts.balances.rules import FRESH_FOR, READ_EVERY, ProviderBalance
from hundi.money.payouts.routing.actions import live
from hundi.money.payouts.rules import CAME_TO_NOTHING, PAID, TO_SEND, PayoutState
from hundi.staff.people.rules import Permission

DAYS = 30
SPAN = timedelta(days=DAYS)
"""How far back payouts that ended, and checks of accounts, count."""
ROWS_MAX = 100
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MINUTE = timedelta(minutes=1)


def told_abilities(member: Member | None) -> dict[str, list[str]]:
    """Return what an acquirer can do, in words, by the part of the port that says it."""
    told: dict[str, list[str]] = {}
    for name in abilities(member.connector) if member else ():
        part = CAPABILITIES[name].__module__.rpartition(".")[2]
        told.setdefault(words(part), []).append(ability_words(name))
    return told


def ability_words(name: str) -> str:
    """Return a capability's name in words: `Sends to banks`."""
    return words(_CAPITAL.sub("_", name))


async def money_rows(
    visit: ConsoleVisit, members: Mapping[str, Member]
) -> dict[str, dict[str, Any]] | None:
    """Return by acquirer what leaves by it, for those by which money may leave.

    None where that takes too long, and for who may not see money.
    """
    if not visit.may(Permission.MONEY_SEE):
        return None
    figures = await queries.figures(visit.db, visit.now - SPAN)
    if figures is None:
        return None
    balances = {each.connector: each for each in await balance_store.select_all(visit.db)}
    names = [name for name, each in members.items() if _pays_or_checks(each)]
    names += sorted({*figures, *balances} - {*names, NOT_CHOSEN})
    waiting = figures.get(NOT_CHOSEN, NO_FIGURES)
    waits_paise = sum(count.paise for state, count in waiting.payouts.items() if state in TO_SEND)
    rows = {
        name: _row(visit, name, figures.get(name, NO_FIGURES), balances.get(name), waits_paise)
        for name in names
    }
    if waiting.payouts:
        rows[NOT_CHOSEN] = _row(visit, NOT_CHOSEN, waiting, None, 0)
    return rows


def frame() -> dict[str, Any]:
    """Return what list and page say of all providers."""
    return {
        "money_days": DAYS,
        "balance_every": READ_EVERY // _MINUTE,
        "balance_fresh": FRESH_FOR // _MINUTE,
    }


async def payout_rules(visit: ConsoleVisit, name: str) -> list[str]:
    """Return the rules of the plan of payouts that name a provider."""
    plan = await live(visit.db)
    return [each.name for each in plan.rules if name in each.providers]


def _pays_or_checks(member: Member) -> bool:
    return isinstance(member.connector, PaysOut | TellsBalance | ChecksAccounts)


def _row(
    visit: ConsoleVisit,
    name: str,
    figures: ProviderFigures,
    balance: ProviderBalance | None,
    waits_paise: int,
) -> dict[str, Any]:
    return {
        "name": name,
        "is_of_payouts": bool(balance or figures.payouts or figures.checks),
        "balance": _balance(visit, balance, waits_paise) if balance else None,
        "payouts": [
            {
                **_count(state, figures.payouts[state], _tone(state)),
                "href": visit.href(
                    f"acquirers/{name}/payouts?state={state}" if name else "across/payouts"
                ),
            }
            for state in PayoutState
            if state in figures.payouts
        ],
        "checks": [
            _count(outcome, count, "paid" if outcome == NAMED else "failed")
            for outcome, count in sorted(figures.checks.items())
        ],
        "checks_cost": shown(Money(sum(each.paise for each in figures.checks.values()))),
        "mandates": [
            _count(state, count, tone_of(state) or "waiting")
            for state, count in sorted(figures.mandates.items())
        ],
    }


def _count(name: str, count: ProviderCount, tone: str) -> dict[str, Any]:
    return {
        "words": words("name confirmed" if name == NAMED else name),
        "number": count.number,
        "amount": shown(Money(count.paise)),
        "tone": tone,
    }


def _balance(visit: ConsoleVisit, balance: ProviderBalance, waits_paise: int) -> dict[str, Any]:
    """Return a balance for people. short: what is missing if all that waits leaves from it."""
    short_paise = max(0, waits_paise - balance.left_paise)
    return {
        "available": shown(Money(balance.available_paise)),
        "left": shown(Money(balance.left_paise)),
        "at": balance.counted_at,
        "minutes": max(0, (visit.now - balance.read_at) // _MINUTE),
        "decides": balance.is_fresh(visit.now),
        "waits": shown(Money(waits_paise)) if waits_paise else "",
        "short": shown(Money(short_paise)) if short_paise else "",
    }


def _tone(state: PayoutState) -> str:
    if state in CAME_TO_NOTHING or state in {PayoutState.UNKNOWN, PayoutState.PAID_TWICE}:
        return "failed"
    return "paid" if state in PAID else "waiting"


async def show_payouts(visit: ConsoleVisit) -> Response[Any]:
    """Show a provider's payouts in one state, newest first."""
    name, state = str(visit.params["name"]), visit.query.get("state", "")
    if state not in set(PayoutState):
        allowed = " ".join(PayoutState)
        raise refuse(RefusalCode.FIELD_INVALID, field="state", received=state[:40], allowed=allowed)
    payouts = await queries.listed(visit.db, name, state, visit.now - SPAN, ROWS_MAX + 1)
    rows: Sequence[Any] = (payouts or [])[:ROWS_MAX]
    names = await names_of(visit.db, {each["merchant_id"] for each in rows})
    return visit.page(
        "acquirer_payouts.html",
        f"{words(state)}: payouts by {name[:32]}",
        name=name,
        rows=[
            {
                **row,
                "merchant": names.get(row["merchant_id"], ""),
                "to": beneficiary_words(row["beneficiary"]),
                "said": f"{row['bank_code']} {row['bank_message']}".strip(),
            }
            for row in rows
        ],
        more=len(payouts or []) > ROWS_MAX,
        most=ROWS_MAX,
        too_long=payouts is None,
        days=DAYS,
    )


ROUTES = (
    ConsoleRoute(
        "GET", "acquirers/{name:str}/payouts", show_payouts, Permission.MONEY_SEE, at="all"
    ),
)
