"""The message of a payment that a merchant's server begins: its ways to pay, and its card."""

from typing import Any

import pytest

from hundi.wire.fields import FieldError
from hundi.wire.merchant.seamless import HIDDEN, SeamlessData, SeamlessRequest
from hundi.wire.message import read_reply, read_request, write_reply

ORDER = {
    "orderid": "ORD-1001",
    "amount": "1499.50",
    "currency_code": "356",
    "iso_currency": "INR",
    "buyer_email": "asha@example.in",
    "buyer_phone": "9876543210",
    "buyer_firstname": "Asha",
    "buyer_lastname": "Rao",
}
CARD = {"card_number": "4111111111111111", "card_expiry": "12/40", "card_cvv": "123"}


def read(**changes: Any) -> SeamlessRequest:
    return read_request(SeamlessRequest, ORDER | changes)


def refused(**changes: Any) -> FieldError:
    with pytest.raises(FieldError) as caught:
        read(**changes)
    return caught.value


def test_a_card_is_read_where_a_card_pays_and_has_no_readable_form() -> None:
    asked = read(pay_by="pg", **CARD)
    assert asked.card is not None
    assert (asked.card.number, asked.card.holder) == (CARD["card_number"], "")
    assert not any(each in repr(asked) for each in CARD.values())
    assert read(pay_by="upi", card_number=["not", "read"]).card is None


@pytest.mark.parametrize("sent", ["4" * 41, ["4111111111111111"], {"a": 1}])
def test_a_refused_field_of_a_card_is_not_repeated(sent: object) -> None:
    error = refused(pay_by="pg", **CARD | {"card_number": sent})
    assert (error.field, error.received) == ("card_number", HIDDEN)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, "pay_by"),
        ({"pay_by": "va"}, "pay_by"),
        ({"pay_by": "pg"}, "card_number"),
        ({"pay_by": "pg"} | CARD | {"card_cvv": ""}, "card_cvv"),
        ({"pay_by": "nb"}, "bank_code"),
        ({"pay_by": "ppc", "bank_code": "hdfc"}, "bank_code"),
        ({"pay_by": "upi", "vpa": " asha@hundi"}, "vpa"),
        ({"pay_by": "upi", "customer_ip": "here"}, "customer_ip"),
        ({"pay_by": "upi", "currency_code": "840"}, "currency_code"),
        ({"pay_by": "upi", "txnsubtype": "12"}, "sb_period"),
        ({"pay_by": "upi", "upi_tpv_ifsc": "HDFC0000001"}, "upi_tpv_account"),
    ],
    ids=str,
)
def test_what_a_way_to_pay_calls_for_is_demanded(changes: dict[str, Any], field: str) -> None:
    assert refused(**changes).field == field


def test_a_bank_code_is_any_text_where_no_bank_is_asked() -> None:
    assert read(pay_by="upi", bank_code="whatever").bank_code == "whatever"


def test_what_comes_next_is_written_with_all_names_and_read_back() -> None:
    told = SeamlessData(
        action="form",
        redirect_url="https://bank.example",
        redirect_fields=(("b", "2"), ("a", "1")),
        transaction_id="215000000000001",
        order_id="ORD-1001",
        merchant_id="10001",
        amount_paise=149_950,
        status_code=211,
        payment_status="INPROCESS",
    )
    sent = write_reply(told)
    assert isinstance(sent, dict)
    assert (sent["redirect_fields"], sent["payable_amount"], sent["surcharge_amount"]) == (
        {"b": "2", "a": "1"},
        "",
        "0.00",
    )
    assert read_reply(SeamlessData, sent) == told
