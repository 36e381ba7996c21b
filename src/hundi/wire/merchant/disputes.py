"""The messages about disputes in `encdata`, parsed and checked, and `data` of their replies.

See docs/spec/payment-interfaces.md#dispute-operations.
"""

import base64
import binascii
from dataclasses import dataclass, field

import msgspec

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.operations import amount_or_all
from hundi.wire.merchant.values import Values, refuse_page_fields, required, text, words

STATES = (
    *("open", "under_review", "accepting", "expired"),
    *("won", "lost", "accepted", "partly_accepted", "closed"),
)
NOTE_MAX = 1_000
"""Characters of what the bank is told."""
DOCUMENT_BYTES_MAX = 1024 * 1024
"""Of a document that comes by this interface; an operator may add one of twice the size."""
CONTENT_MAX = 4 * -(-DOCUMENT_BYTES_MAX // 3)
"""Characters of such a document in base64."""
NAME_MAX = 100


@dataclass(frozen=True, slots=True)
class ListDisputesRequest:
    """Which disputes to list: in one state ("" for all), before one of them (0 for the newest)."""

    state: str = ""
    before: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """A document for the answer to a dispute."""

    dispute_id: str
    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """An answer. amount_paise: what an acceptance gives up, None for all."""

    dispute_id: str
    note: str = ""
    amount_paise: int | None = None


class EvidenceData(msgspec.Struct, frozen=True, kw_only=True):
    """A document without its content. sha256: of it, hex. sent_at: when the bank took it, "" until then."""

    evidence_id: str
    name: str
    type: str
    bytes: int
    sha256: str
    added_at: str
    sent_at: str


class DisputePhaseData(msgspec.Struct, frozen=True, kw_only=True):
    """One phase of a dispute. Amounts are in the payment's currency, fee and tax in rupees.

    held_amount: of amount, what is held back; taken_amount: of it, what the bank took. accepted_amount: what the
    answer gave up. reason: the network's code. Times are ISO 8601, India, "" before they came.
    """

    phase: str
    state: str
    amount: str
    held_amount: str
    taken_amount: str
    accepted_amount: str
    fee_amount: str
    tax_amount: str
    reason: str
    opened_at: str
    respond_by: str
    answered_at: str
    sent_at: str
    ended_at: str


class DisputeData(DisputePhaseData, frozen=True, kw_only=True):
    """A dispute in the phase that it is in. orderid: "" of a payment in the archive.

    phases: all of them, oldest first, and evidence: the documents; both empty in a list.
    """

    dispute_id: str
    ap_transactionid: str
    orderid: str
    iso_currency: str
    phases: tuple[DisputePhaseData, ...] = ()
    evidence: tuple[EvidenceData, ...] = ()


def parse_list(values: Values) -> ListDisputesRequest:
    """Return which disputes to list. Raises FieldError."""
    refuse_page_fields(values, "state, before")
    state, before = text(values, "state"), text(values, "before")
    return ListDisputesRequest(
        state and fields.one_of(state, "state", STATES), int(fields.digits(before, "before")) if before else 0
    )


def parse_dispute(values: Values) -> str:
    """Return which dispute is meant. Raises FieldError."""
    refuse_page_fields(values, "dispute_id")
    return _dispute_id(values)


def parse_evidence(values: Values) -> EvidenceRequest:
    """Return a document to keep. Raises FieldError; its content is never repeated."""
    refuse_page_fields(values, "dispute_id, name, content")
    named, sent = _dispute_id(values), required(values, "content")
    if len(sent) > CONTENT_MAX:
        raise FieldError("content", "", f"base64 of at most {DOCUMENT_BYTES_MAX} bytes")
    try:
        content = base64.b64decode(sent, validate=True)
    except (binascii.Error, ValueError):
        raise FieldError("content", "", "base64 of a PDF, PNG or JPEG") from None
    return EvidenceRequest(named, words(values, "name", length_max=NAME_MAX), content)


def parse_contest(values: Values) -> AnswerRequest:
    """Return an answer that contests. Raises FieldError; an amount is refused, because it accepts nothing."""
    refuse_page_fields(values, "dispute_id, note")
    if values.get("amount") is not None:
        raise FieldError("amount", str(values["amount"]), "nothing: to accept a part is dispute/accept")
    return AnswerRequest(_dispute_id(values), _note(values), 0)


def parse_accept(values: Values) -> AnswerRequest:
    """Return an answer that accepts, wholly or in part. Raises FieldError."""
    refuse_page_fields(values, "dispute_id, amount, note")
    return AnswerRequest(_dispute_id(values), _note(values), amount_or_all(values))


def _dispute_id(values: Values) -> str:
    return fields.digits(required(values, "dispute_id"), "dispute_id")


def _note(values: Values) -> str:
    return words(values, "note", length_max=NOTE_MAX)
