"""Payments: the search box's answer, the list with its filters, the list as a file, one's story."""

import csv
import io
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from asyncpg import Record
from litestar import Response
from litestar.response import Stream

from hundi.console import story
from hundi.console.assets import HEADERS
from hundi.console.days import day_of
from hundi.console.guard import Route, Visit, message
from hundi.console.queries import payments as queries
from hundi.console.queries.payments import Filters
from hundi.instruments.methods import CHANNELS
from hundi.kernel.clock import business_day
from hundi.kernel.ids import new_id
from hundi.kernel.masks import masked_email, masked_phone
from hundi.kernel.money import PAISE_PER_RUPEE, Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import PaymentState
from hundi.merchants.directory.rules import CURRENCIES
from hundi.money.reports.rules import amount, cell, moment
from hundi.payments.orders.finding import store as finding
from hundi.payments.orders.rules import PaymentView
from hundi.payments.search import actions as searching
from hundi.payments.search import rules as meanings
from hundi.payments.story.actions import story_of
from hundi.staff.people.rules import OPERATORS, Permission
from hundi.staff.trail import store as trail
from hundi.staff.trail.rules import Entry

PAGE_ROWS = 50
EXPORT_ROWS_MAX = 1_000_000
DAYS = timedelta(days=90)
"""How far back a list goes that names no first day."""
_TOO_LONG = "Nothing that fits was found soon enough. Choose fewer days, or fewer filters, and look again."
_EXPORT_AT_ONCE = 1_000
_TRAIL_MAX = 100
NOTE = "payment.note"
_ID_DIGITS = 15
_TEXT_MAX = 60
_RUPEES = re.compile(r"([0-9]{1,11})(?:\.([0-9]{1,2}))?\Z")
_HEAD = (
    *("ap_transactionid", "orderid", "created_ist", "state", "method", "currency", "amount", "refunded"),
    *("phone", "email", "bank_code", "bank_message"),
)
_TONES = {
    **dict.fromkeys(("paid", "captured", "authorised"), "paid"),
    **dict.fromkeys(("open", "in_process", "under_review"), "waiting"),
    **dict.fromkeys(("failed", "not_registered", "unknown"), "failed"),
}


def row_of(row: Record) -> dict[str, Any]:
    """Return a payment as a list shows it."""
    return {
        "id": row["payment_id"],
        "order": row["order_id"],
        "amount": shown(Money(row["amount_paise"], row["currency"])),
        "state": words(row["state"]),
        "tone": tone_of(row["state"]),
        "method": CHANNELS[row["method"]].name if row["method"] in CHANNELS else row["method"],
        "at": row["created_at"],
    }


def words(name: str) -> str:
    """Return a name of the code as people write it."""
    return name.replace("_", " ").capitalize()


def tone_of(state: str) -> str:
    """Return the colour of a state's tag, which always has the word in it."""
    return _TONES.get(state, "")


# --- the search box ---


async def search(visit: Visit) -> Response[Any]:
    """Show what a text may mean; straight to the payment where it means one alone."""
    text = visit.query.get("q", "").strip()[: meanings.TEXT_MAX]
    found = await searching.search(visit.db, visit.gateway.vault, visit.merchant_id, text, visit.now)
    if len(found.payments) == 1 and not found.payouts:
        return visit.see(f"payments/{found.payments[0]['payment_id']}")
    payouts = [
        {
            "id": row["payout_id"],
            "settlement": row["settlement_id"],
            "to": row["beneficiary"] or "merchant",
            "amount": shown(Money(row["amount_paise"])),
            "state": words(row["state"]),
            "tone": tone_of(row["state"]),
            "utr": row["utr"],
            "at": row["created_at"],
        }
        for row in found.payouts
    ]
    rows = [row_of(row) for row in found.payments]
    return visit.page(
        "search.html", "Search", asked=text, rows=rows, more=found.more, payouts=payouts, most=searching.SHOWN_MAX
    )


