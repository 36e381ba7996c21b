"""The message in `encdata` of a UPI QR, parsed and checked.

See docs/spec/payment-interfaces.md#generateorder.
"""

from dataclasses import dataclass
from datetime import date

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.payments import (
    PINCODE_MAX,
    SALE,
    SUBSCRIPTION,
    Buyer,
    PayerAccount,
    Subscription,
    parse_payer_account,
    parse_subscription,
)
from hundi.wire.merchant.values import Values, free, required, text, words

DEFAULT_CURRENCY = "INR"
"""Of a QR order whose sender names none."""
_LETTERS = {number: letters for letters, number in fields.CURRENCIES.items()}


@dataclass(frozen=True, slots=True)
class GenerateOrderRequest:
    """An order to be paid by one UPI QR. amount_paise: in paise of `currency` (ISO letters).

    buyer: every field "" that was not sent. mer_dom: as sent. call_type, customer_consent, tid:
    kept, not interpreted.
    """

    order_id: str
    amount_paise: int
    currency: str
    buyer: Buyer
    customvar: str = ""
    call_type: str = ""
    customer_consent: str = ""
    mer_dom: str = ""
    tid: str = ""
    subscription: Subscription | None = None
    payer_account: PayerAccount | None = None


def _refuse_other_kinds(values: Values) -> None:
    """Refuse a payment form's message that asks for no UPI payment.

    Raises FieldError.
    """
    kind = text(values, "txnsubtype")
    if kind not in {"", SALE, SUBSCRIPTION}:
        raise FieldError(
            "txnsubtype", kind, f"{SALE} or {SUBSCRIPTION}: a QR is a sale or approves a mandate"
        )
    asked = fields.channels(text(values, "chmod"))
    if asked and not {"upi", "btqr"} & set(asked):
        raise FieldError("chmod", "_".join(asked), "upi: a QR is paid by UPI")


def parse_generate_order(
    values: Values, *, outer_mer_dom: str = "", today: date | None = None, day_first: bool = False
) -> GenerateOrderRequest:
    """Return the order to make a QR of. Raises FieldError.

    Only `orderid` and `amount` are required.

    outer_mer_dom: the outer field, used where the inner one is empty. today, day_first: as
    `parse_payment` has them.
    """
    is_mandate = text(values, "txnsubtype") == SUBSCRIPTION
    _refuse_other_kinds(values)
    return GenerateOrderRequest(
        order_id=fields.order_id(required(values, "orderid")),
        amount_paise=fields.paise_from_text(required(values, "amount")),
        currency=_currency(values),
        buyer=_buyer(values),
        customvar=words(values, "customvar", "custom_var", length_max=fields.CUSTOMVAR_MAX),
        call_type=free(values, "call_type"),
        customer_consent=words(values, "customer_consent"),
        mer_dom=free(values, "mer_dom") or fields.free_text(outer_mer_dom, "mer_dom"),
        tid=free(values, "tid"),
        payer_account=parse_payer_account(values),
        subscription=parse_subscription(values, today, day_first=day_first) if is_mandate else None,
    )


def _currency(values: Values) -> str:
    code = text(values, "currency_code", "currency")
    letters = text(values, "iso_currency", "isocurrency")
    letters = (
        letters
        or _LETTERS.get(code)
        or (code.upper() if code.upper() in fields.CURRENCIES else DEFAULT_CURRENCY)
    )
    return fields.currency(code or letters, letters)


def _buyer(values: Values) -> Buyer:
    def sent(name: str, length_max: int = fields.TEXT_MAX) -> str:
        return words(values, name, fields.CAMEL_CASE[name], length_max=length_max)

    # Exact: one in ten of phone numbers with their country's code looks like an Aadhaar number.
    email, phone = (
        text(values, name, fields.CAMEL_CASE[name]) for name in ("buyer_email", "buyer_phone")
    )
    return Buyer(
        email=email and fields.email(email),
        phone=phone and fields.phone(phone),
        firstname=sent("buyer_firstname", fields.NAME_MAX),
        lastname=sent("buyer_lastname", fields.NAME_MAX),
        address=sent("buyer_address", fields.ADDRESS_MAX),
        city=sent("buyer_city"),
        state=sent("buyer_state"),
        country=sent("buyer_country"),
        pincode=sent("buyer_pincode", PINCODE_MAX),
    )
