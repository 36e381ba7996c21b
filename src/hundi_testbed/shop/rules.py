"""The shop's products, and the order status that follows from a message of the gateway."""

import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from hundi.sdk import Buyer, Transaction, paise
from hundi.sdk.errors import InvalidOrderError

SHOP_NAME = "Asha Handlooms"
FREE_AMOUNT_TITLE = "Gift card"
WATCH_S = 90
"""Seconds after the last news during which an order page refreshes by itself."""
# Without 0, 1, I, O, so that a customer can read an order id over the telephone.
_ORDER_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
# The payment page is open without an attempt: the customer may go on paying there.
_NOTHING_SENT = "INCOMPLETE"
_TYPED_MARKS = re.compile(r"[₹,\s]")


class OrderStatus(StrEnum):
    """The state of an order."""

    PLACED = "placed"
    """The shop has no message about it yet."""
    PENDING = "pending"
    """The gateway knows the payment, which may still become paid."""
    AUTHORISED = "authorised"
    """The money is reserved."""
    PAID = "paid"
    """The money is captured: pack the parcel."""
    FAILED = "failed"
    """It ended without money; the customer may try again."""


@dataclass(frozen=True, slots=True)
class Product:
    """Something on the shelf; price in paise. The picture is `static/<product_id>.svg`."""

    product_id: str
    title: str
    detail: str
    price_paise: int


PRODUCTS = (
    Product(
        "chai", "Nilgiri masala chai", "250 g, with green cardamom: what our weavers drink", 34900
    ),
    Product("diya", "Brass diya, a pair", "Sand-cast in Moradabad, burns for two hours", 64900),
    Product("chappal", "Kolhapuri chappal", "Vegetable-tanned leather, stitched by hand", 149950),
    Product("dupatta", "Ajrakh dupatta", "Block-printed cotton from Ajrakhpur, Kutch", 225000),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopOrder:
    """One order in the shop's own books.

    The expected amount is decided here, never by a callback.
    """

    order_id: str
    title: str
    amount_paise: int
    buyer: Buyer
    status: OrderStatus
    created_at: datetime


def product(product_id: str) -> Product | None:
    """Return the product, or None for an unknown one."""
    return next((each for each in PRODUCTS if each.product_id == product_id), None)


def wanted(product_id: str, typed_amount: str) -> tuple[str, int]:
    """Return title and price (paise) of the customer's choice: a product, or a typed amount.

    Raises InvalidOrderError when it is neither. People type amounts such as `₹1,499.50`, so marks
    are ignored.
    """
    chosen = product(product_id)
    if chosen:
        return chosen.title, chosen.price_paise
    if product_id:
        raise InvalidOrderError(
            field="product", received=product_id, allowed="something from the shelf"
        )
    return FREE_AMOUNT_TITLE, paise(_TYPED_MARKS.sub("", typed_amount))


def new_order_id() -> str:
    """Return an order id that cannot be guessed: it alone gives access to the order page."""
    return "AH-" + "".join(secrets.choice(_ORDER_ALPHABET) for _ in range(12))


def offer_id(order_id: str) -> str:
    """Return the unique id of an order's coupons: at most 10 characters, as offers require."""
    return order_id[-10:]


def status_after(status: OrderStatus, record: Transaction) -> OrderStatus:
    """Return the order's status after a message; messages may repeat or come out of order.

    Paid stays paid: a late older message, or news of a refund, takes no parcel back here.
    """
    if status is OrderStatus.PAID or record.is_refund:
        return status
    if record.is_paid:
        return OrderStatus.PAID
    if record.is_authorised:
        return OrderStatus.AUTHORISED
    if record.is_pending and record.payment_status == _NOTHING_SENT:
        return OrderStatus.PLACED
    return OrderStatus.PENDING if record.is_pending else OrderStatus.FAILED


def may_pay(status: OrderStatus) -> bool:
    """Return whether the customer may go to the payment page: not while a payment is undecided."""
    return status in {OrderStatus.PLACED, OrderStatus.FAILED}


def expects_news(status: OrderStatus, kinds: frozenset[str], quiet: timedelta) -> bool:
    """Return whether an open order page should refresh by itself.

    kinds: of the events so far. quiet: time since the last one.
    """
    waiting = status in {OrderStatus.PENDING, OrderStatus.AUTHORISED} or "notification" not in kinds
    return "return" in kinds and waiting and quiet < timedelta(seconds=WATCH_S)
