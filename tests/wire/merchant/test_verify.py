"""Verify: which references name a transaction, and what was made for the payment page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire.fields import FieldError
from hundi.wire.merchant.verify import VerifyRequest
from hundi.wire.message import read_request
from hundi.wire.parts import Values
from hundi.wire.strict_json import JsonNumber

NAMES = ["orderid", "ap_transactionid", "rrn", "refund_id", "merchant_id", "amount"]


def read(values: Values) -> VerifyRequest:
    return read_request(VerifyRequest, values)


def refused(values: Values) -> FieldError:
    with pytest.raises(FieldError) as caught:
        read(values)
    return caught.value


def test_verify_takes_any_combination_of_references() -> None:
    assert read({"orderid": "O1"}) == VerifyRequest(order_id="O1")
    assert read({"ap_transactionid": 777}) == VerifyRequest(transaction_id="777")
    assert read({"rrn": "612345678901", "orderid": "", "x": [1]}) == VerifyRequest(
        rrn="612345678901"
    )
    every: Values = {
        "orderid": "O1",
        "ap_transactionid": "7",
        "rrn": "61",
        "merchant_id": JsonNumber("12345"),
    }
    assert read(every) == VerifyRequest(
        order_id="O1", transaction_id="7", rrn="61", merchant_id="12345"
    )
    assert read({"refund_id": "217"}) == VerifyRequest(refund_id="217")


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"orderid": ""},
        {"orderid": None, "rrn": ""},
        {"orderid": "a b"},
        {"ap_transactionid": "x"},
        {"rrn": "x" * 36},
        {"rrn": "1\n"},
        {"orderid": "O1", "merchant_id": "x"},
        {"orderid": ["O1"]},
    ],
    ids=str,
)
def test_verify_bounds(values: Values) -> None:
    refused(values)


def test_one_reference_at_least_is_demanded() -> None:
    error = refused({"merchant_id": "10001"})
    assert (error.field, error.allowed) == (
        "orderid",
        "at least one of orderid, ap_transactionid, rrn, refund_id",
    )


@pytest.mark.parametrize(
    "field", ["amount", "buyer_email", "buyer_anything", "buyerEmail", "Amount", "BUYER_PHONE"]
)
@pytest.mark.parametrize("value", ["x", "", None])
def test_a_message_for_the_payment_page_is_worthless_at_verify(field: str, value: Any) -> None:
    error = refused({"orderid": "O1", field: value})
    assert (error.field, error.received) == (field, "a field of the payment page")
    assert error.allowed == "only orderid, ap_transactionid, rrn, refund_id, merchant_id"


@given(
    st.dictionaries(
        st.sampled_from(NAMES) | st.text(), st.none() | st.booleans() | st.integers() | st.text()
    )
)
def test_any_values_give_a_request_or_a_field_error(changes: dict[str, Any]) -> None:
    try:
        read({"orderid": "O1"} | changes)
    except FieldError as error:
        str(error).encode()
