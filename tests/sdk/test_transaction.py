"""The transaction record as a typed value: the table of states, and records that cannot be read.

See docs/spec/states-and-codes.md#payment-states and docs/spec/payment-interfaces.md#record.
"""

from typing import Any

import pytest

from hundi.sdk import errors, transaction
from hundi.wire.merchant.record import told_data
from tests.sdk.gateway_double import PAID, changed

STATES = [
    (211, "INCOMPLETE", 320, "pending"),
    (211, "INPROCESS", 320, "pending"),
    (200, "AUTHORIZE", 310, "authorised"),
    (200, "CAPTURE", 330, "paid final"),
    (200, "SUCCESS", 320, "paid final"),
    (211, "RISK", 320, "pending"),
    (400, "FAIL", 320, "failed final"),
    (401, "FAIL", 320, "failed final"),
    (402, "INCOMPLETE", 320, "failed final"),
    (403, "INPROCESS", 320, "pending"),
    (405, "FAIL", 320, "failed final"),
    (400, "VOIDED", 420, "voided failed final"),
    (200, "Mandate Approved", 320, "paid final"),
    (200, "SUCCESS", 340, "refund"),
    (211, "SUCCESS", 340, "refund"),
    (211, "FAIL", 340, "refund"),
]


@pytest.mark.parametrize(("status", "words", "kind", "answers"), STATES)
def test_each_state_answers_the_shops_questions(
    status: int, words: str, kind: int, answers: str
) -> None:
    record = PAID.written() | {
        "transaction_status": status,
        "transaction_payment_status": words,
        "transaction_type": kind,
    }
    told = transaction.read(record)
    questions = ("paid", "pending", "authorised", "voided", "failed", "final", "refund")
    assert {name for name in questions if getattr(told, f"is_{name}")} == set(answers.split())


@pytest.mark.parametrize("words", ["SUCCESS", "FAIL"])
def test_an_excess_is_no_state_of_its_order(words: str) -> None:
    record = changed(
        PAID, transaction_status=211, transaction_payment_status=words, detailed_status="EXCESS"
    )
    told = transaction.read(record.written())
    assert told.is_excess
    assert not any((told.is_paid, told.is_pending, told.is_failed, told.is_final))


def test_texts_and_numbers_are_read_alike() -> None:
    assert transaction.read(PAID.written()) == transaction.read(told_data(PAID, as_text=True))


def test_what_was_refunded_is_told_in_replies_and_on_the_return_leg() -> None:
    record = changed(PAID, refunds_count=2, refunds_total="10.50")
    for told in (
        transaction.read(record.written()),
        transaction.read(told_data(record, as_text=True)),
    ):
        assert (told.refunds, told.refunded_paise) == (2, 1_050)
    assert transaction.read(PAID.written()).refunded_paise == 0


@pytest.mark.parametrize("refunds", [{"refunds_count": "two"}, {"refunds_total": "-1"}])
def test_refunds_that_are_no_numbers_are_unreadable(refunds: dict[str, str]) -> None:
    with pytest.raises(errors.UnreadableReplyError):
        transaction.read(PAID.written() | refunds)


def test_personal_data_stays_out_of_the_repr() -> None:
    shown = repr(transaction.read(PAID.written()))
    assert "asha@example.in" not in shown
    assert "9876543210" not in shown


@pytest.mark.parametrize(
    "damage",
    [
        {"amount": "1,499.50"},
        {"amount": None},
        {"amount": "0.00"},
        {"transaction_status": "paid"},
        {"transaction_status": None},
        {"transaction_time": "2026-11-20"},
        {"surcharge_amount": "-1"},
    ],
)
def test_a_record_that_breaks_the_interface_is_unreadable(damage: dict[str, object]) -> None:
    with pytest.raises(errors.UnreadableReplyError):
        transaction.read(PAID.written() | damage)


def test_a_surcharge_is_read_in_paise() -> None:
    assert transaction.read(PAID.written() | {"surcharge_amount": "10.05"}).surcharge_paise == 1_005


def test_the_secure_hash_covers_the_payers_address() -> None:
    record = PAID.written()
    transaction.check_secure_hash(record, "demo-user")
    with pytest.raises(errors.SecureHashError):
        transaction.check_secure_hash(record | {"customer_vpa": "other@hundi"}, "demo-user")
    with pytest.raises(errors.SecureHashError):
        transaction.check_secure_hash(record | {"ap_SecureHash": None}, "demo-user")


UNREAD = {
    "ap_SecureHash": "compared by `check_secure_hash`",
}
"""Fields of the record that the SDK's transaction leaves out, and why."""


class Watched(dict[str, Any]):
    """A record that remembers which fields were read."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record)
        self.seen: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)


def test_every_field_of_the_record_is_read() -> None:
    record = Watched(PAID.written())
    transaction.read(record)
    assert {*record} - record.seen == {*UNREAD}
