"""UPI without the payment page: a QR for one order, and whether an address exists.

See docs/spec/payment-interfaces.md#generateorder and docs/spec/payment-interfaces.md#validatevpa.
"""

import base64
from dataclasses import dataclass, field
from datetime import datetime

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import perform
from hundi.sdk.order import Buyer, SubscriptionTerms
from hundi.sdk.outgoing import amount_text, checked, origin_text
from hundi.wire import fields as wire_fields
from hundi.wire.merchant.operations import parse_generate_order
from hundi.wire.merchant.payments import SUBSCRIPTION
from hundi.wire.merchant.upi_address import VALIDATE, UpiAddress, ValidateVpaRequest

GENERATE_ORDER_PATH = "/gateway/pay/v4/api/generateorder/"


@dataclass(frozen=True, slots=True, kw_only=True)
class QrOrder:
    """One payment to be made by scanning a QR.

    order_id: 1 to 64 of `A-Z a-z 0-9 - _ .`, unique per merchant. The same order again reopens the
    same payment. amount_paise: whole paise above zero. currency: ISO 4217 letters. buyer: may be
    left out. custom_var: comes back unchanged in every record, up to 4096 characters. subscription:
    what the customer approves for later debits, with this payment.
    """

    order_id: str
    amount_paise: int
    currency: str = "INR"
    buyer: Buyer | None = None
    custom_var: str = ""
    subscription: SubscriptionTerms | None = None

    def fields(self, shop_origin: str = "") -> dict[str, str]:
        """Return the payload, checked against the gateway's own bounds.

        Raises InvalidRequestError.
        """
        buyer = self.buyer
        terms = (
            {"txnsubtype": SUBSCRIPTION, **self.subscription.fields()} if self.subscription else {}
        )
        optional = {
            "customvar": self.custom_var,
            "mer_dom": origin_text(shop_origin),
            "buyer_email": buyer.email if buyer else "",
            "buyer_phone": buyer.phone if buyer else "",
            "buyer_firstname": buyer.first_name if buyer else "",
            "buyer_lastname": buyer.last_name if buyer else "",
        }
        payload = {
            "orderid": self.order_id,
            "amount": amount_text(self.amount_paise),
            "currency_code": wire_fields.CURRENCIES.get(self.currency, self.currency),
        } | {name: value for name, value in (optional | terms).items() if value}
        _ = checked(parse_generate_order, payload)
        return payload


@dataclass(frozen=True, slots=True, kw_only=True)
class QrCode:
    """A QR to show, and the payment it is for.

    One payment spends it; ask `verify` until it is paid.

    text: what the QR holds, a `upi://pay` link; on a phone it opens the customer's app. png: the
    image. expires_at: when a new one is needed; money that comes later is not lost. None where the
    gateway does not say.
    """

    transaction_id: str
    order_id: str
    text: str
    png: bytes = field(repr=False)
    expires_at: datetime | None


def generate_qr(calls: Calls, order: QrOrder) -> Steps[QrCode]:
    """Open an order and return its QR."""
    envelope = yield from calls.ask(
        GENERATE_ORDER_PATH, order.fields(calls.shop_origin), as_json=True
    )
    told = incoming.data(envelope, "generateorder")
    order_id = incoming.text(told, "orderid")
    if order_id != order.order_id:
        raise errors.MismatchError("orderid", order.order_id, order_id)
    image = incoming.demanded(told, "qr_image")
    try:
        png = base64.b64decode(image, validate=True)
    except ValueError as error:
        message = "qr_image of a reply is not Base64"
        raise errors.UnreadableReplyError(message) from error
    return QrCode(
        transaction_id=incoming.demanded(told, "ap_transactionid"),
        order_id=order_id,
        text=incoming.demanded(told, "qr_string"),
        png=png,
        expires_at=incoming.moment(incoming.text(told, "expires_at"), "expires_at"),
    )


def validate_vpa(calls: Calls, address: str) -> Steps[UpiAddress]:
    """Ask whether a UPI address is registered."""
    return perform(calls, VALIDATE, ValidateVpaRequest(address=address))
