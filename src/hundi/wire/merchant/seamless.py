"""A payment that a merchant's server begins: an order, and the customer's way to pay.

See docs/spec/payment-interfaces.md#seamless.
"""

import re
from ipaddress import ip_address
from typing import cast

from hundi.wire import kinds
from hundi.wire.fields import FieldError
from hundi.wire.merchant.mandates import OrderMandate
from hundi.wire.merchant.payments import (
    AUTHORISE,
    SALE,
    SUBTYPE,
    UID,
    VPA,
    OrderRequest,
    currencies_agree,
    starts_mandate,
)
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation
from hundi.wire.parts import FieldKind, Schema, Values, text_in
from hundi.wire.strict_json import JsonValue

UPI, NET_BANKING, WALLET, PAY_LATER, CARD = "upi", "nb", "ppc", "payltr", "pg"
PAY_BY = (UPI, NET_BANKING, WALLET, PAY_LATER, CARD)
_BY_BANK = (NET_BANKING, WALLET, PAY_LATER)
REDIRECT, FORM, UPI_LINK, WAIT, NOTHING = "redirect", "form", "upi_link", "wait", "none"
NEXT = (REDIRECT, FORM, UPI_LINK, WAIT, NOTHING)
"""The customer's next step: `next_action` of the reply."""
CARD_FIELD_MAX = 40
HIDDEN = "(not shown)"
_BANK_CODE = r"[A-Z]{4}(_C)?"
FormFields = tuple[tuple[str, str], ...]
"""Names and values of a form, in its order."""
_IS_BANK_CODE = re.compile(_BANK_CODE + r"\Z")


def _of_a_card(meaning: str, *, may_be_empty: bool = False) -> FieldKind[str]:
    """Return the kind of a card's field, unchecked; errors do not show it."""
    allowed = f"text of at most {CARD_FIELD_MAX} characters"

    def read(value: object, name: str) -> str:
        given = str(value) if isinstance(value, str | int) else None
        if given is None or len(given) > CARD_FIELD_MAX:
            raise FieldError(name, HIDDEN if value else "", allowed)
        return given

    schema = kinds.text(CARD_FIELD_MAX, 0 if may_be_empty else 1).schema
    return FieldKind(
        read,
        lambda text, _: text,
        schema | {"description": meaning},
        "raw",
        absent=allowed,
    )


@message()
class CardFields:
    """A card as it was sent, unchecked; without a readable form."""

    number: str = sent(_of_a_card("Digits; never kept"), "card_number", hidden=True)
    expiry: str = sent(_of_a_card("MM/YY"), "card_expiry", hidden=True)
    cvv: str = sent(_of_a_card("Never kept"), "card_cvv", hidden=True)
    holder: str = sent(
        _of_a_card("Any script", may_be_empty=True), "card_holder", default="", hidden=True
    )


