"""Bounds of single fields, as tables: what is accepted and as what, what is refused."""

import base64
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import fields
from hundi.wire.fields import FieldError


@pytest.mark.parametrize(
    ("text", "paise"),
    [
        ("1499.50", 149950),
        ("0.01", 1),
        ("10", 1000),
        ("10.5", 1050),
        ("010.00", 1000),
        ("9999999999.99", 999999999999),
    ],
)
def test_amounts(text, paise):
    assert fields.paise_from_text(text) == paise


@pytest.mark.parametrize(
    "text",
    [
        "0", "0.00", "-1", "+1", "1e3", "1,000.00", "10.005", " 10 ", "10 ", "10\n", "१०", "１０",
        "99999999999.99", "", ".", ".5", "5.", "1.2.3",
        "0x10", "1_000", "NaN", "inf", "₹10", "10.00\x00", "²",
    ],
)  # fmt: skip
def test_refused_amounts(text):
    with pytest.raises(FieldError) as caught:
        fields.paise_from_text(text)
    assert caught.value.field == "amount"
    assert "two places" in caught.value.allowed


@given(st.integers(1, 999_999_999_999))
def test_amounts_round_trip(paise):
    text = fields.text_from_paise(paise)
    assert fields.paise_from_text(text) == paise
    assert text[-3] == "."


def test_a_negative_amount_has_no_text():
    with pytest.raises(ValueError, match="never negative"):
        fields.text_from_paise(-1)
    assert fields.text_from_paise(0) == "0.00"


@pytest.mark.parametrize("text", ["1", "ORD-1001", "a_b.c-D", "x" * 64])
def test_order_ids(text):
    assert fields.order_id(text) == text


@pytest.mark.parametrize("text", ["", "x" * 65, "a b", "a/b", "आ", "a\n", "a'b", "a\x00"])
def test_refused_order_ids(text):
    with pytest.raises(FieldError):
        fields.order_id(text)


@pytest.mark.parametrize(
    "text", ["a@b.co", "asha+x@example.in", "आशा@example.in", "a" * 246 + "@b.co.in"]
)
def test_emails(text):
    assert fields.email(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a@b",
        "@b.co",
        "a@",
        "a@b.co\n",
        "a b@c.de",
        "a@@b.co",
        "a@b..co",
        "a\x00@b.co",
        "a" * 250 + "@b.co",
    ],
)
def test_refused_emails(text):
    with pytest.raises(FieldError):
        fields.email(text)


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("9876543210", "9876543210"),
        ("+91 98765-43210", "919876543210"),
        ("(022) 2345 678", "0222345678"),
        ("1" * 15, "1" * 15),
        ("+49 1512 3456787", "4915123456787"),
    ],
)
def test_phones(text, digits):
    assert fields.phone(text) == digits


@pytest.mark.parametrize(
    "text", ["", "1234567", "1" * 16, "98765x43210", "९८७६५४३२१०", "9876543210\n", "98765.43210"]
)
def test_refused_phones(text):
    with pytest.raises(FieldError):
        fields.phone(text)


@pytest.mark.parametrize("text", ["378282246310005", "+3782 822463 10005", "30569309025904"])
def test_a_card_is_no_phone_and_is_not_repeated(text):
    with pytest.raises(FieldError) as told:
        fields.phone(text)
    assert told.value.received == "(not shown)"


@pytest.mark.parametrize(
    "text", ["आशा", "O'Brien", "李", "Zoë \N{GRINNING FACE}", "x" * 100, "ക്‍", "José María"]
)
def test_names_of_any_script(text):
    assert fields.name(text, "buyer_firstname") == text


CONTROLS = [
    "\x00",
    "\n",
    "\r",
    "\t",
    "\x1b",
    "\x7f",
    "\x85",
    "\u2028",
    "\u202e",
    "\u2066",
    "\ud800",
]


@pytest.mark.parametrize("text", ["", " ", "x" * 101, *(f"A{control}B" for control in CONTROLS)])
def test_refused_names(text):
    with pytest.raises(FieldError) as caught:
        fields.name(text, "buyer_firstname")
    assert caught.value.field == "buyer_firstname"
    caught.value.received.encode()
    assert not any(control in caught.value.received for control in CONTROLS)


