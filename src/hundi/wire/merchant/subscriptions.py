"""Subscriptions: the operations on them and their messages.

See docs/spec/payment-interfaces.md#subscription-operations.
"""

from datetime import date, datetime

from hundi.wire import kinds
from hundi.wire.fields import FieldError
from hundi.wire.merchant.mandates import ENDLESS, RETRIES_MAX
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation

STATES = ("created", "active", "paused", "cancelled", "completed", "failed")
DEBITS = kinds.count(ENDLESS - 1, 1, r"^([1-9][0-9]?|[1-8][0-9]{2}|9[0-8][0-9]|99[0-8])$", "24")
RETRIES = kinds.count(RETRIES_MAX, 0, r"^[0-9]{1,2}$", "2")
ORDER_ID = kinds.described(kinds.ORDER_ID, "Of the order that registered it")
_NAMES = ("ap_transactionid", "orderid")
_TERMS = ("sb_amount", "sb_recurringcount", "sb_retryattempts")


@message(at_least_one=_NAMES)
class SubscriptionName:
    """A subscription, by a name of the order that registered it; both names must agree."""

    transaction_id: str = sent(
        kinds.TRANSACTION_ID, "ap_transactionid", older=("subscription_id",), default=""
    )
    order_id: str = sent(ORDER_ID, "orderid", older=("orderId",), default="")


@message(at_least_one=_NAMES)
class SubscriptionCharge:
    """A subscription, by the order that registered it, whose next debit is announced now.

    amount_paise: None for the usual amount; never above what the customer approved.
    """

    transaction_id: str = sent(
        kinds.TRANSACTION_ID, "ap_transactionid", older=("subscription_id",), default=""
    )
    order_id: str = sent(ORDER_ID, "orderid", older=("orderId",), default="")
    amount_paise: int | None = sent(kinds.AMOUNT, "sb_amount", default=None)


def _changes_something(asked: "SubscriptionChange") -> None:
    if (asked.amount_paise, asked.debits, asked.retries) == (None, None, None):
        raise FieldError(_TERMS[0], "", f"one of {', '.join(_TERMS)}")


@message(
    at_least_one=_NAMES,
    check=_changes_something,
    schema={"allOf": [{"anyOf": [{"required": [name]} for name in _TERMS]}]},
)
class SubscriptionChange:
    """New terms of a subscription, by its order, within what the customer approved.

    At least one of them; None keeps a value. debits: the number of debits in all.
    """

    transaction_id: str = sent(
        kinds.TRANSACTION_ID, "ap_transactionid", older=("subscription_id",), default=""
    )
    order_id: str = sent(ORDER_ID, "orderid", older=("orderId",), default="")
    amount_paise: int | None = sent(kinds.AMOUNT, "sb_amount", default=None)
    debits: int | None = sent(DEBITS, "sb_recurringcount", "How many debits in all", default=None)
    retries: int | None = sent(
        RETRIES, "sb_retryattempts", "Tries after a declined one", default=None
    )


@message()
class SubscriptionsBefore:
    """Subscriptions, newest first.

    state: created, active, paused, cancelled, completed or failed; "" for all.
    before: the last transaction_id that you have, for those that are older.
    """

    state: str = sent(kinds.one_of(*STATES), meaning="Only those in this state", default="")
    before: str = sent(
        kinds.TRANSACTION_ID, meaning="The ap_transactionid after which the page begins", default=""
    )


@message()
class SubscriptionDebit:
    """One period of a subscription.

    state: announced, paid, declined and so on. debit_at: the earliest time of the debit.
    order_transaction_id: of its own order, which verify and refund take; "" before there is one.
    """

    period: int = sent(kinds.WHOLE)
    amount_paise: int = sent(kinds.MONEY, "amount")
    state: str = sent(kinds.NAME)
    debit_at: datetime | None = sent(kinds.MOMENT)
    order_transaction_id: str = sent(kinds.WORDS, "ap_transactionid", default="")


