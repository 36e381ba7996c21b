"""The first page of a person: the choice of a place, and each place's home."""

from typing import Any

from litestar import Response

from hundi.console import charts, render
from hundi.console.assets import PREFIX
from hundi.console.guard import ConsoleRoute
from hundi.console.queries import home as queries
from hundi.console.visits import ALL, Access, ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.staff.approvals import store as approvals
from hundi.staff.people.proofs.actions import memberships_of
from hundi.staff.people.rules import OPERATOR, Permission

_OPEN_MAX = 20


async def begin(visit: ConsoleVisit) -> Response[Any]:
    """Redirect to the look across merchants or to the only place, or offer the choice."""
    members = await memberships_of(visit.db, visit.gateway.vault, visit.person.person_id)
    if any(each.merchant_id == OPERATOR for each in members):
        return render.see(f"{PREFIX}{ALL}/")
    return render.see(
        f"{PREFIX}{members[0].merchant_id}/" if len(members) == 1 else f"{PREFIX}choose"
    )


async def choose(visit: ConsoleVisit) -> Response[Any]:
    """List the places where the person has a role."""
    places = []
    for each in await memberships_of(visit.db, visit.gateway.vault, visit.person.person_id):
        merchant = await visit.gateway.directory.get(each.merchant_id) if each.merchant_id else None
        name = merchant.name if merchant else "All merchants"
        place = str(each.merchant_id) if merchant else ALL
        places.append(
            {"href": f"{PREFIX}{place}/", "name": name, "role": each.role.replace("_", " ")}
        )
    return visit.page("choose.html", "Choose a merchant", places=places)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the open work, and today in numbers."""
    may_approve = visit.may(Permission.APPROVALS_SEE)
    waiting = (
        await approvals.select_open(visit.db, visit.merchant_id, _OPEN_MAX) if may_approve else []
    )
    drawn = await charts.of_visit(visit) if visit.may(Permission.PAYMENTS_SEE) else None
    if not visit.merchant_id:
        return visit.page(
            "home_all.html", "All merchants", waiting=waiting, drawn=drawn, spans=charts.SPANS
        )
    today = await queries.select_day(visit.db, visit.merchant_id, business_day(visit.now))
    name = visit.place.merchant.name  # type: ignore[union-attr]
    return visit.page(
        "home.html", name, waiting=waiting, today=today, drawn=drawn, spans=charts.SPANS
    )


ROUTES = (
    ConsoleRoute("GET", "", begin, Access.SIGNED_IN),
    ConsoleRoute("GET", "choose", choose, Access.SIGNED_IN),
    ConsoleRoute("GET", "", show, Access.MEMBER, at="both"),
)
