"""Describes a mandate in words, and what its customer can do about it; pure."""

from hundi.kernel.money import rupees
from hundi.kernel.states import DebitState, SubscriptionPeriod
from hundi.kernel.states import SubscriptionState as S
from hundi.merchants.directory.rules import Merchant
from hundi.page.screens import MandateScreen, Reference, Tone, Verb
from hundi.page.texts import Say
from hundi.payments.subscriptions.actions import SubscriptionView
from hundi.payments.subscriptions.rules import Subscription

EVERY = {
    SubscriptionPeriod.DAY: ("mandate_day", "mandate_days"),
    SubscriptionPeriod.WEEK: ("mandate_week", "mandate_weeks"),
    SubscriptionPeriod.MONTH: ("mandate_month", "mandate_months"),
    SubscriptionPeriod.YEAR: ("mandate_year", "mandate_years"),
}


def terms(subscription: Subscription | None, say: Say) -> tuple[str, ...]:
    """Return what a customer approves: how much, how often, until when; () without a mandate."""
    if subscription is None:
        return ()
    amount, most = rupees(subscription.amount.paise), rupees(subscription.max_paise)
    first, until = subscription.starts_on, subscription.valid_until
    if subscription.period is SubscriptionPeriod.AS_PRESENTED:
        what = say("mandate_presented", most=most)
    else:
        count = subscription.frequency
        every = say(EVERY[subscription.period][count > 1], count=count)
        what = say("mandate_what", amount=amount, every=every, first=first)
    return what, say("mandate_most", most=most, until=until), say("mandate_notice")


TITLES = {
    S.CREATED: (Tone.WAITING, "mandate_state_created"),
    S.ACTIVE: (Tone.PAID, "mandate_state_active"),
    S.PAUSED: (Tone.WAITING, "mandate_state_paused"),
    S.CANCELLED: (Tone.INFO, "mandate_state_cancelled"),
    S.COMPLETED: (Tone.INFO, "mandate_state_completed"),
    S.FAILED: (Tone.INFO, "mandate_state_failed"),
}
VERBS = {S.ACTIVE: ("pause", "cancel"), S.PAUSED: ("resume", "cancel")}
"""What a customer can do, by the mandate's state."""


def screen(view: SubscriptionView, merchant: Merchant, path: str, say: Say) -> MandateScreen:
    """Return the page on which a customer manages a mandate."""
    subscription = view.subscription
    tone, title = TITLES[subscription.state]
    return MandateScreen(
        path=path,
        tone=tone,
        title=say(title),
        merchant=merchant.name,
        lines=terms(subscription, say) if subscription.state in VERBS else (),
        verbs=tuple(
            Verb(verb, say(f"mandate_{verb}"), say(f"mandate_{verb}_what"))
            for verb in VERBS.get(subscription.state, ())
        ),
        upcoming=tuple(
            say(
                "mandate_upcoming",
                amount=rupees(each.amount.paise),
                when=each.planned_at,
            )
            for each in view.debits
            if each.state is DebitState.ANNOUNCED and each.noticed_at is not None
        ),
        references=(
            Reference(say("ref_payment"), str(subscription.subscription_id)),
            Reference(say("ref_order"), subscription.order_id),
        ),
        support=say("help", support=merchant.settings.support) if merchant.settings.support else "",
    )
