"""Subscriptions as a gateway answers about them, for tests of the SDK."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

from hundi.kernel.records import replace
from hundi.wire.merchant.subscriptions import (
    Subscription,
    SubscriptionChange,
    SubscriptionCharge,
    SubscriptionDebit,
    SubscriptionName,
    SubscriptionsBefore,
)
from hundi.wire.message import read_request, write_reply
from hundi.wire.strict_json import JsonValue

PLAN = Subscription(
    transaction_id="215000000000001",
    order_id="PLAN-1",
    state="active",
    amount_paise=49_900,
    max_paise=100_000,
    period="M",
    every=1,
    next_debit_on=date(2026, 12, 31),
    debits_max=12,
    retries=2,
    valid_until=date(2027, 12, 31),
    channel="upi",
    payer_vpa="asha@hundi",
    manage_url="https://pay.example/m/signed",
    debits=(
        SubscriptionDebit(
            period=1,
            amount_paise=49_900,
            state="announced",
            debit_at=datetime(2026, 12, 31, 0, 30, tzinfo=UTC),
        ),
    ),
)


def is_about(path: str) -> bool:
    """Return whether an address is one of subscriptions."""
    return "/api/subscription/" in path


def listed(plan: Subscription, fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return `data` of the list."""
    state = read_request(SubscriptionsBefore, fields).state
    found = [] if state not in {"", plan.state} else [write_reply(replace(plan, debits=()))]
    return {"subscriptions": [*found]}


def changed(plan: Subscription, verb: str, fields: Mapping[str, JsonValue]) -> Subscription:
    """Return what becomes of a subscription by an operation on it."""
    match verb:
        case "charge":
            assert read_request(SubscriptionCharge, fields).amount_paise in {None, 25_000}
            return plan
        case "change":
            asked = read_request(SubscriptionChange, fields)
            debits = asked.debits or plan.debits_max
            return replace(plan, amount_paise=asked.amount_paise or 49_900, debits_max=debits)
    _ = read_request(SubscriptionName, fields)
    state = {"pause": "paused", "resume": "active", "cancel": "cancelled"}.get(verb, plan.state)
    return replace(plan, state=state)
