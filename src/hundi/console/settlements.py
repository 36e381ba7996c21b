"""Settlements by month with their sums, and one with its items; each leaves as a file."""

from collections.abc import Iterable, Mapping
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console.days import month_of
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import ID_DIGITS, TEXT_MAX, id_of, tone_of, words
from hundi.console.payouts import beneficiary_words
from hundi.console.queries import settlements as queries
from hundi.console.report_forms import MONTHLY, OF_ONE, files_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.kernel.ids import parse_reference
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.invoices import rules as reports
from hundi.money.reports.months import store as by_month
from hundi.money.reports.months.rules import MonthLine, MonthSums
from hundi.money.reports.rules import DaySpan
from hundi.money.settlements.finding import store as finding
from hundi.staff.people.rules import Permission

PAGE_ROWS = 50
ITEM_ROWS = 200
_ID_DIGITS = 15
_KIND_LENGTH_MAX = 40
_SUMS = (
    (1, "carried_in_paise", "Carried from before"),
    (1, "gross_paise", "Sales"),
    (-1, "refunds_paise", "Refunds"),
    (1, "other_paise", "Other"),
    (-1, "fee_paise", "Fees"),
    (-1, "tax_paise", "GST on fees"),
    (-1, "price_paise", "Price of settling at once"),
    (-1, "price_tax_paise", "GST on that price"),
    (-1, "reserve_held_paise", "Put into reserve"),
    (1, "reserve_released_paise", "Out of reserve"),
    (-1, "splits_paise", "To linked accounts"),
    (-1, "carried_paise", "Carried on"),
)
"""The columns of a settlement that add up to the merchant's amount.

The sign of each, and its words.
"""
_TONES = {
    **dict.fromkeys(("done",), "paid"),
    **dict.fromkeys(("returned", "reversed", "refused", "held_back"), "failed"),
}


_STATES: Mapping[str, tuple[str, str]] = {
    "paid": ("Paid out", "paid"),
    "due": ("Not yet", "waiting"),
    "stopped": ("Did not arrive", "failed"),
    "nothing": ("Nothing to pay", ""),
}
"""Where a settlement's money to the merchant is: the words for it, and the colour of its tag."""


def tone_of_payout(state: str) -> str:
    """Return the colour of a payout's tag."""
    return _TONES.get(state, tone_of(state) or "waiting")


def _tag(state: str | None) -> dict[str, str]:
    return {"state": words(state), "tone": tone_of_payout(state)} if state else {}


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show the settlements of a month with their sums, or those that a search finds."""
    months = await queries.months(visit.db, visit.merchant_id)
    newest = months[0]["month"] if months else business_day(visit.now).replace(day=1)
    month = month_of(visit.query.get("month", "")) or newest
    span = reports.month_of(month)
    text = visit.query.get("q", "").strip()[:TEXT_MAX]
    if text:
        lines = await _search(visit, text)
    else:
        lines = await by_month.month(visit.db, visit.merchant_id, span)
        lines.reverse()
    state = visit.query.get("state", "")
    shown_lines = [each for each in lines if state not in _STATES or _state(each) == state]
    return visit.page(
        "settlements.html",
        "Settlements",
        month=month,
        is_over=span.last < business_day(visit.now),
        months=[{**each, "is_here": not text and each["month"] == month} for each in months],
        rows=[_row(each) for each in shown_lines],
        sums=[] if text or not lines else _sums(lines),
        found=text,
        chosen=state,
        states=[(name, words) for name, (words, _) in _STATES.items()],
        files=files_of(visit, MONTHLY, span) if lines and not text else [],
    )


async def _search(visit: ConsoleVisit, text: str) -> list[MonthLine]:
    """Return the settlements that a number, a reference or a UTR names."""
    named = parse_reference(text)
    own = named[1] if named and named[0] == visit.merchant_id else id_of(text) or 0
    return await queries.search(visit.db, visit.merchant_id, own, text, PAGE_ROWS)


def _state(line: MonthLine) -> str:
    """Return where a settlement's money to the merchant is, as a key of `_STATES`."""
    if not line.net_paise:
        return "nothing"
    if line.utr:
        return "paid"
    return "stopped" if tone_of_payout(line.state) == "failed" else "due"


def _row(line: MonthLine) -> dict[str, Any]:
    words, tone = _STATES[_state(line)]
    return {**line._asdict(), "state": words, "tone": tone}


def _sums(lines: Iterable[MonthLine]) -> list[tuple[str, str]]:
    """Return the sums of a month's settlements, in rupees, as its file has them."""
    sums, paid_paise = MonthSums(), 0
    for line in lines:
        sums.count(line)
        paid_paise += line.net_paise if line.utr else 0
    told = (
        ("Sales", sums.gross_paise),
        ("Refunds", -sums.refunds_paise),
        ("Disputes and corrections", sums.other_paise),
        ("Fees", -sums.fees_paise),
        ("GST on fees", -sums.gst_paise),
        ("Reserve", sums.reserve_paise),
        ("To linked accounts", -sums.splits_paise),
        ("Settled to you", sums.net_paise),
        ("Of this, paid out", paid_paise),
    )
    always = {"Sales", "Refunds", "Fees", "GST on fees", "Settled to you", "Of this, paid out"}
    return [(label, shown(Money(paise))) for label, paise in told if paise or label in always]


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a settlement's sums, its payouts, and a page of its items."""
    settlement_id = int(visit.params["settlement_id"])
    is_id = 0 < settlement_id < 10**ID_DIGITS
    settlement = (
        await finding.settlement_of(visit.db, visit.merchant_id, settlement_id) if is_id else None
    )
    if settlement is None:
        raise refuse(RefusalCode.NO_RECORDS, field="settlement", received=str(settlement_id))
    items = await finding.items_after(
        visit.db,
        visit.merchant_id,
        settlement_id,
        _item_named(visit.query.get("after", "")),
        ITEM_ROWS + 1,
    )
    shares = await finding.paid_shares_of(visit.db, visit.merchant_id, settlement_id)
    last = items[ITEM_ROWS - 1] if len(items) > ITEM_ROWS else None
    return visit.page(
        "settlement.html",
        f"Settlement of {settlement['day']:%-d %b %Y}",
        found=settlement,
        sums=[
            (label, shown(Money(sign * settlement[name])))
            for sign, name, label in _SUMS
            if settlement[name]
        ],
        shares=[
            {
                **each,
                **_tag(each["state"]),
                "to": beneficiary_words(each["beneficiary"], is_own=True),
            }
            for each in shares
        ],
        items=[_item(each) for each in items[:ITEM_ROWS]],
        more=f"{last['cause_id']}-{last['kind']}" if last else "",
        files=files_of(visit, OF_ONE, DaySpan(settlement["day"], settlement["day"]), settlement_id),
    )


def _item_named(text: str) -> tuple[int, str]:
    """Return the item after which a page begins.

    (0, "") for the first page and for any other text.
    """
    cause, _, kind = text.partition("-")
    item = (
        cause.isascii()
        and cause.isdigit()
        and len(cause) <= _ID_DIGITS
        and len(kind) <= _KIND_LENGTH_MAX
    )
    return (int(cause), kind) if item and kind.isprintable() else (0, "")


def _item(row: Record) -> dict[str, Any]:
    return {**row, "why": words(row["kind"])}


ROUTES = (
    ConsoleRoute("GET", "settlements", show_list, Permission.MONEY_SEE),
    ConsoleRoute("GET", "settlements/{settlement_id:int}", show, Permission.MONEY_SEE),
)
