"""The operator's lists across merchants: payments, search, disputes by due date, payouts."""

from datetime import timedelta
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import render, second_person
from hundi.console.assets import PREFIX
from hundi.console.days import day_of
from hundi.console.guard import ConsoleRoute
from hundi.console.payments import row_of, tone_of, words
from hundi.console.queries import across as queries
from hundi.console.queries.across import AcrossFilters
from hundi.console.recording import recording_at
from hundi.console.verb_forms import form_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentState
from hundi.money.payouts import actions as payouts
from hundi.money.payouts import store as payout_store
from hundi.money.payouts.balances import store as balance_store
from hundi.money.payouts.rails.rules import PayoutChannel
from hundi.money.payouts.rules import (
    TO_SEND,
    UNDER_WAY,
    WAIT_GAPS,
    WAITING,
    PayoutState,
    PayoutTry,
)
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission
from hundi.verbs.payout import cancel

PAGE_ROWS = 50
USUAL_DAYS, DAYS_MAX = timedelta(days=1), timedelta(days=31)
"""How far back a list goes without a first day, and at most: it reads every payment of its days."""
_TEXT_MAX = 100
_TO_RELEASE = (PayoutState.PREPARED, PayoutState.PROPOSED)
_TO_LOOK_AT = (
    PayoutState.REFUSED,
    PayoutState.RETURNED,
    PayoutState.REVERSED,
    PayoutState.HELD_BACK,
    PayoutState.PAID_TWICE,
)
_ON_THE_WAY = (*TO_SEND, *UNDER_WAY)


async def merchants_of(visit: ConsoleVisit) -> list[int]:
    """Return the merchants that a list covers."""
    return [
        row["merchant_id"]
        for row in await queries.select_merchants(visit.db, 0, "", queries.MERCHANTS_MAX)
    ]


def before_of(visit: ConsoleVisit) -> int:
    """Return the id before which a page begins, 0 for the first page."""
    text = visit.query.get("before", "")
    return (
        int(text)
        if text.isascii() and text.isdigit() and len(text) < len(str(queries.ID_MAX))
        else 0
    )


def _payment(row: Record) -> dict[str, Any]:
    return {**row_of(row), "merchant": row["merchant"], "merchant_id": row["merchant_id"]}


async def show_payments(visit: ConsoleVisit) -> Response[Any]:
    """Show the payments of some days, of every merchant, newest first."""
    today = business_day(visit.now)
    until = day_of(visit.query.get("until", "")) or today
    since = max(day_of(visit.query.get("since", "")) or until - USUAL_DAYS, until - DAYS_MAX)
    state, method = visit.query.get("state", ""), visit.query.get("method", "")
    filters = AcrossFilters(
        since,
        until,
        state if state in set(PaymentState) else None,
        method if method in CHANNELS else None,
    )
    payments_page = await queries.select_page(
        visit.db, await merchants_of(visit), filters, before_of(visit), PAGE_ROWS + 1
    )
    rows = (payments_page or [])[:PAGE_ROWS]
    return visit.page(
        "across_payments.html",
        "Payments of all merchants",
        rows=[_payment(each) for each in rows],
        older=rows[-1]["payment_id"] if len(payments_page or []) > PAGE_ROWS else 0,
        too_long=payments_page is None,
        asked=filters,
        states=[(each.value, words(each)) for each in PaymentState],
        methods=[(code, channel.name) for code, channel in CHANNELS.items()],
    )


async def search(visit: ConsoleVisit) -> Response[Any]:
    """Find payments of any merchant by order id, our ids or RRN; redirect where one is found."""
    text = visit.query.get("q", "").strip()[:_TEXT_MAX]
    payments_page = (
        await queries.select_named(visit.db, await merchants_of(visit), text, PAGE_ROWS)
        if text
        else []
    )
    if payments_page is not None and len(payments_page) == 1:
        return render.see(
            f"{PREFIX}{payments_page[0]['merchant_id']}/payments/{payments_page[0]['payment_id']}"
        )
    rows = [_payment(each) for each in payments_page or []]
    return visit.page(
        "across_search.html",
        "Search all merchants",
        asked=text,
        rows=rows,
        too_long=payments_page is None,
    )


async def show_disputes(visit: ConsoleVisit) -> Response[Any]:
    """Show the open disputes of every merchant, the earliest deadline first."""
    disputes_page = await queries.select_disputes(visit.db, await merchants_of(visit), PAGE_ROWS)
    rows = [
        {
            **row,
            "amount": shown(Money(row["amount_paise"], row["currency"])),
            "phase": words(row["phase"]),
            "late": row["respond_by"] is not None
            and row["respond_by"] <= visit.now + timedelta(days=1),
        }
        for row in disputes_page or []
    ]
    return visit.page(
        "across_disputes.html",
        "Disputes of all merchants",
        rows=rows,
        too_long=disputes_page is None,
    )


# --- payouts ---


