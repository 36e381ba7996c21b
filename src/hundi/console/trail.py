"""The trail: people's acts at this place, newest first, with filters in the address."""

from collections.abc import Sequence
from typing import Any

import msgspec
from asyncpg import Record
from litestar import Response

from hundi.console import list_tables
from hundi.console.list_pages import ListKind
from hundi.console.list_tables import ListCell, ListColumn, ListField, ListTable, names_of
from hundi.console.lists import ListAddress
from hundi.console.queries import trail as queries
from hundi.console.queries.trail import TrailFilters
from hundi.console.trail_words import act_words, detail_words
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import to_the_second
from hundi.money.reports.rules import cell, moment
from hundi.staff.people import store as people_store
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.rules import Permission


def _who(row: dict[str, Any]) -> ListCell:
    under = [ListCell(text=row[name]) for name in ("email", "network") if row[name]]
    return ListCell(text=row["person"], under=under)


def _act(row: dict[str, Any]) -> ListCell:
    return ListCell(text=act_words(row["act"]), under=(ListCell(text=row["act"], is_code=True),))


def _detail(row: dict[str, Any]) -> ListCell:
    detail = msgspec.json.decode(row["detail"])
    lines = (f"{name}: {value}" for name, value in detail_words(detail))
    return ListCell(under=[ListCell(text=line) for line in lines])


_COLUMNS = (
    ListColumn(
        head="Who",
        cell=_who,
        file={
            "entry_no": lambda row: str(row["entry_no"]),
            "at_ist": lambda row: moment(row["at"]),
            "person": lambda row: cell(row["person"]),
            "network": lambda row: row["network"],
        },
    ),
    ListColumn(head="When", cell=lambda row: ListCell(text=to_the_second(row["at"])), order="time"),
    ListColumn(head="Act", cell=_act, file={"act": lambda row: row["act"]}),
    ListColumn(
        head="About",
        cell=lambda row: ListCell(text=row["about"], is_code=True),
        file={"about": lambda row: cell(row["about"])},
    ),
    ListColumn(head="Detail", cell=_detail, file={"detail": lambda row: cell(row["detail"])}),
    ListColumn(head="No", cell=lambda row: ListCell(text=str(row["entry_no"])), is_number=True),
)
_FIELDS = (
    ListField(name="person", label="Person", nothing="Everybody"),
    ListField(name="act", label="Act", hint="person or person.invite"),
    ListField(name="about", label="About", hint="an id"),
)


def _filters_of(address: ListAddress) -> TrailFilters:
    return TrailFilters(
        person_id=address.id("person"),
        deed=address.text("act"),
        subject=address.text("about"),
        **address.unbounded,
    )


async def _named(visit: ConsoleVisit, rows: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the rows with the e-mail address of each person."""
    people = await people_store.people_of(visit.db, [*{row["person_id"] for row in rows}])
    emails = {number: person.email for number, person in people.items()}
    return [{**row, "email": emails.get(row["person_id"], "")} for row in rows]


_TABLE = ListTable(
    kind=ListKind(
        path="trail",
        noun=("act", "acts"),
        filters=names_of(_FIELDS),
        key=("entry_no",),
        select_page=queries.select_page,
        is_bounded=False,
        export=Permission.TRAIL_SEE,
    ),
    title="Trail",
    noun="trail",
    columns=_COLUMNS,
    fields=_FIELDS,
    filters_of=_filters_of,
    empty="Nobody has done anything here yet.",
    prepared=_named,
    template="trail.html",
)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of the trail."""
    members = await listing.members(visit.db, visit.gateway.vault, visit.merchant_id)
    people = [(str(each.person.person_id), each.person.name) for each in members]
    return await list_tables.shown_page(visit, _TABLE, options={"person": people})


ROUTES = list_tables.routes_of(_TABLE, Permission.TRAIL_SEE, show, at="both")
