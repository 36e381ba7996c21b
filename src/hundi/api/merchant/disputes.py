"""Disputes for merchants: list, one, evidence, contest, accept.

See docs/spec/payment-interfaces.md#dispute-operations.
"""

from collections.abc import Mapping

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.api.merchant.settlements import ID_ABOVE_ALL, LISTED_MAX, id_named
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import Actor, DisputeState
from hundi.payments.disputes import store
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeView
from hundi.payments.disputes.rules import Stage
from hundi.payments.disputes.store import EvidenceDocument
from hundi.wire.merchant.disputes import (
    ACCEPT,
    CONTEST,
    EVIDENCE,
    LIST,
    STATUS,
    Dispute,
    DisputeAcceptance,
    DisputeContest,
    DisputeName,
    DisputePhase,
    Disputes,
    DisputesBefore,
    Evidence,
    NewEvidence,
)

EVIDENCE_BODY_BYTES_MAX = 2 * 1024 * 1024
"""Bytes: a document of the largest size, twice in base64, with percent-encoding."""


async def _list(context: MerchantRequest, asked: DisputesBefore) -> Answer[Disputes]:
    """Return disputes, newest first, each in its current phase."""
    owner, db = context.sender.merchant_id, context.gateway.db
    state = DisputeState(asked.state) if asked.state else None
    before = min(int(asked.before or 0), ID_ABOVE_ALL) or None
    found = await answers.list_of(db, owner, state, before, LISTED_MAX)
    orders = await store.order_ids_of(db, owner, [each.payment_id for each in found])
    return Answer(
        Disputes(disputes=tuple(_dispute(each, orders) for each in found)), f"{len(found)} disputes"
    )


async def _status(context: MerchantRequest, asked: DisputeName) -> Answer[Dispute]:
    """Return a dispute with its phases and documents."""
    found = await answers.find(
        context.gateway.db, context.sender.merchant_id, id_named(asked.dispute_id)
    )
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return await _whole(context, found, "The dispute with its phases and documents")


async def _evidence(context: MerchantRequest, asked: NewEvidence) -> Answer[Evidence]:
    """Store a document for the answer to a dispute."""
    gateway = context.gateway
    added = await answers.add_evidence(
        gateway.db,
        gateway.vault,
        context.sender.merchant_id,
        id_named(asked.dispute_id),
        asked.name,
        asked.content,
        context.now,
    )
    return Answer(_document(added), "The document is kept for the answer")


async def _contest(context: MerchantRequest, asked: DisputeContest) -> Answer[Dispute]:
    """Contest a dispute: the bank decides."""
    given = answers.DisputeReply(0, asked.note)
    return await _answered(context, asked.dispute_id, given, "Contested; the bank decides")


async def _accept(context: MerchantRequest, asked: DisputeAcceptance) -> Answer[Dispute]:
    """Accept a dispute, wholly or in part."""
    given = answers.DisputeReply(asked.amount_paise, asked.note)
    return await _answered(context, asked.dispute_id, given, "Accepted; the bank takes the money")


async def _answered(
    context: MerchantRequest, dispute_id: str, given: answers.DisputeReply, message: str
) -> Answer[Dispute]:
    db, owner, number = context.gateway.db, context.sender.merchant_id, id_named(dispute_id)
    found = await answers.find(db, owner, number)
    answers.check_taken(found, given, context.gateway.connectors.all())
    answered = await answers.answer(db, owner, number, given, Actor.MERCHANT, context.now)
    return await _whole(context, answered, message)


async def _whole(context: MerchantRequest, found: DisputeView, message: str) -> Answer[Dispute]:
    latest = found.latest
    orders = await store.order_ids_of(context.gateway.db, latest.merchant_id, [latest.payment_id])
    told = replace(
        _dispute(latest, orders),
        phases=tuple(map(_phase, found.stages)),
        evidence=tuple(map(_document, found.documents)),
    )
    return Answer(told, message)


def _dispute(stage: Stage, orders: Mapping[int, str]) -> Dispute:
    return Dispute(
        now=_phase(stage),
        dispute_id=str(stage.dispute_id),
        transaction_id=str(stage.payment_id),
        order_id=orders.get(stage.payment_id, ""),
        currency=stage.amount.currency,
    )


def _phase(stage: Stage) -> DisputePhase:
    return DisputePhase(
        phase=str(stage.phase),
        state=str(stage.state),
        amount_paise=stage.amount.paise,
        held_paise=stage.held_paise,
        taken_paise=stage.taken_paise,
        accepted_paise=stage.accepted_paise,
        fee_paise=stage.fee_paise,
        tax_paise=stage.tax_paise,
        reason=stage.reason,
        opened_at=stage.opened_at,
        respond_by=stage.respond_by,
        answered_at=stage.answered_at,
        sent_at=stage.sent_at,
        ended_at=stage.settled_at,
    )


def _document(document: EvidenceDocument) -> Evidence:
    return Evidence(
        evidence_id=str(document.evidence_id),
        name=document.name,
        type=document.media_type,
        bytes=document.size_bytes,
        sha256=document.digest.hex(),
        added_at=document.added_at,
        sent_at=document.sent_at,
    )


HANDLERS = {
    LIST: serving(LIST, _list),
    STATUS: serving(STATUS, _status),
    EVIDENCE: serving(EVIDENCE, _evidence, body_bytes_max=EVIDENCE_BODY_BYTES_MAX),
    CONTEST: serving(CONTEST, _contest),
    ACCEPT: serving(ACCEPT, _accept),
}
