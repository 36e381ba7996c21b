"""The inner messages: fields, aliases, bounds and refusals (docs/spec/wire.md#page-messages)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant import payments

ORDER = {
    "orderid": "ORD-1001",
    "amount": "1499.50",
    "currency_code": "356",
    "iso_currency": "INR",
    "buyer_email": "asha@example.in",
    "buyer_phone": "+91 98765 43210",
    "buyer_firstname": "आशा",
    "buyer_lastname": "O'Brien",
}


def refused(parse, values):
    """Return the FieldError that parsing raises."""
    with pytest.raises(FieldError) as caught:
        parse(values)
    return caught.value


def test_payment_request():
    request = payments.parse_payment(ORDER)
    assert request.order_id == "ORD-1001"
    assert (request.amount_paise, request.currency) == (149950, "INR")
    assert request.buyer == payments.Buyer("asha@example.in", "919876543210", "आशा", "O'Brien")
    assert (request.channels, request.txnsubtype, request.subscription) == ((), payments.SALE, None)


def test_older_spellings_mean_the_same():
    older = {
        "orderid": "ORD-1001",
        "amount": strict_json.JsonNumber("1499.50"),
        "currency": strict_json.JsonNumber("356"),
        "isocurrency": "inr",
        "buyerEmail": "asha@example.in",
        "buyerPhone": 919876543210,
        "buyerFirstName": "आशा",
        "buyerLastName": "O'Brien",
    }
    assert payments.parse_payment(older) == payments.parse_payment(ORDER)


OPTIONAL = {
    "buyer_address": "1 MG Road",
    "buyer_city": "Pune",
    "buyer_state": "MH",
    "buyer_country": "India",
    "buyer_pincode": "411001",
    "customvar": "a=1|b=2",
    "chmod": "pg_upi",
    "txnsubtype": "1",
    "wallet": "0",
    "kittype": "server_side_sdk",
    "token": "saved",
    "UID": "u1",
    "vpa": "asha@upi",
    "mer_dom": "aHR0cHM6Ly94",
    "upi_tpv_account": "123456",
    "upi_tpv_ifsc": "HDFC0000001",
    "unknown": ["kept out"],
}


def test_optional_fields():
    request = payments.parse_payment(ORDER | OPTIONAL)
    buyer = request.buyer
    assert (buyer.address, buyer.city, buyer.state, buyer.country, buyer.pincode) == (
        "1 MG Road",
        "Pune",
        "MH",
        "India",
        "411001",
    )
    assert (request.customvar, request.channels, request.txnsubtype) == (
        "a=1|b=2",
        ("pg", "upi"),
        payments.AUTHORISE,
    )
    assert (request.wallet, request.kittype, request.uid, request.vpa) == (
        "0",
        "server_side_sdk",
        "u1",
        "asha@upi",
    )
    assert (request.mer_dom, request.saved_card) == ("aHR0cHM6Ly94", "saved")
    assert request.payer_account == payments.PayerAccount("123456", "HDFC0000001")
    camel = {
        "buyerAddress": "1 MG Road",
        "buyerCity": "Pune",
        "buyerState": "MH",
        "buyerCountry": "India",
        "buyerPinCode": 411001,
    }
    assert payments.parse_payment(ORDER | camel | {"custom_var": "a=1|b=2"}).buyer == buyer
    assert payments.parse_payment(ORDER | {"custom_var": "a=1"}).customvar == "a=1"


def test_empty_and_null_optional_fields_count_as_absent():
    for nothing in ("", None):
        assert payments.parse_payment(
            ORDER | dict.fromkeys(OPTIONAL, nothing)
        ) == payments.parse_payment(ORDER)


def test_outer_channel_and_origin_count_when_the_inner_are_empty():
    request = payments.parse_payment(ORDER, outer_chmod="nb", outer_mer_dom="b3V0")
    assert (request.channels, request.mer_dom) == (("nb",), "b3V0")
    request = payments.parse_payment(ORDER | OPTIONAL, outer_chmod="nb", outer_mer_dom="b3V0")
    assert (request.channels, request.mer_dom) == (("pg", "upi"), "aHR0cHM6Ly94")


@pytest.mark.parametrize("field", ORDER)
def test_every_required_field_is_named_when_missing(field):
    for values in (
        ORDER | {field: ""},
        ORDER | {field: None},
        {k: v for k, v in ORDER.items() if k != field},
    ):
        error = refused(payments.parse_payment, values)
        assert (error.field, error.received) == (field, "")


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": "10.005"},
        {"amount": strict_json.JsonNumber("1e3")},
        {"amount": True},
        {"amount": ["10"]},
        {"orderid": "a b"},
        {"currency_code": "840"},
        {"iso_currency": "USD", "currency_code": "356"},
        {"buyer_email": "nobody"},
        {"buyer_phone": "12"},
        {"buyer_firstname": "x" * 101},
        {"buyer_lastname": "a\x00"},
        {"buyer_address": "x" * 256},
        {"buyer_pincode": "1" * 17},
        {"customvar": "x" * 4097},
        {"customvar": "a\nb"},
        {"chmod": "crypto"},
        {"txnsubtype": "4"},
        {"vpa": "asha"},
        {"UID": {}},
    ],
    ids=str,
)
def test_payment_bounds(changes):
    assert refused(payments.parse_payment, ORDER | changes).field in changes


SUBSCRIPTION = ORDER | {
    "txnsubtype": "12",
    "sb_nextrundate": "02/03/2027",
    "sb_period": "m",
    "sb_frequency": "1",
    "sb_amount": "99.00",
    "sb_isrecurring": "1",
    "sb_recurringcount": "999",
    "sb_retryattempts": "3",
    "sb_maxamount": "150",
}


def test_subscription():
    started = payments.parse_payment(SUBSCRIPTION, today=date(2027, 2, 3)).subscription
    assert started == payments.Subscription("M", 9900, 15000, 3, date(2027, 2, 3), 1, None)
    counted = payments.parse_payment(
        SUBSCRIPTION | {"sb_recurringcount": 12}, day_first=True
    ).subscription
    assert (counted.next_run, counted.recurring_count) == (date(2027, 3, 2), 12)
    presented = payments.parse_payment(
        ORDER | {"txnsubtype": 12, "sb_period": "A", "sb_amount": "5"}
    ).subscription
    assert presented == payments.Subscription("A", 500, None, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"sb_nextrundate": "02/30/2027"},
        {"sb_nextrundate": "01/02/2027"},
        {"sb_nextrundate": ""},
        {"sb_period": "Q"},
        {"sb_frequency": "x"},
        {"sb_frequency": "367"},
        {"sb_amount": "0"},
        {"sb_recurringcount": "1000"},
        {"sb_retryattempts": "-1"},
        {"sb_maxamount": "1e3"},
        {"sb_isrecurring": "0"},
    ],
    ids=str,
)
def test_subscription_bounds(changes):
    error = refused(
        lambda values: payments.parse_payment(values, today=date(2027, 2, 3)),
        SUBSCRIPTION | changes,
    )
    assert error.field in changes


@pytest.mark.parametrize(
    ("written", "day_first", "cure"),
    [
        ("25/12/2027", False, ("dates", "day-first")),
        ("12/25/2027", True, ("dates", "month-first")),
        # A date either way, and past only as it is read now.
        ("01/12/2027", False, ("dates", "day-first")),
        ("25/12/2026", False, None),
        ("01/02/2027", False, None),
        ("30/02/2027", False, None),
        ("2027-12-25", False, None),
    ],
)
def test_a_first_day_in_the_other_order_names_the_setting_for_it(written, day_first, cure):
    def read(values):
        return payments.parse_payment(values, today=date(2027, 2, 3), day_first=day_first)

    assert refused(read, SUBSCRIPTION | {"sb_nextrundate": written}).cure == cure


NAMES = [*ORDER, *OPTIONAL, *SUBSCRIPTION, "rrn", "ap_transactionid"]
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.lists(st.text())
    | st.sampled_from([*ORDER.values()])
)


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(), VALUES))
def test_any_values_give_a_request_or_a_field_error(changes):
    for parse, valid in (
        (payments.parse_payment, ORDER),
        (payments.parse_payment, SUBSCRIPTION),
    ):
        try:
            parse(valid | changes)
        except FieldError as error:
            str(error).encode()