@pytest.mark.parametrize(
    "text", ["ab@upi", "asha.k_1-2@okhdfcbank", "9876543210@ybl", "x" * 251 + "@upi", "A-@YBL"]
)
def test_vpas(text):
    assert fields.vpa(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "@upi",
        "a@upi",
        "ab@1upi",
        "a b@upi",
        "ab@u@pi",
        "ab@upi\n",
        ".ab@upi",
        "ab@u",
        "x" * 252 + "@upi",
    ],
)
def test_refused_vpas(text):
    with pytest.raises(FieldError):
        fields.vpa(text)


@pytest.mark.parametrize(
    ("text", "channels"),
    [("", ()), ("upi", ("upi",)), ("pg_upi_nb", ("pg", "upi", "nb")), ("upi_upi", ("upi",))],
)
def test_channels(text, channels):
    assert fields.channels(text) == channels


@pytest.mark.parametrize("text", ["UPI", "upi_", "_", "upi,pg", "crypto"])
def test_refused_channels(text):
    with pytest.raises(FieldError, match="channel codes"):
        fields.channels(text)


@pytest.mark.parametrize(
    ("code", "letters", "currency"),
    [
        ("356", "INR", "INR"),
        ("356", "inr", "INR"),
        ("INR", "Inr", "INR"),
        ("840", "USD", "USD"),
        ("036", "aud", "AUD"),
    ],
)
def test_currencies(code, letters, currency):
    assert fields.currency(code, letters) == currency


@pytest.mark.parametrize(
    ("code", "letters", "field"),
    [
        ("840", "INR", "currency_code"),
        ("356", "USD", "currency_code"),
        ("356", "XXX", "iso_currency"),
        ("356", "356", "iso_currency"),
    ],
)
def test_refused_currencies(code, letters, field):
    with pytest.raises(FieldError) as caught:
        fields.currency(code, letters)
    assert caught.value.field == field


def test_dates_are_month_first_unless_the_merchant_says_otherwise():
    assert fields.day("02/03/2027", "sb_nextrundate") == date(2027, 2, 3)
    assert fields.day("02/03/2027", "sb_nextrundate", day_first=True) == date(2027, 3, 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "13/01/2027",
        "02/30/2027",
        "2027-01-02",
        "1/2/2027",
        "01/02/27",
        "०१/०२/२०२७",
        "00/00/0000",
    ],
)
def test_impossible_dates(text):
    with pytest.raises(FieldError, match="MM/DD/YYYY"):
        fields.day(text, "sb_nextrundate")


def encoded(text):
    """Return base64 of a text."""
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://shop.example", "https://shop.example"),
        ("HTTPS://Shop.Example:443/cart?x=1", "https://shop.example"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://[::1]:80", "http://[::1]"),
        ("https://user:pw@shop.example", "https://shop.example"),
    ],
)
def test_origins(address, origin):
    assert fields.origin_of(address) == origin
    assert fields.origin(encoded(address)) == origin
    assert fields.origin(encoded(address).rstrip("=")) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "shop.example",
        "javascript:alert(1)",
        "https://",
        "https://a:b",
        "http://[",
        "https://a:0x1",
    ],
)
def test_refused_origins(text):
    with pytest.raises(FieldError):
        fields.origin_of(text)
    with pytest.raises(FieldError, match="base64"):
        fields.origin(encoded(text))


@given(st.text())
def test_any_text_gives_a_value_or_a_field_error(text):
    validators = (
        fields.paise_from_text, fields.order_id, fields.email, fields.phone, fields.vpa,
        fields.channels, fields.origin, fields.origin_of,
        lambda given: fields.free_text(given, "f"),
        lambda given: fields.name(given, "f"),
        lambda given: fields.digits(given, "f"),
        lambda given: fields.count(given, "f", 99),
        lambda given: fields.count(given, "f", 99, 1),
        lambda given: fields.day(given, "f"),
        lambda given: fields.currency(given, given),
    )  # fmt: skip
    for validate in validators:
        try:
            validate(text)
        except FieldError as refused:
            error = refused
        else:
            continue
        assert len(error.received) <= fields.RECEIVED_MAX
        str(error).encode()


def test_a_field_error_says_field_received_and_allowed_in_one_sentence():
    error = FieldError("amount", "x" * 500, "less")
    assert error.received == "x" * 64
    assert str(error).startswith("amount: received 'xxx")
    assert str(error).endswith("allowed is less")
    assert str(FieldError("amount", "", "more")) == "amount: it is missing, allowed is more"


def test_a_field_error_shows_no_card_that_was_sent_as_a_name():
    error = FieldError("buyer_4111111111111111", "x", "only vpa")
    assert "4111111111111111" not in error.field
    assert "4111111111111111" not in str(error)
