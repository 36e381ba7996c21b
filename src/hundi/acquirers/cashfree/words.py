"""Cashfree's words as structs: orders, payments, refunds, links and errors.

Amounts are rupees in Decimal.

Fields are those of cashfree/cashfree-pg (model_*.go, version 2026-01-01) and of the pages that docs/cashfree.md names.
"""

from decimal import Decimal
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

import msgspec

from hundi.kernel.money import PAISE_PER_RUPEE, Money

TEXT_MAX = 255
"""Characters that are kept of what Cashfree says in words."""
RUPEES_MAX = Decimal(10) ** 11
_Text = Annotated[str, msgspec.Meta(max_length=4_096)]
_Id = Annotated[str, msgspec.Meta(max_length=128)] | int
"""Newer versions say ids as texts, older ones as numbers."""
READABLE = frozenset(
    {
        HTTPStatus.OK,
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.UNAUTHORIZED,
        HTTPStatus.FORBIDDEN,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
"""Statuses whose bodies are read; any other answer decides nothing."""


class Said(msgspec.Struct, frozen=True):
    """An answer that arrived: status is HTTP's, body sound JSON."""

    status: int
    body: bytes


class Refusal(msgspec.Struct, frozen=True):
    """An error. type: invalid_request_error, authentication_error, idempotency_error and such."""

    type: _Text
    code: _Text = ""
    message: _Text = ""


class Order(msgspec.Struct, frozen=True):
    """An order. order_status: ACTIVE, PAID, EXPIRED, TERMINATED or TERMINATION_REQUESTED."""

    order_id: _Text
    order_status: _Text
    order_amount: Decimal
    order_currency: _Text
    payment_session_id: _Text = ""
    order_expiry_time: _Text = ""
    cf_order_id: _Id | None = None


class FailureReason(msgspec.Struct, frozen=True):
    """Why a payment failed."""

    error_code: _Text | None = None
    error_reason: _Text | None = None
    error_description: _Text | None = None


class Authorization(msgspec.Struct, frozen=True):
    """The end of a hold. action: CAPTURE or VOID; status: SUCCESS or PENDING."""

    action: _Text | None = None
    status: _Text | None = None
    captured_amount: Decimal | None = None


class Payment(msgspec.Struct, frozen=True):
    """One try of a customer at an order."""

    order_id: _Text
    payment_status: _Text
    payment_amount: Decimal
    payment_currency: _Text = "INR"
    cf_payment_id: _Id | None = None
    is_captured: bool | None = None
    bank_reference: _Text | None = None
    auth_id: _Id | None = None
    payment_message: _Text | None = None
    payment_time: _Text | None = None
    payment_completion_time: _Text | None = None
    payment_method: dict[str, Any] | None = None
    error_details: FailureReason | None = None
    authorization: Authorization | None = None


class Refund(msgspec.Struct, frozen=True):
    """A refund. refund_status: SUCCESS, PENDING, CANCELLED, ONHOLD or FAILED."""

    refund_id: _Text
    order_id: _Text
    refund_status: _Text
    refund_amount: Decimal
    refund_currency: _Text = "INR"
    refund_arn: _Text | None = None
    status_description: _Text | None = None


class PayData(msgspec.Struct, frozen=True):
    """Where the customer goes on."""

    url: _Text | None = None
    payload: dict[str, Any] | None = None
    content_type: _Text | None = None
    method: _Text | None = None


class Begun(msgspec.Struct, frozen=True):
    """A payment that was begun at an order. action: link, form, post or custom."""

    action: _Text
    payment_amount: Decimal
    data: PayData | None = None
    cf_payment_id: _Id | None = None


class Link(msgspec.Struct, frozen=True):
    """A payment link. link_status: ACTIVE, PAID, PARTIALLY_PAID, EXPIRED or CANCELLED."""

    link_id: _Text
    link_status: _Text
    link_amount: Decimal
    link_currency: _Text
    link_url: _Text = ""
    link_expiry_time: _Text = ""


_Word = TypeVar("_Word")


def decoded(said: Said, into: type[_Word]) -> _Word | None:
    """Return a good answer as a struct, or None when it is none or not in its form."""
    if said.status != HTTPStatus.OK:
        return None
    try:
        return msgspec.json.decode(said.body, type=into)
    except (msgspec.DecodeError, RecursionError):
        return None


def refusal(said: Said) -> Refusal | None:
    """Return what a call was refused with, or None when the body is no error of Cashfree's."""
    if said.status == HTTPStatus.OK:
        return None
    try:
        return msgspec.json.decode(said.body, type=Refusal)
    except (msgspec.DecodeError, RecursionError):
        return None


def in_paise(rupees: Decimal | None, currency: str) -> Money | None:
    """Return an amount that Cashfree says, or None for what is no amount of two decimals."""
    if rupees is None or not rupees.is_finite() or not 0 <= rupees < RUPEES_MAX:
        return None
    paise = rupees * PAISE_PER_RUPEE
    return Money(int(paise), currency) if paise == paise.to_integral_value() else None


def in_rupees(amount: Money) -> msgspec.Raw:
    """Return an amount as a JSON number of rupees with two decimals."""
    whole, rest = divmod(amount.paise, PAISE_PER_RUPEE)
    return msgspec.Raw(f"{whole}.{rest:02d}".encode())
