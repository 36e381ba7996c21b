"""Translation of the UPI merchant stack's answers and callbacks; see docs/juspay-upi.md."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from hundi.acquirers.calls.aggregators import (
    RUPEES,
    UPI_LINK,
    object_of,
    paise_of,
    pays,
    read_object,
    text_of,
)
from hundi.acquirers.calls.pages import PaymentRecord
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.checkout import Trigger
from hundi.kernel.money import Money

SUCCESS, FAILURE = "SUCCESS", "FAILURE"
PAID_CODE = "00"
OPEN_CODES = frozenset({"01", "RB", "BT", "JPREFD"})
"""Codes of a payment or refund that is pending or deemed."""
ENDED = frozenset({FAILURE, "DECLINED", "EXPIRED"})
NOT_THERE = frozenset({"REQUEST_NOT_FOUND", "REQUEST_EXPIRED", "DROPOUT"})
"""Nobody has paid: of what was never registered, what ended unpaid, and what was left."""
WAITING = "REQUEST_PENDING"
REFUSES_KEYS = frozenset({"UNAUTHORIZED", "INVALID_MERCHANT"})
NOTHING_REFUNDED = frozenset(
    {"BAD_REQUEST", "INVALID_TRANSACTION_ID", "INVALID_REFUND_AMOUNT", "UNINITIATED_REQUEST"}
)
"""Refusals of a refund that no later call changes."""
REQUEST_ID_LENGTH = 35
_LINK_FIELDS = {
    "pa": "payeeVpa",
    "pn": "payeeName",
    "mc": "payeeMcc",
    "tid": "gatewayTransactionId",
    "tr": "orderId",
    "am": "amount",
    "cu": "currency",
}
"""Fields that every UPI link has, and the stack's names of their values."""
_MORE_FIELDS = {
    "mode": "TxnInitiationMode",
    "tn": "remarks",
    "url": "refUrl",
    "purpose": "purpose",
    "category": "refCategory",
}
_REFERENCE = re.compile(r"[A-Za-z0-9._-]{1,35}\Z")
_RRNS = ("gatewayRefundReferenceId", "refundGatewayReferenceId", "gatewayRefundTransactionId")
"""The number of a refund: pages differ in its name."""


class StackAnswer(msgspec.Struct, frozen=True):
    """One answer. code, words: of the call itself. payload: what it is about, {} for a refusal."""

    is_success: bool
    code: str
    words: str
    payload: dict[str, Any]

    @classmethod
    def read(cls, body: bytes) -> "StackAnswer | None":
        """Return an answer, or None when it is none of the stack."""
        fields = read_object(body)
        status = text_of((fields or {}).get("status"), 64)
        if fields is None or status not in {SUCCESS, FAILURE}:
            return None
        return cls(
            status == SUCCESS,
            text_of(fields.get("responseCode"), 64),
            text_of(fields.get("responseMessage")),
            object_of(fields.get("payload")) or {},
        )

    def unknown(self) -> Unknown:
        """Return Unknown, for an answer that decides nothing."""
        return Unknown(self.code, self.words)

    @property
    def outcome(self) -> tuple[str, str, str]:
        """Return the network's status, code and words of the payment or refund."""
        return (
            text_of(self.payload.get("gatewayResponseStatus"), 64),
            text_of(self.payload.get("gatewayResponseCode"), 64),
            text_of(self.payload.get("gatewayResponseMessage")),
        )


def request_id(reference: str, prefix: str) -> str:
    """Return the id of a request at NPCI: 35 letters and digits, the bank's prefix first."""
    digest = hashlib.sha256(reference.encode()).hexdigest()
    return f"{prefix}{digest}"[:REQUEST_ID_LENGTH]


def upi_url(answer: StackAnswer, reference: str, order_amount: Money) -> str | Unknown:
    """Return the UPI link of a registered intent, if it is ours and of our amount."""
    if not answer.is_success or answer.payload.get("merchantRequestId") != reference:
        return answer.unknown()
    values = {name: text_of(answer.payload.get(theirs)) for name, theirs in _LINK_FIELDS.items()}
    more = {name: text_of(answer.payload.get(theirs)) for name, theirs in _MORE_FIELDS.items()}
    given = {name: value for name, value in more.items() if value}
    url = UPI_LINK + urlencode({**values, **given}, quote_via=quote, safe="@")
    if not all(values.values()) or values["cu"] != RUPEES or not pays(url, order_amount):
        return Unknown(message="the bank's link cannot be used")
    return url


def payment_record(answer: StackAnswer, reference: str) -> PaymentRecord:
    """Translate what became of an intent."""
    if not answer.is_success:
        if answer.code in NOT_THERE:
            return PaymentRecord(NothingThere())
        unknown = Unknown(answer.code, answer.words, awaiting_customer=answer.code == WAITING)
        return PaymentRecord(unknown)
    payload, (status, code, words) = answer.payload, answer.outcome
    paise, rrn = paise_of(payload.get("amount")), text_of(payload.get("gatewayReferenceId"), 64)
    if payload.get("merchantRequestId") != reference:
        return PaymentRecord(Unknown(message="the bank speaks of another payment"))
    if status == SUCCESS and code == PAID_CODE and paise and rrn:
        payer = text_of(payload.get("payerVpa"))
        return PaymentRecord(Approved(Money(paise), rrn, payer_vpa=payer), {"paid": "1"})
    if is_failure(status, code):
        return PaymentRecord(Declined(code, words, rrn))
    return PaymentRecord(Unknown(code or status, words))


def refund_outcome(
    answer: StackAnswer, original: str, reference: str
) -> Approved | Declined | Unknown:
    """Translate what became of a refund that the stack has."""
    payload, (status, code, words) = answer.payload, answer.outcome
    is_ours = (
        payload.get("refundRequestId") == reference
        and payload.get("originalMerchantRequestId", original) == original
    )
    if not answer.is_success or not is_ours:
        return answer.unknown()
    paise = paise_of(payload.get("refundAmount"))
    rrn = next(filter(None, (text_of(payload.get(name), 64) for name in _RRNS)), "")
    if status == SUCCESS and code == PAID_CODE and paise:
        return Approved(Money(paise), rrn or reference)
    if is_failure(status, code):
        return Declined(code, words, rrn)
    return Unknown(code or status, words)


def is_failure(status: str, code: str) -> bool:
    """Return whether a payment or refund ended without money; status and code have to agree."""
    return status in ENDED and bool(code) and code != PAID_CODE and code not in OPEN_CODES


def refused_before(words: Mapping[str, str]) -> Declined | None:
    """Return the refusal of a refund that is stored, None for one that was not refused.

    A refund is asked about by the call that begins it: a refused one must not begin later.
    """
    code = words.get("refused")
    return None if code is None else Declined(code)


def trigger(body: bytes, merchant_id: str, channel_id: str) -> Trigger | None:
    """Return the trigger of an authentic callback, None for one that names nothing of ours."""
    event = read_object(body) or {}
    if (event.get("merchantId"), event.get("merchantChannelId")) != (merchant_id, channel_id):
        return None
    named = (text_of(event.get(name)) for name in ("merchantRequestId", "refundRequestId"))
    references = tuple(each for each in named if _REFERENCE.match(each))
    return Trigger("", references) if references else None
