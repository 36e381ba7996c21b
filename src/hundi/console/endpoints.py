"""Further addresses for notifications: events and key of each, its deliveries, and a test."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec
from litestar import Response

from hundi.api.merchant import trials
from hundi.console.guard import ConsoleRoute
from hundi.console.integration import allows_private, fault_of, told
from hundi.console.lists import tone_of, words
from hundi.console.names import EVENT_NAMES
from hundi.console.payment_acts import merchant_of
from hundi.console.render import as_text_file
from hundi.console.verb_forms import do, form_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.events import SAFE, Kind
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.endpoints import rules, store
from hundi.notifications.endpoints.rules import (
    FORMS,
    EndpointChoice,
    EndpointState,
    WebhookEndpoint,
)
from hundi.notifications.rules import DeliveryState
from hundi.staff.people.rules import Permission
from hundi.verbs import merchant_endpoints as verbs
from hundi.verbs import webhook_trials
from hundi.verbs.context import VerbProblemError

COUNTED = timedelta(days=7)
"""Of how many days the list counts deliveries."""
ROWS = 50
_FORM_WORDS = {
    "standard": "Events of the plain interface (Standard Webhooks)",
    "json": "JSON in plain, as specified",
    "json-encrypted": "JSON, sealed with your encryption key",
    "form": "Form fields in capitals, for older kits",
}
assert set(_FORM_WORDS) == set(FORMS)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show the merchant's further addresses, and the form of another."""
    return await _listed(visit)


async def _listed(
    visit: ConsoleVisit,
    *,
    faults: Mapping[str, str] | None = None,
    tested: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    status_code: int = 200,
) -> Response[Any]:
    """Return the list. new: an endpoint with its key, shown this once."""
    whose = visit.db, visit.gateway.vault, visit.merchant_id
    endpoints = [
        each for each in await store.of_merchant(*whose) if each.state is not EndpointState.REMOVED
    ]
    counted = await store.counts(visit.db, visit.merchant_id, visit.now - COUNTED)
    return visit.page(
        "endpoints.html",
        "Further addresses",
        status_code,
        endpoints=[
            {"one": each, "counted": counted.get(each.endpoint_no, {})} for each in endpoints
        ],
        days=COUNTED.days,
        most=rules.ENDPOINTS_MAX,
        new=new,
        secret=_secret(new) if new else None,
        open_form=bool(faults or tested or not endpoints),
        **_form(visit, faults, tested, None),
    )


def _form(
    visit: ConsoleVisit,
    faults: Mapping[str, str] | None,
    tested: Mapping[str, Any] | None,
    endpoint: WebhookEndpoint | None,
) -> dict[str, Any]:
    """Return what the form of an address needs. endpoint: None for a new one."""
    typed = visit.form if "url" in visit.form else None
    chosen = endpoint.events if endpoint else ()
    if typed is not None:
        chosen = _events(visit.form)
    start = {
        "url": endpoint.url if endpoint else "",
        "name": endpoint.name if endpoint else "",
        "form": endpoint.form if endpoint else FORMS[0],
    }
    values = {name: typed.get(name, "") if typed is not None else start[name] for name in start}
    return {
        "values": values,
        "chosen": chosen,
        "events": EVENT_NAMES,
        "safe": SAFE,
        "forms": _FORM_WORDS,
        "faults": faults or {},
        "tested": tested,
    }


