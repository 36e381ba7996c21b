"""The messages about subscriptions: names, terms, and one without end."""

import pytest

from hundi.kernel.records import replace
from hundi.wire.fields import FieldError
from hundi.wire.merchant.subscriptions import Subscription, SubscriptionChange, SubscriptionName
from hundi.wire.message import read_reply, read_request, write_reply
from tests.sdk.subscription_double import PLAN


@pytest.mark.parametrize("spelling", ["ap_transactionid", "subscription_id"])
def test_older_names_are_read(spelling: str) -> None:
    assert read_request(SubscriptionName, {spelling: 215}).transaction_id == "215"
    assert read_request(SubscriptionName, {"orderId": "PLAN-1"}).order_id == "PLAN-1"


@pytest.mark.parametrize(
    ("fields", "refused", "allowed"),
    [
        ({}, "ap_transactionid", "at least one of ap_transactionid, orderid"),
        ({"orderid": "P-1"}, "sb_amount", "one of sb_amount, sb_recurringcount, sb_retryattempts"),
        (
            {"orderid": "P-1", "sb_recurringcount": "999"},
            "sb_recurringcount",
            "a whole number from 1 to 998",
        ),
        (
            {"orderid": "P-1", "sb_retryattempts": "100"},
            "sb_retryattempts",
            "a whole number from 0 to 99",
        ),
    ],
)
def test_a_change_names_what_changes(fields: dict[str, str], refused: str, allowed: str) -> None:
    with pytest.raises(FieldError) as caught:
        read_request(SubscriptionChange, fields)
    assert (caught.value.field, caught.value.allowed) == (refused, allowed)


def test_one_without_end_is_999_on_the_wire() -> None:
    endless = replace(PLAN, debits_max=None, next_debit_on=None)
    told = write_reply(endless)
    assert (told["sb_recurringcount"], told["sb_nextrundate"]) == (999, "")
    assert read_reply(Subscription, told) == endless
