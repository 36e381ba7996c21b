"""Subscriptions: status, list, charge, change, pause, resume and cancel.

See docs/spec/payment-interfaces.md#subscription-operations.
"""

import msgspec

from hundi.api import replies
from hundi.api.addresses import MANDATE_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.api.merchant.mandates import PERIODS
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, PaymentKind, SubscriptionPeriod, SubscriptionState
from hundi.merchants.directory.api_keys import KeyScope
from hundi.payments.orders import actions as payments
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions import rules
from hundi.payments.subscriptions.actions import Change
from hundi.payments.subscriptions.rules import Debit, Subscription
from hundi.wire.fields import text_from_paise
from hundi.wire.merchant.payments import ENDLESS
from hundi.wire.merchant.subscriptions import (
    DebitData,
    SubscriptionData,
    SubscriptionRequest,
    parse_change,
    parse_charge,
    parse_list,
    parse_reference,
)

STATUS = merchant_endpoint("subscription/status", KeyScope.READ)
LIST = merchant_endpoint("subscription/list", KeyScope.READ)
CHARGE = merchant_endpoint("subscription/charge", KeyScope.PAGE)
CHANGE = merchant_endpoint("subscription/change", KeyScope.MANAGE)
PAUSE = merchant_endpoint("subscription/pause", KeyScope.MANAGE)
RESUME = merchant_endpoint("subscription/resume", KeyScope.MANAGE)
CANCEL = merchant_endpoint("subscription/cancel", KeyScope.MANAGE)
_ID_DIGITS_MAX = 15
_LETTERS = {period: letter for letter, period in PERIODS.items()}


async def status(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return a subscription with its latest debits."""
    return await serve(gateway, inbound, STATUS, _status)


async def listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return subscriptions, newest first."""
    return await serve(gateway, inbound, LIST, _list)


async def charge(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Announce the next debit now; it is made once the rules allow it."""
    return await serve(gateway, inbound, CHARGE, _charge)


async def change(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Change a subscription within what its customer approved."""
    return await serve(gateway, inbound, CHANGE, _change)


async def pause(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Pause a subscription."""
    return await serve(gateway, inbound, PAUSE, _pause)


async def resume(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Resume a paused subscription."""
    return await serve(gateway, inbound, RESUME, _resume)


async def cancel(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Cancel a subscription for good."""
    return await serve(gateway, inbound, CANCEL, _cancel)


async def _named(context: MerchantRequest, asked: SubscriptionRequest) -> int:
    """Return the id of the subscription that the references agree on. Raises Refused (NO_RECORDS)."""
    if len(asked.ap_transactionid) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    found = await payments.find(
        context.gateway.payments,
        context.sender.merchant_id,
        order_id=asked.order_id or None,
        payment_id=int(asked.ap_transactionid) if asked.ap_transactionid else None,
        rrn=None,
    )
    if found is None or found.payment.kind is not PaymentKind.SUBSCRIPTION:
        raise refuse(RefusalCode.NO_RECORDS)
    return found.payment.payment_id


async def _shown(context: MerchantRequest, subscription_id: int, message: str) -> dict[str, object]:
    found = await subscriptions.find(context.gateway.db, context.sender.merchant_id, subscription_id)
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    data = _data(context, found.subscription, found.debits)
    return replies.success(msgspec.to_builtins(data), message, context.request_id)


def _data(context: MerchantRequest, subscription: Subscription, debits: tuple[Debit, ...] = ()) -> SubscriptionData:
    scheduled = subscription.period is not SubscriptionPeriod.AS_PRESENTED
    more = scheduled and subscription.state in _RUNNING and rules.notice_due(subscription, subscription.next_period)
    link = context.gateway.mandate_links.seal(subscription.merchant_id, subscription.subscription_id)
    return SubscriptionData(
        ap_transactionid=str(subscription.subscription_id),
        orderid=subscription.order_id,
        state=subscription.state,
        sb_amount=text_from_paise(subscription.amount.paise),
        sb_maxamount=text_from_paise(subscription.max_paise),
        sb_period=_LETTERS[subscription.period],
        sb_frequency=subscription.frequency,
        sb_nextrundate=rules.day_of(subscription, subscription.next_period).isoformat() if more else "",
        sb_recurringcount=ENDLESS if subscription.debits_max is None else subscription.debits_max,
        sb_retryattempts=subscription.retries_max,
        valid_until=subscription.valid_until.isoformat(),
        chmod=subscription.channel,
        umrn=subscription.umrn,
        customer_vpa=subscription.payer,
        manage_url=context.gateway.settings.payment_page_url + MANDATE_PAGE + link,
        debits=tuple(_debit(each) for each in debits),
    )


_RUNNING = frozenset({SubscriptionState.CREATED, SubscriptionState.ACTIVE, SubscriptionState.PAUSED})


def _debit(debit: Debit) -> DebitData:
    return DebitData(
        period=debit.period_no,
        amount=text_from_paise(debit.amount.paise),
        state=debit.state,
        debit_at=ist(debit.planned_at).isoformat(timespec="seconds"),
        ap_transactionid=str(debit.payment_id or ""),
    )


async def _status(context: MerchantRequest) -> dict[str, object]:
    named = await _named(context, parse_reference(context.values))
    return await _shown(context, named, "The subscription and its latest debits")


async def _list(context: MerchantRequest) -> dict[str, object]:
    asked = parse_list(context.values)
    state = SubscriptionState(asked.state) if asked.state else None
    found = await subscriptions.list_of(context.gateway.db, context.sender.merchant_id, state, asked.before or None)
    shown = [msgspec.to_builtins(_data(context, each)) for each in found]
    return replies.success({"subscriptions": shown}, f"{len(shown)} subscriptions", context.request_id)


async def _charge(context: MerchantRequest) -> dict[str, object]:
    asked = parse_charge(context.values)
    named = await _named(context, asked)
    gateway, owner = context.gateway.db, context.sender.merchant_id
    await subscriptions.charge(gateway, owner, named, asked.amount_paise, context.now)
    return await _shown(context, named, "The customer is told now, and debited a day later")


async def _change(context: MerchantRequest) -> dict[str, object]:
    asked = parse_change(context.values)
    named = await _named(context, asked)
    changed = Change(asked.amount_paise, asked.recurring_count, asked.retry_attempts)
    await subscriptions.change(context.gateway.db, context.sender.merchant_id, named, changed, context.now)
    return await _shown(context, named, "Changed")


async def _pause(context: MerchantRequest) -> dict[str, object]:
    named = await _named(context, parse_reference(context.values))
    await subscriptions.pause(context.gateway.db, context.sender.merchant_id, named, Actor.MERCHANT, context.now)
    return await _shown(context, named, "Paused")


async def _resume(context: MerchantRequest) -> dict[str, object]:
    named = await _named(context, parse_reference(context.values))
    await subscriptions.resume(context.gateway.db, context.sender.merchant_id, named, Actor.MERCHANT, context.now)
    return await _shown(context, named, "Resumed")


async def _cancel(context: MerchantRequest) -> dict[str, object]:
    named = await _named(context, parse_reference(context.values))
    await subscriptions.cancel(context.gateway.db, context.sender.merchant_id, named, Actor.MERCHANT, context.now)
    return await _shown(context, named, "Cancelled")
