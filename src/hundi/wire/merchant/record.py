"""The transaction record in its three forms: API reply, browser return, server notification."""

from typing import cast

import msgspec

from hundi.wire.merchant.securehash import secure_hash


class Refunds(msgspec.Struct, frozen=True):
    """How often and how much (decimal text) of a payment was refunded."""

    count: int = 0
    total: str = "0.00"


class TransactionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One transaction as merchants see it; "" where a field does not apply.

    See docs/spec/payment-interfaces.md#record.
    amount, surcharge_amount: decimal text with two places. transaction_status, transaction_type: codes of
    docs/spec/states-and-codes.md#payment-states and docs/spec/states-and-codes.md#transaction-types. transaction_time:
    creation, IST, DD-MM-YYYY HH:MM:SS. token: a saved card, never the access token. card_number: the last four digits
    only. The fields after utr_no are ours.
    """

    ap_transactionid: str
    orderid: str
    merchant_id: str
    amount: str
    transaction_status: int
    transaction_payment_status: str
    chmod: str = ""
    currency_code: str = "356"
    message: str = ""
    bank_response_msg: str = ""
    customer_name: str = ""
    customer_phone: str = ""
    customer_email: str = ""
    transaction_type: int = 320
    risk: str = "0"
    token: str = ""
    transaction_time: str = ""
    card_scheme: str = ""
    card_number: str = ""
    card_type: str = ""
    bank_name: str = ""
    card_country: str = ""
    rrn: str = ""
    ap_SecureHash: str = ""  # noqa: N815 (the specification's spelling)
    customvar: str = ""
    surcharge_amount: str = "0.00"
    utr_no: str = ""
    customer_vpa: str = ""
    bank_response_code: str = ""
    captured_amount: str = "0.00"
    refunds: Refunds = Refunds()
    attempts: int = 0


def with_hash(record: TransactionRecord, username: str) -> TransactionRecord:
    """Return the record with its `ap_SecureHash`, which covers the payer's address only for `upi`."""
    value = secure_hash(
        record.orderid,
        record.ap_transactionid,
        record.amount,
        str(record.transaction_status),
        record.message,
        record.merchant_id,
        username,
        record.customer_vpa if record.chmod == "upi" else None,
    )
    return msgspec.structs.replace(record, ap_SecureHash=value)


def api_data(record: TransactionRecord) -> dict[str, object]:
    """Return `data` of verify and of JSON notifications: status and type are integers there."""
    return cast("dict[str, object]", msgspec.to_builtins(record))


def return_data(record: TransactionRecord) -> dict[str, str]:
    """Return `data` of the browser return: one flat object in which every value is a string.

    `refunds` becomes `refunds_count` and `refunds_total`; the spellings of older kits are repeated.
    """
    flat = {name: str(value) for name, value in api_data(record).items() if name != "refunds"}
    return flat | {
        "refunds_count": str(record.refunds.count),
        "refunds_total": record.refunds.total,
        "ap_securehash": record.ap_SecureHash,
        "custom_var": record.customvar,
        "CUSTOMERVPA": record.customer_vpa,
    }


def return_envelope(
    record: TransactionRecord, *, status_code: str, status: str, response_code: str
) -> dict[str, object]:
    """Return the object sealed into `response`; for old readers it repeats the scalars of `data`."""
    data = return_data(record)
    codes = {"status_code": status_code, "status": status, "response_code": response_code}
    return {**codes, **data, "data": data}


def kit_fields(record: TransactionRecord) -> dict[str, str]:
    """Return the upper-case form fields that older kits read beside `response` on the browser return."""
    return {
        "TRANSACTIONID": record.orderid,
        "APTRANSACTIONID": record.ap_transactionid,
        "AMOUNT": record.amount,
        "TRANSACTIONSTATUS": str(record.transaction_status),
        "MESSAGE": record.message,
        "CHMOD": record.chmod,
        "CUSTOMVAR": record.customvar,
        "CUSTOMERVPA": record.customer_vpa,
        "ap_SecureHash": record.ap_SecureHash,
    }


def ipn_form(record: TransactionRecord, ipn_id: str, *, mode: str) -> dict[str, str]:
    """Return the fields of a notification that is sent as a form.

    ipn_id: the same on every delivery of one event. mode: `live` or `sandbox`. The order is the documented one.
    """
    return {
        "MERCID": record.merchant_id,
        "TRANSACTIONID": record.orderid,
        "APTRANSACTIONID": record.ap_transactionid,
        "AMOUNT": record.amount,
        "TRANSACTIONSTATUS": str(record.transaction_status),
        "TRANSACTIONPAYMENTSTATUS": record.transaction_payment_status,
        "MESSAGE": record.message,
        "CUSTOMVAR": record.customvar,
        "CHMOD": record.chmod,
        "TXN_MODE": mode.upper(),
        "CURRENCYCODE": record.currency_code,
        "CUSTOMER": record.customer_name,
        "CUSTOMERPHONE": record.customer_phone,
        "CUSTOMEREMAIL": record.customer_email,
        "CUSTOMERVPA": record.customer_vpa,
        "RRN": record.rrn,
        "IPNID": ipn_id,
        "RISK": record.risk,
        "TRANSACTIONTIME": record.transaction_time,
        "TRANSACTIONTYPE": str(record.transaction_type),
        "BANKNAME": record.bank_name,
        "CARDISSUER": record.bank_name if record.card_number else "",
        "CARD_NUMBER": record.card_number,
        "CARDTYPE": record.card_type,
        "SURCHARGE": record.surcharge_amount,
        "TOKEN": record.token,
        "CARDCOUNTRY": record.card_country,
        "REASON": record.bank_response_msg,
        "ap_SecureHash": record.ap_SecureHash,
    }
