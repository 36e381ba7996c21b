"""Subscriptions by the SDK.

What it sends for one, what it reads of one, and what it does not believe.
"""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from hundi.kernel.records import replace
from hundi.sdk import Order, QrOrder, SubscriptionTerms, errors
from hundi.wire.message import write_reply, write_request
from tests.sdk.both_clients import ID, Call
from tests.sdk.gateway_double import BUYER, GatewayDouble
from tests.sdk.subscription_double import PLAN

TERMS = SubscriptionTerms(
    period="M",
    amount_paise=49_900,
    max_paise=100_000,
    first_debit=date(2099, 12, 31),
    debits=12,
    retries=2,
)
SENT = {
    "txnsubtype": "12",
    "sb_period": "M",
    "sb_amount": "499.00",
    "sb_maxamount": "1000.00",
    "sb_frequency": "1",
    "sb_nextrundate": "12/31/2099",
    "sb_recurringcount": "12",
    "sb_retryattempts": "2",
    "sb_isrecurring": "1",
}


def test_terms_travel_with_an_order_and_with_a_qr() -> None:
    by_page = Order(order_id="PLAN-1", amount_paise=9_900, buyer=BUYER, subscription=TERMS).fields()
    qr = QrOrder(order_id="PLAN-1", amount_paise=9_900, subscription=TERMS)
    by_qr = write_request(qr.asked)
    for sent in (by_page, by_qr):
        assert {
            name: sent[name] for name in sent if name.startswith("sb_") or name == "txnsubtype"
        } == SENT
    endless = write_request(replace(TERMS, debits=None, max_paise=None).asked)
    assert (endless["sb_recurringcount"], "sb_maxamount" in endless) == ("999", False)
    on_request = write_request(SubscriptionTerms(period="A", amount_paise=100).asked)
    assert {"sb_nextrundate", "sb_frequency", "sb_recurringcount"}.isdisjoint(on_request)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"amount_paise": 0}, "sb_amount"),
        ({"max_paise": -1}, "sb_maxamount"),
        ({"first_debit": None}, "sb_nextrundate"),
        ({"every": 0}, "sb_frequency"),
        ({"debits": 0}, "sb_recurringcount"),
        ({"retries": 100}, "sb_retryattempts"),
        ({"period": "Q"}, "sb_period"),
    ],
)
def test_terms_that_cannot_be_are_not_sent(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(errors.InvalidOrderError) as caught:
        Order(
            order_id="PLAN-1", amount_paise=100, buyer=BUYER, subscription=replace(TERMS, **changes)
        ).fields()
    assert caught.value.field == field


def test_an_order_is_one_kind_of_payment() -> None:
    both = Order(
        order_id="PLAN-1", amount_paise=100, buyer=BUYER, subscription=TERMS, authorise_only=True
    )
    with pytest.raises(errors.InvalidOrderError, match="subscription"):
        both.fields()


def test_a_subscription_is_read_whole(call: Call) -> None:
    told = call(GatewayDouble(), "subscription", ID)
    assert (told.transaction_id, told.order_id, told.state, told.is_active) == (
        ID,
        "PLAN-1",
        "active",
        True,
    )
    assert (told.amount_paise, told.max_paise, told.period, told.every) == (49_900, 100_000, "M", 1)
    assert (told.next_debit_on, told.valid_until) == (date(2026, 12, 31), date(2027, 12, 31))
    assert (told.debits_max, told.retries, told.payer_vpa) == (12, 2, "asha@hundi")
    (debit,) = told.debits
    assert (debit.period, debit.amount_paise, debit.state, debit.order_transaction_id) == (
        1,
        49_900,
        "announced",
        "",
    )
    assert debit.debit_at == datetime(2026, 12, 31, 0, 30, tzinfo=UTC)
    assert "asha@hundi" not in repr(told)
    assert "signed" not in repr(told)
    assert call(GatewayDouble(), "subscription", order_id="PLAN-1") == told


def test_an_endless_one_between_debits(call: Call) -> None:
    plan = replace(PLAN, debits_max=None, next_debit_on=None, debits=())
    told = call(GatewayDouble(plan=plan), "subscription", ID)
    assert (told.debits_max, told.next_debit_on, told.debits) == (None, None, ())


def test_each_verb_says_what_became_of_it(call: Call) -> None:
    double = GatewayDouble()
    assert call(double, "pause_subscription", ID).state == "paused"
    assert call(double, "subscriptions", state="active") == ()
    assert call(double, "resume_subscription", ID).state == "active"
    changed = call(double, "change_subscription", ID, amount_paise=59_900, debits=6)
    assert (changed.amount_paise, changed.debits_max) == (59_900, 6)
    (listed,) = call(double, "subscriptions", state="active")
    assert (listed.amount_paise, listed.debits) == (59_900, ())
    assert (
        call(double, "charge_subscription", ID, amount_paise=25_000).debits[0].state == "announced"
    )
    assert double.opened[-1]["sb_amount"] == "250.00"
    assert call(double, "cancel_subscription", ID).state == "cancelled"


@pytest.mark.parametrize(
    ("name", "arguments", "named", "field"),
    [
        ("subscription", (), {}, "ap_transactionid"),
        ("subscription", ("x",), {}, "ap_transactionid"),
        ("subscriptions", (), {"state": "asleep"}, "state"),
        ("change_subscription", (ID,), {}, "sb_amount"),
        ("change_subscription", (ID,), {"debits": 0}, "sb_recurringcount"),
        ("charge_subscription", (ID,), {"amount_paise": 0}, "sb_amount"),
    ],
)
def test_what_would_be_refused_is_not_sent(
    call: Call, name: str, arguments: tuple[str, ...], named: dict[str, Any], field: str
) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, name, *arguments, **named)
    assert (caught.value.field, double.paths) == (field, [])


@pytest.mark.parametrize(
    ("changes", "raised"),
    [
        ({"ap_transactionid": "8"}, errors.MismatchError),
        ({"sb_frequency": "often"}, errors.UnreadableReplyError),
        ({"sb_nextrundate": "soon"}, errors.UnreadableReplyError),
        ({"sb_amount": "-1"}, errors.UnreadableReplyError),
        ({"debits": [{"period": 1}]}, errors.UnreadableReplyError),
    ],
)
def test_another_subscription_or_shape_is_not_believed(
    call: Call, changes: dict[str, object], raised: type[errors.HundiError]
) -> None:
    with pytest.raises(raised):
        call(GatewayDouble(odd=write_reply(PLAN) | changes), "subscription", ID)
