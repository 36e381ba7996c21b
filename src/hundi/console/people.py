"""People of a place: invite, change roles, remove, and a link for a lost password or phone."""

from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.visits import ConsoleVisit
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.staff.approvals import actions as approvals
from hundi.staff.people import actions, rules
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.rules import Permission, Role

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
    return visit.page(
        "people.html",
        "People",
        status_code,
        members=members,
        roles=[
            {"name": role, "label": role.replace("_", " ")}
            for role in rules.roles_for(visit.merchant_id)
        ],
        may_change=visit.may(Permission.PEOPLE_CHANGE),
        me=visit.person.person_id,
        fault=fault,
        link=f"{visit.gateway.settings.base_url}/console/join/{link}" if link else "",
        linked=linked,
        typed={name: visit.form.get(name, "") for name in ("email", "name", "role")}
        if fault
        else {},
    )


async def invite(visit: ConsoleVisit) -> Response[Any]:
    """Invite a person; the one-time link is shown this once, to be handed over."""
    try:
        invited = await actions.invite(
            visit.db,
            visit.merchant_id,
            visit.form.get("email", ""),
            visit.form.get("name", ""),
            _role(visit),
            visit.who,
            visit.now,
            across=_is_operator(visit),
        )
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.FIELD_INVALID:
            raise
        return await _shown(
            visit, f"{refused.refusal.field}: use {refused.refusal.allowed}.", status_code=409
        )
    if not invited.link:
        return visit.see("people", "invited")
    return await _shown(visit, link=invited.link, linked=invited.person.name, status_code=200)


async def change_role(visit: ConsoleVisit) -> Response[Any]:
    """Give a person another role."""
    return await _change(visit, _role(visit), "role_changed")


async def remove(visit: ConsoleVisit) -> Response[Any]:
    """Remove a person's role here; open requests here end, sessions elsewhere do not."""
    return await _change(visit, None, "removed")


async def _change(visit: ConsoleVisit, role: Role | None, said: str) -> Response[Any]:
    try:
        if role is None:
            await approvals.remove_person(
                visit.db, visit.merchant_id, _person(visit), visit.who, visit.now
            )
        else:
            await actions.change_role(
                visit.db, visit.merchant_id, _person(visit), role, visit.who, visit.now
            )
    except Refused as refused:
        if refused.refusal.code not in _LOST:
            raise
        return await _shown(visit, _LOST[refused.refusal.code], status_code=409)
    return visit.see("people", said)


async def end(visit: ConsoleVisit) -> Response[Any]:
    """End a person who left for good, with every role, session and key."""
    across = _is_operator(visit)
    try:
        await approvals.end_person(
            visit.db, visit.merchant_id, _person(visit), visit.who, visit.now, across=across
        )
    except Refused as refused:
        fault = (_LOST | _ELSEWHERE).get(refused.refusal.code)
        if fault is None:
            raise
        return await _shown(visit, fault, status_code=409)
    return visit.see("people", "person_ended")


async def reset(visit: ConsoleVisit) -> Response[Any]:
    """Make a one-time link for a person who lost password or telephone."""
    person_id = _person(visit)
    people_here = await listing.members(visit.db, visit.gateway.vault, visit.merchant_id)
    members = {each.person.person_id: each.person for each in people_here}
    if person_id not in members:
        return visit.see("people")
    across = _is_operator(visit)
    try:
        link = await actions.reset(
            visit.db, visit.merchant_id, person_id, visit.who, visit.now, across=across
        )
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.NO_RECORDS:
            raise
        return await _shown(
            visit, "They have a role elsewhere too: the operator makes their link.", status_code=409
        )
    return await _shown(visit, link=link, linked=members[person_id].name)


def _is_operator(visit: ConsoleVisit) -> bool:
    """Return whether the person acts as the operator.

    The operator may give a role to a person with a role elsewhere.
    """
    return visit.place is not None and visit.place.role in rules.OPERATORS


def _person(visit: ConsoleVisit) -> int:
    person_id: int = visit.params["person_id"]
    return person_id if 0 < person_id < 10**15 else 0


def _role(visit: ConsoleVisit) -> Role:
    """Return the role in a form; the action refuses an unknown one."""
    try:
        return Role(visit.form.get("role", ""))
    except ValueError:
        return Role.OWNER if visit.merchant_id == rules.OPERATOR else Role.OPERATOR


_ONE = "people/{person_id:int}"
_CHANGE = Permission.PEOPLE_CHANGE
ROUTES = (
    ConsoleRoute("GET", "people", show, Permission.PEOPLE_SEE, at="both"),
    ConsoleRoute("POST", "people", invite, _CHANGE, fresh=True, at="both"),
    ConsoleRoute("POST", f"{_ONE}/role", change_role, _CHANGE, fresh=True, at="both"),
    ConsoleRoute("POST", f"{_ONE}/remove", remove, _CHANGE, fresh=True, at="both"),
    ConsoleRoute("POST", f"{_ONE}/end", end, _CHANGE, fresh=True, at="both"),
    ConsoleRoute("POST", f"{_ONE}/reset", reset, _CHANGE, fresh=True, at="both"),
)