# --- the list ---


def filters_of(query: Mapping[str, str], now: datetime) -> Filters:
    """Return what the address asks for; what it cannot mean is as if it were not there.

    Without a first day it goes back `DAYS`, from its last day: what fits nothing would be looked for in everything.
    """
    since, until = day_of(query.get("since", "")), day_of(query.get("until", ""))
    return Filters(
        state=_one_of(query.get("state", ""), PaymentState),
        method=_one_of(query.get("method", ""), CHANNELS),
        currency=_one_of(query.get("currency", ""), CURRENCIES),
        bank=query.get("bank", "").strip()[:_TEXT_MAX] or None,
        paise_from=_paise(query.get("from", "")),
        paise_upto=_paise(query.get("upto", "")),
        since=since or (until or business_day(now)) - DAYS,
        until=until,
    )


async def show_list(visit: Visit) -> Response[Any]:
    """Show a page of payments, newest first."""
    query = visit.query
    before = query.get("before", "")
    newest = int(before) if before.isascii() and before.isdigit() and len(before) <= _ID_DIGITS else None
    filters = filters_of(query, visit.now)
    found = await queries.select_page(visit.db, visit.merchant_id, filters, newest, PAGE_ROWS + 1)
    if found is None:
        return message(visit, "This takes too long", _TOO_LONG, 503)
    rows = found[:PAGE_ROWS]
    names = ("state", "method", "currency", "bank", "from", "upto", "since", "until")
    chosen = {name: query.get(name, "")[:_TEXT_MAX] for name in names}
    kept = {name: text for name, text in chosen.items() if text}
    return visit.page(
        "payments.html",
        "Payments",
        rows=[row_of(row) for row in rows],
        older=urlencode({**kept, "before": rows[-1]["payment_id"]}) if len(found) > PAGE_ROWS else "",
        export=urlencode(kept) if visit.may(Permission.PAYMENTS_EXPORT) else None,
        chosen=chosen,
        narrowed=bool(kept),
        since=f"{filters.since:%d %b %Y}".lstrip("0"),
        is_default=day_of(chosen["since"]) is None,
        states=[(each.value, words(each)) for each in PaymentState],
        methods=[(code, each.name) for code, each in CHANNELS.items()],
        currencies=CURRENCIES,
    )


async def export(visit: Visit) -> Response[Any]:
    """Send the list as CSV while it is read: masked, and no cell that a spreadsheet would run."""
    filters = filters_of(visit.query, visit.now)
    chosen = {name: str(value) for name, value in asdict(filters).items() if value is not None}
    await visit.record("payment.export", "payments", **chosen)
    headers = {**HEADERS, "content-disposition": 'attachment; filename="payments.csv"'}
    return Stream(_lines(visit, filters), media_type="text/csv; charset=utf-8", headers=headers)


async def _lines(visit: Visit, filters: Filters) -> AsyncIterator[bytes]:
    yield _written([_HEAD])
    before, left = None, EXPORT_ROWS_MAX
    while left > 0:
        rows = await queries.select_page(visit.db, visit.merchant_id, filters, before, min(left, _EXPORT_AT_ONCE))
        if rows is None:
            # Broken off: a file that only looks whole would be worse.
            raise TimeoutError(_TOO_LONG)
        if not rows:
            return
        yield _written([_cells(row) for row in rows])
        before, left = rows[-1]["payment_id"], left - len(rows)


def _cells(row: Record) -> tuple[str, ...]:
    return (
        str(row["payment_id"]),
        cell(row["order_id"]),
        moment(row["created_at"]),
        row["state"],
        row["method"],
        row["currency"],
        amount(row["amount_paise"]),
        amount(row["refunded_paise"]),
        cell(masked_phone(row["phone"] or "")),
        cell(masked_email(row["email"] or "")),
        cell(row["bank_code"]),
        cell(row["bank_message"]),
    )


def _written(rows: list[tuple[str, ...]]) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


