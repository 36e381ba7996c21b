"""Razorpay's disputes and their meaning; pure.

Source: github.com/razorpay/markdown-docs, api/disputes and webhooks/disputes.md, commit ab3bda5f.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from hundi.acquirers.calls.dispute_phases import standing_of_other
from hundi.acquirers.calls.multipart import MultipartBody, form_of
from hundi.acquirers.calls.razorpay_wire import Id, Word
from hundi.acquirers.port.answers import NothingThere
from hundi.acquirers.port.disputes import DisputeWord, EvidenceFile, PhaseName, Standing
from hundi.acquirers.razorpay.messages import AMOUNT_PAISE_MAX
from hundi.kernel.money import Money
from hundi.kernel.states import DisputePhase

PURPOSE = "dispute_evidence"
_PHASES: Mapping[str, DisputePhase] = {
    # A suspicion of the bank: it asks, and takes nothing, as with a retrieval.
    "fraud": DisputePhase.RETRIEVAL,
    **{each.value: each for each in DisputePhase},
}


class AttachedDocuments(msgspec.Struct, frozen=True):
    """Documents under a name of ours. type: our reference of the document."""

    type: str
    document_ids: tuple[str, ...] = ()


class RazorpayEvidence(msgspec.Struct, frozen=True):
    """The evidence for a dispute so far."""

    others: tuple[AttachedDocuments, ...] | None = None
    submitted_at: int | None = None


class RazorpayDispute(msgspec.Struct, frozen=True):
    """One dispute, in paise.

    Each phase is a dispute of its own: the published list has two of one payment.
    """

    id: Id
    payment_id: Id
    amount: int
    currency: Word
    status: Word
    phase: Word
    amount_deducted: int = 0
    reason_code: Word | None = None
    respond_by: int | None = None
    created_at: int = 0
    evidence: RazorpayEvidence | None = None

    @property
    def name(self) -> PhaseName | None:
        """Return the port's name of it; None for a phase that is not published."""
        phase = _PHASES.get(self.phase)
        return PhaseName(self.id, phase) if phase else None

    @property
    def attached(self) -> tuple[AttachedDocuments, ...]:
        """Return the documents sent so far."""
        return (self.evidence.others or ()) if self.evidence else ()


class RazorpayDisputePage(msgspec.Struct, frozen=True):
    """A page of disputes."""

    items: tuple[RazorpayDispute, ...]


class Document(msgspec.Struct, frozen=True):
    """A document that Razorpay accepted."""

    id: Id


def word_of(
    dispute: RazorpayDispute, name: PhaseName, original: str
) -> DisputeWord | NothingThere | None:
    """Return one phase of a dispute; None where it cannot be used."""
    now = dispute.name
    if now is None or dispute.id != name.case or not 0 < dispute.amount <= AMOUNT_PAISE_MAX:
        return None
    standing, is_lost = (
        _standing(dispute) if now == name else (standing_of_other(now.phase, name.phase), 0)
    )
    if standing is None or isinstance(standing, NothingThere):
        return standing
    return DisputeWord(
        name=name,
        original=original,
        standing=standing,
        amount=Money(dispute.amount, dispute.currency),
        reason=dispute.reason_code or "",
        respond_by=_moment(dispute.respond_by),
        taken_paise=is_lost,
        # Razorpay gives no bank's number of the debit: the line of its settlement report has the
        # dispute's.
        rrn=dispute.id if is_lost else "",
    )


def _moment(seconds: int | None) -> datetime | None:
    """Return a time, None for none and for one that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds else None
    except (ValueError, OverflowError, OSError):
        return None


def _standing(dispute: RazorpayDispute) -> tuple[Standing | None, int]:
    plain = {
        "open": Standing.OPEN,
        "under_review": Standing.UNDER_REVIEW,
        "won": Standing.WON,
        "closed": Standing.CLOSED,
    }
    if dispute.status != "lost":
        return plain.get(dispute.status), 0
    if _PHASES[dispute.phase] is DisputePhase.RETRIEVAL and not dispute.amount_deducted:
        return Standing.CLOSED, 0
    # Lost, and nothing deducted yet: inquiries go on.
    is_decided = 0 < dispute.amount_deducted <= dispute.amount
    return (Standing.LOST, dispute.amount_deducted) if is_decided else (None, 0)


def draft(dispute: RazorpayDispute, more: AttachedDocuments) -> dict[str, Any]:
    """Return a draft with one more document.

    It replaces the one before, so it repeats the attached ones.
    """
    return {"others": msgspec.to_builtins([*dispute.attached, more]), "action": "draft"}


def contest(dispute: RazorpayDispute, amount_paise: int, note: str) -> dict[str, Any]:
    """Return the contest of an amount, with all attached documents."""
    others = msgspec.to_builtins(dispute.attached)
    return {"amount": amount_paise, "summary": note, "others": others, "action": "submit"}


def upload(evidence: EvidenceFile) -> MultipartBody:
    """Return a document as Razorpay takes it."""
    return form_of(evidence, {"purpose": PURPOSE})
