"""PayU's published words and hashes, and what is made of them.

Nothing unclear ever reads as a decline.
"""

import json
from typing import Any

import pytest

from hundi.acquirers.calls import form_hashes
from hundi.acquirers.calls.aggregators import form_fields, paise_of, read_object, rupees_text
from hundi.acquirers.payu import hashes, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.instruments.card import CardFacts
from hundi.kernel.money import Money
from tests.acquirers.payu import published


def read(body: bytes) -> dict[str, Any]:
    said = read_object(body)
    assert said is not None
    return said


def entry(**change: Any) -> rules.Detail:
    said = json.loads(published.PAID)
    said["transaction_details"][published.PAID_TXNID] |= change
    found = rules.detail(read(json.dumps(said).encode()), published.PAID_TXNID)
    assert isinstance(found, rules.Detail)
    return found


@pytest.mark.parametrize(
    ("change", "months"),
    [
        # The codes of `getEmiAmountAccordingToInterest` and of PayU's lists of instruments.
        ({"bankcode": "EMIA3"}, 3),
        ({"bankcode": "EMIA12"}, 12),
        ({"bankcode": "SBI09"}, 9),
        ({"bankcode": "EMI024"}, 24),
        ({"bankcode": "EMI"}, 0),
        ({"bankcode": "HDFCD24X"}, 0),
        ({"bankcode": "EMIA0"}, 0),
        ({"bankcode": None}, 0),
    ],
)
def test_the_code_of_a_payment_in_instalments_says_how_many(
    change: dict[str, Any], months: int
) -> None:
    answer = rules.payment_outcome(entry(mode="EMI", **change))
    assert isinstance(answer, Approved)
    assert answer.card == CardFacts("2346", "Mastercard", emi_months=months)


@pytest.mark.parametrize("change", [{"mode": "CC"}, {"mode": "UPI", "card_no": None}])
def test_a_payment_at_once_has_no_instalments(change: dict[str, Any]) -> None:
    answer = rules.payment_outcome(entry(bankcode="EMIA3", **change))
    assert isinstance(answer, Approved)
    assert answer.card is None or answer.card.emi_months == 0


def ends(body: bytes, of: str) -> tuple[rules.PayUAction, ...]:
    found = rules.actions(read(body), of)
    assert not isinstance(found, Unknown)
    return found


def test_the_published_hash_of_a_payment_is_reproduced() -> None:
    assert form_hashes.payment_hash(published.SDK_FORM, published.SDK_SALT) == published.SDK_HASH


def test_the_published_hash_of_an_answer_is_reproduced_and_no_other_holds() -> None:
    answer = published.SITE_ANSWER
    assert form_hashes.answer_hash(answer, published.SITE_SALT) == answer["hash"]
    assert hashes.answer_holds(answer, "JPM7Fg", published.SITE_SALT)
    assert not hashes.answer_holds({**answer, "amount": "10"}, "JPM7Fg", published.SITE_SALT)
    assert not hashes.answer_holds({**answer, "status": "failure"}, "JPM7Fg", published.SITE_SALT)
    assert not hashes.answer_holds(
        {**answer, "additionalCharges": "1.00"}, "JPM7Fg", published.SITE_SALT
    )
    assert not hashes.answer_holds(answer, "other", published.SITE_SALT)
    assert not hashes.answer_holds({**answer, "hash": ""}, "JPM7Fg", published.SITE_SALT)


@pytest.mark.parametrize(
    ("spelling", "charges", "leads"),
    [
        ("additionalCharges", "23.60", True),
        ("additional_charges", "23.60", True),
        ("additional_charges", "0.00", False),
        ("additional_charges", "", False),
    ],
)
def test_a_charge_leads_the_hash_of_an_answer_in_both_spellings(
    spelling: str, charges: str, *, leads: bool
) -> None:
    answer = {**published.SITE_ANSWER, spelling: charges}
    answer["hash"] = form_hashes.answer_hash(answer, published.SITE_SALT, charges if leads else "")
    assert hashes.answer_holds(answer, "JPM7Fg", published.SITE_SALT)
    assert not hashes.answer_holds({**answer, "amount": "10"}, "JPM7Fg", published.SITE_SALT)


