"""Further addresses of merchants' servers, each with its events, form and webhook key."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from hundi.kernel.clock import ist
from hundi.kernel.events import SAFE, Kind
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.rules import NotificationForm
from hundi.notifications.endpoints import actions, store
from hundi.notifications.endpoints.rules import (
    NAME_LENGTH_MAX,
    URL_LENGTH_MAX,
    EndpointChoice,
    EndpointState,
    WebhookEndpoint,
    check_choice,
)
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import (
    ID_MAX,
    MerchantId,
    ParameterHints,
    ParametersToChange,
    VerbParameters,
)
from hundi.verbs.verb import Result, verb

GROUPS = {
    "endpoint": (
        "Further addresses of a merchant's servers, beside the notification address: each with its"
        " events and webhook key."
    )
}
SCREEN = "integration/endpoints"
ONE = f"{SCREEN}/{{endpoint_no:int}}"
Number = Annotated[
    int,
    Meta(ge=1, le=2**31 - 1, description="The address's number in the list."),
    ParameterHints(by="place"),
]
_NAME = Meta(max_length=NAME_LENGTH_MAX, description="What it is for, such as Warehouse.")
_URL = Meta(max_length=URL_LENGTH_MAX, description="Where its notifications go.")
_FORM = Meta(
    description="How they are written; standard: events of the plain interface, as Standard"
    " Webhooks."
)
_EVENTS = Meta(description="An event it is told of; repeat for several.")
_EVENT = ParameterHints(option="--event")
_MASKED = ParameterHints(masked=True)


class NewEndpoint(VerbParameters, frozen=True, kw_only=True):
    """A further address to add."""

    merchant_id: MerchantId
    url: Annotated[str, _URL]
    name: Annotated[str, _NAME, _MASKED]
    form: Annotated[NotificationForm, _FORM] = "standard"
    events: Annotated[
        list[Kind] | None,
        Meta(description="An event it is told of; repeat for several (default: the safe ones)."),
        _EVENT,
    ] = None


class EndpointToChange(ParametersToChange, frozen=True, kw_only=True):
    """Changes of a further address; omitted ones stay as they are."""

    merchant_id: MerchantId
    endpoint_no: Number
    url: Annotated[str, _URL] | None = None
    name: Annotated[str, _NAME, _MASKED] | None = None
    form: Annotated[NotificationForm | None, _FORM] = None
    events: Annotated[list[Kind] | None, _EVENTS, _EVENT] = None


class EndpointToRotate(VerbParameters, frozen=True, kw_only=True):
    """A further address that gets a new webhook key."""

    merchant_id: MerchantId
    endpoint_no: Number
    seen: Annotated[
        str,
        Meta(description="The mark of the key to replace, as the list has it."),
        ParameterHints(option="--mark"),
    ]
    leaked: Annotated[bool, Meta(description="The old key leaked: it signs nothing any more.")] = (
        False
    )


class NamedEndpoint(VerbParameters, frozen=True, kw_only=True):
    """One further address."""

    merchant_id: MerchantId
    endpoint_no: Number


class EndpointSwitch(VerbParameters, frozen=True, kw_only=True):
    """A further address, and whether it is told anything."""

    merchant_id: MerchantId
    endpoint_no: Number
    state: Annotated[Literal["enabled", "disabled"], Meta(description="Its new state.")]


class EndpointReplay(VerbParameters, frozen=True, kw_only=True):
    """One event that an address is told again."""

    merchant_id: MerchantId
    endpoint_no: Number
    payment_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="The payment.")]
    event_no: Annotated[int, Meta(ge=1, le=2**31 - 1, description="The event's number.")]


class EndpointsOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """A merchant's further addresses."""

    merchant_id: MerchantId


def shown(endpoint: WebhookEndpoint) -> dict[str, Any]:
    """Return an endpoint without its keys."""
    failing = endpoint.failing_since
    return {
        "endpoint_no": endpoint.endpoint_no,
        "name": endpoint.name,
        "state": str(endpoint.state),
        "url": endpoint.url,
        "form": endpoint.form,
        "events": list(endpoint.events),
        "mark": endpoint.mark,
        "mark_before": endpoint.mark_before,
        "failing_since": ist(failing).isoformat(timespec="seconds") if failing else "",
        "problem": endpoint.problem,
    }


@verb(
    "merchant endpoint list",
    Permission.SETTINGS_CHANGE,
    screen=SCREEN,
    title="Further addresses of merchant {merchant_id}",
)
async def list_all(context: VerbContext, parameters: EndpointsOfMerchant) -> Result:
    """List a merchant's further addresses, without their keys.

    The mark is the beginning of the newest key's SHA-256.
    """
    await context.check_merchant(parameters.merchant_id)
    whose = context.db, context.vault, parameters.merchant_id
    return [
        shown(each)
        for each in await store.of_merchant(*whose)
        if each.state is not EndpointState.REMOVED
    ]


@verb(
    "merchant endpoint add",
    Permission.SETTINGS_CHANGE,
    trail="endpoint.add",
    screen=SCREEN,
    title="Address: keep its key, it is not shown again",
    sets=("endpoint_events",),
)
async def add(context: VerbContext, parameters: NewEndpoint) -> Result:
    """Add an address for notifications and show its webhook key, this once."""
    await context.check_merchant(parameters.merchant_id)
    events = SAFE if parameters.events is None else parameters.events
    choice = EndpointChoice(
        parameters.name.strip(), parameters.url, parameters.form, tuple(map(str, events))
    )
    await _check(context, choice)
    beside = context.recording_change(choice.name, **_told(choice))
    whose = context.db, context.vault, parameters.merchant_id
    endpoint = await actions.add(*whose, choice, context.now, beside)
    return {"webhook_key": endpoint.keys[0], **shown(endpoint)}


