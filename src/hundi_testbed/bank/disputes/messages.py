"""The JSON messages of disputes."""

from datetime import datetime
from typing import Annotated

import msgspec

from hundi_testbed.bank.disputes.rules import BankDispute, Phase
from hundi_testbed.bank.messages import AMOUNT_PAISE_MAX, Reference, Text

Paise = Annotated[int, msgspec.Meta(ge=0, le=AMOUNT_PAISE_MAX)]
CaseNo = Annotated[str, msgspec.Meta(pattern=r"^DSP[0-9A-F]{12}\Z")]


class RaiseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raise a dispute. reference: of the payment, or its RRN.

    amount_paise: 0 for the whole rest.
    """

    reference: Reference
    amount_paise: Paise = 0
    reason: Text = ""
    phase: Phase = Phase.CHARGEBACK


class DisputeQuestion(msgspec.Struct, frozen=True):
    """Ask for the state of one phase of a dispute."""

    dispute: CaseNo
    phase: Phase


class AnswerRequest(msgspec.Struct, frozen=True):
    """Answer a dispute; accepted_paise is the amount that the merchant gives up.

    The reference is the gateway's key.
    """

    dispute: CaseNo
    phase: Phase
    answer: Reference
    accepted_paise: Paise
    note: Annotated[str, msgspec.Meta(max_length=2_000)] = ""


class EvidenceRequest(msgspec.Struct, frozen=True):
    """Send one document (base64) of an answer; only its size and digest are stored."""

    dispute: CaseNo
    phase: Phase
    evidence: Reference
    media_type: Text
    content: bytes


class ListRequest(msgspec.Struct, frozen=True):
    """List undecided phases, and those changed since a time.

    after: case and phase of the last one seen.
    """

    since: datetime
    after: tuple[str, str] = ("", "")


class BankDisputeAnswer(msgspec.Struct, frozen=True):
    """One phase of a dispute. receipt: the UTR or receipt of a transfer or of cash, else ""."""

    status: str
    dispute: str = ""
    phase: str = ""
    reference: str = ""
    receipt: str = ""
    amount_paise: int = 0
    currency: str = ""
    reason: str = ""
    respond_by: str = ""
    taken_paise: int = 0
    rrn: str = ""
    answer: str = ""

    @classmethod
    def of(cls, dispute: BankDispute, reference: str) -> "BankDisputeAnswer":
        """Return the answer about a phase. reference: the gateway's, of the payment."""
        return cls(
            status=dispute.standing,
            dispute=dispute.case_no,
            phase=dispute.phase,
            reference=reference,
            receipt=dispute.original if dispute.original != reference else "",
            amount_paise=dispute.amount_paise,
            currency=dispute.currency,
            reason=dispute.reason,
            respond_by=dispute.respond_by.isoformat(),
            taken_paise=dispute.taken_paise,
            rrn=dispute.rrn,
            answer=dispute.answer,
        )


class DisputeList(msgspec.Struct, frozen=True):
    """A page of disputes; the next one follows after its last, until a page is empty."""

    disputes: list[BankDisputeAnswer]


class EvidenceAnswer(msgspec.Struct, frozen=True):
    """Whether a document was accepted. status: done or declined."""

    status: str
    code: str = ""
    message: str = ""


class DisputeBody(msgspec.Struct, frozen=True, tag_field="kind", tag="dispute"):
    """The callback about a new or changed phase of a dispute.

    reference: of the payment.
    """

    event_id: str
    dispute: str
    phase: str
    reference: str
    status: str

    @classmethod
    def of(cls, event_id: str, dispute: BankDispute, reference: str) -> "DisputeBody":
        """Return the callback about a phase. reference: the gateway's, of the payment."""
        return cls(event_id, dispute.case_no, dispute.phase, reference, dispute.standing)
