"""What a subscription and its debits are, when each period falls due, and what may follow; pure.

See docs/spec/payment-interfaces.md#subscriptions. Periods count from 1; the first is on the
subscription's first day.
"""

from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from hundi.instruments import mandates
from hundi.kernel.clock import INDIA, business_day
from hundi.kernel.events import Kind
from hundi.kernel.money import Money, rupees
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.kernel.states import Actor, EventKind
from hundi.kernel.states import DebitState as D
from hundi.kernel.states import SubscriptionPeriod as Period
from hundi.kernel.states import SubscriptionState as S
from hundi.payments.orders.news.rules import MandateFacts
from hundi.payments.orders.rules import Payment, PaymentView, Step

SUBSCRIPTION_MOVES: Mapping[S, frozenset[S]] = {
    S.CREATED: frozenset({S.ACTIVE, S.CANCELLED, S.FAILED}),
    S.ACTIVE: frozenset({S.PAUSED, S.CANCELLED, S.COMPLETED}),
    S.PAUSED: frozenset({S.ACTIVE, S.CANCELLED, S.COMPLETED}),
    S.CANCELLED: frozenset(),
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset(),
}
ENDED = frozenset({S.CANCELLED, S.COMPLETED, S.FAILED})
WAITING = frozenset({D.ANNOUNCED, D.SENT, D.RETRYING})
"""States of debits that are not over."""
DEBIT_AT = time(6)
"""The Indian time of day of planned debits.

Early in the first window, so that tries are left for the day.
"""
NOTICE_SPARE = timedelta(hours=1)
"""How much earlier than it must be a notice is given, for a bank that does not answer at once.

See docs/spec/payment-interfaces.md#subscription-rules.
"""
NOTICE_GRACE = timedelta(minutes=5)
"""Added to the 24 hours: the bank's clock starts when it told the customer."""
APPROVAL_LIFE = timedelta(hours=73)
"""The time after which an unapproved mandate has failed.

The bank is asked about an unanswered approval for 72 hours.
"""
VALID_AFTER_LAST = timedelta(days=30)
"""How long a mandate with an end is valid after its last debit, for tries and a late notice."""
START_YEARS_MAX = 2
"""How far ahead the first debit may be."""
_DAYS_OF = {Period.DAY: 1, Period.WEEK: 7, Period.MONTH: 30, Period.YEAR: 365}


@dataclass(frozen=True, slots=True)
class ApprovalTerms:
    """What the merchant asks the customer to approve.

    maximum: the most for one debit. debits_max: None for no end. starts_on: the day of the first
    debit; for a subscription as presented the day from which one may be requested.
    """

    amount: Money
    maximum: Money
    period: Period
    frequency: int
    starts_on: date
    debits_max: int | None
    retries_max: int

    @property
    def valid_until(self) -> date:
        """Return the last day of the mandate."""
        longest = add_months(self.starts_on, 12 * mandates.VALIDITY_YEARS_MAX)
        if self.debits_max is None or self.period is Period.AS_PRESENTED or self.too_long:
            return longest
        return min(longest, day_of(self, self.debits_max) + VALID_AFTER_LAST)

    @property
    def too_long(self) -> bool:
        """Return whether the last debit would be later than any mandate is valid."""
        steps = ((self.debits_max or 1) - 1) * self.frequency
        return (
            steps * _DAYS_OF.get(self.period, 0)
            > _DAYS_OF[Period.YEAR] * mandates.VALIDITY_YEARS_MAX
        )


@dataclass(frozen=True, slots=True)
class Subscription:
    """One mandate and its schedule; days are Indian, times UTC.

    The columns of the schema explain the rest.
    """

    merchant_id: int
    subscription_id: int
    order_id: str
    state: S
    amount: Money
    max_paise: int
    period: Period
    frequency: int
    starts_on: date
    debits_max: int | None
    retries_max: int
    valid_until: date
    created_at: datetime
    due_at: datetime | None
    next_period: int = 1
    connector: str = ""
    mandate_reference: str = ""
    channel: str = ""
    umrn: str = ""
    payer: str = ""
    activated_at: datetime | None = None
    ended_at: datetime | None = None
    notice_before: timedelta = mandates.NOTICE
    ask_at: datetime | None = None
    paused_at_bank: bool = False
    mandate_name: str = ""

    @property
    def maximum(self) -> Money:
        """Return the most for one debit."""
        return Money(self.max_paise, self.amount.currency)


