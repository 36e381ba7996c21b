"""An order that is paid by one UPI QR (docs/spec/payment-interfaces.md#generateorder)."""

import base64
from datetime import datetime

from hundi.wire import fields, kinds
from hundi.wire.fields import FieldError
from hundi.wire.merchant.mandates import OrderMandate
from hundi.wire.merchant.payments import (
    CURRENCY_CODE,
    ISO_CURRENCY,
    NAME,
    SALE,
    SUBSCRIPTION,
    Buyer,
    OrderRequest,
    currencies_agree,
    starts_mandate,
)
from hundi.wire.message import message, sent
from hundi.wire.operation import Operation
from hundi.wire.parts import FieldKind

DEFAULT_CURRENCY = "INR"
"""The currency of a QR order without one."""
_LETTERS = {number: letters for letters, number in fields.CURRENCIES.items()}


def _subtype(text: str, name: str) -> str:
    if text not in {SALE, SUBSCRIPTION}:
        allowed = f"{SALE} or {SUBSCRIPTION}: a QR is a sale or approves a mandate"
        raise FieldError(name, text, allowed)
    return text


def _channels(text: str, name: str) -> tuple[str, ...]:
    asked = fields.channels(text, name)
    if not {"upi", "btqr"} & set(asked):
        raise FieldError(name, "_".join(asked), "upi: a QR is paid by UPI")
    return asked


_SUBTYPE = FieldKind(_subtype, kinds.WORDS.write, kinds.one_of(SALE, SUBSCRIPTION).schema)
_CHANNELS = FieldKind(
    _channels, kinds.CHANNELS.write, kinds.one_of("upi", "btqr", "upi_btqr").schema
)


@message()
class QrBuyer(Buyer):
    """The customer of a QR order, as far as the merchant describes them."""

    email: str = sent(kinds.EMAIL, "buyer_email", older=("buyerEmail",), default="")
    phone: str = sent(kinds.PHONE, "buyer_phone", older=("buyerPhone",), default="")
    firstname: str = sent(NAME, "buyer_firstname", older=("buyerFirstName",), default="")
    lastname: str = sent(NAME, "buyer_lastname", older=("buyerLastName",), default="")


@message(check=currencies_agree)
class GenerateOrderRequest(OrderRequest):
    """An order that is paid by one UPI QR."""

    currency_code: str = sent(
        CURRENCY_CODE, meaning="ISO 4217 number, or letters", older=("currency",), default=""
    )
    iso_currency: str = sent(
        ISO_CURRENCY, meaning="ISO 4217 letters, in any case", older=("isocurrency",), default=""
    )
    buyer: QrBuyer = sent(kinds.spread(QrBuyer), default=QrBuyer())
    channels: tuple[str, ...] = sent(_CHANNELS, "chmod", "UPI, or Bharat QR", default=())
    txnsubtype: str = sent(
        _SUBTYPE, meaning="A sale, or the first payment of a subscription", default=SALE
    )
    subscription: OrderMandate | None = sent(
        kinds.spread(OrderMandate), default=None, when=starts_mandate
    )
    call_type: str = sent(kinds.text(), default="", unused=True)
    customer_consent: str = sent(kinds.words(), default="", unused=True)
    tid: str = sent(kinds.text(), default="", unused=True)

    @property
    def currency(self) -> str:
        """The ISO letters of the order's currency. Raises FieldError."""
        code = self.currency_code
        named = code.upper() if code.upper() in fields.CURRENCIES else DEFAULT_CURRENCY
        letters = self.iso_currency or _LETTERS.get(code) or named
        return fields.currency(code or letters, letters)


def _read_png(text: str, name: str) -> bytes:
    try:
        return base64.b64decode(kinds.NAME.read(text, name), validate=True)
    except ValueError as wrong:
        if isinstance(wrong, FieldError):
            raise
        raise FieldError(name, text, "a PNG in Base64") from None


PNG = FieldKind(_read_png, lambda png, _: base64.b64encode(png).decode(), kinds.WORDS.schema)


@message()
class QrData:
    """A QR order.

    qr_image: PNG in base64 without a `data:` prefix. expires_at: ISO 8601 with the Indian offset.
    qrcode_string repeats qr_string, and status is "200", for clients that read those.
    """

    text: str = sent(kinds.NAME, "qr_string")
    png: bytes = sent(PNG, "qr_image", hidden=True)
    transaction_id: str = sent(kinds.NAME, "ap_transactionid")
    order_id: str = sent(kinds.WORDS, "orderid")
    merchant_id: str = sent(kinds.WORDS)
    text_again: str = sent(kinds.WORDS, "qrcode_string")
    status: str = sent(kinds.WORDS)
    expires_at: datetime | None = sent(kinds.MOMENT)


# At least one real client leaves the privatekey out here (docs/spec/wire.md#privatekey).
GENERATE = Operation(
    "generateorder",
    "generateOrder",
    "generate_qr",
    "Generate UPI QR code",
    "payment-interfaces.md#generateorder",
    ("generateorder/", "generateOrder/"),
    GenerateOrderRequest,
    QrData,
    "page",
    proofs=("token",),
    by_hand=True,
    echoes=("orderid",),
    body="json",
)
