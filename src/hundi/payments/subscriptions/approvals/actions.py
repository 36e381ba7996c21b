"""Register subscriptions and send customers to approve them."""

from collections.abc import Iterable
from datetime import datetime

from hundi.acquirers.port.mandates import MandateRequest, TakesMandates
from hundi.acquirers.port.payments import OffersUpi
from hundi.acquirers.registry import Way
from hundi.instruments import mandates, upi_uri
from hundi.instruments.upi_uri import MandateLinkTerms
from hundi.kernel.records import replace
from hundi.kernel.refusals import Cure, RefusalCode, Refused, refuse
from hundi.kernel.states import PaymentKind, SubscriptionPeriod, SubscriptionState
from hundi.merchants.directory.rules import Merchant
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.channels.rules import channel_cures, ways_of
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Attempt, NewOrder, PaymentView
from hundi.payments.routing.needs.rules import Needs
from hundi.payments.subscriptions import rules, store
from hundi.payments.subscriptions.rules import ApprovalTerms, Subscription

ID_MAX = 10**15
RUNS = (SubscriptionState.ACTIVE, SubscriptionState.PAUSED)
RECUR = {
    SubscriptionPeriod.DAY: "DAILY",
    SubscriptionPeriod.WEEK: "WEEKLY",
    SubscriptionPeriod.MONTH: "MONTHLY",
    SubscriptionPeriod.YEAR: "YEARLY",
    SubscriptionPeriod.AS_PRESENTED: "ASPRESENTED",
}
"""The network's words for periods; a period of several of these is as presented to the bank."""


async def register(
    context: PaymentContext,
    merchant: Merchant,
    order: NewOrder,
    terms: ApprovalTerms,
    now: datetime,
) -> PaymentView:
    """Open the order whose payment approves a mandate, or reopen the same unpaid one.

    Raises Refused: FIELD_INVALID by the name of a term's field, CHANNEL_NOT_ENABLED, and as
    `payments.orders.actions.initiate`.
    """
    refusal = rules.terms_refusal(terms, now)
    if refusal is not None:
        raise Refused(refusal)
    carrying = _carrying(context, merchant, order, terms, now)
    view = await opening.initiate(context, merchant, replace(order, channels=carrying), now)
    # Nobody can approve before this is written: the page and the QR are handed out after it.
    await store.insert(context.db, rules.new_subscription(view, terms, now))
    return view


def _carrying(
    context: PaymentContext,
    merchant: Merchant,
    order: NewOrder,
    terms: ApprovalTerms,
    now: datetime,
) -> tuple[str, ...]:
    """Return the channels that can approve a mandate of these terms.

    Raises Refused (CHANNEL_NOT_ENABLED).
    """
    needs = Needs(PaymentKind.SUBSCRIPTION)
    own = [
        code
        for code in merchant.settings.channels
        if ways_of(context.connectors, merchant, code, needs)
    ]
    codes = [code for code in own if not order.channels or code in order.channels]
    if not codes:
        received, allowed = (
            "_".join(order.channels),
            "_".join(own) or "none: no acquirer takes mandates",
        )
        code, cures = (
            RefusalCode.CHANNEL_NOT_ENABLED,
            channel_cures(context.connectors, merchant, order, needs),
        )
        raise refuse(code, field="chmod", received=received, allowed=allowed, cures=cures)
    network = rules.bounds_of(terms, order.amount, codes, merchant.settings.mcc, now)
    bounds = {
        code: each.within(_acquirers_most(ways_of(context.connectors, merchant, code, needs), code))
        for code, each in network.items()
    }
    carrying = tuple(code for code, each in bounds.items() if terms.maximum.paise in each)
    if not carrying:
        higher = rules.bounds_of(
            terms, order.amount, codes, min(mandates.HIGHER_CATEGORIES), now
        ).values()
        is_cured = not merchant.settings.mcc and any(terms.maximum.paise in each for each in higher)
        raise Refused(
            replace(rules.bounds_refusal(terms, bounds), cures=(Cure("mcc"),) if is_cured else ())
        )
    return carrying


def _acquirers_most(ways: Iterable[Way], code: str) -> int | None:
    """Return the least of the acquirers' own bounds of a maximum: any of them may serve."""
    own = (
        way.connector.mandate_terms[code].most_paise
        for way in ways
        if isinstance(way.connector, TakesMandates)
    )
    return min((paise for paise in own if paise is not None), default=None)


def approval_link(
    context: PaymentContext, merchant: Merchant, subscription: Subscription, attempt: Attempt
) -> str | None:
    """Return the `upi://` link that approves the mandate, None when no acquirer offers UPI now."""
    connector = context.connectors.get(attempt.connector)
    if not isinstance(connector, OffersUpi):
        return None
    return upi_uri.mandate_link(
        MandateLinkTerms(
            subscription.max_paise,
            _recur(subscription),
            subscription.starts_on,
            subscription.valid_until,
        ),
        payee_vpa=connector.payee_address(attempt.merchant_id),
        payee_name=merchant.name,
        reference=attempt.reference,
        amount_paise=attempt.amount.paise,
        note=subscription.order_id,
        mcc=merchant.settings.mcc,
        expires_at=attempt.expires_at,
    )


def mandate_request(merchant: Merchant, subscription: Subscription) -> MandateRequest:
    """Return the request for an approval in another way than by a link."""
    return MandateRequest(
        merchant.name,
        subscription.maximum,
        _recur(subscription),
        subscription.starts_on,
        subscription.valid_until,
    )


def _recur(subscription: Subscription) -> str:
    return RECUR[
        subscription.period if subscription.frequency == 1 else SubscriptionPeriod.AS_PRESENTED
    ]
