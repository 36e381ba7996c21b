"""Subscriptions: status, list, charge, change, pause, resume and cancel.

See docs/spec/payment-interfaces.md#subscription-operations.
"""

from hundi.api.addresses import MANDATE_PAGE
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.mandates import PERIODS
from hundi.api.merchant.operations import Answer, serving
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, PaymentKind, SubscriptionPeriod, SubscriptionState
from hundi.payments.orders import actions as payments
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions import rules
from hundi.payments.subscriptions.actions import Change
from hundi.wire.merchant.subscriptions import (
    CANCEL,
    CHANGE,
    CHARGE,
    LIST,
    PAUSE,
    RESUME,
    STATUS,
    Subscription,
    SubscriptionChange,
    SubscriptionCharge,
    SubscriptionDebit,
    SubscriptionName,
    Subscriptions,
    SubscriptionsBefore,
)

_ID_DIGITS_MAX = 15
_LETTERS = {period: letter for letter, period in PERIODS.items()}
_RUNNING = frozenset(
    {SubscriptionState.CREATED, SubscriptionState.ACTIVE, SubscriptionState.PAUSED}
)


async def _named(
    context: MerchantRequest, asked: SubscriptionName | SubscriptionCharge | SubscriptionChange
) -> int:
    """Return the id of the subscription that the references agree on.

    Raises Refused (NO_RECORDS).
    """
    if len(asked.transaction_id) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    found = await payments.find(
        context.gateway.payments,
        context.sender.merchant_id,
        order_id=asked.order_id or None,
        payment_id=int(asked.transaction_id) if asked.transaction_id else None,
        rrn=None,
    )
    if found is None or found.payment.kind is not PaymentKind.SUBSCRIPTION:
        raise refuse(RefusalCode.NO_RECORDS)
    return found.payment.payment_id


async def _whole(
    context: MerchantRequest, subscription_id: int, message: str
) -> Answer[Subscription]:
    found = await subscriptions.find(
        context.gateway.db, context.sender.merchant_id, subscription_id
    )
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return Answer(_subscription(context, found.subscription, found.debits), message)


def _subscription(
    context: MerchantRequest, subscription: rules.Subscription, debits: tuple[rules.Debit, ...] = ()
) -> Subscription:
    scheduled = subscription.period is not SubscriptionPeriod.AS_PRESENTED
    more = (
        scheduled
        and subscription.state in _RUNNING
        and rules.notice_due(subscription, subscription.next_period)
    )
    link = context.gateway.mandate_links.seal(
        subscription.merchant_id, subscription.subscription_id
    )
    return Subscription(
        transaction_id=str(subscription.subscription_id),
        order_id=subscription.order_id,
        state=str(subscription.state),
        amount_paise=subscription.amount.paise,
        max_paise=subscription.max_paise,
        period=_LETTERS[subscription.period],
        every=subscription.frequency,
        next_debit_on=rules.day_of(subscription, subscription.next_period) if more else None,
        debits_max=subscription.debits_max,
        retries=subscription.retries_max,
        valid_until=subscription.valid_until,
        channel=subscription.channel,
        umrn=subscription.umrn,
        payer_vpa=subscription.payer,
        manage_url=context.gateway.settings.payment_page_url + MANDATE_PAGE + link,
        debits=tuple(map(_debit, debits)),
    )


def _debit(debit: rules.Debit) -> SubscriptionDebit:
    return SubscriptionDebit(
        period=debit.period_no,
        amount_paise=debit.amount.paise,
        state=str(debit.state),
        debit_at=debit.planned_at,
        order_transaction_id=str(debit.payment_id or ""),
    )


async def _status(context: MerchantRequest, asked: SubscriptionName) -> Answer[Subscription]:
    """Return a subscription with its latest debits."""
    return await _whole(
        context, await _named(context, asked), "The subscription and its latest debits"
    )


async def _list(context: MerchantRequest, asked: SubscriptionsBefore) -> Answer[Subscriptions]:
    """Return subscriptions, newest first."""
    state = SubscriptionState(asked.state) if asked.state else None
    owner, before = context.sender.merchant_id, int(asked.before or 0) or None
    found = await subscriptions.list_of(context.gateway.db, owner, state, before)
    page = Subscriptions(subscriptions=tuple(_subscription(context, each) for each in found))
    return Answer(page, f"{len(found)} subscriptions")


async def _charge(context: MerchantRequest, asked: SubscriptionCharge) -> Answer[Subscription]:
    """Announce the next debit now; it is made once the rules allow it."""
    named = await _named(context, asked)
    gateway, owner = context.gateway.db, context.sender.merchant_id
    await subscriptions.charge(gateway, owner, named, asked.amount_paise, context.now)
    return await _whole(context, named, "The customer is told now, and debited a day later")


async def _change(context: MerchantRequest, asked: SubscriptionChange) -> Answer[Subscription]:
    """Change a subscription within what its customer approved."""
    named = await _named(context, asked)
    changed = Change(asked.amount_paise, asked.debits, asked.retries)
    await subscriptions.change(
        context.gateway.db, context.sender.merchant_id, named, changed, context.now
    )
    return await _whole(context, named, "Changed")


async def _pause(context: MerchantRequest, asked: SubscriptionName) -> Answer[Subscription]:
    named = await _named(context, asked)
    await subscriptions.pause(
        context.gateway.db, context.sender.merchant_id, named, Actor.MERCHANT, context.now
    )
    return await _whole(context, named, "Paused")


async def _resume(context: MerchantRequest, asked: SubscriptionName) -> Answer[Subscription]:
    named = await _named(context, asked)
    await subscriptions.resume(
        context.gateway.db, context.sender.merchant_id, named, Actor.MERCHANT, context.now
    )
    return await _whole(context, named, "Resumed")


async def _cancel(context: MerchantRequest, asked: SubscriptionName) -> Answer[Subscription]:
    """Cancel a subscription for ever."""
    named = await _named(context, asked)
    await subscriptions.cancel(
        context.gateway.db, context.sender.merchant_id, named, Actor.MERCHANT, context.now
    )
    return await _whole(context, named, "Cancelled")


HANDLERS = {
    STATUS: serving(STATUS, _status),
    LIST: serving(LIST, _list),
    CHARGE: serving(CHARGE, _charge),
    CHANGE: serving(CHANGE, _change),
    PAUSE: serving(PAUSE, _pause),
    RESUME: serving(RESUME, _resume),
    CANCEL: serving(CANCEL, _cancel),
}
