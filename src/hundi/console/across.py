"""The operator's lists across merchants: payments, search, disputes and complaints by due date."""

from datetime import timedelta
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import render
from hundi.console.assets import PREFIX
from hundi.console.complaints import KINDS
from hundi.console.days import day_of
from hundi.console.guard import ConsoleRoute
from hundi.console.payments import row_of, words
from hundi.console.queries import across as queries
from hundi.console.queries import complaints
from hundi.console.queries.across import AcrossFilters
from hundi.console.visits import ConsoleVisit
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.kernel.states import PaymentState
from hundi.staff.people.rules import Permission

PAGE_ROWS = 50
USUAL_DAYS, DAYS_MAX = timedelta(days=1), timedelta(days=31)
"""How far back a list goes without a first day, and at most: it reads every payment of its days."""
_TEXT_MAX = 100


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
    disputes_page = await queries.select_disputes(
        visit.db, await merchants_of(visit), PAGE_ROWS + 1
    )
    rows = [
        {
            **row,
            "amount": shown(Money(row["amount_paise"], row["currency"])),
            "phase": words(row["phase"]),
            "late": row["respond_by"] is not None
            and row["respond_by"] <= visit.now + timedelta(days=1),
        }
        for row in (disputes_page or [])[:PAGE_ROWS]
    ]
    return visit.page(
        "across_disputes.html",
        "Disputes of all merchants",
        rows=rows,
        more=len(disputes_page or []) > PAGE_ROWS,
        too_long=disputes_page is None,
    )


async def show_complaints(visit: ConsoleVisit) -> Response[Any]:
    """Show the complaints of every merchant that wait, the earliest deadline first."""
    merchants = await merchants_of(visit)
    waiting = await complaints.select_waiting(visit.db, merchants, None, PAGE_ROWS + 1)
    names = await queries.names_of(visit.db, {row["merchant_id"] for row in waiting or []})
    rows = [
        {
            **row,
            "merchant": names.get(row["merchant_id"], ""),
            "kind": KINDS[row["kind"]],
            "is_late": row["answer_by"] < visit.now,
        }
        for row in (waiting or [])[:PAGE_ROWS]
    ]
    return visit.page(
        "across_complaints.html",
        "Complaints of all merchants",
        rows=rows,
        more=len(waiting or []) > PAGE_ROWS,
        too_long=waiting is None,
    )


_LOOK, _MONEY = Permission.PAYMENTS_SEE, Permission.MONEY_SEE
ROUTES = (
    ConsoleRoute("GET", "across/payments", show_payments, _LOOK, at="all"),
    ConsoleRoute("GET", "across/search", search, _LOOK, at="all"),
    ConsoleRoute("GET", "across/disputes", show_disputes, _MONEY, at="all"),
    ConsoleRoute("GET", "across/complaints", show_complaints, _LOOK, at="all"),
)
