"""JSON Schemas of every operation's encrypted messages; those of replies are made from types."""

from typing import Any

import msgspec

from hundi.api.description import fields as f
from hundi.api.description.fields import Schema, message
from hundi.wire.merchant.payments import (
    MOTO,
    PERIODS,
    SALE,
    SUBSCRIPTION,
)
from hundi.wire.merchant.results import QrData
from hundi.wire.merchant.seamless import BANK_CODE, CARD_FIELD_MAX, PAY_BY, SeamlessData
from hundi.wire.merchant.splits import PARTS_MAX, SplitData, SplitType
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.schema import schema_of, with_those_inside

_BUYER: dict[str, Schema] = {
    "buyer_email": f.EMAIL,
    "buyer_phone": f.PHONE,
    "buyer_firstname": f.NAME,
    "buyer_lastname": f.NAME,
    "buyer_address": f.ADDRESS,
    "buyer_city": f.text("Any script"),
    "buyer_state": f.text("Any script"),
    "buyer_country": f.text("Any script"),
    "buyer_pincode": f.PINCODE,
}
_PAYER_ACCOUNT: dict[str, Schema] = {
    "upi_tpv_account": f.PAYER_ACCOUNT,
    "upi_tpv_ifsc": f.PAYER_IFSC,
}
_BOTH_OR_NEITHER: Schema = {
    "dependentRequired": {"upi_tpv_account": ["upi_tpv_ifsc"], "upi_tpv_ifsc": ["upi_tpv_account"]}
}


def _pays_by(*codes: str) -> Schema:
    return {"properties": {"pay_by": {"enum": [*codes]}}}


_MANDATE: dict[str, Schema] = {
    "sb_period": f.one_of(
        "Day, week, month, year, or A: debits that the merchant asks for", *PERIODS
    ),
    "sb_frequency": f.written(
        "Every how many periods; not for A",
        r"^([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])$",
        "1",
    ),
    "sb_nextrundate": f.written(
        "MM/DD/YYYY, or DD/MM/YYYY by a setting: the first debit, within two years; not for A",
        r"^(0[1-9]|1[0-2])/(0[1-9]|1[0-2])/20[0-9]{2}$",
        "12/11/2026",
    ),
    "sb_amount": f.described(f.AMOUNT, "Of each debit"),
    "sb_maxamount": f.described(f.AMOUNT, "The most that one debit may be"),
    "sb_recurringcount": f.written(
        "How many debits; 999 without end; not for A", r"^[1-9][0-9]{0,2}$", "12"
    ),
    "sb_retryattempts": f.written("Tries after a declined one", r"^[0-9]{1,2}$", "2"),
    "sb_isrecurring": f.one_of("Always this", "1"),
}
"""The terms of a subscription, read with `txnsubtype` 12."""
_ORDER = (
    "orderid",
    "amount",
    "currency_code",
    "iso_currency",
    "buyer_email",
    "buyer_phone",
    "buyer_firstname",
    "buyer_lastname",
)
_ORDER_FIELDS: dict[str, Schema] = {
    "orderid": f.ORDER_ID,
    "amount": f.AMOUNT,
    "currency_code": f.CURRENCY_CODE,
    "iso_currency": f.ISO_CURRENCY,
    **_BUYER,
    "chmod": f.described(f.CHMOD, "Restricts the channels of this payment"),
    "customvar": f.CUSTOMVAR,
    "mer_dom": f.MER_DOM,
    **_PAYER_ACCOUNT,
}