@dataclass(frozen=True, slots=True)
class Debit:
    """The debit of one period.

    planned_at: the earliest time for it. The columns of the schema explain the rest.
    """

    merchant_id: int
    debit_id: int
    subscription_id: int
    period_no: int
    amount: Money
    state: D
    planned_at: datetime
    created_at: datetime
    due_at: datetime | None
    connector: str = ""
    noticed_at: datetime | None = None
    payment_id: int | None = None
    tries: int = 0
    settled_at: datetime | None = None
    notice_name: str = ""
    debit_until: datetime | None = None

    @property
    def order_id(self) -> str:
        """Return the order id of a debit: the subscription's number and the period's."""
        return f"{self.subscription_id}-{self.period_no}"


Schedule = ApprovalTerms | Subscription


def add_months(day: date, months: int) -> date:
    """Return the same day some months later, or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def day_of(schedule: Schedule, period_no: int) -> date:
    """Return the day of a period.

    It is counted from the first day, so that the 31st comes back after a short month.
    """
    steps = (period_no - 1) * schedule.frequency
    match schedule.period:
        case Period.DAY:
            return schedule.starts_on + timedelta(days=steps)
        case Period.WEEK:
            return schedule.starts_on + timedelta(weeks=steps)
        case Period.MONTH:
            return add_months(schedule.starts_on, steps)
        case Period.YEAR:
            return add_months(schedule.starts_on, 12 * steps)
        case Period.AS_PRESENTED:
            message = "a subscription as presented has no days of its own"
            raise AssertionError(message)


def planned_at(subscription: Subscription, period_no: int) -> datetime:
    """Return when the debit of a period is planned."""
    return mandates.in_window(
        subscription.channel, datetime.combine(day_of(subscription, period_no), DEBIT_AT, INDIA)
    )


def bounds_of(
    terms: ApprovalTerms, first: Money, channels: Iterable[str], mcc: str, now: datetime
) -> Mapping[str, mandates.MandateBounds]:
    """Return the bounds of a mandate's maximum, by channel.

    first: what is paid with the approval.
    """
    day = max(terms.starts_on, business_day(now))
    return {
        code: mandates.bounds(code, mcc, day, first.paise)
        for code in channels
        if code in mandates.INSTRUMENTS
    }


def bounds_refusal(terms: ApprovalTerms, bounds: Mapping[str, mandates.MandateBounds]) -> Refusal:
    """Return why no channel carries a mandate: its maximum is beyond the bounds of each."""
    allowed = ", ".join(f"{code} {each}" for code, each in bounds.items())
    received = rupees(terms.maximum.paise)
    return Refusal(
        RefusalCode.CHANNEL_NOT_ENABLED, field="sb_maxamount", received=received, allowed=allowed
    )


def terms_refusal(terms: ApprovalTerms, now: datetime) -> Refusal | None:
    """Return why nobody can be asked to approve these terms, naming the field.

    None when one can.
    """
    today = business_day(now)
    within_maximum = f"at most sb_maxamount, {rupees(terms.maximum.paise)}"
    years = f"a date within {START_YEARS_MAX} years"
    fits = f"debits within {mandates.VALIDITY_YEARS_MAX} years; 999 for no end"
    starts = terms.starts_on
    broken = (
        (terms.amount > terms.maximum, "sb_amount", rupees(terms.amount.paise), within_maximum),
        (starts < today, "sb_nextrundate", starts.isoformat(), "a date that is not past"),
        (
            starts > add_months(today, 12 * START_YEARS_MAX),
            "sb_nextrundate",
            starts.isoformat(),
            years,
        ),
        (terms.too_long, "sb_recurringcount", str(terms.debits_max), fits),
    )
    return next((_invalid(*words) for is_broken, *words in broken if is_broken), None)


def _invalid(field: str, received: str, allowed: str) -> Refusal:
    return Refusal(RefusalCode.FIELD_INVALID, field=field, received=received, allowed=allowed)


def notice_due(subscription: Subscription, period_no: int) -> datetime | None:
    """Return when a period's notice is due, None where the schedule has no such period."""
    if subscription.period is Period.AS_PRESENTED:
        return None
    beyond = subscription.debits_max is not None and period_no > subscription.debits_max
    if beyond or day_of(subscription, period_no) > subscription.valid_until:
        return None
    return planned_at(subscription, period_no) - subscription.notice_before - NOTICE_SPARE


