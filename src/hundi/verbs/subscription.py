"""Subscriptions: customers' mandates, their debits, and how to stop them."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from msgspec import Meta

from hundi.kernel.states import SubscriptionState
from hundi.payments.subscriptions import actions
from hundi.payments.subscriptions.rules import Debit, Subscription, notice_due, planned_at
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.parameters import ID_MAX, MerchantId, VerbParameters
from hundi.verbs.verb import Result, verb

SubscriptionId = Annotated[
    int,
    Meta(ge=1, le=ID_MAX, description="ap_transactionid of the order that registered it."),
]


_Act = Callable[..., Awaitable[Subscription]]


class SubscriptionsOfMerchant(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of subscriptions."""

    merchant_id: MerchantId
    state: Annotated[SubscriptionState | None, Meta(description="Only those in this state.")] = None


class NamedSubscription(VerbParameters, frozen=True, kw_only=True):
    """One subscription."""

    merchant_id: MerchantId
    subscription_id: SubscriptionId


@verb("subscription list", Permission.PAYMENTS_SEE, title="Subscriptions", screen="subscriptions")
async def list_of(context: VerbContext, parameters: SubscriptionsOfMerchant) -> Result:
    """List a merchant's subscriptions, newest first."""
    await context.check_merchant(parameters.merchant_id)
    subscriptions = await actions.list_of(
        context.db, parameters.merchant_id, parameters.state, None
    )
    return [_shown(subscription) for subscription in subscriptions]


@verb(
    "subscription show",
    Permission.PAYMENTS_SEE,
    title="Subscription",
    parts={"debits": "Debits"},
    screen="subscriptions/{subscription_id:int}",
)
async def show(context: VerbContext, parameters: NamedSubscription) -> Result:
    """Show a subscription and its latest debits."""
    subscription = await actions.find(
        context.db, parameters.merchant_id, parameters.subscription_id
    )
    if subscription is None:
        message = (
            f"merchant {parameters.merchant_id} has no subscription {parameters.subscription_id}"
        )
        raise VerbProblemError(message)
    debits = [_debit(debit) for debit in subscription.debits]
    return _shown(subscription.subscription, subscription.debits) | {"debits": debits}


@verb(
    "subscription pause",
    Permission.SUBSCRIPTIONS_CHANGE,
    trail="subscription.pause",
    screen="subscriptions/{subscription_id:int}/pause",
    title="Subscription",
    notice=("paused", "Paused. Nothing is taken until it is resumed."),
)
async def pause(context: VerbContext, parameters: NamedSubscription) -> Result:
    """Pause a subscription: no debit is announced or made."""
    return await _changed(context, parameters, actions.pause)


@verb(
    "subscription resume",
    Permission.SUBSCRIPTIONS_CHANGE,
    trail="subscription.resume",
    screen="subscriptions/{subscription_id:int}/resume",
    fresh=False,
    title="Subscription",
    notice=("resumed", "Resumed."),
)
async def resume(context: VerbContext, parameters: NamedSubscription) -> Result:
    """Resume a paused subscription."""
    return await _changed(context, parameters, actions.resume)


@verb(
    "subscription cancel",
    Permission.SUBSCRIPTIONS_CHANGE,
    trail="subscription.cancel",
    screen="subscriptions/{subscription_id:int}/cancel",
    title="Subscription",
    notice=("cancelled", "Cancelled. The mandate ends at the bank."),
    sure="a cancelled mandate does not come back",
)
async def cancel(context: VerbContext, parameters: NamedSubscription) -> Result:
    """Cancel a subscription; it cannot be resumed. Its mandate ends at the bank."""
    return await _changed(context, parameters, actions.cancel)


async def _changed(context: VerbContext, parameters: NamedSubscription, act: _Act) -> Result:
    subscription_key = parameters.merchant_id, parameters.subscription_id
    subscription = await actions.find(context.db, *subscription_key)
    order = subscription.subscription.order_id if subscription else ""
    recorded = context.recording(parameters.merchant_id, parameters.subscription_id, order=order)
    return _shown(await act(context.db, *subscription_key, context.actor, context.now, recorded))


def _shown(subscription: Subscription, debits: tuple[Debit, ...] = ()) -> dict[str, Any]:
    planned = [debit.planned_at for debit in debits if debit.state == "announced"]
    if subscription.state is SubscriptionState.ACTIVE and notice_due(
        subscription, subscription.next_period
    ):
        planned.append(planned_at(subscription, subscription.next_period))
    return {
        "subscription_id": str(subscription.subscription_id),
        "orderid": subscription.order_id,
        "state": subscription.state,
        "amount_paise": subscription.amount.paise,
        "most_paise": subscription.max_paise,
        "every": f"{subscription.frequency} {subscription.period}",
        "debits_in_all": subscription.debits_max or "no end",
        "next_debit_at": min(planned, default=None),
        "channel": subscription.channel,
        "umrn": subscription.umrn,
        "payer": subscription.payer,
        "since": subscription.created_at,
    }


def _debit(debit: Debit) -> dict[str, Any]:
    return {
        "period": debit.period_no,
        "due_at": debit.planned_at,
        "state": debit.state,
        "amount_paise": debit.amount.paise,
        "tries": debit.tries,
        "payment_id": str(debit.payment_id) if debit.payment_id else None,
    }


VERBS = (list_of, show, pause, resume, cancel)