REQUESTS: dict[str, Schema] = {
    "PaymentRequest": message(
        "A payment to start",
        _ORDER,
        **_ORDER_FIELDS,
        txnsubtype=f.TXNSUBTYPE,
        **_MANDATE,
        UID=f.described(
            f.CUSTOMER, "The merchant's own name of its customer, whose cards are saved"
        ),
        token=f.described(f.SAVED_CARD, "A saved card of that customer, to pay with"),
    )
    | _BOTH_OR_NEITHER,
    "SeamlessRequest": message(
        "A payment that the merchant's server begins, by the way its customer chose",
        (*_ORDER, "pay_by"),
        **_ORDER_FIELDS,
        txnsubtype=f.one_of("A sale, or a card by telephone", SALE, MOTO),
        pay_by=f.one_of("The channel", *PAY_BY),
        vpa=f.VPA,
        bank_code=f.written(
            "A bank, wallet or lender, as the bank list has it", f"^{BANK_CODE}$", "HDFC"
        ),
        card_number=f.text("Digits; never kept", CARD_FIELD_MAX, 1),
        card_expiry=f.text("MM/YY", CARD_FIELD_MAX, 1),
        card_cvv=f.text("Never kept", CARD_FIELD_MAX, 1),
        card_holder=f.text("Any script", CARD_FIELD_MAX),
        customer_ip=f.written(
            "The address of the customer's device",
            r"^[1-9][0-9]?(\.[1-9][0-9]?){3}$",
            "203.0.113.7",
        ),
        customer_agent=f.text("The customer's User-Agent"),
    )
    | _BOTH_OR_NEITHER
    | {
        "allOf": [
            {
                "if": _pays_by("pg"),
                "then": {"required": ["card_number", "card_expiry", "card_cvv"]},
            },
            {"if": _pays_by("nb", "ppc", "payltr"), "then": {"required": ["bank_code"]}},
        ]
    },
    "GenerateOrderRequest": message(
        "An order that is paid by one UPI QR",
        ("orderid", "amount"),
        orderid=f.ORDER_ID,
        amount=f.AMOUNT,
        currency_code=f.CURRENCY_CODE,
        iso_currency=f.ISO_CURRENCY,
        **_BUYER,
        chmod=f.one_of("UPI, or Bharat QR", "upi", "btqr", "upi_btqr"),
        txnsubtype=f.one_of("A sale, or the first payment of a subscription", SALE, SUBSCRIPTION),
        **_MANDATE,
        customvar=f.CUSTOMVAR,
        mer_dom=f.MER_DOM,
        **_PAYER_ACCOUNT,
    )
    | _BOTH_OR_NEITHER,
    "SplitRequest": message(
        "How a transaction is shared. Percentages add up to 100.00, amounts to the "
        "captured amount less refunds",
        ("ap_transactionid", "split_request_id", "split_type", "primary_split_value", "splits"),
        ap_transactionid=f.TRANSACTION_ID,
        rrn=f.RRN,
        split_request_id=f.SPLIT_REQUEST_ID,
        split_type=f.one_of("What the values are", *SplitType),
        primary_split_value=f.described(f.ZERO_OR_AMOUNT, "What stays with the merchant"),
        splits={
            "type": "array",
            "minItems": 1,
            "maxItems": PARTS_MAX,
            "items": message(
                "One share",
                ("identifier", "value"),
                identifier=f.IDENTIFIER,
                value=f.described(f.AMOUNT, "A per cent or an amount, above zero"),
            ),
        },
    ),
    "FlatSplitRequest": message(
        "The same unencrypted: proven by the header Api-Key (the API secret) and "
        "TOKEN, hex HMAC-SHA256 of privatekey "
        "and TRANSACTION_ID under the API secret",
        (
            "merchant_id",
            "TRANSACTION_ID",
            "SPLIT_REQUEST_ID",
            "PRIACCT_SPLIT_VALUE",
            "OTHER_IDENTIFIERS",
            "SPLIT_VALUES",
            "TOKEN",
        ),
        merchant_id=f.written("Numeric merchant identifier", r"^[0-9]{1,12}$", "10001"),
        TRANSACTION_ID=f.TRANSACTION_ID,
        RRN=f.RRN,
        SPLIT_REQUEST_ID=f.SPLIT_REQUEST_ID,
        SPLIT_TYPE=f.one_of("percentage when missing", *SplitType),
        PRIACCT_IDENTIFIER=f.described(f.IDENTIFIER, "The merchant id, or primary"),
        PRIACCT_SPLIT_VALUE=f.described(f.ZERO_OR_AMOUNT, "What stays with the merchant"),
        OTHER_IDENTIFIERS=f.written(
            "Linked accounts, joined by |", r"^[A-Za-z0-9_.-]+(\|[A-Za-z0-9_.-]+)*$", "A|B"
        ),
        SPLIT_VALUES=f.written(
            "As many values, joined by |", r"^[0-9.]+(\|[0-9.]+)*$", "30.00|50.00"
        ),
        TOKEN=f.written("Hex", r"^[0-9a-f]{64}$"),
    ),
}

_REPLY_TYPES: tuple[Any, ...] = (
    QrData,
    SeamlessData,
    SplitData,
)


def declared() -> dict[str, Schema]:
    """Return the schemas of all messages that `wire` declares, by the messages' names."""
    whole = (each for operation in OPERATIONS for each in (operation.request, operation.reply))
    return {inner.__name__: schema_of(inner) for each in whole for inner in with_those_inside(each)}


def replies() -> dict[str, Schema]:
    """Return the schemas of the replies' `data`, made from their types, by the types' names."""
    _, components = msgspec.json.schema_components(
        _REPLY_TYPES, ref_template="#/components/schemas/{name}"
    )
    return components
