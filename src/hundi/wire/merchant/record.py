"""The transaction record in its forms: API reply, browser return and server notification.

`data` is the same flat object in all of them, because existing clients cut it out at its first
closing brace.
"""

from collections.abc import Collection
from typing import Literal

import msgspec

from hundi.wire.merchant.securehash import secure_hash
from hundi.wire.message import Record
from hundi.wire.strict_json import JsonValue

SecureHashForm = Literal["specification", "without-payer", "payment-status"]
"""Which values a client's formula joins; all but the first differ from the specification's."""


class TransactionRecord(Record, frozen=True, kw_only=True):
    """One transaction as merchants see it; "" where a field does not apply.

    See docs/spec/payment-interfaces.md#record. amount, surcharge_amount: decimal text with two
    places. transaction_status, transaction_type: codes of
    docs/spec/states-and-codes.md#payment-states and
    docs/spec/states-and-codes.md#transaction-types. transaction_payment_status: one of the
    specification's nine words; detailed_status: the same, or the subject of the record: a refund,
    an excess, a dispute, a mandate. transaction_time: creation, IST, DD-MM-YYYY HH:MM:SS; so is
    paid_at. token: a saved card, never the access token. card_number: the last four digits only.
    chmod: empty for UPI while the payer is unknown. The fields after utr_no are ours; refund_id to
    refund_rrn are of the one refund that the record is about, dispute_id to dispute_respond_by (as
    transaction_time) of the one dispute. emi_rate: per cent a year. inr_amount, inr_rate: for
    foreign currency, the amount in INR and the rupees for one unit.
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
    detailed_status: str = ""
    captured_amount: str = "0.00"
    paid_at: str = ""
    attempts: int = 0
    emi_bank: str = ""
    emi_months: int = 0
    emi_rate: str = ""
    refunds_count: int = 0
    refunds_total: str = "0.00"
    refund_id: str = ""
    refund_request_id: str = ""
    refund_status: str = ""
    refund_rrn: str = ""
    dispute_id: str = ""
    dispute_phase: str = ""
    dispute_status: str = ""
    dispute_reason: str = ""
    dispute_respond_by: str = ""
    iso_currency: str = "INR"
    inr_amount: str = ""
    inr_rate: str = ""

    def written(self) -> dict[str, JsonValue]:
        """Return `data` of verify: one flat object, in which status, type and counts are integers.

        Fields of a dispute are there only where the record is about one.
        """
        data = super().written()
        if not self.dispute_id:
            for name in _OF_DISPUTES:
                del data[name]
        return data


def with_hash(
    record: TransactionRecord, username: str, form: SecureHashForm = "specification"
) -> TransactionRecord:
    """Return the record with its `ap_SecureHash`, over the payer's address only for `upi`."""
    status = (
        record.transaction_payment_status
        if form == "payment-status"
        else str(record.transaction_status)
    )
    value = secure_hash(
        record.orderid,
        record.ap_transactionid,
        record.amount,
        status,
        record.message,
        record.merchant_id,
        username,
        record.customer_vpa if record.chmod == "upi" and form != "without-payer" else None,
    )
    return msgspec.structs.replace(record, ap_SecureHash=value)


_OF_DISPUTES = tuple(
    name for name in TransactionRecord.__struct_fields__ if name.startswith("dispute_")
)


def told_data(
    record: TransactionRecord, *, as_text: bool, left_out: Collection[str] = ()
) -> dict[str, object]:
    """Return `data` of returns and notifications: that of verify, and the spellings of older kits.

    as_text: every value is a string. left_out: names that this merchant's client cannot take.
    """
    data: dict[str, object] = {
        **record.written(),
        "ap_securehash": record.ap_SecureHash,
        "custom_var": record.customvar,
        "CUSTOMERVPA": record.customer_vpa,
        "customervpa": record.customer_vpa,
    }
    return {
        name: str(value) if as_text else value
        for name, value in data.items()
        if name not in left_out
    }


def told_envelope(codes: dict[str, object], data: dict[str, object]) -> dict[str, object]:
    """Return the envelope of a return or a notification; it repeats the scalars of `data`."""
    return {**codes, **data, "data": data}


def kit_fields(record: TransactionRecord, left_out: Collection[str] = ()) -> dict[str, str]:
    """Return the upper-case form fields that older kits read beside `response` on return."""
    fields = {
        "TRANSACTIONID": record.orderid,
        "APTRANSACTIONID": record.ap_transactionid,
        "AMOUNT": record.amount,
        "TRANSACTIONSTATUS": str(record.transaction_status),
        "MESSAGE": record.message,
        "CHMOD": record.chmod,
        "CUSTOMVAR": record.customvar,
        "CUSTOMER": record.customer_name,
        "CUSTOMEREMAIL": record.customer_email,
        "CUSTOMERVPA": record.customer_vpa,
        "TRANSACTIONTIME": record.transaction_time,
        "BANKRESPONSEMSG": record.bank_response_msg,
        "ap_SecureHash": record.ap_SecureHash,
    }
    return _without(fields, left_out)


def ipn_form(
    record: TransactionRecord, ipn_id: str, *, mode: str, left_out: Collection[str] = ()
) -> dict[str, str]:
    """Return the fields of a notification that is sent as a form, in documented order.

    ipn_id: the same on every delivery of one event. mode: `live` or `sandbox`.
    """
    fields = {
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
    return _without(fields, left_out)


def _without(fields: dict[str, str], left_out: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in fields.items() if name not in left_out}
