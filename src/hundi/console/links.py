"""Payment links: the list, and the form that makes one."""

import re
import shlex
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from litestar import Response

from hundi.console import list_tables
from hundi.console.days import day_of
from hundi.console.link_rows import tone_of_link
from hundi.console.list_pages import ListKind
from hundi.console.list_tables import (
    AMOUNT,
    AMOUNTS,
    ListCell,
    ListColumn,
    ListField,
    ListTable,
    column_of,
    money,
    names_of,
    state_field,
    tag,
)
from hundi.console.lists import ListAddress
from hundi.console.queries import links as queries
from hundi.console.queries.links import LinkFilters
from hundi.console.verb_forms import form_of
from hundi.console.visits import ITEM_ROWS, ConsoleVisit
from hundi.kernel.clock import business_day, for_people
from hundi.kernel.ids import new_id
from hundi.kernel.money import rupees
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.money.reports.rules import amount, cell
from hundi.payments.links import rules
from hundi.payments.links.items import rules as items
from hundi.payments.links.reminders import actions as reminders
from hundi.payments.links.rules import LinkState
from hundi.staff.people.rules import Permission
from hundi.verbs.link import make

_ACT_ID = re.compile(r"[0-9]{1,15}\Z")
_TYPED = (
    *("amount", "minimum", "description", "until", "surplus", "email", "phone", "act_id"),
    *("remind_before", "remind_after"),
    *(
        f"item_{number}{part}"
        for number in range(1, ITEM_ROWS + 1)
        for part in ("", "_quantity", "_amount")
    ),
)
_TEXT_MAX = 254


_COLUMNS = (
    ListColumn(
        head="For",
        cell=lambda row: ListCell(
            text=row["description"],
            href=f"links/{row['link_id']}",
            under=(ListCell(text=row["reference"], is_code=True),),
        ),
        file={
            "link_id": lambda row: str(row["link_id"]),
            "reference": lambda row: cell(row["reference"]),
            "description": lambda row: cell(row["description"]),
        },
    ),
    ListColumn(
        head="State",
        cell=lambda row: tag(row["state"], tone=tone_of_link(row["state"])),
        file={"state": lambda row: row["state"]},
    ),
    ListColumn(
        head="Made",
        cell=lambda row: ListCell(at=row["created_at"], under=(ListCell(text=row["made_by"]),)),
        file={
            "made_ist": column_of("created_at"),
            "made_by": lambda row: cell(row["made_by"]),
        },
        order="time",
    ),
    ListColumn(
        head="Until",
        cell=lambda row: ListCell(text=for_people(row["expires_at"])),
        file={"until_ist": column_of("expires_at")},
    ),
    ListColumn(
        head="Paid",
        cell=lambda row: money(row["paid_paise"]),
        file={"paid_inr": lambda row: amount(row["paid_paise"])},
        is_number=True,
    ),
    AMOUNT,
)
_FIELDS = (
    state_field(LinkState),
    ListField(name="text", label="Reference, or words of it"),
)


def _filters_of(address: ListAddress) -> LinkFilters:
    return LinkFilters(
        state=address.one_of("state", LinkState),
        text=address.text("text"),
        at=address.now,
        **address.unbounded,
    )


_TABLE = ListTable(
    kind=ListKind(
        path="links",
        noun=("link", "links"),
        filters=names_of(_FIELDS, *AMOUNTS),
        key=("link_id",),
        select_page=queries.select_page,
        select_sums=queries.select_sums,
        sums={"amount_paise": "in all", "paid_paise": "paid"},
        by_amount=True,
        is_bounded=False,
    ),
    title="Payment links",
    noun="link",
    columns=_COLUMNS,
    fields=_FIELDS,
    filters_of=_filters_of,
    empty=(
        "No payment link yet. A link asks a customer for an amount at an address that you send by"
        " message, e-mail or on paper; your shop needs no program for it."
    ),
    template="links.html",
)


async def listing(visit: ConsoleVisit) -> Response[Any]:
    """List the merchant's links, newest first, with the form that makes one."""
    return await _listed(visit)


async def _listed(visit: ConsoleVisit, fault: str = "", status_code: int = 200) -> Response[Any]:
    may_make = visit.may(Permission.LINKS_MAKE)
    waiting = await reminders.waiting(visit.db, visit.merchant_id, visit.now) if may_make else []
    return await list_tables.shown_page(
        visit,
        _TABLE,
        status_code,
        reminders=waiting,
        may_make=may_make,
        fault=fault,
        typed={name: visit.form.get(name, "") for name in _TYPED},
        item_rows=range(1, ITEM_ROWS + 1),
        act_id=visit.form.get("act_id") or str(new_id(visit.now)),
        first_day=business_day(visit.now).isoformat(),
        last_day=(business_day(visit.now) + rules.LIFE_MAX - timedelta(days=1)).isoformat(),
        usual_day=(business_day(visit.now) + rules.LIFE).isoformat(),
    )


async def _link_typed(visit: ConsoleVisit) -> dict[str, str]:
    """Return the new link of a form; the form's number makes it one, however often it is sent."""
    form = visit.form
    if not _ACT_ID.match(form.get("act_id", "")):
        raise refuse(
            RefusalCode.FIELD_INVALID, field="act_id", received=form.get("act_id", "")[:20]
        )
    lines = _items_typed(form)
    amount = form.get("amount", "").strip() or _sum_typed(lines)
    until = day_of(form.get("until", "")) or business_day(visit.now) + rules.LIFE
    keep = "1" if form.get("surplus") == "keep" else ""
    buyer = {name: _short(form.get(name, "")) for name in ("email", "phone")}
    return {
        **form,
        **buyer,
        "amount": amount,
        "item": shlex.join(lines),
        "until": until.isoformat(),
        "keep_surplus": keep,
    }


def _items_typed(form: Mapping[str, str]) -> list[str]:
    """Return the typed items, as the verb reads them; rows without a word are left out."""
    lines: list[str] = []
    for number in range(1, ITEM_ROWS + 1):
        what, quantity, amount = (
            form.get(f"item_{number}{part}", "").strip() for part in ("", "_quantity", "_amount")
        )
        if what or amount:
            lines.append(f"{what}; {quantity or 1}; {amount}")
    return lines


def _sum_typed(lines: Sequence[str]) -> str:
    """Return what typed items come to: the amount of a link for which none was typed."""
    return rupees(items.items_sum([items.parse_item(line) for line in lines])) if lines else ""


async def _not_made(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    """Show the list with the wrong field. Raises Refused for any other reason."""
    refusal = refused.refusal
    if refusal.code is not RefusalCode.FIELD_INVALID:
        raise refused
    return await _listed(visit, f"{refusal.field.capitalize()}: use {refusal.allowed}.", 409)


def _short(text: str) -> str:
    return text.strip()[:_TEXT_MAX]


ROUTES = (
    *list_tables.routes_of(_TABLE, Permission.PAYMENTS_SEE, listing),
    form_of(make, "links", "links/{link_id}", _link_typed, _not_made),
)