def test_a_published_payment_is_approved_with_its_card() -> None:
    paid = rules.payment_outcome(entry())
    assert isinstance(paid, Approved)
    assert (paid.amount, paid.rrn, paid.authorised_only) == (Money(1000), "721522", False)
    assert paid.card is not None
    assert (paid.card.last4, paid.card.scheme, paid.card.type) == ("2346", "Mastercard", "credit")


@pytest.mark.parametrize("amount", ["10.00", "10", 10, 10.0, "10.0000"])
def test_amounts_are_read_as_text_and_as_numbers(amount: object) -> None:
    paid = rules.payment_outcome(entry(amt=amount, transaction_amount=amount))
    assert isinstance(paid, Approved)
    assert paid.amount == Money(1000)


@pytest.mark.parametrize("amount", ["", "ten", "-10.00", "10.001", "1e3", "0.00", "NaN", None])
def test_what_is_no_amount_approves_nothing(amount: object) -> None:
    assert isinstance(rules.payment_outcome(entry(amt=amount, transaction_amount=amount)), Unknown)


def test_amounts_that_contradict_each_other_approve_nothing() -> None:
    assert isinstance(
        rules.payment_outcome(entry(amt="10.00", transaction_amount="11.00")), Unknown
    )


def test_a_held_amount_is_approved_as_held() -> None:
    held = rules.payment_outcome(entry(unmappedstatus="auth"))
    assert isinstance(held, Approved)
    assert held.authorised_only


@pytest.mark.parametrize(
    ("state", "left"), [("failed", False), ("userCancelled", True), ("bounced", True)]
)
def test_what_ended_is_declined(state: str, left: bool) -> None:  # noqa: FBT001 (a table)
    ended = rules.payment_outcome(entry(status="failure", unmappedstatus=state, error_code="E1632"))
    assert isinstance(ended, Declined)
    assert (ended.code, ended.left) == ("E1632", left)


def test_no_error_is_no_code_of_a_failure() -> None:
    ended = rules.payment_outcome(entry(status="failure", unmappedstatus="failed"))
    assert isinstance(ended, Declined)
    assert ended.code == "failed"


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("failure", "dropped"),
        ("failure", "something new"),
        ("failure", None),
        ("pending", "pending"),
        ("pending", "in progress"),
        ("success", "refunded"),
        ("", ""),
    ],
)
def test_nothing_else_is_a_decline_or_an_approval(status: str, state: str | None) -> None:
    assert isinstance(rules.payment_outcome(entry(status=status, unmappedstatus=state)), Unknown)


def test_only_the_published_words_say_that_a_transaction_is_not_there() -> None:
    assert rules.detail(read(published.NOT_FOUND), "7fa6c4783a363b3da57") == NothingThere()
    assert isinstance(rules.detail(read(published.NOT_FOUND), "another"), Unknown)
    assert isinstance(rules.detail(read(published.INVALID_HASH), "another"), Unknown)
    assert isinstance(
        rules.detail(read(b'{"status": 0, "msg": "x", "transaction_details": []}'), "7"), Unknown
    )


def test_an_answer_about_another_transaction_decides_nothing() -> None:
    assert isinstance(rules.detail(read(published.PAID), "7-1"), Unknown)
    said = json.loads(published.PAID)
    said["transaction_details"][published.PAID_TXNID]["txnid"] = "7-1"
    assert isinstance(rules.detail(read(json.dumps(said).encode()), published.PAID_TXNID), Unknown)


def test_published_refunds_are_found_by_our_token() -> None:
    found = ends(published.ACTIONS, published.ACTIONS_OF)
    assert rules.refund_outcome(found, "20201105secrettokenatur") == Approved(
        Money(1000), "527013524405"
    )
    assert rules.refund_outcome(found, "another") == NothingThere()
    assert ends(published.NO_ACTIONS, "13127842") == ()


