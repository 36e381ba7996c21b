"""CCAvenue's published words and cipher, and what is made of them.

Nothing unclear ever reads as a decline.
"""

import json
from typing import Any

import pytest

from hundi.acquirers.ccavenue import envelope, rules
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.kernel.money import Money
from tests.acquirers.ccavenue import published


def read(body: bytes, **change: Any) -> dict[str, Any]:
    said = rules.read(json.dumps(json.loads(body) | change).encode())
    assert said is not None
    return said


def payment(**change: Any) -> object:
    found = rules.order(read(published.PAID, **change), published.PAID_ORDER)
    return rules.outcome(found) if isinstance(found, rules.CCAvenueOrder) else found


def refunds(token: str, **change: Any) -> object:
    return rules.refund_outcome(read(published.REFUNDS, **change), "203000111377", token)


def test_what_a_public_library_encrypts_is_reproduced_and_opened() -> None:
    assert envelope.seal(published.TEXT, published.KEY) == published.SEALED
    assert envelope.opened(published.SEALED, published.KEY) == published.TEXT
    assert envelope.opened(published.SEALED.upper() + "\r\n", published.KEY) == published.TEXT
    assert envelope.opened(published.SEALED[:64], published.KEY) is None
    assert envelope.opened(published.SEALED, published.KEY + "x") is None


@pytest.mark.parametrize("sealed", ["", "0", "zz", "00" * 15, "00" * 16, "é" * 32])
def test_what_is_no_envelope_is_not_opened(sealed: str) -> None:
    assert envelope.opened(sealed, published.KEY) is None


def test_an_answer_is_opened_and_a_refusal_is_read_as_it_is() -> None:
    answer = b"status=0&enc_response=" + published.SEALED.encode() + b"&enc_error_code="
    assert rules.opened(answer, published.KEY) == published.TEXT
    refused = rules.opened(published.REFUSED, published.KEY)
    assert refused is not None
    assert rules.refused(read(refused)) == Unknown("51407.", "Access_code: Invalid Parameter")
    assert rules.opened(b"<html></html>", published.KEY) is None


def test_the_published_payment_is_held_until_it_is_confirmed() -> None:
    assert payment() == Approved(Money(100), "035944", authorised_only=True)
    assert payment(order_status="Shipped", order_capt_amt=0.4) == Approved(Money(40), "035944")
    assert payment(order_status="Refunded", order_capt_amt=1.0) == Approved(Money(100), "035944")
    assert payment(order_bank_ref_no="null") == Approved(
        Money(100), "204000163469", authorised_only=True
    )
    assert payment(order_status="Cancelled") == Voided("035944")
    wrapped = rules.read(b'{"Order_Status_Result": ' + published.PAID + b"}")
    assert wrapped == read(published.PAID)


@pytest.mark.parametrize(
    "change",
    [
        {"order_no": "other"},
        {"reference_no": ""},
        {"reference_no": "x1"},
        {"order_amt": 2.0},
        {"order_amt": 0},
        {"order_amt": "1.001", "order_gross_amt": "1.001"},
        {"order_currncy": "USD"},
        {"error_code": "51313"},
        {"order_status": None},
    ],
)
def test_what_is_not_ours_or_has_no_one_amount_approves_nothing(change: dict[str, Any]) -> None:
    assert isinstance(payment(**change), Unknown)


def test_the_published_words_for_an_order_that_is_not_there() -> None:
    assert rules.order(read(published.NO_ORDER), "1") == NothingThere()
    assert isinstance(rules.order(read(published.NO_ORDER, error_code="51407"), "1"), Unknown)


def test_the_published_reasons_why_an_order_is_not_confirmed() -> None:
    said = read(published.NOT_CONFIRMED)
    assert rules.end_refused(said, "123456788") == Declined("51304", " Invalid order/tracking id ")
    assert rules.end_refused(said, "123456789") == Unknown("51206", "Order List: Invalid Parameter")
    assert rules.end_refused(said, "1") == Unknown()


def test_the_published_refunds_are_found_by_their_token() -> None:
    assert refunds("A2") == Approved(Money(100), "2493")
    assert refunds("A3") == NothingThere()
    assert isinstance(refunds("A2", reference_no="1"), Unknown)
    assert isinstance(refunds("A2", order_curr="USD"), Unknown)
    assert isinstance(refunds("A2", refund_list=None), Unknown)
    assert rules.refund_outcome(read(published.NO_REFUNDS), "1", "A1") == NothingThere()


def test_a_refused_refund_is_declined_only_by_a_final_code() -> None:
    def answered(text: str, **change: object) -> object:
        return rules.refund_answered(read(text, **change)).answer

    refused = Declined("51310", "Reference number: Invalid Parameter")
    assert answered(published.REFUND_REFUSED) == refused
    assert isinstance(answered(published.REFUND_REFUSED, error_code="51309"), Unknown)
    assert isinstance(answered(published.REFUND_REFUSED, refund_status=0), Unknown)
    assert isinstance(answered(published.REFUND_TAKEN), Unknown)


def test_a_token_is_of_letters_and_digits_and_one_for_a_reference() -> None:
    assert rules.token("10001-5") == rules.token("10001-5") != rules.token("1000-15")
    for reference in ("10001-5", "10001-R5", "9" * 19 + "-R" + "9" * 9):
        assert rules.token(reference).isalnum()
        assert len(rules.token(reference)) <= 30
    assert rules.reference_of(rules.token("10001-R5")) == "10001-R5"
    assert rules.reference_of("ff" * 15) == rules.reference_of("A1") == ""
    assert len(rules.token("9" * 19 + "-R" + "9" * 19)) == 30
