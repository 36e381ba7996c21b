"""Capture and void: which authorisation, how much of it, and what is no such request."""

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.completions import CaptureRequest, VoidRequest
from hundi.wire.message import read_request
from hundi.wire.parts import Values
from hundi.wire.strict_json import JsonNumber

BOTH = pytest.mark.parametrize("kind", [CaptureRequest, VoidRequest])
capture, void = partial(read_request, CaptureRequest), partial(read_request, VoidRequest)


def refused(kind: type[Any], values: Values) -> FieldError:
    with pytest.raises(FieldError) as caught:
        read_request(kind, values)
    return caught.value


@pytest.mark.parametrize(
    ("sent", "paise"),
    [({}, None), ({"amount": None}, None), ({"amount": "10"}, 1000), ({"amount": 7}, 700)],
)
def test_captures(sent: Values, paise: int | None) -> None:
    for spelling in ("215000000000001", 215000000000001, JsonNumber("215000000000001")):
        asked = capture({"ap_transactionid": spelling, **sent})
        assert asked == CaptureRequest(transaction_id="215000000000001", amount_paise=paise)


@pytest.mark.parametrize(
    "amount", ["", "0", "0.00", "-5", "1,000", "1.234", "12345678901", [], False]
)
def test_an_amount_that_is_no_amount_captures_nothing(amount: Any) -> None:
    error = refused(CaptureRequest, {"ap_transactionid": "215000000000001", "amount": amount})
    assert error.field == "amount"


def test_voids() -> None:
    for values in (
        {"ap_transactionid": 215000000000001},
        {"ap_transactionid": "215000000000001", "amount": None},
    ):
        assert void(values) == VoidRequest(transaction_id="215000000000001")
    error = refused(VoidRequest, {"ap_transactionid": "2150", "amount": "5.00"})
    assert (error.field, error.allowed) == (
        "amount",
        "nothing: a void is of the whole authorisation",
    )


@BOTH
@pytest.mark.parametrize(
    "value", [None, "", "12a", "1.5", "-1", "1" * 21, [], {}, True, JsonNumber("1e3")]
)
def test_transaction_ids_are_digits(kind: type[Any], value: Any) -> None:
    assert refused(kind, {"ap_transactionid": value}).field == "ap_transactionid"


@BOTH
@pytest.mark.parametrize(
    "field", ["buyer_email", "buyerPhone", "Buyer_Firstname", "buyer_anything"]
)
def test_a_message_of_the_payment_page_ends_no_authorisation(kind: type[Any], field: str) -> None:
    assert refused(kind, {"ap_transactionid": "215000000000001", field: ""}).field == field


@BOTH
def test_unknown_fields_are_ignored(kind: type[Any]) -> None:
    assert (
        read_request(kind, {"request_seal": "ab", "ap_transactionid": "2150"}).transaction_id
        == "2150"
    )


@given(st.integers(1, 10**12 - 1), st.integers(1, 10**15))
def test_every_amount_and_id_travels(paise: int, transaction_id: int) -> None:
    values = {"ap_transactionid": transaction_id, "amount": fields.text_from_paise(paise)}
    assert capture(values) == CaptureRequest(transaction_id=str(transaction_id), amount_paise=paise)


@BOTH
@given(
    values=st.dictionaries(
        st.sampled_from(["ap_transactionid", "amount", "buyer_email"]), st.text()
    )
)
def test_no_text_raises_anything_else(kind: type[Any], values: dict[str, str]) -> None:
    try:
        read_request(kind, values)
    except FieldError as error:
        str(error).encode()
