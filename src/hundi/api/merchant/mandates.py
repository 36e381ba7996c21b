"""Read the terms of a mandate from the `sb_*` fields of a payment form or a UPI QR request."""

from datetime import datetime

from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.states import SubscriptionPeriod
from hundi.payments.subscriptions.rules import ApprovalTerms
from hundi.wire.merchant.mandates import OrderMandate

PERIODS = {
    "D": SubscriptionPeriod.DAY,
    "W": SubscriptionPeriod.WEEK,
    "M": SubscriptionPeriod.MONTH,
    "Y": SubscriptionPeriod.YEAR,
    "A": SubscriptionPeriod.AS_PRESENTED,
}


def terms_of(asked: OrderMandate, currency: str, now: datetime) -> ApprovalTerms:
    """Return the terms of the customer's approval.

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


def hashed(asked: OrderMandate) -> str:
    """Return the terms as they are in an order's content hash.

    The hashes of stored orders were made of exactly this text.
    """
    terms = {
        "period": asked.period,
        "amount_paise": asked.amount_paise,
        "max_amount_paise": asked.max_amount_paise,
        "retry_attempts": asked.retry_attempts,
        "next_run": asked.next_run,
        "frequency": asked.frequency,
        "recurring_count": asked.recurring_count,
    }
    return f"Subscription({', '.join(f'{name}={value!r}' for name, value in terms.items())})"
