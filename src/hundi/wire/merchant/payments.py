"""The order that a customer pays, as in the page's form, a QR request and a server's request."""

from hundi.wire import fields, kinds
from hundi.wire.merchant.mandates import OrderMandate
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.message import message, sent
from hundi.wire.operation import PAGE, Operation
from hundi.wire.parts import FieldKind, Values, parts, text_in

PINCODE_MAX = 16
"""Characters; foreign codes are longer than the Indian six digits.

See docs/spec/wire.md#field-bounds.
"""

SALE, AUTHORISE, MOTO, SUBSCRIPTION = "2", "1", "3", "12"
EMI_MONTHS = {"7": 3, "8": 6, "9": 9, "10": 12, "11": 18}
"""`txnsubtype` codes of instalments, and their months (docs/spec/states-and-codes.md#txnsubtype).
"""
SUBTYPES = (AUTHORISE, SALE, MOTO, *EMI_MONTHS, SUBSCRIPTION)


def _as_sent(kind: FieldKind[str]) -> FieldKind[str]:
    return FieldKind(kinds.WORDS.read, kind.write, kind.schema)


_NAME = kinds.text(fields.NAME_MAX, length_min=1)
PERSON = FieldKind(fields.name, _NAME.write, _NAME.schema)
NAME = FieldKind(kinds.words(fields.NAME_MAX).read, _NAME.write, _NAME.schema)
"""A person's name, which may be empty."""
SUBTYPE = kinds.one_of(*SUBTYPES)
UID = FieldKind(kinds.text().read, kinds.CUSTOMER.write, kinds.CUSTOMER.schema)
"""The merchant's own name of its customer; `fields.customer` checks it where cards are saved."""
VPA = FieldKind(fields.vpa, kinds.VPA.write, kinds.VPA.schema)
"""A UPI address as it was sent."""
CURRENCY_CODE = _as_sent(kinds.one_of(*fields.CURRENCIES.values(), *fields.CURRENCIES))
ISO_CURRENCY = _as_sent(kinds.one_of(*fields.CURRENCIES))
"""As sent: `fields.currency` reads both together."""


@message()
class Buyer:
    """The customer as the merchant describes them.

    phone: digits only. Optional fields are "" when not sent.
    """

    email: str = sent(kinds.EMAIL, "buyer_email", older=("buyerEmail",))
    phone: str = sent(kinds.PHONE, "buyer_phone", older=("buyerPhone",))
    firstname: str = sent(PERSON, "buyer_firstname", older=("buyerFirstName",))
    lastname: str = sent(PERSON, "buyer_lastname", older=("buyerLastName",))
    address: str = sent(
        kinds.words(fields.ADDRESS_MAX), "buyer_address", older=("buyerAddress",), default=""
    )
    city: str = sent(kinds.words(), "buyer_city", older=("buyerCity",), default="")
    state: str = sent(kinds.words(), "buyer_state", older=("buyerState",), default="")
    country: str = sent(kinds.words(), "buyer_country", older=("buyerCountry",), default="")
    pincode: str = sent(
        kinds.words(PINCODE_MAX),
        "buyer_pincode",
        "Postal code",
        older=("buyerPinCode",),
        default="",
    )


CAMEL_CASE = {part.name: part.older[0] for part in parts(Buyer)}
"""The older kits' spelling of the buyer fields."""


@message()
class PayerAccount:
    """The one bank account that may pay an order by UPI."""

    number: str = sent(
        kinds.written(
            fields.account_number,
            "The number of the one bank account that may pay",
            r"^[A-Za-z0-9]{6,18}$",
            "50100012345678",
        ),
        "upi_tpv_account",
        hidden=True,
    )
    ifsc: str = sent(
        kinds.written(
            fields.ifsc,
            "The IFSC of that account's branch, in any case",
            r"^[A-Za-z]{4}0[A-Za-z0-9]{6}$",
            "HDFC0000001",
        ),
        "upi_tpv_ifsc",
    )


def currencies_agree(asked: "OrderRequest") -> None:
    """Raise FieldError unless both names of the currency mean the same one."""
    _ = asked.currency


@message(check=currencies_agree)
class OrderRequest:
    """An order to be paid, with every alias of older kits resolved.

    amount_paise: in paise of `currency`. channels: codes of `chmod`, () for all. mer_dom: as sent;
    `fields.origin` reads it.
    """

    order_id: str = sent(kinds.ORDER_ID, "orderid")
    amount_paise: int = sent(kinds.AMOUNT, "amount")
    currency_code: str = sent(
        CURRENCY_CODE, meaning="ISO 4217 number, or letters", older=("currency",)
    )
    iso_currency: str = sent(
        ISO_CURRENCY, meaning="ISO 4217 letters, in any case", older=("isocurrency",)
    )
    buyer: Buyer = sent(kinds.spread(Buyer))
    channels: tuple[str, ...] = sent(
        kinds.CHANNELS, "chmod", "Restricts the channels of this payment", default=()
    )
    customvar: str = sent(
        kinds.words(fields.CUSTOMVAR_MAX),
        meaning="Comes back unchanged",
        older=("custom_var",),
        default="",
    )
    mer_dom: str = sent(kinds.SHOP, default="")
    payer_account: PayerAccount | None = sent(kinds.spread(PayerAccount), default=None)

    @property
    def currency(self) -> str:
        """The ISO letters of the order's currency. Raises FieldError."""
        return fields.currency(self.currency_code, self.iso_currency)


def starts_mandate(values: Values) -> bool:
    """Return whether an order registers a subscription."""
    return text_in(values, "txnsubtype") == SUBSCRIPTION


@message(check=currencies_agree)
class PaymentRequest(OrderRequest):
    """A payment to start."""

    txnsubtype: str = sent(
        SUBTYPE,
        meaning="1 authorise, 2 sale, 3 MOTO, 7-11 EMI of 3/6/9/12/18 months, 12 subscription",
        default=SALE,
    )
    subscription: OrderMandate | None = sent(
        kinds.spread(OrderMandate), default=None, when=starts_mandate
    )
    uid: str = sent(
        UID, "UID", "The merchant's own name of its customer, whose cards are saved", default=""
    )
    saved_card: str = sent(
        kinds.SAVED_CARD,
        "token",
        "A saved card of that customer, to pay with",
        default="",
        hidden=True,
    )
    vpa: str = sent(VPA, default="", unused=True)
    wallet: str = sent(kinds.text(), default="", unused=True)
    kittype: str = sent(kinds.text(), default="", unused=True)


INITIATE = Operation(
    "payment",
    "initiatePayment",
    "payment_form",
    "Initiate simple transaction",
    "payment-interfaces.md#payment",
    ("", "index.php"),
    PaymentRequest,
    TransactionRecord,
    "page",
    root=PAGE,
    proofs=("token", "privatekey", "checksum"),
    by_hand=True,
)
"""The form that a customer's browser posts: a page answers, and later the return leg."""