def _read_address(text: str, name: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise FieldError(name, text, "an IPv4 or IPv6 address") from None


_PAY_BY = kinds.one_of(*PAY_BY)
_BANK = FieldKind(
    kinds.text().read,
    kinds.WORDS.write,
    kinds.matching(_BANK_CODE, "", "HDFC").schema,
)
_ADDRESS = kinds.written(
    _read_address,
    "The address of the customer's device",
    r"^[1-9][0-9]?(\.[1-9][0-9]?){3}$",
    "203.0.113.7",
)


def _check(asked: "SeamlessRequest") -> None:
    currencies_agree(asked)
    if asked.pay_by in _BY_BANK and not _IS_BANK_CODE.match(asked.bank_code):
        allowed = "a bank's code, as the bank list has it: HDFC, or HDFC_C"
        raise FieldError("bank_code", asked.bank_code, allowed)


def _is_by_card(values: Values) -> bool:
    return text_in(values, "pay_by") == CARD


def _pays_by(*codes: str) -> Schema:
    return {"properties": {"pay_by": {"enum": [*codes]}}}


_BY_WAY: Schema = {
    "allOf": [
        {"if": _pays_by(CARD), "then": {"required": ["card_number", "card_expiry", "card_cvv"]}},
        {"if": _pays_by(*_BY_BANK), "then": {"required": ["bank_code"]}},
    ]
}


@message(check=_check, schema=_BY_WAY)
class SeamlessRequest(OrderRequest):
    """A payment that the merchant's server begins, by its customer's chosen way."""

    txnsubtype: str = sent(
        FieldKind(SUBTYPE.read, SUBTYPE.write, kinds.one_of(SALE, AUTHORISE).schema),
        meaning="A sale, or an authorisation that is captured later",
        default=SALE,
    )
    pay_by: str = sent(_PAY_BY, meaning="The channel")
    vpa: str = sent(VPA, default="")
    bank_code: str = sent(
        _BANK, meaning="A code of the bank list: a bank, wallet or lender", default=""
    )
    card: CardFields | None = sent(kinds.spread(CardFields), default=None, when=_is_by_card)
    customer_ip: str = sent(_ADDRESS, default="")
    customer_agent: str = sent(kinds.words(), meaning="The customer's User-Agent", default="")
    subscription: OrderMandate | None = sent(
        kinds.spread(OrderMandate), default=None, when=starts_mandate, unused=True
    )
    uid: str = sent(UID, "UID", default="", unused=True)
    saved_card: str = sent(kinds.SAVED_CARD, "token", default="", hidden=True, unused=True)
    wallet: str = sent(kinds.text(), default="", unused=True)
    kittype: str = sent(kinds.text(), default="", unused=True)


def _read_form(value: JsonValue, name: str) -> FormFields:
    pairs = cast("dict[object, object]", value) if isinstance(value, dict) else None
    if pairs is None or not all(isinstance(each, str) for pair in pairs.items() for each in pair):
        raise FieldError(name, type(value).__name__, "an object of texts")
    return tuple(cast("dict[str, str]", pairs).items())


_FORM: FieldKind[FormFields] = FieldKind(
    _read_form,
    lambda pairs, _: dict(pairs),
    {"type": "object", "additionalProperties": {"type": "string"}},
    "raw",
)
_NEXT = FieldKind(kinds.one_of(*NEXT).read, kinds.WORDS.write, kinds.WORDS.schema)


@message()
class SeamlessData:
    """The customer's next step, and the state of the order.

    next_action: one of NEXT. redirect_url: where to send the browser; redirect_fields: the form
    that it posts there, in this order, empty where it only goes there; upi_link: what to open or
    show as a QR. payable_amount: what the customer pays, `surcharge_amount` included, "" where
    nothing is under way.
    """

    action: str = sent(_NEXT, "next_action")
    redirect_url: str = sent(kinds.WORDS, default="")
    redirect_fields: FormFields = sent(_FORM, default=())
    link: str = sent(kinds.WORDS, "upi_link", default="")
    transaction_id: str = sent(kinds.NAME, "ap_transactionid")
    order_id: str = sent(kinds.WORDS, "orderid")
    merchant_id: str = sent(kinds.WORDS)
    amount_paise: int = sent(kinds.MONEY_OR_NONE, "amount")
    payable_paise: int = sent(kinds.MONEY_OR_NONE, "payable_amount", default=0)
    surcharge_paise: int = sent(kinds.MONEY, "surcharge_amount", default=0)
    currency: str = sent(kinds.WORDS, "iso_currency", default="INR")
    status_code: int = sent(kinds.WHOLE, "transaction_status")
    payment_status: str = sent(kinds.WORDS, "transaction_payment_status")
    bank_code: str = sent(kinds.WORDS, "bank_response_code", default="")
    bank_message: str = sent(kinds.WORDS, "bank_response_msg", default="")


# Not repeated: a second request may find the first one under way.
BEGIN = Operation(
    "seamless",
    "seamless",
    "begin_payment",
    "Begin a payment from the merchant's server",
    "payment-interfaces.md#seamless",
    ("seamless/",),
    SeamlessRequest,
    SeamlessData,
    "page",
    proofs=("token", "privatekey", "checksum"),
    by_hand=True,
    echoes=("orderid",),
    body="json",
    repeats=False,
)