@message()
class Subscription:
    """A subscription in its current state.

    transaction_id: of the order that began it; every call here takes it. state: created, active,
    paused, cancelled, completed or failed. next_debit_on: the next day that is not announced yet.
    debits_max: None without end. channel: the channel of its approval, "" until then: "upi", "pg"
    (a card) or "enach". umrn: the number of an "enach" mandate at the clearing house. manage_url:
    the customer's own page; whoever has it may pause and cancel. debits: the latest ones, newest
    first; empty in a list.
    """

    transaction_id: str = sent(kinds.NAME, "ap_transactionid")
    order_id: str = sent(kinds.NAME, "orderid")
    state: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY, "sb_amount")
    max_paise: int = sent(kinds.MONEY, "sb_maxamount")
    period: str = sent(kinds.NAME, "sb_period")
    every: int = sent(kinds.WHOLE, "sb_frequency")
    next_debit_on: date | None = sent(kinds.DAY, "sb_nextrundate")
    debits_max: int | None = sent(kinds.whole_or_none(ENDLESS), "sb_recurringcount")
    retries: int = sent(kinds.WHOLE, "sb_retryattempts")
    valid_until: date | None = sent(kinds.DAY)
    channel: str = sent(kinds.WORDS, "chmod", default="")
    umrn: str = sent(kinds.WORDS, default="")
    payer_vpa: str = sent(kinds.WORDS, "customer_vpa", hidden=True)
    manage_url: str = sent(kinds.WORDS, hidden=True)
    debits: tuple[SubscriptionDebit, ...] = sent(kinds.objects(SubscriptionDebit))

    @property
    def is_active(self) -> bool:
        """Its customer approved it, and it is debited."""
        return self.state == "active"


@message()
class Subscriptions:
    """A page of subscriptions, newest first, without their debits."""

    subscriptions: tuple[Subscription, ...] = sent(kinds.objects(Subscription))


_SECTION = "payment-interfaces.md#subscription-operations"
STATUS = Operation(
    "subscription/status",
    "subscriptionStatus",
    "subscription",
    "Show a subscription",
    _SECTION,
    ("subscription/status/",),
    SubscriptionName,
    Subscription,
    "read",
    words="Safe to repeat.",
    echoes=_NAMES,
)
LIST = Operation(
    "subscription/list",
    "listSubscriptions",
    "subscriptions",
    "List subscriptions",
    _SECTION,
    ("subscription/list/",),
    SubscriptionsBefore,
    Subscriptions,
    "read",
    words="Without their debits. Safe to repeat.",
    takes=0,
    gives="subscriptions",
)
CHARGE = Operation(
    "subscription/charge",
    "chargeSubscription",
    "charge_subscription",
    "Announce the next debit now",
    _SECTION,
    ("subscription/charge/",),
    SubscriptionCharge,
    Subscription,
    "page",
    words="The debit is made a day later, after its customer was notified. Never repeated "
    "here: after a "
    "TransportError ask `subscription`. Raises StateRefusedError (120) while another "
    "debit is announced.",
    echoes=_NAMES,
    repeats=False,  # the second is refused while the first is announced, which would hide it
)
CHANGE = Operation(
    "subscription/change",
    "changeSubscription",
    "change_subscription",
    "Change a subscription",
    _SECTION,
    ("subscription/change/",),
    SubscriptionChange,
    Subscription,
    "manage",
    words="Safe to repeat.",
    echoes=_NAMES,
)
PAUSE = Operation(
    "subscription/pause",
    "pauseSubscription",
    "pause_subscription",
    "Pause a subscription",
    _SECTION,
    ("subscription/pause/",),
    SubscriptionName,
    Subscription,
    "manage",
    words="Nothing is debited meanwhile, or made up for later. Never repeated here: after a "
    "TransportError ask "
    "`subscription`. Raises StateRefusedError (120) unless active.",
    echoes=_NAMES,
    repeats=False,  # pausing twice is refused, which would hide that the first went through
)
RESUME = Operation(
    "subscription/resume",
    "resumeSubscription",
    "resume_subscription",
    "Resume a subscription",
    _SECTION,
    ("subscription/resume/",),
    SubscriptionName,
    Subscription,
    "manage",
    words="Never repeated here; raises what `pause_subscription` raises.",
    echoes=_NAMES,
    repeats=False,
)
CANCEL = Operation(
    "subscription/cancel",
    "cancelSubscription",
    "cancel_subscription",
    "Cancel a subscription",
    _SECTION,
    ("subscription/cancel/",),
    SubscriptionName,
    Subscription,
    "manage",
    words="It cannot be resumed. Safe to repeat.",
    echoes=_NAMES,
)
