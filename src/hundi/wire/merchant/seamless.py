"""The message of a payment that a merchant's server begins: an order, and how it is paid.

See docs/spec/payment-interfaces.md#seamless.
"""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import cast

import msgspec

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.payments import PaymentRequest, parse_payment
from hundi.wire.merchant.values import Values, free, required, text, words

UPI, NET_BANKING, WALLET, PAY_LATER, CARD = "upi", "nb", "ppc", "payltr", "pg"
PAY_BY = (UPI, NET_BANKING, WALLET, PAY_LATER, CARD)
REDIRECT, FORM, UPI_LINK, WAIT, NOTHING = "redirect", "form", "upi_link", "wait", "none"
NEXT = (REDIRECT, FORM, UPI_LINK, WAIT, NOTHING)
"""What the customer does next: `next_action` of the reply."""
CARD_FIELD_MAX = 40
HIDDEN = "(not shown)"
BANK_CODE = r"[A-Z]{4}(_C)?"
_BANK_CODE = re.compile(BANK_CODE + r"\Z")


@dataclass(frozen=True, slots=True)
class CardFields:
    """A card as it was sent, unchecked; without a readable form."""

    number: str = field(repr=False)
    expiry: str = field(repr=False)
    cvv: str = field(repr=False)
    holder: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class SeamlessRequest:
    """An order and how it is paid.

    vpa: of a request to a UPI app, "" for a link. bank_code: of a bank, wallet or lender.
    customer_ip, customer_agent: address and User-Agent of the customer's own device, "" where the
    merchant does not say.
    """

    order: PaymentRequest
    pay_by: str
    vpa: str = ""
    bank_code: str = ""
    card: CardFields | None = None
    customer_ip: str = ""
    customer_agent: str = ""


class SeamlessData(msgspec.Struct, frozen=True, kw_only=True):
    """What the customer does next, and where the order stands.

    next_action: one of NEXT. redirect_url: where to send the browser; redirect_fields: the form
    that it posts there, in this order, empty where it only goes there; upi_link: what to open or
    show as a QR. payable_amount: what the customer pays, `surcharge_amount` included, "" where
    nothing is under way.
    """

    next_action: str
    redirect_url: str = ""
    redirect_fields: dict[str, str] = {}
    upi_link: str = ""
    ap_transactionid: str
    orderid: str
    merchant_id: str
    amount: str
    payable_amount: str = ""
    surcharge_amount: str = "0.00"
    iso_currency: str = "INR"
    transaction_status: int
    transaction_payment_status: str
    bank_response_code: str = ""
    bank_response_msg: str = ""


def parse_seamless(values: Values) -> SeamlessRequest:
    """Return the payment to begin. Raises FieldError, which never repeats anything of a card."""
    pay_by = fields.one_of(required(values, "pay_by"), "pay_by", PAY_BY)
    bank_code = free(values, "bank_code")
    if pay_by in {NET_BANKING, WALLET, PAY_LATER} and not _BANK_CODE.match(bank_code):
        raise FieldError(
            "bank_code", bank_code, "a bank's code, as the bank list has it: HDFC, or HDFC_C"
        )
    order = parse_payment(values)
    return SeamlessRequest(
        order=order,
        pay_by=pay_by,
        vpa=order.vpa if pay_by == UPI else "",
        bank_code=bank_code,
        card=_card(values) if pay_by == CARD else None,
        customer_ip=_address(text(values, "customer_ip")),
        customer_agent=words(values, "customer_agent"),
    )


def _card(values: Values) -> CardFields:
    return CardFields(
        *(_hidden(values, f"card_{part}") for part in ("number", "expiry", "cvv", "holder"))
    )


def _hidden(values: Values, name: str) -> str:
    """Return a field of a card; what was sent is in no error."""
    sent = values.get(name)
    given = "" if sent is None else str(sent) if isinstance(sent, str | int) else None
    if given is None or len(given) > CARD_FIELD_MAX or (not given and name != "card_holder"):
        raise FieldError(
            name, HIDDEN if sent else "", f"text of at most {CARD_FIELD_MAX} characters"
        )
    return given


def _address(sent: str) -> str:
    try:
        return str(ip_address(sent)) if sent else ""
    except ValueError:
        raise FieldError("customer_ip", sent, "an IPv4 or IPv6 address") from None


def seamless_data(data: SeamlessData) -> dict[str, object]:
    """Return `data` of the reply."""
    return cast("dict[str, object]", msgspec.to_builtins(data))
