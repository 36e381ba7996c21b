"""The messages about subscriptions in `encdata`, parsed and checked, and `data` of their replies.

See docs/spec/payment-interfaces.md#subscription-operations.
"""

from dataclasses import dataclass

import msgspec

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.payments import ENDLESS, RETRIES_MAX
from hundi.wire.merchant.values import Values, refuse_page_fields, text

STATES = ("created", "active", "paused", "cancelled", "completed", "failed")
_OWN = "ap_transactionid, orderid"


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """A subscription by the order that registered it; "" where one reference was not sent."""

    ap_transactionid: str
    order_id: str


@dataclass(frozen=True, slots=True)
class ChargeSubscriptionRequest(SubscriptionRequest):
    """A debit that is asked for now. amount_paise: None for the usual amount."""

    amount_paise: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeSubscriptionRequest(SubscriptionRequest):
    """New terms, None where one stays. recurring_count: how many debits there are in all."""

    amount_paise: int | None = None
    recurring_count: int | None = None
    retry_attempts: int | None = None


@dataclass(frozen=True, slots=True)
class ListSubscriptionsRequest:
    """Which subscriptions to list: in one state ("" for all), after one of them (0 for the newest)."""

    state: str = ""
    before: int = 0


class DebitData(msgspec.Struct, frozen=True, kw_only=True):
    """One period of a subscription.

    ap_transactionid: of its order, "" before there is one. debit_at: when it is made at the earliest, ISO 8601.
    """

    period: int
    amount: str
    state: str
    debit_at: str
    ap_transactionid: str = ""


class SubscriptionData(msgspec.Struct, frozen=True, kw_only=True):
    """One subscription, with its latest debits, newest first.

    sb_nextrundate: day of the next debit that is not announced, ISO 8601, "" where there is none.
    sb_recurringcount: 999 for no end. chmod: the channel that approved it, "" until then.
    umrn: of an eNACH mandate.
    manage_url: the page where the customer pauses, resumes or cancels it.
    """

    ap_transactionid: str
    orderid: str
    state: str
    sb_amount: str
    sb_maxamount: str
    sb_period: str
    sb_frequency: int
    sb_nextrundate: str
    sb_recurringcount: int
    sb_retryattempts: int
    valid_until: str
    chmod: str = ""
    umrn: str = ""
    customer_vpa: str
    manage_url: str
    debits: tuple[DebitData, ...]


def parse_reference(values: Values) -> SubscriptionRequest:
    """Return which subscription is meant. Raises FieldError."""
    refuse_page_fields(values, _OWN)
    return SubscriptionRequest(*_reference(values))


def parse_charge(values: Values) -> ChargeSubscriptionRequest:
    """Return which subscription to debit now, and how much. Raises FieldError."""
    refuse_page_fields(values, f"{_OWN}, sb_amount")
    return ChargeSubscriptionRequest(*_reference(values), _amount(values))


def parse_change(values: Values) -> ChangeSubscriptionRequest:
    """Return what to change. Raises FieldError; something has to be."""
    refuse_page_fields(values, f"{_OWN}, sb_amount, sb_recurringcount, sb_retryattempts")
    asked = ChangeSubscriptionRequest(
        *_reference(values),
        _amount(values),
        _count(values, "sb_recurringcount", 1, ENDLESS - 1),
        _count(values, "sb_retryattempts", 0, RETRIES_MAX),
    )
    if (asked.amount_paise, asked.recurring_count, asked.retry_attempts) == (None, None, None):
        raise FieldError("sb_amount", "", "one of sb_amount, sb_recurringcount, sb_retryattempts")
    return asked


def parse_list(values: Values) -> ListSubscriptionsRequest:
    """Return which subscriptions to list. Raises FieldError."""
    refuse_page_fields(values, "state, before")
    state, before = text(values, "state"), text(values, "before")
    return ListSubscriptionsRequest(
        state and fields.one_of(state, "state", STATES), int(fields.digits(before, "before")) if before else 0
    )


def _reference(values: Values) -> tuple[str, str]:
    transaction_id, order_id = text(values, "ap_transactionid", "subscription_id"), text(values, "orderid", "orderId")
    if not (transaction_id or order_id):
        raise FieldError("ap_transactionid", "", f"at least one of {_OWN}")
    return (
        transaction_id and fields.digits(transaction_id, "ap_transactionid"),
        order_id and fields.order_id(order_id),
    )


def _amount(values: Values) -> int | None:
    sent = text(values, "sb_amount")
    return fields.paise_from_text(sent, "sb_amount") if sent else None


def _count(values: Values, name: str, lowest: int, highest: int) -> int | None:
    sent = text(values, name)
    return fields.count(sent, name, highest, lowest) if sent else None
