"""Show disputes to their merchants, and take their answers with evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from asyncpg import UniqueViolationError

from hundi.acquirers.port.payments import Connector
from hundi.infra.documents.bounded import fault_of
from hundi.infra.postgres.database import Beside, Connection, Database, Queries
from hundi.infra.secrets.vault import Vault
from hundi.kernel.documents import media_type, shown_name
from hundi.kernel.ids import ID_TRIES_MAX, new_id
from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.kernel.states import Actor, DisputeState
from hundi.payments.disputes import rules, store
from hundi.payments.disputes.actions import DUE_CHANNEL, change
from hundi.payments.disputes.answers import rules as answer_rules
from hundi.payments.disputes.documents import actions as sealed
from hundi.payments.disputes.documents import rules as documents
from hundi.payments.disputes.rules import Stage
from hundi.payments.disputes.steps import rules as steps
from hundi.payments.disputes.store import EvidenceDocument
from hundi.payments.orders.rules import PaymentView, Step


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute: its stages, oldest first, and their documents."""

    stages: tuple[Stage, ...]
    documents: tuple[EvidenceDocument, ...]

    @property
    def latest(self) -> Stage:
        """Return the dispute's current phase."""
        return self.stages[-1]

    def of_phase(self) -> list[EvidenceDocument]:
        """Return the documents of the current phase."""
        return [each for each in self.documents if each.stage_id == self.latest.stage_id]


async def find(db: Queries, merchant_id: int, dispute_id: int) -> DisputeView | None:
    """Return a dispute of a merchant, or None."""
    stages = await store.of_dispute(db, merchant_id, dispute_id)
    if not stages:
        return None
    evidence = await store.evidence_of(db, merchant_id, [stage.stage_id for stage in stages])
    return DisputeView(tuple(stages), tuple(evidence))


async def list_of(
    db: Queries, merchant_id: int, state: DisputeState | None, before: int | None, limit: int
) -> list[Stage]:
    """Return the current phase of each of a merchant's disputes, newest first.

    before: a dispute's id.
    """
    return await store.latest(db, merchant_id, state, before, limit)


@dataclass(frozen=True, slots=True)
class DisputeReply:
    """A merchant's answer.

    accepted_paise: what is given up, None for all, 0 contests. beside: writes more in the
    transaction. seen: `mark_of` the documents that the person saw, None for those there are now.
    """

    accepted_paise: int | None = None
    note: str = ""
    beside: Beside | None = None
    seen: int | None = None


def check_taken(
    dispute: DisputeView | None, reply: DisputeReply, acquirers: Sequence[Connector]
) -> None:
    """Check that an open phase's acquirer takes an answer from us.

    acquirers: all of this gateway. Raises Refused: DISPUTE_ELSEWHERE.
    """
    if dispute is None or dispute.latest.state is not DisputeState.OPEN:
        return
    stage = dispute.latest
    accepted = stage.amount.paise if reply.accepted_paise is None else reply.accepted_paise
    if answer_rules.kind_of(stage, accepted) not in answer_rules.taken_here(stage, acquirers):
        raise Refused(answer_rules.elsewhere(stage))


async def answer(
    db: Database,
    merchant_id: int,
    dispute_id: int,
    reply: DisputeReply,
    actor: Actor,
    now: datetime,
) -> DisputeView:
    """Answer the current phase of a dispute; the same answer again changes nothing.

    It is stored, and sent afterwards. Raises Refused: NO_RECORDS, DISPUTE_OVER, FIELD_INVALID.
    """
    dispute = await _known(db, merchant_id, dispute_id)
    current = dispute.latest
    accepted = current.amount.paise if reply.accepted_paise is None else reply.accepted_paise
    documents = [each.evidence_id for each in dispute.of_phase()]
    seen = answer_rules.mark_of(documents) if reply.seen is None else reply.seen

    def decide(stage: Stage, view: PaymentView) -> tuple[Stage, Step | None]:
        if stage.answered_at is not None and (stage.accepted_paise, stage.note) == (
            accepted,
            reply.note,
        ):
            return stage, None
        refusal = rules.answer_refusal(stage, accepted, reply.note, len(documents), now)
        if refusal is not None:
            raise Refused(refusal)
        after = rules.answered(stage, accepted, reply.note, now)
        return after, steps.step_answered(view.payment, after, actor)

    async def beside(conn: Connection, stage_id: int) -> None:
        there = await store.evidence_of(conn, merchant_id, [current.stage_id])
        if answer_rules.mark_of(each.evidence_id for each in there) != seen:
            # Somebody has added, removed or replaced a document since: the answer is final.
            allowed = "the documents that the page showed: look again, then answer"
            raise refuse(RefusalCode.FIELD_INVALID, field="evidence", allowed=allowed)
        if reply.beside is not None:
            await reply.beside(conn, stage_id)

    await change(db, current, decide, now, beside)
    db.wake(DUE_CHANNEL)
    return await _known(db, merchant_id, dispute_id)


