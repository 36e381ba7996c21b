"""Terminals: each one's sales today, and one's sales with their filters and their file."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from asyncpg import Record
from litestar import Response

from hundi.console import lists
from hundi.console.guard import ConsoleRoute
from hundi.console.lists import PAGE_ROWS, ListAddress, asked_of, id_of
from hundi.console.queries import terminals as queries
from hundi.console.queries.terminals import FIRST_PAGE, TerminalFilters
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.reports.rules import amount, cell, moment
from hundi.partners.pos.rules import KINDS
from hundi.staff.people.rules import Permission

_FILTERS = ("kind", "reference", "from", "upto", "since", "until")
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
_MICROS = 1_000_000
_DIGITS_MAX = 16


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


def _filters_of(address: ListAddress) -> TerminalFilters:
    return TerminalFilters(
        kind=address.one_of("kind", KINDS),
        reference=address.text("reference"),
        **address.narrowed,
    )


def _before(text: str) -> tuple[datetime, int]:
    """Return the sale before which a page begins: its time in microseconds and its number."""
    micros, _, number = text.partition("-")
    if not (micros.isascii() and micros.isdigit() and len(micros) <= _DIGITS_MAX):
        return FIRST_PAGE
    seconds, rest = divmod(int(micros), _MICROS)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest), id_of(number) or 0


def _cursor(row: Record) -> dict[str, str]:
    seconds, rest = int(row["at"].timestamp()), row["at"].microsecond
    return {"before": f"{seconds * _MICROS + rest}-{row['transaction_id']}"}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of a terminal's sales, newest first."""
    terminal, address = await _found(visit), asked_of(visit)
    rows = await queries.select_sales(
        visit.db,
        visit.merchant_id,
        terminal["terminal_id"],
        _filters_of(address),
        _before(visit.query.get("before", "")),
        PAGE_ROWS + 1,
    )
    if rows is None:
        return lists.too_long(visit)
    return visit.page(
        "terminal.html",
        terminal["label"],
        **lists.shown(visit, _FILTERS, rows, _cursor),
        terminal=terminal,
        rows=[
            {
                **row,
                "paid": shown(Money(row["paid_paise"])),
                "first": shown(Money(row["amount_paise"])),
            }
            for row in rows[:PAGE_ROWS]
        ],
        kinds=[(each, each.capitalize()) for each in KINDS],
    )


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream a terminal's sales as CSV."""
    terminal_id, filters = (await _found(visit))["terminal_id"], _filters_of(asked_of(visit))
    chosen = {name: str(value) for name, value in asdict(filters).items() if value is not None}
    await visit.record("terminal.export", terminal_id, **chosen)

    async def read(last: Record | None, limit: int) -> list[Record] | None:
        before = (last["at"], last["transaction_id"]) if last else FIRST_PAGE
        return await queries.select_sales(
            visit.db, visit.merchant_id, terminal_id, filters, before, limit
        )

    return lists.as_file(
        f"terminal-{terminal_id}", _HEAD, read, lambda row: _cells(terminal_id, row)
    )


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
