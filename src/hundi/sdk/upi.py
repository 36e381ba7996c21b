"""UPI without the payment page: a QR for one order, and lookups of addresses.

See docs/spec/payment-interfaces.md#generateorder and docs/spec/payment-interfaces.md#validatevpa.
"""

from dataclasses import dataclass, field
from datetime import datetime

from hundi.sdk.calls import Calls, Steps
from hundi.sdk.operations import perform
from hundi.sdk.order import Buyer, SubscriptionTerms
from hundi.wire import fields as wire_fields
from hundi.wire.merchant.payments import SALE, SUBSCRIPTION
from hundi.wire.merchant.qr_orders import GENERATE, GenerateOrderRequest, QrBuyer
from hundi.wire.merchant.upi_address import VALIDATE, UpiAddress, ValidateVpaRequest


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

    @property
    def asked(self) -> GenerateOrderRequest:
        """The request's message."""
        buyer = self.buyer
        return GenerateOrderRequest(
            order_id=self.order_id,
            amount_paise=self.amount_paise,
            currency_code=wire_fields.CURRENCIES.get(self.currency, self.currency),
            buyer=QrBuyer(
                email=buyer.email,
                phone=buyer.phone,
                firstname=buyer.first_name,
                lastname=buyer.last_name,
            )
            if buyer
            else QrBuyer(),
            customvar=self.custom_var,
            txnsubtype=SUBSCRIPTION if self.subscription else SALE,
            subscription=self.subscription.asked if self.subscription else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QrCode:
    """A QR to show, and its payment.

    It can be paid once; ask `verify` until it is paid. text: the QR's contents, a `upi://pay` link;
    on a phone it opens the customer's app. png: the image. expires_at: when a new one is needed;
    money that comes later is not lost. None where the gateway does not say.
    """

    transaction_id: str
    order_id: str
    text: str
    png: bytes = field(repr=False)
    expires_at: datetime | None


def generate_qr(calls: Calls, order: QrOrder) -> Steps[QrCode]:
    """Open an order and return its QR."""
    reply = yield from perform(calls, GENERATE, order.asked)
    return QrCode(
        transaction_id=reply.transaction_id,
        order_id=reply.order_id,
        text=reply.text,
        png=reply.png,
        expires_at=reply.expires_at,
    )


def validate_vpa(calls: Calls, address: str) -> Steps[UpiAddress]:
    """Return whether a UPI address is registered."""
    return perform(calls, VALIDATE, ValidateVpaRequest(address=address))
