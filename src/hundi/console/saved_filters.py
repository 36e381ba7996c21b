"""A person's own filters of the lists: save the one in the address under a name, remove it."""

import re
from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.visits import Access, ConsoleVisit
from hundi.kernel.masking import masked
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.saved_filters import actions
from hundi.staff.saved_filters.rules import SavedFilter

_LIST = re.compile(r"[a-z]{1,30}(-[a-z]{1,30})?\Z")


async def save(visit: ConsoleVisit) -> Response[Any]:
    """Save the list's filters under a name; the same name again replaces them."""
    filters = SavedFilter(
        visit.merchant_id,
        visit.person.person_id,
        _list_named(visit),
        visit.form.get("name", "").strip(),
        masked(visit.form.get("query", "")),
        visit.now,
    )
    await actions.save(visit.db, filters)
    await visit.record("filter.save", filters.list_name, name=filters.name)
    return visit.see(f"{filters.list_name}?{filters.query}", "filter_saved")


async def remove(visit: ConsoleVisit) -> Response[Any]:
    """Remove one of the person's own filters."""
    list_name, name = _list_named(visit), visit.form.get("name", "").strip()
    if await actions.remove(visit.db, visit.merchant_id, visit.person.person_id, list_name, name):
        await visit.record("filter.remove", list_name, name=name)
    return visit.see(list_name, "filter_removed")


def _list_named(visit: ConsoleVisit) -> str:
    """Return the list that a form is of: the answer leads to its page."""
    name = visit.form.get("list", "")
    if not _LIST.match(name):
        raise refuse(RefusalCode.FIELD_INVALID, field="list", received=name[:40])
    return name


ROUTES = (
    ConsoleRoute("POST", "saved-filters", save, Access.MEMBER, at="both"),
    ConsoleRoute("POST", "saved-filters/remove", remove, Access.MEMBER, at="both"),
)
