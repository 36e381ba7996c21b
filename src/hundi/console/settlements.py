"""Settlements and payouts: the settlements of each day, their items, and their payouts."""

from collections.abc import Mapping
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console.assets import PREFIX
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import ID_DIGITS, tone_of, words
from hundi.console.visits import ALL, ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.payouts import store as payouts
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


def _before(query: Mapping[str, str]) -> int:
    """Return the id before which a page begins, 0 for the first page."""
    text = query.get("before", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _ID_DIGITS else 0


def _tag(state: str | None) -> dict[str, str]:
    return (
        {"state": words(state), "tone": _TONES.get(state, tone_of(state) or "waiting")}
        if state
        else {}
    )


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of settlements, newest first."""
    settlements_page = await finding.page_of(
        visit.db, visit.merchant_id, _before(visit.query), PAGE_ROWS + 1
    )
    rows = settlements_page[:PAGE_ROWS]
    older = rows[-1]["settlement_id"] if len(settlements_page) > PAGE_ROWS else 0
    return visit.page("settlements.html", "Settlements", rows=rows, older=older)


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
        shares=[{**each, **_tag(each["state"])} for each in shares],
        items=[_item(each) for each in items[:ITEM_ROWS]],
        more=f"{last['cause_id']}-{last['kind']}" if last else "",
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


async def show_payouts(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of payouts, newest first: their bank accounts and references."""
    payouts_page = await payouts.page_of(
        visit.db, visit.merchant_id, _before(visit.query), (), PAGE_ROWS + 1
    )
    rows = payouts_page[:PAGE_ROWS]
    older = rows[-1]["payout_id"] if len(payouts_page) > PAGE_ROWS else 0
    return visit.page(
        "payouts.html",
        "Payouts",
        rows=[{**each, **_tag(each["state"])} for each in rows],
        older=older,
        one_href=f"{PREFIX}{ALL}/across/payouts/{visit.merchant_id}/" if visit.is_operator else "",
    )


ROUTES = (
    ConsoleRoute("GET", "settlements", show_list, Permission.MONEY_SEE),
    ConsoleRoute("GET", "settlements/{settlement_id:int}", show, Permission.MONEY_SEE),
    ConsoleRoute("GET", "payouts", show_payouts, Permission.MONEY_SEE),
)
