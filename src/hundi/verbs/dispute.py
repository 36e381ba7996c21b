"""Disputes: what customers' banks claim back, and how merchants answer."""

from hashlib import sha256
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hundi.kernel.masking import masked
from hundi.kernel.refusals import RefusalCode
from hundi.kernel.states import DisputeState
from hundi.merchants.directory.rules import DISPUTE_FEE_PAISE_MAX
from hundi.payments.disputes.answers import actions
from hundi.payments.disputes.answers.actions import DisputeReply, DisputeView
from hundi.payments.disputes.answers.rules import ANSWERS, mark_of, taken_here
from hundi.payments.disputes.documents.rules import DOCUMENT_BYTES_MAX
from hundi.payments.disputes.rules import Stage
from hundi.payments.disputes.store import EvidenceDocument
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError, money
from hundi.verbs.merchant_settings import change, settings_verb
from hundi.verbs.parameters import (
    ID_MAX,
    MerchantId,
    ParameterHints,
    UploadedFile,
    VerbParameters,
)
from hundi.verbs.verb import Result, verb

LIST_MAX = 1_000
_EVIDENCE = "dispute.evidence"
UNKNOWN = "there is no such dispute or document of this merchant"
_REFUSALS = {RefusalCode.NO_RECORDS: UNKNOWN}
PARTS = {"stages": "Phases", "evidence": "Evidence"}
DisputeId = Annotated[int, Meta(ge=1, le=ID_MAX, description="The dispute's id.")]
Note = Annotated[str, Meta(description="A note that the bank reads."), ParameterHints(masked=True)]

Seen = Annotated[
    int,
    Meta(
        ge=0,
        le=ID_MAX,
        description="The documents_mark that was shown; with other documents it is refused.",
    ),
    ParameterHints(in_forms=True),
]


class DisputesToList(VerbParameters, frozen=True, kw_only=True):
    """Filters of a list of disputes."""

    merchant_id: MerchantId
    state: Annotated[DisputeState | None, Meta(description="Only those in this state.")] = None
    most: Annotated[int, Meta(ge=1, le=LIST_MAX, description="How many at most.")] = 50


class NamedDispute(VerbParameters, frozen=True, kw_only=True):
    """One dispute."""

    merchant_id: MerchantId
    dispute_id: DisputeId


class DisputeToAccept(NamedDispute, frozen=True, kw_only=True):
    """A dispute and the amount that the merchant accepts."""

    amount_paise: (
        Annotated[
            int,
            Meta(
                ge=1,
                description="The accepted part; the rest is contested with note and documents.",
            ),
            ParameterHints(in_forms=True),
        ]
        | None
    ) = None
    note: Note = ""
    seen: Seen | None = None


class DisputeToContest(NamedDispute, frozen=True, kw_only=True):
    """A dispute, the note and documents with which it is contested."""

    note: Note = ""
    seen: Seen | None = None
    document: Annotated[
        list[UploadedFile] | None,
        Meta(description="A PDF, PNG or JPEG; may be given several times."),
        ParameterHints(option="--evidence", file_bytes_max=DOCUMENT_BYTES_MAX, only_command=True),
    ] = None


class EvidenceToAdd(NamedDispute, frozen=True, kw_only=True):
    """A document for the answer to a dispute."""

    document: Annotated[
        UploadedFile,
        Meta(description="A PDF, PNG or JPEG of up to 2 MiB."),
        ParameterHints(metavar="FILE", file_bytes_max=DOCUMENT_BYTES_MAX),
    ]


class EvidenceToRemove(NamedDispute, frozen=True, kw_only=True):
    """A document to remove from the answer to a dispute."""

    evidence_id: Annotated[int, Meta(ge=1, le=ID_MAX, description="The document's id.")]


class DisputeFee(VerbParameters, frozen=True, kw_only=True):
    """The merchant's fee for a dispute."""

    merchant_id: MerchantId
    paise: Annotated[
        int,
        Meta(ge=0, le=DISPUTE_FEE_PAISE_MAX, description="The fee without GST; 0 for none."),
        ParameterHints(by="name", label="Fee"),
    ]


