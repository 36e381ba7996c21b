"""Says what a mandate is in words; pure."""

from datetime import date

from hundi.kernel.money import rupees
from hundi.kernel.states import SubscriptionPeriod
from hundi.page.texts import Say
from hundi.payments.subscriptions.rules import Subscription

EVERY = {
    SubscriptionPeriod.DAY: ("mandate_day", "mandate_days"),
    SubscriptionPeriod.WEEK: ("mandate_week", "mandate_weeks"),
    SubscriptionPeriod.MONTH: ("mandate_month", "mandate_months"),
    SubscriptionPeriod.YEAR: ("mandate_year", "mandate_years"),
}


def terms(subscription: Subscription | None, say: Say) -> tuple[str, ...]:
    """Return what a customer approves: how much, how often, and until when; () without a mandate."""
    if subscription is None:
        return ()
    amount, most = rupees(subscription.amount.paise), rupees(subscription.max_paise)
    first, until = _day(subscription.starts_on), _day(subscription.valid_until)
    if subscription.period is SubscriptionPeriod.AS_PRESENTED:
        what = say("mandate_presented", most=most)
    else:
        count = subscription.frequency
        every = say(EVERY[subscription.period][count > 1], count=count)
        what = say("mandate_what", amount=amount, every=every, first=first)
    return what, say("mandate_most", most=most, until=until), say("mandate_notice")


def _day(day: date) -> str:
    return day.strftime("%d %b %Y").lstrip("0")