def test_a_refund_that_payu_did_not_take_is_declined_only_when_it_never_will() -> None:
    too_much = {"status": "0", "error_code": "105", "msg": "Invalid amount"}
    tomorrow = {"status": "0", "error_code": "225", "msg": "try tomorrow"}
    assert rules.refund_refused(too_much) == Declined("105", "Invalid amount")
    assert rules.refund_refused(tomorrow) == Unknown("225", "try tomorrow")


def test_a_capture_with_our_token_is_no_refund() -> None:
    assert isinstance(
        rules.refund_outcome(ends(published.ACTIONS, published.ACTIONS_OF), ""), Unknown
    )


def test_a_published_part_capture_is_what_was_captured_and_no_void() -> None:
    found = ends(published.PART_CAPTURED, "18283829909")
    captured = rules.hold_outcome(entry(unmappedstatus="captured"), found)
    assert captured == Approved(Money(42_600), "6969233152136917105030")
    said = read(published.REFUND_QUEUED)
    assert rules.capture_outcome(said, entry(), found, Money(42_600)) == captured
    assert isinstance(rules.capture_outcome(said, entry(), found, Money(42_601)), Unknown)
    assert isinstance(rules.void_outcome(said, entry(), found), Declined)


def test_a_published_queued_capture_decides_nothing() -> None:
    found = ends(published.CAPTURE_QUEUED, "18315176038")
    assert isinstance(rules.hold_outcome(entry(unmappedstatus="auth"), found), Unknown)


def test_a_cancelled_hold_is_voided_whatever_its_transaction_is_called() -> None:
    cancelled = (rules.PayUAction("cancel", "SUCCESS", "10.00", "V7-1", "12"),)
    assert rules.hold_outcome(
        entry(status="failure", unmappedstatus="cancelled"), cancelled
    ) == Voided("12")


def test_a_published_link_becomes_one_as_documented() -> None:
    url = rules.upi_url(read(published.INTENT), "my_order_26075", Money(100))
    assert isinstance(url, str)
    assert url == "upi://pay?" + json.loads(published.INTENT)["result"]["intentURIData"]
    assert isinstance(rules.upi_url(read(published.INTENT), "my_order_26075", Money(101)), Unknown)
    assert isinstance(rules.upi_url(read(published.INTENT), "another", Money(100)), Unknown)


def test_a_link_without_a_payee_is_none_and_blanks_are_written_as_links_have_them() -> None:
    said = json.loads(published.INTENT_WITHOUT_PAYEE)
    txnid = said["metaData"]["txnId"]
    assert isinstance(
        rules.upi_url(read(json.dumps(said).encode()), txnid, Money(109_033)), Unknown
    )
    said["result"]["intentURIData"] = said["result"]["intentURIData"].replace(
        "pa=", "pa=a@hdfcbank"
    )
    url = rules.upi_url(read(json.dumps(said).encode()), txnid, Money(109_033))
    assert isinstance(url, str)
    assert url.endswith("&tn=UPI%20Transaction%20for%20PPPL403993715529028543290523133325")


def test_tokens_are_short_and_the_same_again() -> None:
    assert rules.token("R", "10001-5") == "R10001-5"
    long = rules.token("R", "1" * 40)
    assert len(long) == 23
    assert long == rules.token("R", "1" * 40) != rules.token("C", "1" * 40)


def test_texts_have_no_bars_and_no_barred_characters() -> None:
    assert rules.PLAIN.text("Asha | <Sons> & 'Co'", 60, "x") == "Asha Sons Co"
    assert rules.PLAIN.text("||", 60, "Customer") == "Customer"
    assert rules.PLAIN.text("आशा", 60, "Customer") == "Customer"


@pytest.mark.parametrize("body", [b"", b"a", b"\xff=1", b"a=1&a=2", b'{"txnid": "7-1"}'])
def test_what_is_no_form_with_each_field_once_is_no_webhook(body: bytes) -> None:
    assert form_fields(body) is None


@pytest.mark.parametrize(("paise", "text"), [(1, "0.01"), (149_950, "1499.50"), (100, "1.00")])
def test_amounts_are_sent_in_rupees_with_two_decimals(paise: int, text: str) -> None:
    assert rupees_text(Money(paise)) == text
    assert paise_of(text) == paise
