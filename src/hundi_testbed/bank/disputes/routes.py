"""The acquirer's calls about disputes, and the control that raises one."""

from datetime import datetime
from hashlib import sha256

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import replies
from hundi_testbed.bank.acquirer import answer as answered
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.disputes import actions, store
from hundi_testbed.bank.disputes.messages import (
    AnswerRequest,
    BankDisputeAnswer,
    DisputeList,
    DisputeQuestion,
    EvidenceAnswer,
    EvidenceRequest,
    ListRequest,
    RaiseRequest,
)
from hundi_testbed.bank.disputes.rules import BankDispute, Phase

_LISTED_MAX = 100
_EVIDENCE_BODY_MAX = 4 * 1024 * 1024
EVIDENCE_MAX = 10


@post("/control/dispute", status_code=200)
async def raise_one(request: Request) -> ASGIApp:
    """Raise a dispute of a payment, or its next phase."""
    try:
        question = msgspec.json.decode(await request.body(), type=RaiseRequest)
        bank = bank_of(request)
        raised = await actions.raise_phase(
            bank,
            question.reference,
            question.amount_paise,
            question.reason,
            question.phase,
            clock.now(),
        )
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    except CallRefusedError as refused:
        return replies.problem(refused.status, str(refused))
    return replies.json(await _told(bank, raised))


@get("/control/dispute")
async def show(request: Request, reference: str) -> ASGIApp:
    """Return the phases of a payment's disputes, oldest first, with their documents."""
    bank = bank_of(request)
    disputes = await store.of_payment(bank.db, reference)
    answers = [
        {
            **msgspec.to_builtins(await _told(bank, each)),
            "evidence": [dict(row) for row in await store.evidence_of(bank.db, each)],
        }
        for each in disputes
    ]
    return replies.json({"disputes": answers})


@post("/acquirer/disputes/list", status_code=200)
async def listed(request: Request) -> ASGIApp:
    """Return a page of undecided phases, and of those changed since a time."""

    async def act(bank: BankContext, question: ListRequest, _now: datetime) -> DisputeList:
        disputes = await store.listed(bank.db, question.since, question.after, _LISTED_MAX)
        return DisputeList([await _told(bank, each) for each in disputes])

    return await answered(request, await request.body(), ListRequest, act)


@post("/acquirer/disputes/inquire", status_code=200)
async def inquire(request: Request) -> ASGIApp:
    """Return the state of one phase of a dispute."""

    async def act(
        bank: BankContext, question: DisputeQuestion, _now: datetime
    ) -> BankDisputeAnswer:
        dispute = await store.find(bank.db, question.dispute, question.phase)
        return BankDisputeAnswer("not_found") if dispute is None else await _told(bank, dispute)

    return await answered(request, await request.body(), DisputeQuestion, act)


@post("/acquirer/disputes/answer", status_code=200)
async def answer(request: Request) -> ASGIApp:
    """Record the merchant's answer: accept, contest, or accept a part."""

    async def act(bank: BankContext, question: AnswerRequest, now: datetime) -> BankDisputeAnswer:
        dispute = await _found(bank, question.dispute, question.phase)
        after = await actions.answer(
            bank, dispute, question.answer, question.accepted_paise, question.note, now
        )
        return await _told(bank, after)

    return await answered(request, await request.body(), AnswerRequest, act)


@post("/acquirer/disputes/evidence", status_code=200, request_max_body_size=_EVIDENCE_BODY_MAX)
async def evidence(request: Request) -> ASGIApp:
    """Record one document; the same one again changes nothing."""

    async def act(bank: BankContext, question: EvidenceRequest, _now: datetime) -> EvidenceAnswer:
        dispute = await _found(bank, question.dispute, question.phase)
        if len(await store.evidence_of(bank.db, dispute)) >= EVIDENCE_MAX:
            return EvidenceAnswer("declined", "61", f"At most {EVIDENCE_MAX} documents")
        digest = sha256(question.content).hexdigest()
        size = len(question.content)
        await store.add_evidence(
            bank.db, dispute, question.evidence, question.media_type, size, digest
        )
        return EvidenceAnswer("done")

    return await answered(request, await request.body(), EvidenceRequest, act)


ROUTES = (raise_one, show, listed, inquire, answer, evidence)


async def _found(bank: BankContext, case_no: str, phase: Phase) -> BankDispute:
    dispute = await store.find(bank.db, case_no, phase)
    if dispute is None:
        raise CallRefusedError(404, "no such dispute")
    return dispute


async def _told(bank: BankContext, dispute: BankDispute) -> BankDisputeAnswer:
    return BankDisputeAnswer.of(dispute, await actions.reference_of(bank, dispute))
