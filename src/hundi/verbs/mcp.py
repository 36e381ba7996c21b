"""Keys of assistants: each belongs to a person, and may do a part of what that person may."""

from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.clock import world_now
from hundi.kernel.refusals import RefusalCode
from hundi.staff.assistant_keys import actions, store
from hundi.staff.assistant_keys.rules import (
    KEYS_MAX,
    LIFE_DAYS_MAX,
    AssistantKey,
    AssistantScope,
    is_good,
)
from hundi.staff.people import store as people
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, ParameterHints, VerbParameters
from hundi.verbs.verb import Result, verb

GROUPS = {
    "key": "Keys of assistants: each for one person's assistant, for some tools, and for some days."
}
LISTED_MAX = 10 * KEYS_MAX
At = Annotated[
    int,
    Meta(ge=0, le=ID_MAX, description="The merchant's id; 0: the operator's own."),
    ParameterHints(option="--merchant"),
]


class AssistantKeyToMake(VerbParameters, frozen=True, kw_only=True):
    """A key to make."""

    name: Annotated[
        str,
        Meta(description="Names the assistant: small letters, digits and hyphens."),
        ParameterHints(masked=True),
    ]
    scopes: Annotated[list[AssistantScope], Meta(description="What it may be used for.")]
    person: Annotated[
        str,
        Meta(description="The e-mail address of the person whose assistant it is."),
        ParameterHints(by="name", signs=True, metavar="EMAIL"),
    ]
    merchant: At = OPERATOR
    days: Annotated[int, Meta(ge=1, le=LIFE_DAYS_MAX, description="How many days it is good.")] = 90


class AssistantKeysToList(VerbParameters, frozen=True, kw_only=True):
    """The place whose keys are listed."""

    merchant: At = OPERATOR


class AssistantKeyToRevoke(VerbParameters, frozen=True, kw_only=True):
    """One key."""

    key_id: Annotated[
        int, Meta(ge=1, le=ID_MAX, description="The key's number, as the list has it.")
    ]
    merchant: At = OPERATOR


@verb(
    "mcp key add",
    Permission.KEYS_CHANGE,
    at="both",
    trail="assistant_key.add",
    page="Make a key for an assistant",
    title="Key of an assistant: keep it, it is not shown again",
)
async def add(context: VerbContext, parameters: AssistantKeyToMake) -> Result:
    """Make a key for an assistant of a person and show it, this once.

    The key has at most the rights of that person: it stops working when they lose their role. What
    the assistant proposes, another person decides.
    """
    person = await people.select_by_email(context.db, parameters.person.strip().lower())
    if person is None:
        message = f"there is nobody with the address {parameters.person}"
        raise VerbProblemError(message)
    recorded = context.recording(
        parameters.merchant,
        name=parameters.name,
        person=str(person.person_id),
        scopes=" ".join(parameters.scopes),
        days=parameters.days,
    )
    whose = context.db, context.vault, parameters.merchant, person
    wanted = parameters.name, parameters.scopes, parameters.days
    made = await actions.make(*whose, *wanted, recorded)
    return {"key": made.text, **_listed(made.key, person.email)}


@verb(
    "mcp key list",
    Permission.KEYS_CHANGE,
    at="both",
    page="List keys of assistants",
    title="Keys of assistants",
)
async def list_of(context: VerbContext, parameters: AssistantKeysToList) -> Result:
    """List the keys of a place's assistants, newest first, without what their holders send."""
    keys = await store.select_all(context.db, parameters.merchant, LISTED_MAX)
    persons = await people.people_of(context.db, [*{key.person_id for key in keys}])
    return [_listed(key, persons[key.person_id].email) for key in keys]


@verb(
    "mcp key revoke",
    Permission.KEYS_CHANGE,
    at="both",
    trail=actions.REVOKE,
    page="Revoke the key of an assistant",
    title="Revoked",
    danger=True,
    refusals={RefusalCode.NO_RECORDS: "there is no good key {key_id} here"},
)
async def revoke(context: VerbContext, parameters: AssistantKeyToRevoke) -> Result:
    """Revoke a key at once; what its assistant proposed before still waits."""
    recorded = context.recording(parameters.merchant)
    await actions.end(context.db, parameters.merchant, parameters.key_id, recorded)
    return {"key_id": str(parameters.key_id), "state": "revoked"}


def _listed(key: AssistantKey, email: str) -> dict[str, Any]:
    good = "good" if is_good(key, world_now()) else "over"
    return {
        "key_id": str(key.key_id),
        "name": key.name,
        "person": email,
        "scopes": list(key.scopes),
        "state": "revoked" if key.ended_at else good,
        "made_at": key.made_at,
        "ends_at": key.ends_at,
    }


VERBS = (add, list_of, revoke)
