"""Cashfree's disputes and their meaning; pure.

Sources: the OpenAPI description of version 2025-01-01 (github.com/api-evangelist/cashfree, commit
0b823c53), the model of cashfree/cashfree-pg (model_disputes_entity.go, a600a39) and
github.com/cashfree/agent-skills (src/templates/pg/disputes-reference.md, 0bfc8606);
docs/cashfree.md#disputes lists what they leave unclear.
"""

from collections.abc import Mapping
from datetime import MAXYEAR, datetime
from decimal import Decimal
from typing import Any

import msgspec

from hundi.acquirers.calls.dispute_phases import standing_of_other
from hundi.acquirers.calls.multipart import MultipartBody, file_name, form_of
from hundi.acquirers.cashfree import rules
from hundi.acquirers.cashfree.words import TEXT_MAX, Id, Text, in_paise
from hundi.acquirers.port.answers import NothingThere
from hundi.acquirers.port.disputes import DisputeWord, EvidenceFile, PhaseName, Standing
from hundi.kernel.states import DisputePhase

EVENTS = ("DISPUTE_CREATED", "DISPUTE_UPDATED", "DISPUTE_CLOSED")
"""The types of webhooks about disputes."""
BOOKED = ("DISPUTE", "CHARGEBACK")
"""Prefixes of the types of the books' entries for disputes."""
ANY_PROOF = "Delivery/Service Proof"
"""The kind of a document where a dispute names none."""
_PHASES: Mapping[str, DisputePhase] = {
    # A complaint to Cashfree itself, the police or a bank, outside of the network's rules: money is
    # at stake at once.
    "DISPUTE": DisputePhase.CHARGEBACK,
    **{each.name: each for each in DisputePhase},
}
_INSUFFICIENT = "INSUFFICIENT_EVIDENCE"
_ACCEPTED = "MERCHANT_ACCEPTED"
_STANDINGS: Mapping[str, Standing] = {
    "CREATED": Standing.OPEN,
    _INSUFFICIENT: Standing.OPEN,
    "DOCS_RECEIVED": Standing.UNDER_REVIEW,
    "UNDER_REVIEW": Standing.UNDER_REVIEW,
    "MERCHANT_WON": Standing.WON,
    "MERCHANT_LOST": Standing.LOST,
    _ACCEPTED: Standing.LOST,
}
_UNDECIDED = frozenset({"CREATED", _INSUFFICIENT, "DOCS_RECEIVED"})
_NEVER = MAXYEAR
"""The year in which an open dispute was closed, in the published examples."""
_DIGITS_MAX = 18


class EvidenceKind(msgspec.Struct, frozen=True):
    """A document that speaks against the claim."""

    document_type: Text | None = None


class SentDocument(msgspec.Struct, frozen=True):
    """A document that was sent. document_name: of its file."""

    document_name: Text | None = None


class OrderDetails(msgspec.Struct, frozen=True):
    """The order whose payment is disputed."""

    order_id: Text
    order_currency: Text | None = None
    payment_currency: Text | None = None


class CashfreeDispute(msgspec.Struct, frozen=True):
    """One dispute, in rupees. It keeps its number in a later phase."""

    dispute_id: Id
    dispute_type: Text
    dispute_status: Text
    dispute_amount: Decimal
    order_details: OrderDetails
    dispute_amount_currency: Text | None = None
    reason_code: Id | None = None
    respond_by: Text | None = None
    resolved_at: Text | None = None
    preferred_evidence: tuple[EvidenceKind, ...] | None = None
    dispute_evidence: tuple[SentDocument, ...] | None = None

    @property
    def name(self) -> PhaseName | None:
        """Return the port's name of it; None for a phase that is not published."""
        return phase_name(self.dispute_id, self.dispute_type)

    @property
    def state(self) -> str:
        """Return its state without its phase, "" for a state of another phase."""
        begins = f"{self.dispute_type}_"
        return (
            self.dispute_status.removeprefix(begins)
            if self.dispute_status.startswith(begins)
            else ""
        )

    @property
    def attached(self) -> tuple[SentDocument, ...]:
        """Return the documents sent so far."""
        return self.dispute_evidence or ()

    @property
    def is_closed(self) -> bool:
        """Return whether it has a closing time."""
        return _moment(self.resolved_at) is not None

    @property
    def takes_more(self) -> bool:
        """Return whether Cashfree still takes a document or an acceptance."""
        return self.state in _UNDECIDED and not self.is_closed

    def has(self, evidence: EvidenceFile) -> bool:
        """Return whether a document was sent."""
        return any(each.document_name == file_name(evidence) for each in self.attached)


