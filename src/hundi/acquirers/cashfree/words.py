"""Cashfree's messages as structs: orders, payments, refunds, links and errors.

Amounts are rupees in Decimal.

Fields are those of cashfree/cashfree-pg (model_*.go, version 2026-01-01) and of the pages that
docs/cashfree.md names.
"""

from decimal import Decimal
from http import HTTPStatus
from typing import Annotated, Any, TypeVar

import msgspec

from hundi.kernel.money import PAISE_PER_RUPEE, Money

TEXT_MAX = 255
"""Characters of Cashfree's texts that are kept."""
RUPEES_MAX = Decimal(10) ** 11
Text = Annotated[str, msgspec.Meta(max_length=4_096)]
Id = Annotated[str, msgspec.Meta(max_length=128)] | int
"""Newer versions send ids as texts, older ones as numbers."""
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


class CashfreeAnswer(msgspec.Struct, frozen=True):
    """An answer that arrived: status is HTTP's, body sound JSON."""

    status: int
    body: bytes


class CashfreeRefusal(msgspec.Struct, frozen=True):
    """An error. type: invalid_request_error, authentication_error, idempotency_error and such."""

    type: Text
    code: Text = ""
    message: Text = ""


class CashfreeOrder(msgspec.Struct, frozen=True):
    """An order. order_status: ACTIVE, PAID, EXPIRED, TERMINATED or TERMINATION_REQUESTED."""

    order_id: Text
    order_status: Text
    order_amount: Decimal
    order_currency: Text
    payment_session_id: Text = ""
    order_expiry_time: Text = ""
    cf_order_id: Id | None = None


class FailureReason(msgspec.Struct, frozen=True):
    """Why a payment failed."""

    error_code: Text | None = None
    error_reason: Text | None = None
    error_description: Text | None = None


class Authorization(msgspec.Struct, frozen=True):
    """The end of a hold. action: CAPTURE or VOID; status: SUCCESS or PENDING."""

    action: Text | None = None
    status: Text | None = None
    captured_amount: Decimal | None = None


class CashfreeSurcharge(msgspec.Struct, frozen=True):
    """The customer's fee beside the order."""

    payment_surcharge_service_charge: Decimal | None = None
    payment_surcharge_service_tax: Decimal | None = None


class CashfreePayment(msgspec.Struct, frozen=True):
    """One try of a customer at an order."""

    order_id: Text
    payment_status: Text
    payment_amount: Decimal
    payment_currency: Text = "INR"
    cf_payment_id: Id | None = None
    is_captured: bool | None = None
    bank_reference: Text | None = None
    auth_id: Id | None = None
    payment_message: Text | None = None
    payment_time: Text | None = None
    payment_completion_time: Text | None = None
    payment_method: dict[str, Any] | None = None
    error_details: FailureReason | None = None
    authorization: Authorization | None = None
    payment_surcharge: CashfreeSurcharge | None = None


class VendorPart(msgspec.Struct, frozen=True):
    """What a refund takes of a vendor of Easy Split."""

    vendor_id: Text
    amount: Decimal | None = None


class CashfreeRefund(msgspec.Struct, frozen=True):
    """A refund. refund_status: SUCCESS, PENDING, CANCELLED, ONHOLD or FAILED."""

    refund_id: Text
    order_id: Text
    refund_status: Text
    refund_amount: Decimal
    refund_currency: Text = "INR"
    refund_arn: Text | None = None
    status_description: Text | None = None
    refund_splits: tuple[VendorPart, ...] | None = None


class PayData(msgspec.Struct, frozen=True):
    """The next page of the customer."""

    url: Text | None = None
    payload: dict[str, Any] | None = None
    content_type: Text | None = None
    method: Text | None = None


class PaymentSession(msgspec.Struct, frozen=True):
    """A payment begun at an order. action: link, form, post or custom."""

    action: Text
    payment_amount: Decimal
    data: PayData | None = None
    cf_payment_id: Id | None = None


class CashfreeLink(msgspec.Struct, frozen=True):
    """A payment link. link_status: ACTIVE, PAID, PARTIALLY_PAID, EXPIRED or CANCELLED."""

    link_id: Text
    link_status: Text
    link_amount: Decimal
    link_currency: Text
    link_url: Text = ""
    link_expiry_time: Text = ""


_Word = TypeVar("_Word")


def decoded(answer: CashfreeAnswer, into: type[_Word]) -> _Word | None:
    """Return a good answer as a struct, or None for any other or a malformed one."""
    if answer.status != HTTPStatus.OK:
        return None
    try:
        return msgspec.json.decode(answer.body, type=into)
    except (msgspec.DecodeError, RecursionError):
        return None


def refusal(answer: CashfreeAnswer) -> CashfreeRefusal | None:
    """Return the refusal of a call, or None when the body is no error of Cashfree's."""
    if answer.status == HTTPStatus.OK:
        return None
    try:
        return msgspec.json.decode(answer.body, type=CashfreeRefusal)
    except (msgspec.DecodeError, RecursionError):
        return None


def in_paise(rupees: Decimal | None, currency: str) -> Money | None:
    """Return an amount of Cashfree's, or None if it is no amount of two decimals."""
    if rupees is None or not rupees.is_finite() or not 0 <= rupees < RUPEES_MAX:
        return None
    paise = rupees * PAISE_PER_RUPEE
    return Money(int(paise), currency) if paise == paise.to_integral_value() else None


def in_rupees(amount: Money) -> msgspec.Raw:
    """Return an amount as a JSON number of rupees with two decimals."""
    whole, rest = divmod(amount.paise, PAISE_PER_RUPEE)
    return msgspec.Raw(f"{whole}.{rest:02d}".encode())
