"""Terminals: each one's sales today, and one's sales with their filters and their file."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from asyncpg import Record
from litestar import Response

from hundi.console import lists
from hundi.console.downloads import leave
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ListAddress, asked_of
from hundi.console.queries import terminals as queries
from hundi.console.queries.terminals import TerminalFilters
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.rules import amount, cell, moment
from hundi.partners.pos.rules import KINDS
from hundi.staff.people.rules import Permission

_HEAD = (
    *(
        "transaction_id",
        "terminal_id",
        "reference",
        "at_ist",
        "type",
        "amount",
        "amount_after_edit",
        "table",
    ),
    "mobile",
)


async def show_all(visit: ConsoleVisit) -> Response[Any]:
    """Show the merchant's terminals, those in use first, with their day so far."""
    terminals_page = await queries.select_terminals(
        visit.db, visit.merchant_id, business_day(visit.now)
    )
    if terminals_page is None:
        return lists.too_long(visit)
    rows = [
        {
            **row,
            "href": visit.href(f"terminals/{quote(row['terminal_id'])}"),
            "sold": shown(Money(row["sold_paise"])),
            "back": shown(Money(row["back_paise"])) if row["back_paise"] else "",
        }
        for row in terminals_page
    ]
    together = sum(row["sold_paise"] for row in terminals_page)
    return visit.page("terminals.html", "Terminals", rows=rows, together=shown(Money(together)))


async def _found(visit: ConsoleVisit) -> Record:
    terminal_id = str(visit.params["terminal_id"])
    terminal = await queries.select_terminal(visit.db, visit.merchant_id, terminal_id)
    if terminal is None:
        raise refuse(RefusalCode.NO_RECORDS, field="terminal", received=terminal_id[:32])
    return terminal


def _filters_of(terminal_id: str, address: ListAddress) -> TerminalFilters:
    return TerminalFilters(
        terminal_id=terminal_id,
        kind=address.one_of("kind", KINDS),
        reference=address.text("reference"),
        **address.narrowed,
    )


_LIST = ListKind(
    path="",
    noun=("sale", "sales and refunds"),
    filters=("kind", "reference", "from", "upto", "since", "until"),
    key=("at_micros", "transaction_id"),
    select_page=queries.select_sales,
    select_sums=queries.select_sums,
    sums={"sold_paise": "sold", "back_paise": "given back"},
)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of a terminal's sales, newest first."""
    terminal = await _found(visit)
    filters = _filters_of(terminal["terminal_id"], asked_of(visit))
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    return visit.page(
        "terminal.html",
        terminal["label"],
        **await values_of(visit, _LIST, filters, page),
        terminal=terminal,
        rows=[
            {
                **row,
                "paid": shown(Money(row["paid_paise"])),
                "first": shown(Money(row["amount_paise"])),
            }
            for row in page.rows
        ],
        kinds=[(each, each.capitalize()) for each in KINDS],
    )


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream a terminal's sales as CSV."""
    terminal_id = (await _found(visit))["terminal_id"]
    filters = _filters_of(terminal_id, asked_of(visit))
    chosen = {name: str(value) for name, value in asdict(filters).items() if value is not None}
    read = in_pages(visit, _LIST, filters)
    file = lists.as_file(
        f"terminal-{terminal_id}", _HEAD, read, lambda row: _cells(terminal_id, row)
    )
    return await leave(visit, file, "terminal.export", terminal_id, **chosen)


def _cells(terminal_id: str, row: Record) -> Sequence[str]:
    return (
        *(
            str(row["transaction_id"]),
            cell(terminal_id),
            cell(row["reference"]),
            moment(row["at"]),
            row["kind"],
        ),
        *(amount(row["amount_paise"]), amount(row["edited_paise"]) if row["edited_paise"] else ""),
        *(cell(row["table_no"]), cell(row["masked_mobile"])),
    )


_ONE = "terminals/{terminal_id:str}"
ROUTES = (
    ConsoleRoute("GET", "terminals", show_all, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", _ONE, show, Permission.PAYMENTS_SEE),
    ConsoleRoute("GET", f"{_ONE}/export", export, Permission.PAYMENTS_EXPORT),
)
