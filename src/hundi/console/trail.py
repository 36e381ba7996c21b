"""The trail: people's acts at this place, newest first, with filters in the address."""

from datetime import datetime, time, timedelta
from typing import Any

import msgspec
from litestar import Response

from hundi.console.days import day_of
from hundi.console.guard import ConsoleRoute
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import INDIA
from hundi.staff.people import store as people_store
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.rules import Permission
from hundi.staff.trail import store

PAGE_ROWS = 50


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of the trail."""
    query = visit.query
    since, until = day_of(query.get("since", "")), day_of(query.get("until", ""))
    rows = await store.select_page(
        visit.db,
        visit.merchant_id,
        before=_number(query.get("before", ""), 2**31),
        person_id=_number(query.get("person", ""), 10**15),
        act=query.get("act", "")[:60],
        about=query.get("about", "")[:200],
        since=datetime.combine(since, time(), INDIA) if since else None,
        until=datetime.combine(until, time(), INDIA) + timedelta(days=1) if until else None,
        limit=PAGE_ROWS,
    )
    people = await people_store.people_of(visit.db, [*{each.person_id for each in rows}])
    entries = [
        {
            "entry": each,
            "detail": msgspec.json.decode(each.detail),
            "email": people[each.person_id].email if each.person_id in people else "",
        }
        for each in rows
    ]
    older = rows[-1].entry_no if len(rows) == PAGE_ROWS else None
    everybody = [
        {"id": each.person.person_id, "name": each.person.name}
        for each in await listing.members(visit.db, visit.gateway.vault, visit.merchant_id)
    ]
    chosen = {name: query.get(name, "") for name in ("person", "act", "about", "since", "until")}
    return visit.page(
        "trail.html", "Trail", rows=entries, older=older, people=everybody, chosen=chosen
    )


def _number(text: str, below: int) -> int | None:
    is_id = text.isascii() and text.isdigit() and len(text) < 16  # noqa: PLR2004 (digits of our ids)
    return int(text) if is_id and int(text) < below else None


ROUTES = (ConsoleRoute("GET", "trail", show, Permission.TRAIL_SEE, at="both"),)
