"""UPI QR: required fields, aliases, bounds, and the shapes of the replies."""

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire.fields import FieldError
from hundi.wire.merchant.qr_orders import GenerateOrderRequest, QrBuyer, QrData
from hundi.wire.message import read_request, write_reply
from hundi.wire.strict_json import JsonNumber


def read(values):
    return read_request(GenerateOrderRequest, values)


QR = {"orderid": "ORD-1001", "amount": "1499.50"}


def refused(parse, values):
    """Return the FieldError that parsing raises."""
    with pytest.raises(FieldError) as caught:
        parse(values)
    return caught.value


def test_a_qr_needs_order_id_and_amount_only():
    asked = read(QR)
    assert (asked.order_id, asked.amount_paise, asked.currency) == ("ORD-1001", 149_950, "INR")
    assert asked.buyer == QrBuyer()


@pytest.mark.parametrize("field", QR)
def test_a_qr_without_them_is_refused(field):
    for values in (
        QR | {field: ""},
        QR | {field: None},
        {k: v for k, v in QR.items() if k != field},
    ):
        error = refused(read, values)
        assert (error.field, error.received) == (field, "")
        assert "required" in error.allowed


def test_a_qr_takes_every_optional_field():
    asked = read(
        QR
        | {
            "amount": JsonNumber("1499.5"),
            "currency_code": JsonNumber("356"),
            "iso_currency": "inr",
            "buyerEmail": "asha@example.in",
            "buyer_phone": "+91 98765-43210",
            "buyer_firstname": "आशा",
            "buyer_lastname": "Rao",
            "buyerPinCode": 560001,
            "call_type": "upiqr",
            "customer_consent": "Y",
            "mer_dom": "aHR0cHM6Ly94",
            "tid": "T1",
            "custom_var": "a=1",
        }
    )
    assert asked == GenerateOrderRequest(
        order_id="ORD-1001",
        amount_paise=149_950,
        currency_code="356",
        iso_currency="inr",
        buyer=QrBuyer(
            email="asha@example.in",
            phone="919876543210",
            firstname="आशा",
            lastname="Rao",
            pincode="560001",
        ),
        customvar="a=1",
        call_type="upiqr",
        customer_consent="Y",
        mer_dom="aHR0cHM6Ly94",
        tid="T1",
    )
    assert asked.currency == "INR"


@pytest.mark.parametrize(
    ("sent", "currency"),
    [
        ({}, "INR"),
        ({"currency_code": None, "iso_currency": ""}, "INR"),
        ({"currency_code": "356"}, "INR"),
        ({"currency": 356}, "INR"),
        ({"currency_code": "inr"}, "INR"),
        ({"currency_code": "840"}, "USD"),
        ({"isocurrency": "usd"}, "USD"),
        ({"currency_code": "036", "iso_currency": "AUD"}, "AUD"),
    ],
)
def test_the_currency_of_a_qr(sent, currency):
    assert read(QR | sent).currency == currency


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"currency_code": "999"}, "currency_code"),
        ({"currency_code": "356", "iso_currency": "USD"}, "currency_code"),
        ({"iso_currency": "XYZ"}, "iso_currency"),
        ({"buyer_email": "nobody"}, "buyer_email"),
        ({"buyer_phone": "123"}, "buyer_phone"),
        ({"buyer_firstname": "x" * 101}, "buyer_firstname"),
        ({"buyer_lastname": "A\x00B"}, "buyer_lastname"),
        ({"buyer_pincode": "1" * 17}, "buyer_pincode"),
        ({"customvar": "x" * 4097}, "customvar"),
        ({"call_type": {}}, "call_type"),
        ({"tid": "x" * 256}, "tid"),
        ({"orderid": "a b"}, "orderid"),
        ({"amount": "0.00"}, "amount"),
        ({"amount": "1.005"}, "amount"),
        ({"amount": "1e3"}, "amount"),
        ({"amount": "-1"}, "amount"),
        ({"amount": True}, "amount"),
    ],
)
def test_bounds_of_a_qr(sent, field):
    assert refused(read, QR | sent).field == field


@given(st.dictionaries(st.sampled_from([*QR, "chmod", "mer_dom", "buyer_email"]), st.text()))
def test_no_text_raises_anything_else(values):
    try:
        read(values)
    except FieldError as error:
        str(error).encode()


def test_the_data_of_a_qr_has_all_names():
    moment = datetime(2026, 11, 20, 8, 43, 6, 5, tzinfo=UTC)
    data = QrData(
        text="upi://pay?pa=x@y",
        png=b"\x89PNG",
        transaction_id="215000000000001",
        order_id="ORD-1",
        merchant_id="10001",
        text_again="upi://pay?pa=x@y",
        status="200",
        expires_at=moment,
    )
    assert write_reply(data) == {
        "qr_string": "upi://pay?pa=x@y",
        "qr_image": base64.b64encode(b"\x89PNG").decode(),
        "ap_transactionid": "215000000000001",
        "orderid": "ORD-1",
        "merchant_id": "10001",
        "qrcode_string": "upi://pay?pa=x@y",
        "status": "200",
        "expires_at": "2026-11-20T14:13:06+05:30",
    }
