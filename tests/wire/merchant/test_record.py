"""The transaction record in its three dresses."""

from typing import get_args

import pytest

from hundi.wire.merchant import record, securehash

PAID = record.with_hash(
    record.TransactionRecord(
        ap_transactionid="777",
        orderid="ORD1",
        merchant_id="12345",
        amount="10.00",
        transaction_status=200,
        transaction_payment_status="SUCCESS",
        chmod="upi",
        message="Success",
        customvar="a=1",
        customer_vpa="a@upi",
        refunds_count=1,
        refunds_total="4.00",
        attempts=2,
    ),
    "demo-user",
)
SPECIFIED = [
    "ap_transactionid",
    "orderid",
    "merchant_id",
    "amount",
    "transaction_status",
    "transaction_payment_status",
    "chmod",
    "currency_code",
    "message",
    "bank_response_msg",
    "customer_name",
    "customer_phone",
    "customer_email",
    "transaction_type",
    "risk",
    "token",
    "transaction_time",
    "card_scheme",
    "card_number",
    "card_type",
    "bank_name",
    "card_country",
    "rrn",
    "ap_SecureHash",
    "customvar",
    "surcharge_amount",
    "utr_no",
]
IPN_NAMES = [
    "MERCID",
    "TRANSACTIONID",
    "APTRANSACTIONID",
    "AMOUNT",
    "TRANSACTIONSTATUS",
    "TRANSACTIONPAYMENTSTATUS",
    "MESSAGE",
    "CUSTOMVAR",
    "CHMOD",
    "TXN_MODE",
    "CURRENCYCODE",
    "CUSTOMER",
    "CUSTOMERPHONE",
    "CUSTOMEREMAIL",
    "CUSTOMERVPA",
    "RRN",
    "IPNID",
    "RISK",
    "TRANSACTIONTIME",
    "TRANSACTIONTYPE",
    "BANKNAME",
    "CARDISSUER",
    "CARD_NUMBER",
    "CARDTYPE",
    "SURCHARGE",
    "TOKEN",
    "CARDCOUNTRY",
    "REASON",
    "ap_SecureHash",
]


def test_the_api_dress_has_every_specified_field_in_order():
    data = PAID.written()
    assert list(data)[: len(SPECIFIED)] == SPECIFIED
    assert (data["transaction_status"], data["transaction_type"]) == (200, 320)
    assert (data["refunds_count"], data["refunds_total"]) == (1, "4.00")
    assert not any(isinstance(value, dict | list) for value in data.values())
    assert (data["attempts"], data["surcharge_amount"], data["rrn"]) == (2, "0.00", "")


def test_the_return_dress_is_flat_and_all_strings():
    data = record.told_data(PAID, as_text=True)
    assert set(SPECIFIED) <= set(data)
    assert all(type(value) is str for value in data.values())
    assert (data["transaction_status"], data["ap_securehash"]) == ("200", PAID.ap_SecureHash)
    assert (data["custom_var"], data["CUSTOMERVPA"], data["customer_vpa"]) == (
        "a=1",
        "a@upi",
        "a@upi",
    )
    assert (data["refunds_count"], data["refunds_total"]) == ("1", "4.00")


def test_what_is_told_repeats_the_scalars_beside_data():
    told = record.told_data(PAID, as_text=False)
    assert (told["transaction_status"], told["refunds_count"], told["CUSTOMERVPA"]) == (
        200,
        1,
        "a@upi",
    )
    sealed = record.told_envelope({"status_code": "200", "event": "paid"}, told)
    assert sealed == {"status_code": "200", "event": "paid", **told, "data": told}


def test_names_that_a_client_cannot_have_are_left_out_everywhere():
    left_out = ("ap_securehash", "ap_SecureHash")
    assert not {*left_out} & set(record.told_data(PAID, as_text=True, left_out=left_out))
    assert "ap_SecureHash" not in record.kit_fields(PAID, left_out)
    assert "ap_SecureHash" not in record.ipn_form(PAID, "evt_1", mode="live", left_out=left_out)


def test_the_hash_follows_the_formula_of_the_merchants_client():
    def joined(status: str, payer: str | None) -> str:
        return securehash.secure_hash(
            "ORD1", "777", "10.00", status, "Success", "12345", "demo-user", payer
        )

    made = {
        form: record.with_hash(PAID, "demo-user", form).ap_SecureHash
        for form in get_args(record.SecureHashForm)
    }
    assert made == {
        "specification": joined("200", "a@upi"),
        "without-payer": joined("200", None),
        "payment-status": joined("SUCCESS", "a@upi"),
    }


def test_kit_fields():
    assert record.kit_fields(PAID) == {
        "TRANSACTIONID": "ORD1",
        "APTRANSACTIONID": "777",
        "AMOUNT": "10.00",
        "TRANSACTIONSTATUS": "200",
        "MESSAGE": "Success",
        "CHMOD": "upi",
        "CUSTOMVAR": "a=1",
        "CUSTOMER": PAID.customer_name,
        "CUSTOMEREMAIL": PAID.customer_email,
        "CUSTOMERVPA": "a@upi",
        "TRANSACTIONTIME": PAID.transaction_time,
        "BANKRESPONSEMSG": PAID.bank_response_msg,
        "ap_SecureHash": PAID.ap_SecureHash,
    }


def test_the_form_dress_has_the_documented_names_in_order():
    form = record.ipn_form(PAID, "evt_1", mode="live")
    assert list(form) == IPN_NAMES
    assert all(type(value) is str for value in form.values())
    assert (form["IPNID"], form["TXN_MODE"], form["TRANSACTIONSTATUS"]) == ("evt_1", "LIVE", "200")


@pytest.mark.parametrize(
    ("chmod", "vpa", "joined"),
    [("upi", "a@upi", "a@upi"), ("upi", "", None), ("pg", "a@upi", None)],
)
def test_the_payers_address_joins_the_hash_only_for_upi(chmod, vpa, joined):
    made = record.TransactionRecord(
        ap_transactionid="777",
        orderid="ORD1",
        merchant_id="12345",
        amount="10.00",
        transaction_status=200,
        transaction_payment_status="SUCCESS",
        message="Success",
        chmod=chmod,
        customer_vpa=vpa,
    )
    expected = securehash.secure_hash(
        "ORD1", "777", "10.00", "200", "Success", "12345", "demo-user", joined
    )
    assert record.with_hash(made, "demo-user").ap_SecureHash == expected
