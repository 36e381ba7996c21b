"""The first page of a person: the choice of a place, and each place's home."""

from typing import Any

from litestar import Response

from hundi.console import charts, first_day, needs, render, success
from hundi.console.assets import PREFIX
from hundi.console.guard import ConsoleRoute
from hundi.console.queries import home as queries
from hundi.console.visits import ALL, Access, ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.merchants.directory.twins import store as twins
from hundi.payments.links.reminders import actions as link_reminders
from hundi.staff.people.proofs.actions import memberships_of
from hundi.staff.people.rules import OPERATOR, Permission


async def begin(visit: ConsoleVisit) -> Response[Any]:
    """Redirect to the look across merchants or to the only place, or offer the choice."""
    members = await memberships_of(visit.db, visit.gateway.vault, visit.person.person_id)
    if any(each.merchant_id == OPERATOR for each in members):
        return render.see(f"{PREFIX}{ALL}/")
    places = {each.merchant_id for each in members}
    # Whoever is at a live merchant switches to its sandbox there.
    if len(places) > 1:
        twins_of = {each: await twins.twin_of(visit.db, each) for each in places}
        sandboxes = {
            each
            for each, twin_id in twins_of.items()
            if twin_id in places and (await _mode(visit, each)) == "sandbox"
        }
        places -= sandboxes
    return render.see(f"{PREFIX}{places.pop()}/" if len(places) == 1 else f"{PREFIX}choose")


async def _mode(visit: ConsoleVisit, merchant_id: int) -> str:
    merchant = await visit.gateway.directory.get(merchant_id)
    return merchant.mode if merchant else ""


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
    """Show what needs the person, how payments do, and the days before in numbers."""
    merchants, left_out = await success.place_of(visit)
    looks = visit.may(Permission.PAYMENTS_SEE)
    merchant = visit.place.merchant if visit.place else None
    return visit.page(
        "home.html",
        merchant.name if merchant else "All merchants",
        steps=await first_day.of_visit(visit),
        needs=await needs.of_visit(visit, merchants),
        reminders=await link_reminders.waiting(visit.db, visit.merchant_id, visit.now)
        if merchant and visit.may(Permission.LINKS_MAKE)
        else [],
        strip=await success.strip_of(visit, merchants) if looks else None,
        drawn=await charts.of_visit(visit, merchants, left_out) if looks else None,
        today=await queries.select_day(visit.db, visit.merchant_id, business_day(visit.now))
        if merchant and looks
        else None,
        spans=charts.SPANS,
    )


ROUTES = (
    ConsoleRoute("GET", "", begin, Access.SIGNED_IN),
    ConsoleRoute("GET", "choose", choose, Access.SIGNED_IN),
    ConsoleRoute("GET", "", show, Access.MEMBER, at="both"),
)
