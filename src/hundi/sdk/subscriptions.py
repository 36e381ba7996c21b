"""Subscriptions by the SDK: status, list, charge, change, pause, resume and cancel.

See docs/spec/payment-interfaces.md#subscription-operations.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import Message, Payload, amount_text, checked
from hundi.wire.merchant import subscriptions as wire
from hundi.wire.merchant.payments import ENDLESS

_PATH = "/gateway/pay/v4/api/subscription/{}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionDebit:
    """One period of a subscription.

    state: announced, paid, declined and so on. debit_at: when it is made at the earliest.
    order_transaction_id: of its own order, which verify and refund take; "" before there is one.
    """

    period: int
    amount_paise: int
    state: str
    debit_at: datetime | None
    order_transaction_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A subscription as the gateway knows it now.

    transaction_id: of the order that began it; every call here takes it. state: created, active, paused, cancelled,
    completed or failed. next_debit_on: the next day that is not announced yet. debits_max: None without end.
    channel: what the customer approved it with, "" until then: "upi", "pg" (a card) or "enach".
    umrn: the number of an "enach" mandate at the clearing house.
    manage_url: the customer's own page; whoever has it may pause and cancel.
    debits: the latest ones, newest first; empty in a list.
    """

    transaction_id: str
    order_id: str
    state: str
    period: str
    every: int
    amount_paise: int
    max_paise: int
    next_debit_on: date | None
    debits_max: int | None
    retries: int
    valid_until: date | None
    channel: str
    umrn: str
    payer_vpa: str = field(repr=False)
    manage_url: str = field(repr=False)
    debits: tuple[SubscriptionDebit, ...]

    @property
    def is_active(self) -> bool:
        """Its customer approved it, and it is debited."""
        return self.state == "active"


def status(calls: Calls, transaction_id: str, order_id: str) -> Steps[Subscription]:
    """Return one subscription by either of its names."""
    named = {"ap_transactionid": transaction_id, "orderid": order_id}
    return (yield from _ask(calls, "status", wire.parse_reference, _sent(named)))


def listing(calls: Calls, state: str, before: str) -> Steps[tuple[Subscription, ...]]:
    """Return subscriptions, newest first."""
    payload = _sent({"state": state, "before": before})
    _ = checked(wire.parse_list, payload)
    envelope = yield from calls.ask(_PATH.format("list"), payload)
    listed = incoming.data(envelope, "subscription/list").get("subscriptions")
    return tuple(map(_read, incoming.records(listed, "subscription/list")))


def charge(calls: Calls, transaction_id: str, amount_paise: int | None) -> Steps[Subscription]:
    """Announce the next debit now."""
    payload = {"ap_transactionid": transaction_id, "sb_amount": _amount(amount_paise)}
    # Not repeated: the second is refused while the first is announced, and would hide it.
    return (yield from _ask(calls, "charge", wire.parse_charge, _sent(payload), repeats=False))


def change(
    calls: Calls, transaction_id: str, amount_paise: int | None, debits: int | None, retries: int | None
) -> Steps[Subscription]:
    """Change the terms within what the customer approved."""
    payload = {
        "ap_transactionid": transaction_id,
        "sb_amount": _amount(amount_paise),
        "sb_recurringcount": "" if debits is None else str(debits),
        "sb_retryattempts": "" if retries is None else str(retries),
    }
    return (yield from _ask(calls, "change", wire.parse_change, _sent(payload)))


def act(calls: Calls, verb: Literal["pause", "resume", "cancel"], transaction_id: str) -> Steps[Subscription]:
    """Pause, resume or cancel one."""
    payload = {"ap_transactionid": transaction_id}
    # Cancelling twice is one cancellation; pausing what is paused is refused, and would hide the first.
    return (yield from _ask(calls, verb, wire.parse_reference, payload, repeats=verb == "cancel"))


def _amount(amount_paise: int | None) -> str:
    return "" if amount_paise is None else amount_text(amount_paise, "sb_amount")


def _sent(fields: dict[str, str]) -> Payload:
    return {name: value for name, value in fields.items() if value}


def _ask(
    calls: Calls, verb: str, parse: Callable[[Payload], Message], payload: Payload, *, repeats: bool = True
) -> Steps[Subscription]:
    _ = checked(parse, payload)
    envelope = yield from calls.ask(_PATH.format(verb), payload, repeats=repeats)
    found = _read(incoming.data(envelope, f"subscription/{verb}"))
    told = {"ap_transactionid": found.transaction_id, "orderid": found.order_id}
    for name, received in told.items():
        expected = str(payload.get(name, received))
        if expected.lstrip("0") != received.lstrip("0"):
            raise errors.MismatchError(name, expected, received)
    return found


def _read(record: Record) -> Subscription:
    runs = incoming.whole(record, "sb_recurringcount")
    return Subscription(
        transaction_id=incoming.demanded(record, "ap_transactionid"),
        order_id=incoming.demanded(record, "orderid"),
        state=incoming.demanded(record, "state"),
        period=incoming.demanded(record, "sb_period"),
        every=incoming.whole(record, "sb_frequency"),
        amount_paise=incoming.paise(incoming.demanded(record, "sb_amount"), "sb_amount"),
        max_paise=incoming.paise(incoming.demanded(record, "sb_maxamount"), "sb_maxamount"),
        next_debit_on=incoming.day(record, "sb_nextrundate"),
        debits_max=None if runs == ENDLESS else runs,
        retries=incoming.whole(record, "sb_retryattempts"),
        valid_until=incoming.day(record, "valid_until"),
        channel=incoming.text(record, "chmod"),
        umrn=incoming.text(record, "umrn"),
        payer_vpa=incoming.text(record, "customer_vpa"),
        manage_url=incoming.text(record, "manage_url"),
        debits=tuple(map(_debit, incoming.records(record.get("debits"), "subscription"))),
    )


def _debit(record: Record) -> SubscriptionDebit:
    return SubscriptionDebit(
        period=incoming.whole(record, "period"),
        amount_paise=incoming.paise(incoming.demanded(record, "amount"), "amount"),
        state=incoming.demanded(record, "state"),
        debit_at=incoming.moment(incoming.text(record, "debit_at"), "debit_at"),
        order_transaction_id=incoming.text(record, "ap_transactionid"),
    )
