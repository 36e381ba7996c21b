"""Razorpay's messages as types."""

from typing import Annotated, Any

import msgspec

from hundi.acquirers.calls.razorpay_wire import Id, Text, Word

AMOUNT_PAISE_MAX = 9_999_999_999_999
"""The largest amount of one movement that is accepted from Razorpay."""
Paise = Annotated[int, msgspec.Meta(ge=0, le=AMOUNT_PAISE_MAX)]
_Currency = Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z")]
_Url = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,2000}\Z")]
"""Without blanks and control characters: it becomes a header or a link."""


class RazorpayOrder(msgspec.Struct, frozen=True):
    """An order: `receipt` is our reference."""

    id: Id
    amount: Paise
    currency: _Currency
    status: Word
    receipt: Word | None = None


class Orders(msgspec.Struct, frozen=True):
    """A list of orders."""

    items: tuple[RazorpayOrder, ...]


class RazorpayCard(msgspec.Struct, frozen=True):
    """The card of a payment, as far as Razorpay shows it."""

    last4: Annotated[str, msgspec.Meta(pattern=r"^([0-9]{4})?\Z")] | None = None
    network: Word | None = None
    type: Word | None = None
    issuer: Word | None = None
    international: bool | None = None


class RazorpayPayment(msgspec.Struct, frozen=True):
    """One try of a customer at an order.

    fee: within `amount` if the customer bears it; else deducted from the merchant's settlement.
    """

    id: Id
    amount: Paise
    currency: _Currency
    status: Word
    method: Word | None = None
    order_id: Id | None = None
    token_id: Id | None = None
    captured: bool | None = None
    created_at: int = 0
    fee: Paise | None = None
    vpa: Text | None = None
    card: RazorpayCard | None = None
    error_code: Word | None = None
    error_description: Text | None = None
    error_reason: Word | None = None
    acquirer_data: Any = None
    notes: Any = None


class RazorpayCustomer(msgspec.Struct, frozen=True):
    """A customer who can be debited again."""

    id: Id


class RegistrationLink(msgspec.Struct, frozen=True):
    """A page at which a customer registers a mandate, with the order and the customer it made."""

    order_id: Id
    customer_id: Id
    short_url: _Url


class RecurringDetails(msgspec.Struct, frozen=True):
    """How a token stands. status: initiated, confirmed, rejected, cancelled or paused."""

    status: Word | None = None


class RazorpayToken(msgspec.Struct, frozen=True):
    """What a customer approved for later debits.

    expired_at: Unix seconds. mrn: the bank's number of it.
    """

    id: Id
    method: Word | None = None
    mrn: Word | None = None
    recurring: bool | None = None
    recurring_details: RecurringDetails | None = None
    expired_at: int | None = None


class RazorpayTokens(msgspec.Struct, frozen=True):
    """The tokens of a customer."""

    items: tuple[RazorpayToken, ...]


class RazorpayNotification(msgspec.Struct, frozen=True):
    """The notice of a debit that Razorpay sends for an order.

    payment_after, delivered_at: Unix seconds. status: delivered or failed, None until then.
    """

    payment_after: int | None = None
    delivered_at: int | None = None
    status: Word | None = None


class NotifiedOrder(msgspec.Struct, frozen=True):
    """An order that a token is to be debited for."""

    id: Id
    amount: Paise
    currency: _Currency
    receipt: Word | None = None
    notification: RazorpayNotification | None = None


class NotifiedOrders(msgspec.Struct, frozen=True):
    """Orders of a receipt, with their notices as far as Razorpay lists them."""

    items: tuple[NotifiedOrder, ...]


class RazorpayPayments(msgspec.Struct, frozen=True):
    """The payments of an order."""

    items: tuple[RazorpayPayment, ...]


class RazorpayAddress(msgspec.Struct, frozen=True):
    """A UPI address. success: whether it exists."""

    vpa: str
    success: bool
    customer_name: str | None = None


class RazorpayRefund(msgspec.Struct, frozen=True):
    """A refund: `receipt` is our reference."""

    id: Id
    amount: Paise
    currency: _Currency
    status: Word
    payment_id: Id | None = None
    receipt: Word | None = None
    acquirer_data: Any = None
    notes: Any = None


class RazorpayRefunds(msgspec.Struct, frozen=True):
    """The refunds of a payment."""

    items: tuple[RazorpayRefund, ...]


class _Step(msgspec.Struct, frozen=True):
    action: Word
    url: _Url


class PaymentStart(msgspec.Struct, frozen=True):
    """A payment that we began, and its customer's next step. link: of UPI."""

    razorpay_payment_id: Id
    link: _Url | None = None
    next: tuple[_Step, ...] = ()

    def url(self, action: str) -> str:
        """Return the address of a next step; "" where there is none."""
        return next((each.url for each in self.next if each.action == action), "")


class Methods(msgspec.Struct, frozen=True):
    """The payment methods of an account. A disabled wallet or lender is false."""

    netbanking: Any = None
    wallet: Any = None
    paylater: Any = None
    emi_options: msgspec.Raw = msgspec.Raw(b"{}")
