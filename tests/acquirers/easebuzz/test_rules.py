"""What Easebuzz's kits do is done alike, and what says nothing of money decides nothing."""

from typing import Any
from urllib.parse import urlencode

import pytest

from hundi.acquirers.easebuzz import rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.money import Money
from tests.acquirers.easebuzz.standin import KEY, SALT, reverse_digest

PAID = {
    "txnid": "10001-1",
    "easepayid": "E240910ABCDEF",
    "status": "success",
    "amount": "10.0",
    "net_amount_debit": "10.24",
    "bank_ref_num": "632512345678",
    "error": "",
    "error_Message": "",
}


def outcome(**change: Any) -> object:
    answer = {"status": True, "msg": {**PAID, **change}}
    return rules.payment_record(answer, "10001-1", "").answer


def test_a_paid_transaction_is_approved_with_the_orders_amount() -> None:
    assert outcome() == Approved(Money(1_000), "632512345678")
    assert outcome(net_amount_debit="9.0") != outcome()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"status": "failure", "error": "E1", "error_Message": "no"}, Declined("E1", "no")),
        ({"status": "userCancelled"}, Declined("userCancelled", left=True)),
        ({"status": "bounced"}, Declined("bounced", left=True)),
        ({"status": "pending"}, Unknown("pending", awaiting_customer=True)),
        ({"status": "dropped"}, Unknown("dropped")),
        ({"txnid": "10001-2"}, Unknown()),
        ({"easepayid": ""}, Unknown("success")),
        ({"amount": "0"}, Unknown("success", "Easebuzz's amounts contradict each other")),
    ],
)
def test_the_word_of_a_transaction_decides(change: dict[str, str], expected: object) -> None:
    assert outcome(**change) == expected


def test_only_the_known_words_say_that_nothing_is_there() -> None:
    refused = {"status": False, "msg": "No transaction found"}
    assert rules.payment_record(refused, "1", "No transaction found").answer == NothingThere()
    for words in ("", "other"):
        assert isinstance(rules.payment_record(refused, "1", words).answer, Unknown)


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("refunded", Approved),
        ("settled", Approved),
        ("cancelled", Declined),
        ("failed", Declined),
        ("reverse chargeback", Declined),
        ("queued", Unknown),
        ("", Unknown),
    ],
)
def test_the_word_of_a_refund_decides(state: str, kind: type) -> None:
    refund = {"merchant_refund_id": "10001-R5", "refund_amount": "5.0", "refund_status": state}
    answer = {"status": True, "easebuzz_id": "E1", "refunds": [refund]}
    assert isinstance(rules.refund_outcome(answer, "10001-R5", "E1"), kind)
    assert rules.refund_outcome(answer, "10001-R6", "E1") == NothingThere()
    assert isinstance(rules.refund_outcome(answer, "10001-R5", "E2"), Unknown)
    twice = {**answer, "refunds": [refund, refund]}
    assert isinstance(rules.refund_outcome(twice, "10001-R5", "E1"), Unknown)


def test_a_webhook_is_believed_as_a_form_and_as_json() -> None:
    told = {**PAID, "key": KEY}
    signed = {**told, "hash": reverse_digest(told)}
    assert rules.trigger(urlencode(signed).encode(), KEY, SALT) == Trigger("", ("10001-1",))
    text = str(signed).replace("'", '"').encode()
    assert rules.trigger(text, KEY, SALT) == Trigger("", ("10001-1",))
    assert rules.trigger(text, KEY, "other") is None
    assert rules.trigger(text, "OTHER", SALT) is None
    assert rules.trigger(urlencode({**signed, "amount": "1.0"}).encode(), KEY, SALT) is None
