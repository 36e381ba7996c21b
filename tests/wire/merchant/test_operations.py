"""Bank list, UPI QR and UPI address: required fields, aliases, bounds, and the shapes of the replies."""

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire.fields import FieldError
from hundi.wire.merchant import operations, payments, results
from hundi.wire.strict_json import JsonNumber

QR = {"orderid": "ORD-1001", "amount": "1499.50"}


def refused(parse, values):
    """Return the FieldError that parsing raises."""
    with pytest.raises(FieldError) as caught:
        parse(values)
    return caught.value


@pytest.mark.parametrize(
    ("values", "outer", "expected"),
    [
        ({}, {}, operations.BanksRequest()),
        ({"chmod": "nb", "mer_dom": "aHR0cHM6Ly94"}, {}, operations.BanksRequest(("nb",), "aHR0cHM6Ly94")),
        ({"chmod": "nb_emi_nb"}, {}, operations.BanksRequest(("nb", "emi"))),
        ({"chmod": ""}, {"outer_chmod": "upi", "outer_mer_dom": "eA=="}, operations.BanksRequest(("upi",), "eA==")),
        ({"chmod": "pg"}, {"outer_chmod": "upi"}, operations.BanksRequest(("pg",))),
    ],
)
def test_banks(values, outer, expected):
    assert operations.parse_banks(values, **outer) == expected


@pytest.mark.parametrize(
    ("values", "field"),
    [({"chmod": "bank"}, "chmod"), ({"chmod": ["nb"]}, "chmod"), ({"mer_dom": "x" * 256}, "mer_dom")],
)
def test_banks_bounds(values, field):
    assert refused(operations.parse_banks, values).field == field


def test_a_qr_needs_order_id_and_amount_only():
    asked = operations.parse_generate_order(QR)
    assert (asked.order_id, asked.amount_paise, asked.currency) == ("ORD-1001", 149_950, "INR")
    assert asked.buyer == payments.Buyer("", "", "", "")


@pytest.mark.parametrize("field", QR)
def test_a_qr_without_them_is_refused(field):
    for values in (QR | {field: ""}, QR | {field: None}, {k: v for k, v in QR.items() if k != field}):
        error = refused(operations.parse_generate_order, values)
        assert (error.field, error.received) == (field, "")
        assert "required" in error.allowed


def test_a_qr_takes_every_optional_field():
    asked = operations.parse_generate_order(
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
    assert asked == operations.GenerateOrderRequest(
        "ORD-1001",
        149_950,
        "INR",
        payments.Buyer("asha@example.in", "919876543210", "आशा", "Rao", pincode="560001"),
        "a=1",
        "upiqr",
        "Y",
        "aHR0cHM6Ly94",
        "T1",
    )


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
    assert operations.parse_generate_order(QR | sent).currency == currency


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
    assert refused(operations.parse_generate_order, QR | sent).field == field


@pytest.mark.parametrize(
    ("values", "vpa"),
    [
        ({"vpa": "asha@okaxis"}, "asha@okaxis"),
        ({"customer_vpa": "asha@okaxis"}, "asha@okaxis"),
        ({"vpa": "", "customer_vpa": "asha@okaxis"}, "asha@okaxis"),
        ({"vpa": " Asha.K-1_2@OkAxis "}, "asha.k-1_2@okaxis"),
        ({"vpa": "9876543210@ybl"}, "9876543210@ybl"),
        ({"vpa": "ab@s2b"}, "ab@s2b"),
        ({"vpa": "ab@unheardofhandle"}, "ab@unheardofhandle"),
        ({"vpa": "x" * 251 + "@upi"}, "x" * 251 + "@upi"),
        ({"vpa": "ab@" + "h" * 64}, "ab@" + "h" * 64),
    ],
)
def test_upi_addresses(values, vpa):
    assert operations.parse_validate_vpa(values) == operations.ValidateVpaRequest(vpa)


@pytest.mark.parametrize(
    "vpa",
    [
        *("", " ", "asha", "@upi", "asha@", "a@upi", ".asha@upi", "-a@upi", "as ha@upi", "as#ha@upi", "asha@upi@upi"),
        *("asha@1upi", "asha@u", "asha@ok-axis", "asha@ok.axis", "ॐॐ@upi", "asha@upi\nx", "x" * 252 + "@upi"),
        "ab@" + "h" * 65,
    ],
)
def test_malformed_upi_addresses_are_errors(vpa):
    assert refused(operations.parse_validate_vpa, {"vpa": vpa}).field == "vpa"


@given(st.dictionaries(st.sampled_from([*QR, "vpa", "chmod", "mer_dom", "buyer_email"]), st.text()))
def test_no_text_raises_anything_else(values):
    parsers = (
        operations.parse_banks,
        operations.parse_generate_order,
        operations.parse_validate_vpa,
    )
    for parse in parsers:
        try:
            parse(values)
        except FieldError as error:
            str(error).encode()


def test_a_bank_record_is_flat():
    record = results.BankRecord(
        chmod="nb",
        channel_name="Net banking",
        title="Net banking",
        bank_code="HDFC_C",
        bank_name="HDFC Bank",
        min_amount=results.amount_bound(100),
        max_amount=results.amount_bound(None),
    )
    assert results.banks_data([record]) == [
        {
            "chmod": "nb",
            "channel_name": "Net banking",
            "title": "Net banking",
            "description": "",
            "bank_code": "HDFC_C",
            "bank_name": "HDFC Bank",
            "health": "up",
            "min_amount": "1.00",
            "max_amount": "",
        }
    ]


def test_the_data_of_a_qr_has_all_names():
    moment = datetime(2026, 11, 20, 8, 43, 6, 5, tzinfo=UTC)
    data = results.qr_data("10001", "upi://pay?pa=x@y", b"\x89PNG", "215000000000001", "ORD-1", moment)
    assert data == {
        "qr_string": "upi://pay?pa=x@y",
        "qr_image": base64.b64encode(b"\x89PNG").decode(),
        "ap_transactionid": "215000000000001",
        "orderid": "ORD-1",
        "merchant_id": "10001",
        "qrcode_string": "upi://pay?pa=x@y",
        "status": "200",
        "expires_at": "2026-11-20T14:13:06+05:30",
    }


@pytest.mark.parametrize(
    ("name", "valid", "vpa_name", "status"),
    [("ASHA RAO", "true", "ASHA RAO", "200"), ("", "true", "", "200"), (None, "false", "", "400")],
)
def test_the_data_of_an_address(name, valid, vpa_name, status):
    data = results.vpa_data("asha@okaxis", name)
    assert list(data) == ["vpa", "valid", "vpa_name", "status", "message"]
    assert (data["vpa"], data["valid"], data["vpa_name"], data["status"]) == ("asha@okaxis", valid, vpa_name, status)