async def show_payouts(visit: ConsoleVisit) -> Response[Any]:
    """Show the payouts that wait to be released or examined."""
    to_release = await payout_store.listed(visit.db, None, list(_TO_RELEASE), PAGE_ROWS)
    to_look_at = await payout_store.listed(visit.db, None, list(_TO_LOOK_AT), PAGE_ROWS)
    under_way = await payout_store.listed(visit.db, None, list(_ON_THE_WAY), PAGE_ROWS)
    names = await queries.names_of(
        visit.db, {each.merchant_id for each in (*to_release, *to_look_at, *under_way)}
    )
    return visit.page(
        "across_payouts.html",
        "Payouts of all merchants",
        release=[_payout(each, names) for each in to_release],
        look_at=[_payout(each, names) for each in to_look_at],
        under_way=[
            {**_payout(each, names), "said": await _reason(visit, each)} for each in under_way
        ],
        balances=[
            {
                "provider": each.connector,
                "left": shown(Money(each.left_paise)),
                "at": each.counted_at,
                "decides": each.is_fresh(visit.now),
            }
            for each in await balance_store.select_all(visit.db)
        ],
        me=visit.person.email,
        may_release=visit.may(Permission.PAYOUTS_RELEASE),
    )


def _payout(payout: PayoutTry, names: dict[int, str]) -> dict[str, Any]:
    return {
        "merchant_id": payout.merchant_id,
        "merchant": names.get(payout.merchant_id, ""),
        "payout_id": payout.payout_id,
        "to": "The merchant" if payout.beneficiary == "primary" else payout.beneficiary,
        "state": words(payout.state),
        "tone": tone_of(payout.state) or ("waiting" if payout.state in _TO_RELEASE else "failed"),
        "amount": shown(Money(payout.amount_paise)),
        "at": payout.created_at,
        "maker": payout.maker,
        "provider": payout.provider
        or ("in a file" if payout.channel is PayoutChannel.FILE else ""),
        "may_cancel": payout.state in WAITING,
        "said": f"{payout.bank_code} {payout.bank_message}".strip(),
    }


async def _reason(visit: ConsoleVisit, payout: PayoutTry) -> str:
    """Return what the bank said of a payout, or why it waits."""
    if payout.state not in WAIT_GAPS:
        return f"{payout.bank_code} {payout.bank_message}".strip()
    events = await payout_store.events_of(visit.db, payout.merchant_id, payout.payout_id)
    return events[-1]["note"] if events else ""


async def release(visit: ConsoleVisit) -> Response[Any]:
    """Release a payout: the first person proposes it, the second, another one, approves it."""
    merchant_id, payout_id = visit.params["merchant_id"], visit.params["payout_id"]
    payout = (
        await payout_store.select(visit.db, merchant_id, payout_id)
        if _known(merchant_id, payout_id)
        else None
    )
    if payout is None:
        raise refuse(RefusalCode.NO_RECORDS, field="payout", received=str(payout_id))
    if visit.form.get("seen", "") != payout.state:
        # One button proposes and approves: from an older page it could do the wrong one.
        allowed = "the state that the page showed: look at the list again"
        raise refuse(
            RefusalCode.STATE_FORBIDS, field="payout", received=payout.state, allowed=allowed
        )
    if payout.state is PayoutState.PROPOSED:
        maker = await people.select_by_email(visit.db, payout.maker)
        proposers = await second_person.proposers(visit, merchant_id, "payout.propose", payout_id)
        if not await second_person.is_second(
            visit, proposers | ({maker.person_id} if maker else set())
        ):
            allowed = (
                "another person than who proposed it, who has not made your link to sign in either"
            )
            raise refuse(
                RefusalCode.STATE_FORBIDS, field="as", received=visit.person.email, allowed=allowed
            )
    act = "payout.approve" if payout.state is PayoutState.PROPOSED else "payout.propose"
    recorded = recording_at(
        visit, merchant_id, act, payout_id, amount=shown(Money(payout.amount_paise))
    )
    after = await payouts.approve(
        visit.db, merchant_id, payout_id, visit.person.email, None, visit.now, payout, recorded
    )
    return visit.see(
        "across/payouts",
        "payout_proposed" if after.state is PayoutState.PROPOSED else "payout_released",
    )


def _known(*numbers: int) -> bool:
    return all(0 < each < queries.ID_MAX for each in numbers)


_LOOK, _MONEY = Permission.PAYMENTS_SEE, Permission.MONEY_SEE
ROUTES = (
    ConsoleRoute("GET", "across/payments", show_payments, _LOOK, at="all"),
    ConsoleRoute("GET", "across/search", search, _LOOK, at="all"),
    ConsoleRoute("GET", "across/disputes", show_disputes, _MONEY, at="all"),
    ConsoleRoute("GET", "across/payouts", show_payouts, _MONEY, at="all"),
    ConsoleRoute(
        "POST",
        "across/payouts/{merchant_id:int}/{payout_id:int}/release",
        release,
        Permission.PAYOUTS_RELEASE,
        fresh=True,
        at="all",
    ),
    form_of(
        cancel,
        "across/payouts/{merchant_id:int}/{payout_id:int}/cancel",
        "across/payouts",
    ),
)