def first_to_resume(subscription: Subscription, now: datetime) -> int:
    """Return the first period whose notice can still be given in time."""
    period_no = subscription.next_period
    due = notice_due(subscription, period_no)
    while due is not None and due < now:
        period_no += 1
        due = notice_due(subscription, period_no)
    return period_no


def ends_now(subscription: Subscription, debits_waiting: int, now: datetime) -> bool:
    """Return whether no debit of a subscription can follow any more."""
    if subscription.state not in {S.ACTIVE, S.PAUSED} or debits_waiting:
        return False
    if subscription.period is Period.AS_PRESENTED:
        return business_day(now) > subscription.valid_until
    return notice_due(subscription, subscription.next_period) is None


def plans_at(subscription: Subscription) -> datetime | None:
    """Return when to work on a subscription next: for its next notice, or for its end."""
    if subscription.state is not S.ACTIVE:
        return None
    if subscription.period is Period.AS_PRESENTED:
        return datetime.combine(subscription.valid_until + timedelta(days=1), time(0), INDIA)
    return notice_due(subscription, subscription.next_period)


def moved(subscription: Subscription, state: S, now: datetime) -> Subscription:
    """Return a subscription in another state.

    Raises AssertionError on a move that the table lacks.
    """
    if state not in SUBSCRIPTION_MOVES[subscription.state]:
        message = (
            f"subscription {subscription.subscription_id}: {subscription.state} may not "
            f"become {state}"
        )
        raise AssertionError(message)
    after = replace(
        subscription,
        state=state,
        ended_at=now if state in ENDED else None,
        paused_at_bank=False,
    )
    # An approved mandate is ended at the bank as well; one never approved or over ends by itself.
    return replace(
        after, due_at=now if state is S.CANCELLED and after.mandate_reference else plans_at(after)
    )


def new_subscription(view: PaymentView, terms: ApprovalTerms, now: datetime) -> Subscription:
    """Return the subscription that an order registers once it is paid."""
    payment = view.payment
    return Subscription(
        merchant_id=payment.merchant_id,
        subscription_id=payment.payment_id,
        order_id=payment.order_id,
        state=S.CREATED,
        amount=terms.amount,
        max_paise=terms.maximum.paise,
        period=terms.period,
        frequency=terms.frequency,
        starts_on=terms.starts_on,
        debits_max=terms.debits_max,
        retries_max=terms.retries_max,
        valid_until=terms.valid_until,
        created_at=now,
        due_at=now + APPROVAL_LIFE,
    )


def facts(subscription: Subscription, debit: Debit | None = None) -> MandateFacts:
    """Return what the merchant is told of a subscription, and of one of its debits."""
    if debit is None:
        return MandateFacts(subscription.subscription_id, subscription.state)
    return MandateFacts(
        subscription.subscription_id,
        subscription.state,
        debit.period_no,
        debit.amount.paise,
        debit.planned_at,
    )


def step(
    payment: Payment,
    kind: EventKind,
    actor: Actor,
    mandate: MandateFacts,
    announce: Kind | None = None,
) -> Step:
    """Return the event of a subscription, in the story of the payment that registered it."""
    return Step(kind, actor, payment, announce=announce, mandate=mandate)
