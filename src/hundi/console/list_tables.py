"""Lists that one declaration makes: their filters, their columns, and the columns of their file.

A list declares a `ListTable`; `routes_of` are its page, drawn by `list.html`, and its file.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from asyncpg import Record
from litestar import Response

from hundi.console import lists
from hundi.console.guard import ConsoleRoute, Handler
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ListAddress, asked_of, tone_of, words
from hundi.console.queries.bounded import ListBounds
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.money.reports.rules import amount as file_amount
from hundi.money.reports.rules import moment as file_moment
from hundi.staff.people.rules import Permission

Options = Sequence[tuple[str, str]]
"""Values of a choice with their words."""
DAYS = ("since", "until")
AMOUNTS = ("from", "upto")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCell:
    """What a row shows in one column.

    href: below the place, or whole; "" for no link. tone: of a tag, None for plain text. under:
    smaller lines below it.
    """

    text: str = ""
    href: str = ""
    is_code: bool = False
    tone: str | None = None
    at: datetime | None = None
    under: Sequence["ListCell"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListColumn:
    """One column of a list.

    file: its columns in the file, by their names. order: "time" or "amount" where its head orders
    the list.
    """

    head: str
    cell: Callable[[Any], ListCell]
    file: Mapping[str, Callable[[Record], str]] = field(default_factory=dict[str, Any])
    is_number: bool = False
    order: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListField:
    """One filter of a list. options: of a choice, () for a text."""

    name: str
    label: str
    options: Options = ()
    hint: str = ""
    nothing: str = "Any"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTable:
    """A list whose page and file are made of its declaration.

    noun: of its acts in the trail. columns: the first one names the row. filters_of: the filters
    of an address. prepared: what the cells read, of the rows of a page. empty: the sentence for no
    row at all.
    """

    kind: ListKind
    title: str
    noun: str
    columns: Sequence[ListColumn]
    fields: Sequence[ListField]
    filters_of: Callable[[ListAddress], ListBounds]
    empty: str
    prepared: Callable[[ConsoleVisit, Sequence[Record]], Awaitable[Sequence[Any]]] | None = None
    template: str = "list.html"

    @property
    def in_file(self) -> dict[str, Callable[[Record], str]]:
        """Return the columns of the file."""
        return {name: value for each in self.columns for name, value in each.file.items()}


def names_of(fields: Sequence[ListField], *others: str) -> tuple[str, ...]:
    """Return the names that a list's address may have: its fields, others, and its days."""
    return (*(each.name for each in fields), *others, *DAYS)


def tag(state: str, *under: ListCell, tone: str | None = None) -> ListCell:
    """Return a state as a tag."""
    return ListCell(text=words(state), tone=tone_of(state) if tone is None else tone, under=under)


def money(paise: int, currency: str = "INR") -> ListCell:
    """Return an amount."""
    return ListCell(text=shown(Money(paise, currency)))


AMOUNT = ListColumn(
    head="Amount",
    cell=lambda row: money(row["amount_paise"]),
    file={"amount_inr": lambda row: file_amount(row["amount_paise"])},
    is_number=True,
    order="amount",
)
"""The column of rows that have one amount in rupees."""


def state_field(states: type[StrEnum]) -> ListField:
    """Return the filter of a list's states."""
    return ListField(
        name="state", label="State", options=[(each.value, words(each)) for each in states]
    )


def column_of(name: str) -> Callable[[Record], str]:
    """Return how a file writes a moment of a row, "" for none."""
    return lambda row: file_moment(row[name]) if row[name] else ""


async def shown_page(
    visit: ConsoleVisit,
    table: ListTable,
    status_code: int = 200,
    options: Mapping[str, Options] | None = None,
    **values: object,
) -> Response[Any]:
    """Show a page of a list. options: of choices that are not the same for everybody."""
    filters = table.filters_of(asked_of(visit))
    page = await page_of(visit, table.kind, filters)
    if page is None:
        return lists.too_long(visit)
    rows = await table.prepared(visit, page.rows) if table.prepared else page.rows
    return visit.page(
        table.template,
        table.title,
        status_code,
        **await values_of(visit, table.kind, filters, page),
        columns=table.columns,
        rows=[[column.cell(row) for column in table.columns] for row in rows],
        fields=[(each, (options or {}).get(each.name, each.options)) for each in table.fields],
        has_amounts=set(AMOUNTS) <= set(table.kind.filters),
        one=table.kind.noun[0],
        empty=table.empty,
        **values,
    )


async def exported(visit: ConsoleVisit, table: ListTable) -> Response[Any]:
    """Stream a list as CSV, and record who took it away."""
    filters, columns = table.filters_of(asked_of(visit)), table.in_file
    return await lists.exported(
        visit,
        table.noun,
        table.kind.path,
        filters,
        tuple(columns),
        in_pages(visit, table.kind, filters),
        lambda row: [value(row) for value in columns.values()],
    )


def routes_of(
    table: ListTable,
    needs: Permission,
    page: Handler | None = None,
    at: Literal["merchant", "all", "both"] = "merchant",
) -> tuple[ConsoleRoute, ConsoleRoute]:
    """Return the routes of a list's page and of its file. page: in place of the plain one."""

    async def show(visit: ConsoleVisit) -> Response[Any]:
        return await shown_page(visit, table)

    async def export(visit: ConsoleVisit) -> Response[Any]:
        return await exported(visit, table)

    path, to_export = table.kind.path, table.kind.export
    assert to_export is not None, f"{path} has columns of a file, and nobody may have it"
    return (
        ConsoleRoute("GET", path, page or show, needs, at=at),
        ConsoleRoute("GET", f"{path}/export", export, to_export, at=at),
    )