def _events(form: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(str(each) for each in Kind if form.get(f"event_{each}") == "1")


def _secret(new: Mapping[str, Any]) -> dict[str, str]:
    """Return the key of an address as a page shows it once."""
    label = f"Webhook key of {new['name']}"
    text = f"{label}\n{new['webhook_key']}\n"
    return {
        "label": label,
        "text": str(new["webhook_key"]),
        "file": as_text_file(text),
        "file_name": f"webhook-key-{new['endpoint_no']}.txt",
    }


async def add(visit: ConsoleVisit) -> Response[Any]:
    """Add an address, and show its key this once."""
    try:
        new = await do(visit, verbs.add, _typed(visit))
    except (Refused, VerbProblemError) as problem:
        return await _listed(visit, faults=_faults(problem), status_code=409)
    return await _listed(replace(visit, form={}), new=new)


def _typed(visit: ConsoleVisit) -> dict[str, str]:
    """Return the parameters of a verb from the form of an address."""
    events = _events(visit.form)
    if not events:
        raise refuse(RefusalCode.FIELD_INVALID, field="events", allowed="one event at least")
    names = {name: visit.form.get(name, "").strip() for name in ("url", "name", "form")}
    return {**names, "events": " ".join(events)}


def _faults(problem: Refused | VerbProblemError) -> dict[str, str]:
    """Return the words of a problem by the field that it is of."""
    if isinstance(problem, Refused):
        if problem.refusal.code is not RefusalCode.FIELD_INVALID:
            raise problem
        field = problem.refusal.field
        return {field: next(iter(fault_of(problem.refusal).values()))}
    field, _, reason = str(problem).partition(": ")
    return {"url": f"{reason or field}."}


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one address: its form, key, state and latest deliveries."""
    return await _shown(visit, await _found(visit))


async def _found(visit: ConsoleVisit) -> WebhookEndpoint:
    number = int(visit.params["endpoint_no"])
    is_number = 0 < number < 2**31
    whose = visit.db, visit.gateway.vault, visit.merchant_id
    endpoint = await store.select(*whose, number) if is_number else None
    if endpoint is None or endpoint.state is EndpointState.REMOVED:
        raise refuse(RefusalCode.NO_RECORDS, field="endpoint", received=str(number))
    return endpoint


async def _shown(
    visit: ConsoleVisit,
    endpoint: WebhookEndpoint,
    *,
    faults: Mapping[str, str] | None = None,
    tested: Mapping[str, Any] | None = None,
    new: Mapping[str, Any] | None = None,
    status_code: int = 200,
) -> Response[Any]:
    place = endpoint.merchant_id, endpoint.endpoint_no
    deliveries = await store.deliveries(visit.db, place, None, ROWS)
    final = {DeliveryState.SENDING, DeliveryState.SUPERSEDED}
    return visit.page(
        "endpoint.html",
        endpoint.name,
        status_code,
        endpoint=endpoint,
        secret=_secret(new) if new else None,
        rows=[
            {
                "one": each,
                "kind": words(each.kind),
                "state": words(each.state),
                "tone": tone_of(each.state),
                "waits": each.state is DeliveryState.WAITING,
                "again": each.state not in final and visit.may(Permission.DELIVERIES_REPLAY),
            }
            for each in deliveries
        ],
        most=ROWS,
        may_keys=visit.may(Permission.KEYS_CHANGE),
        own=visit.href(f"{verbs.SCREEN}/{endpoint.endpoint_no}"),
        **_form(visit, faults, tested, endpoint),
    )


async def change(visit: ConsoleVisit) -> Response[Any]:
    """Save an address."""
    endpoint = await _found(visit)
    try:
        await do(visit, verbs.change, _typed(visit))
    except (Refused, VerbProblemError) as problem:
        return await _shown(visit, endpoint, faults=_faults(problem), status_code=409)
    return visit.see(f"{verbs.SCREEN}/{endpoint.endpoint_no}", "settings_kept")


async def rotate(visit: ConsoleVisit) -> Response[Any]:
    """Make a new key for an address, and show it this once."""
    endpoint = await _found(visit)
    typed = {"seen": visit.form.get("seen", "") or "-", "leaked": visit.form.get("leaked", "")}
    try:
        new = await do(visit, verbs.rotate, typed)
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.STATE_FORBIDS:
            raise
        return visit.see(f"{verbs.SCREEN}/{endpoint.endpoint_no}", "key_replaced")
    return await _shown(visit, await _found(visit), new=new)


async def test_new(visit: ConsoleVisit) -> Response[Any]:
    """Send a test to an address that is typed and not added yet."""
    merchant = merchant_of(visit)
    tested, faults = await _tried(visit, merchant, merchant.keys.webhook_keys)
    return await _listed(visit, tested=tested, faults=faults, status_code=409 if faults else 200)


async def test(visit: ConsoleVisit) -> Response[Any]:
    """Send a test to an address as it is typed, signed with its own key."""
    endpoint = await _found(visit)
    tested, faults = await _tried(visit, merchant_of(visit), endpoint.keys)
    status_code = 409 if faults else 200
    return await _shown(visit, endpoint, tested=tested, faults=faults, status_code=status_code)


async def _tried(
    visit: ConsoleVisit, merchant: Merchant, keys: tuple[str, ...]
) -> tuple[Mapping[str, Any] | None, dict[str, str]]:
    """Return what came back of a test of what is typed, or the faults by field."""
    try:
        typed = _typed(visit)
        choice = EndpointChoice("Test", typed["url"], _form_of(typed["form"]), tuple(SAFE))
        rules.check_choice(choice)
        settings = msgspec.structs.replace(
            merchant.settings,
            notification_url=choice.url,
            notification_form=choice.form,
            redirect_delivers=False,
        )
        keyed = replace(merchant.keys, webhook_keys=keys)
        tried = await webhook_trials.send(
            visit.db,
            replace(merchant, settings=settings, keys=keyed),
            trials.TEST_EVENT,
            visit.who,
            visit.now,
            allow_private=allows_private(visit),
        )
    except Refused as refused:
        if refused.refusal.code is RefusalCode.TOO_MANY_REQUESTS:
            limit = f"{webhook_trials.TRIALS_A_MINUTE} tests a minute are sent at most; wait one."
            return None, {"url": limit}
        return None, _faults(refused)
    return {**told(tried), "unsaved": True}, {}


def _form_of(text: str) -> Any:  # noqa: ANN401 (checked by the rules)
    return text or FORMS[0]


_CHANGE, _SCREEN, _ONE = Permission.SETTINGS_CHANGE, verbs.SCREEN, verbs.ONE
ROUTES = (
    ConsoleRoute("GET", _SCREEN, show_list, _CHANGE),
    ConsoleRoute("POST", _SCREEN, add, _CHANGE, fresh=True),
    ConsoleRoute("POST", f"{_SCREEN}/test", test_new, _CHANGE),
    ConsoleRoute("GET", _ONE, show, _CHANGE),
    ConsoleRoute("POST", _ONE, change, _CHANGE, fresh=True),
    ConsoleRoute("POST", f"{_ONE}/test", test, _CHANGE),
    ConsoleRoute("POST", f"{_ONE}/rotate", rotate, Permission.KEYS_CHANGE, fresh=True),
    form_of(verbs.end_key, f"{_ONE}/end-key", _SCREEN + "/{endpoint_no}"),
    form_of(verbs.switch, f"{_ONE}/switch", _SCREEN + "/{endpoint_no}"),
    form_of(verbs.remove, f"{_ONE}/remove", _SCREEN),
    form_of(verbs.replay, f"{_ONE}/replay", _SCREEN + "/{endpoint_no}"),
)
