"""People of the console, and their roles."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import world_now
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.staff.approvals import actions as approvals
from hundi.staff.people import actions, store
from hundi.staff.people.listing import actions as listing
from hundi.staff.people.rules import OPERATOR, Permission, Person, Role
from hundi.staff.sign_in import rules
from hundi.staff.sign_in import store as sessions
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

_NUMBER_MAX = 16
JOIN = "/console/join/"
"""The path of a one-time link; its secret follows."""
Email = Annotated[str, Meta(description="The person's e-mail address.")]
At = Annotated[
    int,
    Meta(ge=0, le=ID_MAX, description="The merchant's id; 0: the operator's own."),
    ParameterHints(option="--merchant"),
]
Who = Annotated[
    str,
    Meta(description="The person's e-mail address, or their number."),
    ParameterHints(metavar="EMAIL"),
]
_LAST = {
    RefusalCode.STATE_FORBIDS: (
        "nobody would be left who may change the people: invite somebody first"
    )
}
_ENDED = (
    "Ended. They are signed out everywhere, and no key, link or code of theirs is good any more."
)
_CHANGE = Permission.PEOPLE_CHANGE
_SCREEN = "people/{person:int}"


class PersonToInvite(VerbParameters, frozen=True, kw_only=True):
    """A person to invite, with a role."""

    email: Email
    name: Annotated[str, Meta(description="Their name."), ParameterHints(by="name", masked=True)]
    role: Annotated[Role, Meta(description="The role."), ParameterHints(by="name")]
    merchant: At = OPERATOR


class PeopleToList(VerbParameters, frozen=True, kw_only=True):
    """The place whose people are listed."""

    merchant: At = OPERATOR


class PersonAtPlace(VerbParameters, frozen=True, kw_only=True):
    """A person at a merchant or at the operator."""

    person: Who
    merchant: At = OPERATOR


class RoleToGive(PersonAtPlace, frozen=True, kw_only=True):
    """A person and a new role."""

    given: Annotated[
        Role,
        Meta(description="The new role."),
        ParameterHints(metavar="ROLE"),
    ]


class SessionsOfPerson(VerbParameters, frozen=True, kw_only=True):
    """The person whose sessions are listed or ended."""

    person: Who
    end: Annotated[bool, Meta(description="End all of them."), ParameterHints(option="--end")] = (
        False
    )


async def _named(context: VerbContext, email: str) -> Person:
    """Return a person by address or number.

    Raises VerbProblemError for an unknown address. A number that is nobody's is refused as that of
    a person elsewhere is (NO_RECORDS), so that nobody learns which numbers there are.
    """
    if email.isascii() and email.isdecimal():
        numbered = await store.select(context.db, min(int(email), ID_MAX))
        if numbered is None:
            raise refuse(RefusalCode.NO_RECORDS, field="person", received=email[:_NUMBER_MAX])
        return numbered
    person = await store.select_by_email(context.db, email.strip().lower())
    if person is None:
        message = f"there is nobody with the address {email}"
        raise VerbProblemError(message)
    return person


async def _check_place(context: VerbContext, merchant_id: int) -> None:
    if merchant_id != OPERATOR:
        await context.check_merchant(merchant_id)


@verb(
    "staff invite",
    _CHANGE,
    at="both",
    trail="person.invite",
    screen="people",
    title="Invited: the link is good once, for three days, and is shown only now",
    notice=("invited", "Invited."),
)
async def invite(context: VerbContext, parameters: PersonToInvite) -> Result:
    """Give somebody a role; print the one-time link with which they choose a password."""
    await _check_place(context, parameters.merchant)
    invitation = parameters.merchant, parameters.email, parameters.name, parameters.role
    invited = await actions.invite(
        context.db, *invitation, context.who, context.now, across=context.is_operator
    )
    return {
        "email": invited.person.email,
        "name": invited.person.name,
        "role": parameters.role,
        "link": f"{context.base_url}{JOIN}{invited.link}" if invited.link else "",
    }


@verb(
    "staff list",
    Permission.PEOPLE_SEE,
    at="both",
    screen="people",
    title="People",
    primary=True,
)
async def list_of(context: VerbContext, parameters: PeopleToList) -> Result:
    """List who works at a merchant, or for the operator."""
    await _check_place(context, parameters.merchant)
    return [
        {
            "email": member.person.email,
            "name": member.person.name,
            "role": member.role,
            "state": member.person.state,
            "given": member.is_given,
        }
        for member in await listing.members(context.db, context.vault, parameters.merchant)
    ]


@verb(
    "staff role",
    _CHANGE,
    at="both",
    trail="person.change_role",
    screen=f"{_SCREEN}/role",
    title="Changed",
    refusals=_LAST,
    notice=("role_changed", "The role was changed."),
)
async def role(context: VerbContext, parameters: RoleToGive) -> Result:
    """Give a person another role."""
    person = await _named(context, parameters.person)
    membership = parameters.merchant, person.person_id, parameters.given
    await approvals.change_role(context.db, *membership, context.who, context.now)
    return {"email": person.email, "role": parameters.given}


@verb(
    "staff remove",
    _CHANGE,
    at="both",
    trail="person.remove",
    screen=f"{_SCREEN}/remove",
    title="Changed",
    refusals=_LAST,
    notice=("removed", "Removed."),
)
async def remove(context: VerbContext, parameters: PersonAtPlace) -> Result:
    """Remove a person's role; the last one who may change the people stays."""
    person = await _named(context, parameters.person)
    membership = parameters.merchant, person.person_id
    await approvals.remove_person(context.db, *membership, context.who, context.now)
    return {"email": person.email, "role": "none"}