class _Booked(msgspec.Struct, frozen=True):
    event_type: Text | None = None


class _OfOrder(msgspec.Struct, frozen=True):
    order_id: Text | None = None


class CashfreeEntry(msgspec.Struct, frozen=True):
    """One entry of the account's books."""

    event_details: _Booked = _Booked()
    order_details: _OfOrder = _OfOrder()


class Entries(msgspec.Struct, frozen=True):
    """A page of entries."""

    data: tuple[CashfreeEntry, ...]
    cursor: Text | None = None


class TaggedOrder(msgspec.Struct, frozen=True):
    """An order with tags, one of which names its payment link."""

    order_id: Text
    order_tags: dict[str, Any] | None = None
    link_id: Text | None = None


def phase_name(dispute_id: object, kind: object) -> PhaseName | None:
    """Return the port's name of one phase; None if it is none."""
    case = str(dispute_id) if isinstance(dispute_id, str | int) else ""
    phase = _PHASES.get(kind) if isinstance(kind, str) else None
    return PhaseName(case, phase) if phase and is_case(case) else None


def is_case(text: str) -> bool:
    """Return whether a text is a number of a dispute at Cashfree.

    Cashfree refuses any other without looking.
    """
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX


def disputed_orders(entries: Entries) -> list[str]:
    """Return the orders with dispute entries, each once."""
    orders = (
        each.order_details.order_id
        for each in entries.data
        if (each.event_details.event_type or "").startswith(BOOKED) and each.order_details.order_id
    )
    return list(dict.fromkeys(orders))


def word_of(
    dispute: CashfreeDispute, name: PhaseName, original: str
) -> DisputeWord | NothingThere | None:
    """Return one phase of a dispute; None where it cannot be used."""
    order, now = dispute.order_details, dispute.name
    currency = (
        dispute.dispute_amount_currency or order.payment_currency or order.order_currency or ""
    )
    amount = in_paise(dispute.dispute_amount, currency)
    if now is None or now.case != name.case or not amount or not amount.paise or not currency:
        return None
    standing, is_lost = (
        _standing(dispute, amount.paise)
        if now == name
        else (standing_of_other(now.phase, name.phase), 0)
    )
    if standing is None or isinstance(standing, NothingThere):
        return standing
    return DisputeWord(
        name=name,
        original=original,
        standing=standing,
        amount=amount,
        reason=str(dispute.reason_code or "")[:TEXT_MAX],
        respond_by=_moment(dispute.respond_by),
        taken_paise=is_lost,
        # Cashfree gives no bank's number of the debit: the entry in its books has the dispute's.
        rrn=name.case if is_lost else "",
    )


def _standing(dispute: CashfreeDispute, paise: int) -> tuple[Standing | None, int]:
    """Return a dispute's standing in its phase, and the amount taken in paise."""
    standing, state = _STANDINGS.get(dispute.state), dispute.state
    if state == _INSUFFICIENT and dispute.is_closed:
        standing = Standing.LOST
    if state == "CREATED" and dispute.attached:
        standing = Standing.UNDER_REVIEW
    if (
        _PHASES[dispute.dispute_type] is DisputePhase.RETRIEVAL
        and state != _ACCEPTED
        and standing in _ENDED
    ):
        return Standing.CLOSED, 0
    return standing, paise if standing is Standing.LOST else 0


_ENDED = frozenset({Standing.WON, Standing.LOST})


def _moment(text: str | None) -> datetime | None:
    at = rules.moment(text or "")
    return at if at is not None and at.year < _NEVER else None


def upload(dispute: CashfreeDispute, evidence: EvidenceFile) -> MultipartBody:
    """Return a document as Cashfree takes it.

    Documents get the requested kinds in order.
    """
    kinds = [
        each.document_type for each in dispute.preferred_evidence or () if each.document_type
    ] or [ANY_PROOF]
    kind = kinds[min(len(dispute.attached), len(kinds) - 1)]
    return form_of(
        evidence, {"doc_type": kind} | ({"note": evidence.note} if evidence.note else {})
    )
