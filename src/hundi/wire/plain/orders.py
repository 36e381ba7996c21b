"""Orders of the plain interface: an order that a customer pays on the page or by a QR."""

from datetime import datetime
from typing import Literal

from hundi.wire import fields, kinds
from hundi.wire.merchant.payments import Buyer, PayerAccount
from hundi.wire.merchant.qr_orders import PNG
from hundi.wire.message import message, sent
from hundi.wire.plain.operation import Listing, PlainOperation
from hundi.wire.plain.refunds import PlainRefund

STATES = (
    "open",
    "in_process",
    "authorised",
    "captured",
    "paid",
    "under_review",
    "failed",
    "not_registered",
    "expired",
    "unknown",
    "abandoned",
    "voided",
)
LISTED_MAX = 50
"""Orders of one page."""
REFUNDS_MAX = 100_000
"""Refunds of one order: all of them are one page."""


@message()
class PlainOrderRequest:
    """An order to be paid. The same order again is the same payment, until it is paid.

    capture: `later` holds the amount until you capture it. note: comes back unchanged.
    payer_account: the one bank account that may pay by UPI.
    """

    order_id: str = sent(kinds.ORDER_ID)
    amount_paise: int = sent(kinds.AMOUNT, meaning="In the smallest unit of the currency")
    currency: Literal["INR", "AED", "AUD", "CAD", "EUR", "GBP", "SGD", "USD"] = sent(
        kinds.one_of(*fields.CURRENCIES), meaning="ISO 4217 letters", default="INR"
    )
    buyer: Buyer = sent(kinds.spread(Buyer))
    channels: tuple[str, ...] = sent(
        kinds.CHANNELS, meaning="Restricts the channels of this payment", default=()
    )
    capture: Literal["at_once", "later"] = sent(
        kinds.one_of("at_once", "later"), meaning="When the amount is collected", default="at_once"
    )
    note: str = sent(kinds.words(fields.CUSTOMVAR_MAX), meaning="Comes back unchanged", default="")
    payer_account: PayerAccount | None = sent(kinds.spread(PayerAccount), default=None)


@message()
class PlainOrderName:
    """An order, by your own id of it."""

    order_id: str = sent(kinds.ORDER_ID)


@message()
class PlainOrdersBefore:
    """Orders, newest first."""

    state: str = sent(kinds.one_of(*STATES), meaning="Only those in this state", default="")
    before: str = sent(kinds.TRANSACTION_ID, default="")


@message()
class PlainCard:
    """The card of a payment, as far as anybody may know it."""

    last4: str = sent(kinds.WORDS)
    scheme: str = sent(kinds.WORDS)
    type: str = sent(kinds.WORDS)
    issuer: str = sent(kinds.WORDS)
    country: str = sent(kinds.WORDS)


@message()
class PlainBuyer:
    """The customer of an order."""

    email: str = sent(kinds.WORDS)
    phone: str = sent(kinds.WORDS)
    firstname: str = sent(kinds.WORDS)
    lastname: str = sent(kinds.WORDS)


@message()
class PlainOrder:
    """An order in its current state. Amounts are in the smallest unit of its currency.

    Deliver for `paid`, `captured` or, if you capture later, `authorised`, and for nothing else.
    page_url: where the customer pays it; empty when nothing can be paid any more.
    """

    order_id: str = sent(kinds.NAME)
    transaction_id: str = sent(kinds.NAME, meaning="The gateway's own id of the payment")
    state: str = sent(kinds.NAME)
    amount_paise: int = sent(kinds.MONEY)
    currency: str = sent(kinds.NAME)
    captured_paise: int = sent(kinds.MONEY, meaning="Collected of the amount")
    refunded_paise: int = sent(kinds.MONEY, meaning="Given back, or on its way back")
    surcharge_paise: int = sent(kinds.MONEY, meaning="Paid on top of the amount")
    page_url: str = sent(kinds.WORDS, meaning="The payment page of this order", hidden=True)
    channel: str = sent(kinds.WORDS, meaning="By which it was paid, or tried last")
    note: str = sent(kinds.WORDS)
    buyer: PlainBuyer = sent(kinds.spread(PlainBuyer))
    card: PlainCard | None = sent(kinds.spread(PlainCard))
    payer_vpa: str = sent(kinds.WORDS)
    bank: str = sent(kinds.WORDS, meaning="The name of the payer's bank, where it is known")
    rrn: str = sent(kinds.WORDS, meaning="The bank's number of the payment")
    utr: str = sent(kinds.WORDS, meaning="Of the payout to you, if it was looked up")
    bank_code: str = sent(kinds.WORDS)
    bank_message: str = sent(kinds.WORDS)
    attempts: int = sent(kinds.WHOLE)
    created_at: datetime | None = sent(kinds.MOMENT)
    paid_at: datetime | None = sent(kinds.MOMENT)


@message()
class PlainOrders:
    """A page of orders, newest first."""

    orders: tuple[PlainOrder, ...] = sent(kinds.objects(PlainOrder))


@message()
class PlainRefundsOfOrder:
    """All refunds of an order, oldest first."""

    refunds: tuple[PlainRefund, ...] = sent(kinds.objects(PlainRefund))


@message()
class PlainQrCode:
    """A UPI QR that pays an order.

    text: what it holds, which also opens a UPI app as an address. png: its picture.
    """

    order_id: str = sent(kinds.NAME)
    transaction_id: str = sent(kinds.NAME)
    text: str = sent(kinds.NAME, hidden=True)
    png: bytes = sent(PNG, meaning="In base64", hidden=True)
    expires_at: datetime | None = sent(kinds.MOMENT)


_PAYMENT, _VERIFY = "payment-interfaces.md#payment", "payment-interfaces.md#verify"
CREATE = PlainOperation(
    "createOrder",
    "Create an order and its payment page",
    "POST",
    "orders",
    PlainOrderRequest,
    PlainOrder,
    "page",
    _PAYMENT,
    repeating="taken",
    status=201,
)
SHOW = PlainOperation(
    "showOrder",
    "Show an order: whether it is paid",
    "GET",
    "orders/{order_id}",
    PlainOrderName,
    PlainOrder,
    "read",
    _VERIFY,
    live_only=True,
)
LIST = PlainOperation(
    "listOrders",
    "List orders",
    "GET",
    "orders",
    PlainOrdersBefore,
    PlainOrders,
    "read",
    _VERIFY,
    Listing("orders", place="transaction_id", most=LISTED_MAX),
    live_only=True,
)
REFUNDS = PlainOperation(
    "listRefundsOfOrder",
    "List the refunds of an order",
    "GET",
    "orders/{order_id}/refunds",
    PlainOrderName,
    PlainRefundsOfOrder,
    "read",
    "payment-interfaces.md#refund",
    Listing("refunds", "", place="refund_id", most=REFUNDS_MAX),
    live_only=True,
)
QR = PlainOperation(
    "createQrCode",
    "Create an order that one UPI QR pays",
    "POST",
    "qr_codes",
    PlainOrderRequest,
    PlainQrCode,
    "page",
    "payment-interfaces.md#generateorder",
    repeating="taken",
    status=201,
)
