"""Deliveries: notifications to merchants and partners, and replaying them."""

from typing import Annotated, Any, Literal

import msgspec
from asyncpg import Record
from msgspec import Meta

from hundi.api.merchant import trials
from hundi.kernel.clock import for_people
from hundi.kernel.ids import partner_of_recipient, recipient_of_partner
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode
from hundi.merchants.directory.clients.rules import CLIENTS, for_client
from hundi.merchants.directory.rules import MerchantSettings, check_settings
from hundi.notifications import actions
from hundi.notifications.rules import (
    DeliveryKey,
    DeliveryOutcome,
    DeliveryState,
    DeliveryStatus,
    parse_webhook_id,
)
from hundi.notifications.status import store as status_store
from hundi.partners.directory.rules import is_affiliate
from hundi.payments.archive import store as archive
from hundi.payments.orders.finding import store as finding
from hundi.payments.story import actions as story
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs import webhook_trials
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, MerchantId, ParameterHints, VerbParameters
from hundi.verbs.partner import partner_of
from hundi.verbs.verb import RemarkedResult, Result, verb

SHOWN_MAX = 50
_REDIRECT = 3
_WEBHOOK_ID = (
    "The webhook id, such as ipn_10001_217000000000001_3 or lead_AF000001_217000000000001_2."
)


class DeliveriesToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of deliveries."""

    recipient: Annotated[str, Meta(description="The merchant's id, or a partner's affiliate code.")]
    state: Annotated[DeliveryState | None, Meta(description="Only those in this state.")] = None
    payment: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=ID_MAX,
                description="Only those of this payment (ap_transactionid) or lead.",
            ),
        ]
        | None
    ) = None


class NamedDelivery(VerbParameters, frozen=True, kw_only=True):
    """One delivery."""

    webhook_id: Annotated[str, Meta(description=_WEBHOOK_ID)]


class DeliveriesToReplay(VerbParameters, frozen=True, kw_only=True):
    """One delivery, or all abandoned ones."""

    webhook_id: Annotated[str, Meta(description=_WEBHOOK_ID), ParameterHints(by="place")] = ""
    recipient: Annotated[
        str,
        Meta(description="Send again all deliveries of this merchant or partner in one state."),
        ParameterHints(option="--merchant", label="Merchant"),
    ] = ""
    state: Annotated[
        Literal["exhausted", "no_endpoint"], Meta(description="The state of these deliveries.")
    ] = "exhausted"


class TrialToSend(VerbParameters, frozen=True, kw_only=True):
    """A test notification: its event, its form and its address."""

    merchant_id: MerchantId
    url: Annotated[
        str,
        Meta(description="Where to send it; without it, to the notification address."),
        ParameterHints(label="Address"),
    ] = ""
    event: Annotated[
        str,
        Meta(description="The event that it tells."),
        ParameterHints(known={name: name for name in trials.EVENTS}, listed=True),
    ] = trials.TEST_EVENT
    client: Annotated[
        str,
        Meta(description="The kind of client whose form it has; without it, as the settings say."),
        ParameterHints(known={name: kind.seen for name, kind in CLIENTS.items()}, listed=True),
    ] = ""


@verb(
    "delivery list",
    Permission.DEVELOPERS_SEE,
    at="all",
    title="Deliveries",
)
async def list_of(context: VerbContext, parameters: DeliveriesToList) -> RemarkedResult:
    """List the deliveries of a merchant or partner, newest first, and failing endpoints."""
    number = _recipient(parameters.recipient)
    statuses = await status_store.newest(
        context.db, number, state=parameters.state, payment_id=parameters.payment, limit=SHOWN_MAX
    )
    if not statuses:
        await _check_recipient(context, number)
    payments = {status.key.payment_id for status in statuses} if number > 0 else set[int]()
    orders = await finding.amounts_of(context.db, number, payments)
    rows = [_row(status, orders.get(status.key.payment_id)) for status in statuses]
    return RemarkedResult(rows, await _failing(context, number))


@verb(
    "delivery show",
    Permission.DEVELOPERS_SEE,
    at="all",
    title="Tries of {webhook_id}",
)
async def show(context: VerbContext, parameters: NamedDelivery) -> Result:
    """Show every try of one delivery.

    It says when it was made and how it was answered, with the first 2 kB of the answer.
    """
    key = _key(parameters.webhook_id)
    if await status_store.status_of(context.db, key) is not None:
        tries = await status_store.tries_of(context.db, key)
    else:
        notifications = await story.notifications_of(context.db, (key.merchant_id, key.payment_id))
        (notification,) = [each for each in notifications if each.key == key] or [None]
        if notification is None:
            message = _unknown(parameters.webhook_id)
            raise VerbProblemError(message)
        tries = notification.tries
    return [
        {
            "try": each.attempt_no,
            "at": each.at,
            "url": each.outcome.url,
            "status": each.outcome.status,
            "ms": each.outcome.latency_ms,
            "delivered": _delivered_by(each.outcome),
            "problem": each.outcome.problem,
            "answer": each.outcome.answer,
        }
        for each in tries
    ]


def _delivered_by(outcome: DeliveryOutcome) -> str:
    """Return the kind of answer that delivered it; a failed try has a problem instead."""
    if outcome.problem or outcome.status is None:
        return "no"
    return "by a redirect" if outcome.status // 100 == _REDIRECT else "by 2xx"


@verb(
    "delivery replay",
    Permission.DELIVERIES_REPLAY,
    at="all",
    trail="delivery.replay",
    page="Replay deliveries",
    refusals={
        RefusalCode.NO_RECORDS: "there is no delivery {webhook_id}",
        RefusalCode.STATE_FORBIDS: "{webhook_id} is being sent at this moment",
    },
)
async def replay(context: VerbContext, parameters: DeliveriesToReplay) -> Result:
    """Send one delivery again, or all that a merchant's server did not take.

    The webhook id stays the same.
    """
    if bool(parameters.webhook_id) == bool(parameters.recipient):
        message = "give either a webhook id or --merchant"
        raise VerbProblemError(message)
    if parameters.webhook_id:
        key = _key(parameters.webhook_id)
        place = key.merchant_id if key.merchant_id > 0 else OPERATOR
        recorded = context.named("delivery.resend").recording(
            place, key.payment_id, webhook_id=key.webhook_id
        )
        await archive.recall(context.db, key.merchant_id, key.payment_id)
        await actions.replay(context.db, key, context.now, recorded)
        return {"replayed": 1}
    number, state = _recipient(parameters.recipient), DeliveryState(parameters.state)
    place = number if number > 0 else OPERATOR
    recorded = context.recording(place, "deliveries", made="number", state=state)
    replayed = await actions.replay_all(context.db, number, state, context.now, recorded)
    if not replayed:
        await _check_recipient(context, number)
    return {"replayed": replayed}


@verb(
    "delivery test",
    Permission.SETTINGS_CHANGE,
    trail=webhook_trials.ACT,
    page="Test a webhook",
    button="Send",
    fresh=False,
    title="What came back from {url}",
    parts={"answer": "The answer", "sent": "What was sent"},
    refusals={
        RefusalCode.TOO_MANY_REQUESTS: f"{webhook_trials.TRIALS_A_MINUTE} test notifications a"
        " minute are sent at most; wait a minute"
    },
)
async def test(context: VerbContext, parameters: TrialToSend) -> Result:
    """Send one signed test notification to an address, and show what came back.

    It has any event and the form of any kind of client. Its order is TEST-NOTIFICATION, which does
    not exist. It is sent once, and is no delivery: nothing lists it but the trail.
    """
    await context.check_merchant(parameters.merchant_id)
    merchant = await context.directory.get(parameters.merchant_id)
    assert merchant is not None
    settings = _settings_of_trial(merchant.settings, parameters)
    tried = await webhook_trials.send(
        context.db,
        replace(merchant, settings=settings),
        parameters.event,
        context.who,
        context.now,
        allow_private=context.allow_private,
    )
    outcome, sent = tried.called.outcome, tried.sent
    return {
        "url": settings.notification_url,
        "event": parameters.event,
        "delivered": _delivered_by(outcome),
        "status": outcome.status,
        "ms": outcome.latency_ms,
        "problem": outcome.problem,
        "answer": {"headers": dict(tried.answer_headers), "body": outcome.answer},
        "sent": {
            "headers": dict(sent.headers),
            "body": sent.body.decode(),
            "opened": sent.plain,
        },
    }


def _settings_of_trial(settings: MerchantSettings, parameters: TrialToSend) -> MerchantSettings:
    """Return the settings under which a trial is made. Raises Refused, VerbProblemError."""
    if parameters.client:
        standard = for_client(settings, "standard")
        settings = for_client(standard, parameters.client)
    if parameters.url:
        settings = msgspec.structs.replace(settings, notification_url=parameters.url)
        check_settings(settings)
    if not settings.notification_url:
        message = "there is no notification address; name one with --url"
        raise VerbProblemError(message)
    return settings


def _recipient(text: str) -> int:
    """Return the number of the merchant or partner that receives notifications."""
    if text.isdecimal() and len(text) <= len(str(ID_MAX)) and 0 < int(text) <= ID_MAX:
        return int(text)
    if is_affiliate(text):
        return recipient_of_partner(text)
    message = f"{text!r} is neither a merchant's id nor an affiliate code"
    raise VerbProblemError(message)


async def _check_recipient(context: VerbContext, number: int) -> None:
    """Raise VerbProblemError unless a merchant or a partner has this number."""
    if affiliate := partner_of_recipient(number):
        await partner_of(context, affiliate)
    else:
        await context.check_merchant(number)


def _unknown(webhook_id: str) -> str:
    return f"there is no delivery {webhook_id}"


def _key(webhook_id: str) -> DeliveryKey:
    key = parse_webhook_id(webhook_id)
    if key is None or key.merchant_id > ID_MAX:
        message = f"{webhook_id!r} is no webhook id; they look like ipn_10001_217000000000001_3"
        raise VerbProblemError(message)
    return key


def _row(status: DeliveryStatus, order: Record | None) -> dict[str, Any]:
    """Return a delivery for the list. order: of its payment; None for news of a lead."""
    waits = status.state in {DeliveryState.WAITING, DeliveryState.SENDING}
    references = (
        {
            "orderid": order["order_id"],
            "amount_paise": order["amount_paise"],
            "currency": order["currency"],
        }
        if order
        else {"orderid": "", "amount_paise": None, "currency": ""}
    )
    return {
        "webhook_id": status.key.webhook_id,
        **references,
        "event": status.kind,
        "state": status.state,
        "created": status.created_at,
        "next": status.due_at if waits else "",
        "tries": status.tries,
        "last_status": status.last_status,
        "last_problem": status.last_problem,
    }


async def _failing(context: VerbContext, merchant_id: int) -> str:
    """Return a sentence about a merchant's failing endpoint, or ""."""
    for each in await status_store.failing_endpoints(context.db):
        if each.merchant_id == merchant_id:
            since, probe_at = for_people(each.since), for_people(each.probe_at)
            return (
                f"The endpoint has been failing since {since} ({each.problem});"
                f" it is probed next at {probe_at}."
            )
    return ""


VERBS = (list_of, show, replay, test)
