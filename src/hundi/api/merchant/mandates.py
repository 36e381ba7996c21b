"""Read the terms of a mandate from the `sb_*` fields of a payment form or a UPI QR request."""

from datetime import datetime

from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.states import SubscriptionPeriod
from hundi.payments.subscriptions.rules import ApprovalTerms
from hundi.wire.merchant.payments import Subscription

PERIODS = {
    "D": SubscriptionPeriod.DAY,
    "W": SubscriptionPeriod.WEEK,
    "M": SubscriptionPeriod.MONTH,
    "Y": SubscriptionPeriod.YEAR,
    "A": SubscriptionPeriod.AS_PRESENTED,
}


def terms_of(asked: Subscription, currency: str, now: datetime) -> ApprovalTerms:
    """Return what the customer is asked to approve.

    Without `sb_maxamount` no debit is above `sb_amount`.
    """
    return ApprovalTerms(
        amount=Money(asked.amount_paise, currency),
        maximum=Money(
            asked.amount_paise if asked.max_amount_paise is None else asked.max_amount_paise,
            currency,
        ),
        period=PERIODS[asked.period],
        frequency=1 if asked.frequency is None else asked.frequency,
        starts_on=asked.next_run or business_day(now),
        debits_max=asked.recurring_count,
        retries_max=asked.retry_attempts,
    )
