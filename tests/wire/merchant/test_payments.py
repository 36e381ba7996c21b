"""The inner messages: fields, aliases, bounds and refusals (docs/spec/wire.md#page-messages)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import strict_json
from hundi.wire.fields import FieldError
from hundi.wire.merchant import payments
from hundi.wire.merchant.mandates import OrderMandate
from hundi.wire.message import read_request, write_request
from hundi.wire.parts import Conventions


def read(values, **conventions):
    return read_request(payments.PaymentRequest, values, Conventions(**conventions))


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
    request = read(ORDER)
    assert request.order_id == "ORD-1001"
    assert (request.amount_paise, request.currency) == (149950, "INR")
    assert request.buyer == payments.Buyer(
        email="asha@example.in", phone="919876543210", firstname="आशा", lastname="O'Brien"
    )
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
    told = read(older)
    assert (told.currency, told.buyer) == (read(ORDER).currency, read(ORDER).buyer)


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
    request = read(ORDER | OPTIONAL)
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
    assert request.payer_account == payments.PayerAccount(number="123456", ifsc="HDFC0000001")
    camel = {
        "buyerAddress": "1 MG Road",
        "buyerCity": "Pune",
        "buyerState": "MH",
        "buyerCountry": "India",
        "buyerPinCode": 411001,
    }
    assert read(ORDER | camel | {"custom_var": "a=1|b=2"}).buyer == buyer
    assert read(ORDER | {"custom_var": "a=1"}).customvar == "a=1"


def test_empty_and_null_optional_fields_count_as_absent():
    for nothing in ("", None):
        assert read(ORDER | dict.fromkeys(OPTIONAL, nothing)) == read(ORDER)


@pytest.mark.parametrize("field", ORDER)
def test_every_required_field_is_named_when_missing(field):
    for values in (
        ORDER | {field: ""},
        ORDER | {field: None},
        {k: v for k, v in ORDER.items() if k != field},
    ):
        error = refused(read, values)
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
    assert refused(read, ORDER | changes).field in changes


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
    started = read(SUBSCRIPTION, today=date(2027, 2, 3)).subscription
    assert started == OrderMandate(
        period="M",
        amount_paise=9900,
        max_amount_paise=15000,
        retry_attempts=3,
        next_run=date(2027, 2, 3),
        frequency=1,
        recurring="1",
    )
    counted = read(SUBSCRIPTION | {"sb_recurringcount": 12}, day_first=True).subscription
    assert (counted.next_run, counted.recurring_count) == (date(2027, 3, 2), 12)
    presented = read(ORDER | {"txnsubtype": 12, "sb_period": "A", "sb_amount": "5"}).subscription
    assert presented == OrderMandate(period="A", amount_paise=500)


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
        lambda values: read(values, today=date(2027, 2, 3)),
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
    def read_then(values):
        return read(values, today=date(2027, 2, 3), day_first=day_first)

    assert refused(read_then, SUBSCRIPTION | {"sb_nextrundate": written}).cure == cure


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
    for valid in (ORDER, SUBSCRIPTION):
        try:
            read(valid | changes)
        except FieldError as error:
            str(error).encode()


def test_what_the_period_or_the_kind_does_not_call_for_is_not_read():
    no_calendar = SUBSCRIPTION | {"sb_period": "A", "sb_nextrundate": "soon", "sb_frequency": "x"}
    assert read(no_calendar).subscription.next_run is None
    assert read(ORDER | {"sb_period": "Q"}).subscription is None


def test_a_mandate_without_end_is_written_so():
    terms = read(SUBSCRIPTION).subscription
    assert write_request(terms)["sb_recurringcount"] == "999"
    presented = OrderMandate(period="A", amount_paise=500, frequency=1)
    assert write_request(presented) == {"sb_period": "A", "sb_amount": "5.00"}