@verb("dispute list", Permission.MONEY_SEE, screen="disputes", title="Disputes")
async def list_of(context: VerbContext, parameters: DisputesToList) -> Result:
    """List a merchant's disputes, newest first, each with its present phase."""
    await context.check_merchant(parameters.merchant_id)
    disputes = await actions.list_of(
        context.db, parameters.merchant_id, parameters.state, None, parameters.most
    )
    return [_stage(stage) for stage in disputes]


@verb(
    "dispute show",
    Permission.MONEY_SEE,
    screen="disputes/{dispute_id:int}",
    title="Dispute",
    parts=PARTS,
)
async def show(context: VerbContext, parameters: NamedDispute) -> Result:
    """Show a dispute: its phases, money and documents, and which answers are given here."""
    dispute = await actions.find(context.db, parameters.merchant_id, parameters.dispute_id)
    if dispute is None:
        raise VerbProblemError(UNKNOWN)
    here = taken_here(dispute.latest, await context.acquirers())
    return _dispute_of(dispute) | {
        "documents_mark": mark_of(each.evidence_id for each in dispute.of_phase()),
        "acquirer": dispute.latest.connector,
        "answers": [answer for answer in ANSWERS if answer in here],
        "in_dashboard": [answer for answer in ANSWERS if answer not in here],
    }


@verb(
    "dispute accept",
    Permission.DISPUTES_ANSWER,
    trail="dispute.accept",
    screen="disputes/{dispute_id:int}/accept",
    title="Dispute",
    parts=PARTS,
    refusals=_REFUSALS,
    notice=("accepted", "Accepted. The bank is told, and takes the money."),
)
async def accept(context: VerbContext, parameters: DisputeToAccept) -> Result:
    """Accept a dispute: the bank takes the money."""
    return await _answered(context, parameters, parameters.amount_paise)


@verb(
    "dispute contest",
    Permission.DISPUTES_ANSWER,
    trail="dispute.contest",
    fresh=False,
    screen="disputes/{dispute_id:int}/contest",
    title="Dispute",
    parts=PARTS,
    refusals=_REFUSALS,
    notice=("contested", "Contested. The bank is told, and decides."),
)
async def contest(context: VerbContext, parameters: DisputeToContest) -> Result:
    """Contest a dispute with what was added as evidence; the bank decides."""
    view = await actions.find(context.db, parameters.merchant_id, parameters.dispute_id)
    actions.check_taken(view, DisputeReply(0, parameters.note), await context.acquirers())
    adding = context.named(_EVIDENCE)
    for document in parameters.document or ():
        await _added(adding, parameters, document)
    return await _answered(context, parameters, 0)


@verb(
    "dispute evidence add",
    Permission.DISPUTES_ANSWER,
    trail=_EVIDENCE,
    fresh=False,
    screen="disputes/{dispute_id:int}/evidence",
    title="Evidence",
    refusals=_REFUSALS,
    notice=("evidence_kept", "The document was added to the answer of this dispute."),
)
async def add_evidence(context: VerbContext, parameters: EvidenceToAdd) -> Result:
    """Add a document to the answer of a dispute that is open."""
    return _document_row(await _added(context, parameters, parameters.document))


async def _added(
    context: VerbContext, parameters: NamedDispute, document: UploadedFile
) -> EvidenceDocument:
    dispute, body = (parameters.merchant_id, parameters.dispute_id), document.content
    # A repeated document is kept once; the trail then says again that somebody sent it.
    recorded = context.recording(*dispute, made="evidence", sha256=sha256(body).hexdigest())
    name = masked(document.name)
    return await actions.add_evidence(
        context.db, context.vault, *dispute, name, body, context.now, recorded
    )


@verb(
    "dispute evidence remove",
    Permission.DISPUTES_ANSWER,
    trail="dispute.remove_evidence",
    fresh=False,
    screen="disputes/{dispute_id:int}/evidence/{evidence_id:int}/remove",
    title="Evidence",
    refusals=_REFUSALS,
    notice=("evidence_removed", "The document was removed. The bank does not get it."),
)
async def remove_evidence(context: VerbContext, parameters: EvidenceToRemove) -> Result:
    """Remove a document from the answer of a dispute that is open; after the answer it stays."""
    dispute = parameters.merchant_id, parameters.dispute_id
    view = await actions.find(context.db, *dispute)
    documents = view.documents if view else ()
    named = [each for each in documents if each.evidence_id == parameters.evidence_id]
    details = {"name": named[0].name, "sha256": named[0].digest.hex()} if named else {}
    recorded = context.recording(*dispute, made="evidence", **details)
    await actions.remove_evidence(context.db, *dispute, parameters.evidence_id, recorded)
    return {"evidence_id": str(parameters.evidence_id), "removed": True}


