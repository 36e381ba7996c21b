"""People of a place: invite, change roles, remove, and a link for a lost password or phone."""

from collections.abc import Mapping
from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.lists import words
from hundi.console.verb_forms import do, form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.staff.people import rules
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.rules import Permission
from hundi.verbs.staff import end, invite, remove, reset, role

_ELSEWHERE = {
    RefusalCode.NO_RECORDS: (
        "They have no role here, or one elsewhere too: then the operator ends them."
    )
}
_LOST = {RefusalCode.STATE_FORBIDS: "Somebody who may change the people has to be left."}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """List the people."""
    return await _shown(visit)


async def _shown(
    visit: ConsoleVisit, fault: str = "", link: str = "", linked: str = "", status_code: int = 200
) -> Response[Any]:
    members = await listing.members(visit.db, visit.gateway.vault, visit.merchant_id)
    given = [each.role for each in members if each.is_given]
    return visit.page(
        "people.html",
        "People",
        status_code,
        members=members,
        roles=[{"name": role, "label": words(role)} for role in rules.roles_for(visit.merchant_id)],
        usual_role=rules.usual_role(visit.merchant_id, given),
        may_change=visit.may(Permission.PEOPLE_CHANGE),
        me=visit.person.person_id,
        fault=fault,
        link=link,
        linked=linked,
        typed={name: visit.form.get(name, "") for name in ("email", "name", "role")}
        if fault
        else {},
    )


async def invite_person(visit: ConsoleVisit) -> Response[Any]:
    """Invite a person; the one-time link is shown this once, to be handed over."""
    try:
        invited = await do(visit, invite, visit.form)
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.FIELD_INVALID:
            raise
        return await _shown(
            visit,
            f"{words(refused.refusal.field)}: use {refused.refusal.allowed}.",
            status_code=409,
        )
    if not invited["link"]:
        return visit.see("people", invite.notice[0])
    return await _shown(visit, link=invited["link"], linked=invited["name"], status_code=200)


async def _role_typed(visit: ConsoleVisit) -> dict[str, str]:
    return {"given": visit.form.get("role", "")}


async def _last(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    """Show the list with the reason why the last person stays. Raises Refused for any other."""
    return await _not_done(visit, refused, _LOST)


async def _last_or_elsewhere(visit: ConsoleVisit, refused: Refused) -> Response[Any]:
    """Show the list with the reason why a person is not ended. Raises Refused for any other."""
    return await _not_done(visit, refused, _LOST | _ELSEWHERE)


async def _not_done(
    visit: ConsoleVisit, refused: Refused, reasons: Mapping[RefusalCode, str]
) -> Response[Any]:
    fault = reasons.get(refused.refusal.code)
    if fault is None:
        raise refused
    return await _shown(visit, fault, status_code=409)


async def reset_person(visit: ConsoleVisit) -> Response[Any]:
    """Make a one-time link for a person who lost password or telephone."""
    person_id = visit.params["person"]
    people_here = await listing.members(visit.db, visit.gateway.vault, visit.merchant_id)
    members = {each.person.person_id: each.person for each in people_here}
    if person_id not in members:
        return visit.see("people")
    try:
        made = await do(visit, reset, visit.form)
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.NO_RECORDS:
            raise
        return await _shown(
            visit, "They have a role elsewhere too: the operator makes their link.", status_code=409
        )
    return await _shown(visit, link=made["link"], linked=members[person_id].name)


_CHANGE = Permission.PEOPLE_CHANGE
ROUTES = (
    ConsoleRoute("GET", "people", show, Permission.PEOPLE_SEE, at="both"),
    ConsoleRoute("POST", "people", invite_person, _CHANGE, fresh=True, at="both"),
    form_of(role, role.screen, "people", _role_typed, _last),
    form_of(remove, remove.screen, "people", failing=_last),
    form_of(end, end.screen, "people", failing=_last_or_elsewhere),
    ConsoleRoute("POST", reset.screen, reset_person, _CHANGE, fresh=True, at="both"),
)
