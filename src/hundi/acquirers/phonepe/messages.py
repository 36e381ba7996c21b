"""PhonePe's messages as types."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

import msgspec

_Number = Annotated[str, msgspec.Meta(max_length=64)]
"""A number or a code that PhonePe gave."""


class PhonePeRail(msgspec.Struct, frozen=True, rename="camel"):
    """The network that carried an attempt."""

    utr: _Number | None = None
    vpa: str | None = None
    authorization_code: _Number | None = None
    transaction_id: _Number | None = None
    service_transaction_id: _Number | None = None


class PhonePeInstrument(msgspec.Struct, frozen=True, rename="camel"):
    """The customer's instrument."""

    type: _Number | None = None
    brn: _Number | None = None
    bank_id: _Number | None = None
    card_network: _Number | None = None
    masked_card_number: _Number | None = None
    geo_scope: _Number | None = None


class PhonePePart(msgspec.Struct, frozen=True, rename="camel"):
    """A part of an attempt or of a refund: one instrument on one rail."""

    rail: PhonePeRail | None = None
    instrument: PhonePeInstrument | None = None


class PhonePeAttempt(PhonePePart, frozen=True, rename="camel"):
    """One try of the customer at an order."""

    transaction_id: _Number | None = None
    amount: int | None = None
    fee_amount: int | None = None
    state: _Number | None = None
    split_instruments: tuple[PhonePePart, ...] | None = None


class _Context(msgspec.Struct, frozen=True, rename="camel"):
    """Why an order failed, in words."""

    description: str | None = None


class PhonePeFlow(msgspec.Struct, frozen=True, rename="camel"):
    """How an order is paid. valid_after, valid_upto: when a debit can be redeemed, in ms."""

    valid_after: int | None = None
    valid_upto: int | None = None


class PhonePeSettlement(msgspec.Struct, frozen=True, rename="camel"):
    """A settlement in the list of a range of time."""

    settlement_id: _Number
    state: _Number


class AnswerBody(msgspec.Struct, frozen=True, rename="camel"):
    """Every field of PhonePe's answers that we read; each call has some of them."""

    code: _Number | None = None
    message: str | None = None
    order_id: _Number | None = None
    merchant_order_id: str | None = None
    state: _Number | None = None
    amount: int | None = None
    fee_amount: int | None = None
    expire_at: int | None = None
    intent_url: str | None = None
    redirect_url: str | None = None
    payment_flow: PhonePeFlow | None = None
    error_code: _Number | None = None
    detailed_error_code: _Number | None = None
    error_context: _Context | None = None
    payment_details: tuple[PhonePeAttempt, ...] | None = None
    refund_id: _Number | None = None
    merchant_refund_id: str | None = None
    split_instruments: tuple[PhonePePart, ...] | None = None
    settlements: tuple[PhonePeSettlement, ...] | None = None
    has_next: bool | None = None
    settlement_id: _Number | None = None
    utr: _Number | None = None
    valid: bool | None = None
    name: str | None = None


class _Payload(msgspec.Struct, frozen=True, rename="camel"):
    merchant_order_id: str | None = None
    merchant_refund_id: str | None = None
    merchant_subscription_id: str | None = None


class _Webhook(msgspec.Struct, frozen=True):
    """A webhook. `type` is deprecated by PhonePe and not read."""

    event: str
    payload: _Payload


@dataclass(frozen=True, slots=True)
class PhonePeAnswer:
    """An answer with its HTTP status."""

    status: int
    word: AnswerBody

    @property
    def refused(self) -> bool:
        """Return whether it was turned away before any work: credentials or rights."""
        return self.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}

    def is_absence(self, code: str) -> bool:
        """Return whether it says, with this code, that there is no such object.

        code: "" for none.
        """
        return (
            bool(code)
            and self.status in {HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND}
            and self.word.code == code
        )


_WORD = msgspec.json.Decoder(AnswerBody)
WEBHOOK = msgspec.json.Decoder(_Webhook)


def read(status: int, body: bytes) -> PhonePeAnswer | None:
    """Return an answer, or None when it has no form that PhonePe publishes."""
    try:
        return PhonePeAnswer(status, _WORD.decode(body))
    except (msgspec.MsgspecError, RecursionError):
        return None