@verb(
    "dispute evidence list",
    Permission.MONEY_SEE,
    screen="disputes/{dispute_id:int}",
    title="Evidence",
)
async def list_evidence(context: VerbContext, parameters: NamedDispute) -> Result:
    """List the documents of a dispute."""
    dispute = await actions.find(context.db, parameters.merchant_id, parameters.dispute_id)
    if dispute is None:
        raise VerbProblemError(UNKNOWN)
    return [_document_row(document) for document in dispute.documents]


async def _answered(
    context: VerbContext,
    parameters: DisputeToAccept | DisputeToContest,
    accepted_paise: int | None,
) -> Result:
    """Answer a dispute. accepted_paise: None for all of it, 0 to contest it wholly."""
    dispute = parameters.merchant_id, parameters.dispute_id
    view = await actions.find(context.db, *dispute)
    details: dict[str, object] = {}
    if view is not None:
        latest, amount = view.latest, view.latest.amount
        paise = amount.paise if accepted_paise is None else accepted_paise
        details = {"amount": money(paise, amount.currency), "phase": latest.phase}
    recorded = context.recording(*dispute, made="stage", **details)
    reply = DisputeReply(accepted_paise, parameters.note.strip(), recorded, parameters.seen)
    actions.check_taken(view, reply, await context.acquirers())
    answered = await actions.answer(context.db, *dispute, reply, context.actor, context.now)
    return _dispute_of(answered)


@settings_verb(
    "fee", "Fee of a dispute", "Set the fee of a dispute", "dispute_fee_paise", noun="dispute"
)
async def fee(context: VerbContext, parameters: DisputeFee) -> Result:
    """Set what a merchant is charged for each dispute about money; GST comes on top."""
    changed = await change(
        context,
        parameters.merchant_id,
        lambda before: msgspec.structs.replace(before, dispute_fee_paise=parameters.paise),
    )
    return {
        "merchant_id": str(parameters.merchant_id),
        "dispute_fee_paise": changed.dispute_fee_paise,
    }


def _dispute_of(view: DisputeView) -> dict[str, Any]:
    """Return a dispute as operators see it: its present state, its phases and documents."""
    stages = [_stage(stage) for stage in view.stages]
    documents = [_document_row(document) for document in view.documents]
    return stages[-1] | {"stages": stages, "evidence": documents}


def _stage(stage: Stage) -> dict[str, Any]:
    currency = stage.amount.currency
    return {
        "dispute_id": str(stage.dispute_id),
        "stage_id": str(stage.stage_id),
        "ap_transactionid": str(stage.payment_id),
        "phase": stage.phase,
        "state": stage.state,
        "amount_paise": stage.amount.paise,
        "amount_currency": currency,
        "held_paise": stage.held_paise,
        "taken_paise": stage.taken_paise,
        "accepted_paise": stage.accepted_paise if stage.answered_at else None,
        "accepted_currency": currency,
        "fee_paise": stage.fee_paise + stage.tax_paise,
        "reason": stage.reason,
        "bank_case": stage.bank_case,
        "opened_at": stage.opened_at,
        "respond_by": stage.respond_by,
        "answered_at": stage.answered_at,
        "sent_at": stage.sent_at,
        "ended_at": stage.settled_at,
        "rrn": stage.rrn,
        "bank": stage.bank_message,
    }


def _document_row(document: EvidenceDocument) -> dict[str, Any]:
    """Return a document as operators see it."""
    return {
        "evidence_id": str(document.evidence_id),
        "stage_id": str(document.stage_id),
        "name": document.name,
        "type": document.media_type,
        "bytes": document.size_bytes,
        "sha256": document.digest.hex(),
        "added_at": document.added_at,
        "sent_at": document.sent_at,
    }


GROUPS = {"evidence": "Documents for the answer to a dispute."}
VERBS = (
    *(list_of, show, accept, contest, fee),
    *(add_evidence, remove_evidence, list_evidence),
)