# --- one payment ---


async def find(visit: Visit) -> PaymentView:
    """Return the payment that the path names, wherever it is. Raises Refused (NO_RECORDS)."""
    number = visit.params["payment_id"]
    known = 0 < number < 10**_ID_DIGITS
    view = await finding.select_by_references(visit.db, visit.merchant_id, None, number, None) if known else None
    if view is None:
        raise refuse(RefusalCode.NO_RECORDS, field="payment", received=str(number))
    return view


async def show(visit: Visit) -> Response[Any]:
    """Show the story of one payment, and what can be done now."""
    return await shown_with(visit, {})


async def shown_with(visit: Visit, revealed: Mapping[str, str]) -> Response[Any]:
    """Show the story. revealed: phone and e-mail, where somebody just said why they need them."""
    view = await find(visit)
    told = await story_of(visit.db, view)
    about = str(view.payment.payment_id)
    acts = await _acts(visit, about)
    buyer = view.payment.buyer
    return visit.page(
        "payment.html",
        f"Payment {view.payment.order_id}",
        number=about,
        facts=story.facts_of(told, revealed=bool(revealed)),
        phone=revealed.get("phone", masked_phone(buyer.phone)),
        email=revealed.get("email", masked_email(buyer.email)),
        can_reveal=bool(buyer.phone or buyer.email) and not revealed and visit.may(Permission.PERSONAL_REVEAL),
        state=words(view.payment.state),
        tone=tone_of(view.payment.state),
        timeline=story.timeline_of(told, acts, revealed=bool(revealed), of_operator=_is_operator(visit)),
        charges=story.charges_of(told) if visit.may(Permission.MONEY_SEE) else [],
        postings=story.postings_of(told) if visit.may(Permission.MONEY_SEE) else [],
        may=_possible(visit, view),
        repeat=[each.key.webhook_id for each in told.told] if visit.may(Permission.PAYMENTS_NOTE) else [],
        left=amount(view.payment.remaining.paise),
        held=amount(view.payment.amount.paise),
        act_id=new_id(visit.now),
        payment_href=visit.href(f"payments/{about}"),
    )


async def _acts(visit: Visit, about: str) -> list[Entry]:
    """Return what people did with a payment, as far as the visitor may know it: notes, or all of the trail."""
    if visit.may(Permission.TRAIL_SEE):
        return await trail.select_page(visit.db, visit.merchant_id, about=about, limit=_TRAIL_MAX)
    if visit.may(Permission.PAYMENTS_NOTE):
        return await trail.select_page(visit.db, visit.merchant_id, act=NOTE, about=about, limit=_TRAIL_MAX)
    return []


def _is_operator(visit: Visit) -> bool:
    return visit.place is not None and visit.place.role in OPERATORS


def _possible(visit: Visit, view: PaymentView) -> dict[str, bool]:
    payment = view.payment
    held = payment.state is PaymentState.AUTHORISED and visit.may(Permission.PAYMENTS_COMPLETE)
    return {
        "refund": payment.remaining.paise > 0 and visit.may(Permission.REFUNDS_MAKE),
        "complete": held,
        "note": visit.may(Permission.PAYMENTS_NOTE),
    }


def _one_of(text: str, known: Any) -> str | None:  # noqa: ANN401 (whatever has members)
    return text if text and text in set(known) else None


def _paise(text: str) -> int | None:
    found = _RUPEES.match(text.replace(",", "").strip())
    return int(found[1]) * PAISE_PER_RUPEE + int((found[2] or "0").ljust(2, "0")) if found else None


ROUTES = (
    Route("GET", "search", search, Permission.PAYMENTS_SEE),
    Route("GET", "payments", show_list, Permission.PAYMENTS_SEE),
    Route("GET", "payments/export", export, Permission.PAYMENTS_EXPORT),
    Route("GET", "payments/{payment_id:int}", show, Permission.PAYMENTS_SEE),
)