@verb(
    "staff end",
    _CHANGE,
    at="both",
    trail="person.end",
    screen=f"{_SCREEN}/end",
    title="Ended",
    refusals=_LAST,
    notice=("person_ended", _ENDED),
)
async def end(context: VerbContext, parameters: PersonAtPlace) -> Result:
    """End a person who left: every role, session, link and key, and no way back."""
    person = await _named(context, parameters.person)
    membership = parameters.merchant, person.person_id
    await approvals.end_person(
        context.db, *membership, context.who, context.now, across=context.is_operator
    )
    return {"email": person.email, "state": "ended"}


@verb(
    "staff reset",
    _CHANGE,
    at="both",
    trail="person.reset",
    screen=f"{_SCREEN}/reset",
    title="Reset: the link is good once, for a day",
)
async def reset(context: VerbContext, parameters: PersonAtPlace) -> Result:
    """Print a one-time link for a person who lost password or telephone.

    The old ones stay valid until the link is used.
    """
    person = await _named(context, parameters.person)
    membership = parameters.merchant, person.person_id
    link = await actions.reset(
        context.db, *membership, context.who, context.now, across=context.is_operator
    )
    return {"email": person.email, "link": f"{context.base_url}{JOIN}{link}"}


@verb(
    "staff sessions",
    _CHANGE,
    at="all",
    trail="session.end_all",
    page="Show or end a person's sessions",
    title=lambda parameters: "Sessions ended" if parameters.end else "Sessions",
    primary=True,
)
async def list_sessions(context: VerbContext, parameters: SessionsOfPerson) -> Result:
    """List a person's sessions, and end all of them with --end."""
    person, now = await _named(context, parameters.person), world_now()
    sessions_there = await sessions.select_of(context.db, person.person_id, now, now - rules.IDLE)
    if parameters.end:
        async with context.db.transaction() as conn:
            await sessions.end_others(conn, person.person_id)
            await context.recording(OPERATOR)(conn, person.person_id)
    return [_session(each) for each in sessions_there]


def _session(session: Any) -> dict[str, Any]:  # noqa: ANN401 (a session)
    return {
        "browser": session.browser,
        "network": session.network,
        "since": session.began_at,
        "seen": session.seen_at,
    }


VERBS = (invite, list_of, role, remove, end, reset, list_sessions)