@verb(
    "merchant endpoint change",
    Permission.SETTINGS_CHANGE,
    trail="endpoint.change",
    screen=ONE,
    title="Address",
)
async def change(context: VerbContext, parameters: EndpointToChange) -> Result:
    """Change name, address, form or events of a further address; its key stays."""
    before = await _of(context, parameters.merchant_id, parameters.endpoint_no)
    events = before.events if parameters.events is None else parameters.events
    choice = EndpointChoice(
        before.name if parameters.name is None else parameters.name.strip(),
        before.url if parameters.url is None else parameters.url,
        parameters.form or before.form,
        tuple(map(str, events)),
    )
    await _check(context, choice)
    beside = context.recording_change(before.endpoint_no, **_told(choice))
    endpoint = await actions.change(
        context.db, context.vault, _place(parameters), choice, context.now, beside
    )
    return shown(endpoint)


@verb(
    "merchant endpoint rotate",
    Permission.KEYS_CHANGE,
    trail="endpoint.rotate",
    screen=f"{ONE}/rotate",
    title="New webhook key: keep it, it is not shown again",
)
async def rotate(context: VerbContext, parameters: EndpointToRotate) -> Result:
    """Give an address a new webhook key and show it, this once.

    Each notification has a signature by each of the two, until the old one is ended.
    """
    old = "ended" if parameters.leaked else "counts on"
    beside = context.recording_change(parameters.endpoint_no, old=old)
    endpoint = await actions.rotate(
        context.db,
        context.vault,
        _place(parameters),
        context.now,
        beside,
        seen=parameters.seen,
        overlap=not parameters.leaked,
    )
    return {"webhook_key": endpoint.keys[0], **shown(endpoint)}


@verb(
    "merchant endpoint end-key",
    Permission.KEYS_CHANGE,
    trail="endpoint.end_key",
    screen=f"{ONE}/end-key",
    title="Address",
    notice=("key_ended", ""),
)
async def end_key(context: VerbContext, parameters: NamedEndpoint) -> Result:
    """End the old webhook key that signs beside its successor."""
    beside = context.recording_change(parameters.endpoint_no)
    whose = context.db, context.vault, _place(parameters)
    return shown(await actions.end_old_key(*whose, context.now, beside))


@verb(
    "merchant endpoint switch",
    Permission.SETTINGS_CHANGE,
    trail="endpoint.switch",
    screen=f"{ONE}/switch",
    title="Address",
    notice=("settings_kept", ""),
)
async def switch(context: VerbContext, parameters: EndpointSwitch) -> Result:
    """Enable an address, or disable it: then nothing is written for it, and what waits stays."""
    beside = context.recording_change(parameters.endpoint_no, state=parameters.state)
    whose = context.db, context.vault, _place(parameters)
    return shown(await actions.set_state(*whose, parameters.state, context.now, beside))


@verb(
    "merchant endpoint remove",
    Permission.SETTINGS_CHANGE,
    trail="endpoint.remove",
    screen=f"{ONE}/remove",
    title="Removed",
    danger=True,
    notice=("endpoint_removed", "Removed. The address gets nothing any more."),
)
async def remove(context: VerbContext, parameters: NamedEndpoint) -> Result:
    """Remove an address at once; what waits for it is not sent."""
    beside = context.recording_change(parameters.endpoint_no)
    whose = context.db, context.vault, _place(parameters)
    return shown(await actions.set_state(*whose, "removed", context.now, beside))


@verb(
    "merchant endpoint replay",
    Permission.DELIVERIES_REPLAY,
    trail="endpoint.replay",
    screen=f"{ONE}/replay",
    fresh=False,
    title="Sent again",
    notice=("resent", ""),
)
async def replay(context: VerbContext, parameters: EndpointReplay) -> Result:
    """Tell an address one event again, under the same id."""
    await _of(context, parameters.merchant_id, parameters.endpoint_no)
    event = parameters.payment_id, parameters.event_no
    beside = context.recording(parameters.merchant_id, f"{parameters.endpoint_no}-{event[0]}")
    await actions.replay(context.db, _place(parameters), event, context.now, beside)
    return {"endpoint_no": parameters.endpoint_no, "payment_id": str(event[0])}


def _place(parameters: Any) -> tuple[int, int]:  # noqa: ANN401 (of several verbs)
    return parameters.merchant_id, parameters.endpoint_no


async def _of(context: VerbContext, merchant_id: int, endpoint_no: int) -> WebhookEndpoint:
    endpoint = await store.select(context.db, context.vault, merchant_id, endpoint_no)
    if endpoint is None or endpoint.state is EndpointState.REMOVED:
        raise refuse(RefusalCode.NO_RECORDS, field="endpoint", received=str(endpoint_no))
    return endpoint


async def _check(context: VerbContext, choice: EndpointChoice) -> None:
    """Raise Refused or VerbProblemError unless an endpoint can be as chosen."""
    check_choice(choice)
    await context.check_reach("url", choice.url)


def _told(choice: EndpointChoice) -> dict[str, str]:
    """Return what the trail says of a choice; an address may hold a secret, its host does not."""
    return {"host": urlsplit(choice.url).hostname or "", "events": " ".join(choice.events)}


VERBS = (list_all, add, change, rotate, end_key, switch, remove, replay)