async def add_evidence(
    db: Database,
    vault: Vault,
    merchant_id: int,
    dispute_id: int,
    name: str,
    body: bytes,
    now: datetime,
    beside: Beside | None = None,
) -> EvidenceDocument:
    """Store a document, sealed, for the answer to a dispute; the same one is stored once.

    beside: writes more in the transaction, also for a document that is there already. Raises
    Refused: NO_RECORDS, DISPUTE_OVER, FIELD_INVALID.
    """
    current = (await _known(db, merchant_id, dispute_id)).latest
    too_large = documents.size_refusal(body)
    if too_large is not None:
        raise Refused(too_large)
    fault, digest = await fault_of(body), sha256(body).digest()
    for _ in range(ID_TRIES_MAX):
        evidence_id = new_id(now)
        kind = media_type(body)
        new = EvidenceDocument(
            evidence_id,
            current.stage_id,
            shown_name(name),
            kind,
            len(body),
            digest,
            now,
            None,
        )
        try:
            async with db.transaction() as conn:
                stage = await _locked_open(conn, current)
                there = await store.evidence_of(conn, merchant_id, [stage.stage_id])
                same = next((document for document in there if document.digest == digest), None)
                refusal = documents.document_refusal(fault, len(there)) if same is None else None
                if refusal is not None:
                    raise Refused(refusal)
                if same is None:
                    content = vault.seal(body, sealed.purpose(merchant_id, evidence_id))
                    await store.add_evidence(conn, merchant_id, new, content)
                document = same or new
                if beside is not None:
                    await beside(conn, document.evidence_id)
        except UniqueViolationError:
            continue  # the id is a duplicate
        return document
    message = "no free evidence id found"
    raise RuntimeError(message)


async def remove_evidence(
    db: Database, merchant_id: int, dispute_id: int, evidence_id: int, beside: Beside
) -> None:
    """Remove a document of a dispute's present phase, as long as nobody has answered it.

    After the answer it stays: it is a part of what the bank was told. beside: writes more in the
    transaction. Raises Refused: NO_RECORDS, DISPUTE_OVER.
    """
    current = (await _known(db, merchant_id, dispute_id)).latest
    async with db.transaction() as conn:
        stage = await _locked_open(conn, current)
        if not await store.remove_evidence(conn, merchant_id, stage.stage_id, evidence_id):
            raise refuse(RefusalCode.NO_RECORDS, field="document", received=str(evidence_id))
        await beside(conn, evidence_id)


async def _locked_open(conn: Connection, current: Stage) -> Stage:
    """Return an open phase, locked until the transaction ends. Raises Refused: DISPUTE_OVER."""
    stage = await store.lock(conn, current.merchant_id, current.stage_id)
    if stage is None or stage.state is not DisputeState.OPEN:
        received = str(stage.state) if stage else ""
        raise refuse(RefusalCode.DISPUTE_OVER, field="dispute", received=received, allowed="open")
    return stage


async def _known(db: Queries, merchant_id: int, dispute_id: int) -> DisputeView:
    dispute = await find(db, merchant_id, dispute_id)
    if dispute is None:
        raise refuse(RefusalCode.NO_RECORDS)
    return dispute
