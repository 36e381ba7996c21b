"""Disputes: the list by deadline, and one with its reason, phases, documents and answer."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from asyncpg import Record
from litestar import Response

from hundi.console import lists, verdicts
from hundi.console.downloads import Download, leave
from hundi.console.guard import ConsoleRoute
from hundi.console.list_pages import ListKind, in_pages, page_of, values_of
from hundi.console.lists import ListAddress, asked_of, tone_of, words
from hundi.console.queries import disputes as queries
from hundi.console.queries.disputes import DisputeFilters
from hundi.console.verb_forms import acquirers_of, form_of
from hundi.console.visits import ConsoleVisit
from hundi.instruments import dispute_reasons
from hundi.kernel.clock import for_people
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.kernel.states import DisputePhase, DisputeState
from hundi.money.reports.rules import amount, cell, moment
from hundi.payments.disputes.answers import actions as disputes
from hundi.payments.disputes.answers.actions import DisputeView
from hundi.payments.disputes.answers.rules import mark_of, taken_here
from hundi.payments.disputes.documents import actions as sealed
from hundi.payments.disputes.documents.rules import DOCUMENTS_MAX
from hundi.payments.disputes.rules import ENDED, NOTE_MAX, Stage
from hundi.payments.disputes.store import EvidenceDocument
from hundi.staff.people.rules import Permission
from hundi.verbs.dispute import accept, add_evidence, contest, remove_evidence

_HEAD = (
    *(
        "dispute_id",
        "ap_transactionid",
        "orderid",
        "bank_case",
        "phase",
        "state",
        "reason",
        "currency",
        "amount",
    ),
    *(
        "held_inr",
        "taken_inr",
        "fee_inr",
        "tax_inr",
        "opened_ist",
        "answer_by_ist",
        "answered_ist",
        "ended_ist",
    ),
)
PHASES = {
    DisputePhase.RETRIEVAL: "Papers are asked for; no money is at stake yet",
    DisputePhase.CHARGEBACK: "The customer's bank wants the money back",
    DisputePhase.PRE_ARBITRATION: "The customer's bank does not accept that you won",
    DisputePhase.ARBITRATION: "The network decides, for good",
}
STATES = {
    DisputeState.OPEN: (
        "It waits for your answer. Nobody answers in your place: unanswered, the bank takes the"
        " money."
    ),
    DisputeState.UNDER_REVIEW: (
        "You contested it. The bank decides; until then the money stays held."
    ),
    DisputeState.ACCEPTING: "You accepted it. The bank has not taken the money yet.",
    DisputeState.EXPIRED: "The deadline went by without an answer. The bank takes the money.",
    DisputeState.WON: "The bank decided for you: what was held is yours again.",
    DisputeState.LOST: "The bank took all that was disputed.",
    DisputeState.ACCEPTED: "You accepted it, and the bank took the money.",
    DisputeState.PARTLY_ACCEPTED: "The bank took a part; the rest is yours again.",
    DisputeState.CLOSED: "It ended without a decision about money.",
}


ANSWER_WORDS = {"contest": "contest", "accept": "accept", "part": "accept a part"}
"""The answers, as a sentence names them."""


def _filters_of(address: ListAddress) -> DisputeFilters:
    return DisputeFilters(
        state=address.one_of("state", DisputeState),
        phase=address.one_of("phase", DisputePhase),
        **address.narrowed,
    )


_LIST = ListKind(
    path="disputes",
    noun=("dispute", "disputes"),
    filters=("state", "phase", "from", "upto", "since", "until"),
    key=("place", "dispute_id"),
    select_page=queries.select_page,
    select_sums=queries.select_sums,
    sums={"amount_paise": "disputed", "held_paise": "held now", "taken_paise": "taken"},
    is_rising=True,
    words=("Sooner due", "Later due"),
)


async def show_list(visit: ConsoleVisit) -> Response[Any]:
    """Show a page of disputes: open ones first, the earliest deadline on top."""
    filters = _filters_of(asked_of(visit))
    page = await page_of(visit, _LIST, filters)
    if page is None:
        return lists.too_long(visit)
    return visit.page(
        "disputes.html",
        "Disputes",
        **await values_of(visit, _LIST, filters, page),
        rows=[_row_of(row, visit.now) for row in page.rows],
        states=[(each.value, words(each)) for each in DisputeState],
        phases=[(each.value, words(each)) for each in DisputePhase],
    )


def _row_of(row: Record, now: datetime) -> dict[str, Any]:
    return {
        "id": row["dispute_id"],
        "payment": row["payment_id"],
        "order": row["order_id"] or row["payment_id"],
        "amount": shown(Money(row["amount_paise"], row["currency"])),
        "state": words(row["state"]),
        "tone": tone_of(row["state"]),
        "phase": words(row["phase"]),
        "reason": dispute_reasons.words_of(row["reason"]) or "The bank's code has no words here.",
        "code": row["reason"],
        "held": shown(Money(row["held_settled_paise"])) if row["held_settled_paise"] else "",
        "due": row["respond_by"],
        "left": left(row["respond_by"], now) if row["state"] == DisputeState.OPEN else "",
    }


def left(until: datetime, now: datetime) -> str:
    """Return the time left, for people."""
    hours = int((until - now).total_seconds() // 3600)
    if hours < 0:
        return "the deadline is over"
    if hours < 48:  # noqa: PLR2004 (in two days people count hours)
        return "less than an hour left" if not hours else f"{hours} hours left"
    return f"{hours // 24} days left"


async def export(visit: ConsoleVisit) -> Response[Any]:
    """Stream the list as CSV."""
    filters = _filters_of(asked_of(visit))
    read = in_pages(visit, _LIST, filters)
    return await lists.exported(visit, "dispute", "disputes", filters, _HEAD, read, _cells)


def _cells(row: Record) -> Sequence[str]:
    times = (row["opened_at"], row["respond_by"], row["answered_at"], row["settled_at"])
    return (
        *(
            str(row["dispute_id"]),
            str(row["payment_id"]),
            cell(row["order_id"] or ""),
            cell(row["bank_case"]),
        ),
        *(
            row["phase"],
            row["state"],
            cell(row["reason"]),
            row["currency"],
            amount(row["amount_paise"]),
        ),
        *(
            amount(row[name])
            for name in ("held_settled_paise", "taken_settled_paise", "fee_paise", "tax_paise")
        ),
        *(moment(each) if each else "" for each in times),
    )


# --- one dispute ---


async def _found(visit: ConsoleVisit) -> DisputeView:
    return await lists.named(visit, "dispute", disputes.find)


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show one dispute, with the forms of an answer while one is possible."""
    dispute = await _found(visit)
    now = dispute.latest
    order = await queries.order_of(visit.db, visit.merchant_id, now.payment_id)
    answers = (
        now.state is DisputeState.OPEN
        and visit.now < now.respond_by
        and visit.may(Permission.DISPUTES_ANSWER)
    )
    able = await _able(visit, now) if answers else frozenset[str]()
    return visit.page(
        "dispute.html",
        f"Dispute of {shown(now.amount)}",
        number=now.dispute_id,
        payment=now.payment_id,
        order=order or now.payment_id,
        state=words(now.state),
        tone=tone_of(now.state),
        verdict=verdicts.of_dispute(now, STATES[now.state], left(now.respond_by, visit.now)),
        phase_words=PHASES[now.phase],
        reason=dispute_reasons.words_of(now.reason),
        code=now.reason,
        speaks=dispute_reasons.evidence_for(now.reason),
        due=now.respond_by,
        sums=_sums(dispute),
        phases=[
            {**_phase(each, dispute.documents), "takes": answers and each is now}
            for each in dispute.stages
        ],
        answers=answers,
        able=able,
        elsewhere=" or ".join(words for each, words in ANSWER_WORDS.items() if each not in able),
        acquirer=now.connector,
        may_read=visit.may(Permission.DISPUTES_ANSWER),
        documents=len(dispute.of_phase()),
        seen=mark_of(each.evidence_id for each in dispute.of_phase()),
        documents_max=DOCUMENTS_MAX,
        note_max=NOTE_MAX,
        whole=amount(now.amount.paise),
        disputed=shown(now.amount),
        dispute_href=visit.href(f"disputes/{now.dispute_id}"),
    )


async def _able(visit: ConsoleVisit, stage: Stage) -> frozenset[str]:
    """Return which answers a phase's acquirer takes from us: accept, contest, part."""
    return taken_here(stage, await acquirers_of(visit.gateway))


def _sums(dispute: DisputeView) -> list[tuple[str, str]]:
    """Return the dispute's effect on the merchant's money, in rupees.

    Zeros are left out.
    """
    held = sum(each.held_settled_paise for each in dispute.stages if each.state not in ENDED)
    taken_paise = sum(each.taken_settled_paise for each in dispute.stages)
    back = sum(
        each.held_settled_paise - each.taken_settled_paise
        for each in dispute.stages
        if each.state in ENDED
    )
    fees = sum(each.fee_paise for each in dispute.stages)
    taxes = sum(each.tax_paise for each in dispute.stages)
    sums = (
        ("Held now", held),
        ("The bank took", taken_paise),
        ("Given back to you", back),
        ("Fee", fees),
        ("GST", taxes),
    )
    return [(name, shown(Money(paise))) for name, paise in sums if paise]


def _phase(stage: Stage, documents: Sequence[EvidenceDocument]) -> dict[str, Any]:
    accepted = shown(Money(stage.accepted_paise, stage.amount.currency))
    answer = ""
    if stage.answered_at is not None:
        answer = f"accepted {accepted}" if stage.accepted_paise else "contested"
    lines = [
        ("The bank's case", stage.bank_case),
        ("Disputed", shown(stage.amount)),
        ("Held", shown(stage.held) if stage.held_paise else ""),
        ("Answer until", for_people(stage.respond_by)),
        ("Reminded", for_people(stage.reminded_at) if stage.reminded_at else ""),
        ("Your answer", f"{answer}, {for_people(stage.answered_at)}" if stage.answered_at else ""),
        ("Given to the bank", for_people(stage.sent_at) if stage.sent_at else ""),
        ("Deadline went by", for_people(stage.expired_at) if stage.expired_at else ""),
        ("The bank took", shown(stage.taken) if stage.taken_paise else ""),
        ("Bank reference", stage.rrn),
        ("The bank said", stage.bank_message),
        ("Ended", for_people(stage.settled_at) if stage.settled_at else ""),
    ]
    return {
        "title": words(stage.phase),
        "about": PHASES[stage.phase],
        "at": stage.opened_at,
        "state": words(stage.state),
        "tone": tone_of(stage.state),
        "lines": [(name, value) for name, value in lines if value],
        "note": stage.note,
        "documents": [each for each in documents if each.stage_id == stage.stage_id],
    }


async def read_evidence(visit: ConsoleVisit) -> Response[Any]:
    """Return a document unchanged, as a download that the browser does not run."""
    dispute = await _found(visit)
    evidence_id = int(visit.params["evidence_id"])
    document = next((each for each in dispute.documents if each.evidence_id == evidence_id), None)
    if document is None:
        raise refuse(RefusalCode.NO_RECORDS, field="document", received=str(evidence_id))
    body = await sealed.content(visit.db, visit.gateway.vault, visit.merchant_id, evidence_id)
    name = f"{evidence_id}.{document.media_type.rpartition('/')[2]}"
    download, about = Download(name, document.media_type, body), dispute.latest.dispute_id
    return await leave(visit, download, "dispute.read", about, evidence=str(evidence_id))


async def _contest_typed(visit: ConsoleVisit) -> Mapping[str, str]:
    """Return the form's fields. Raises Refused (FIELD_INVALID) without the tick: it is final."""
    if visit.form.get("sure") != "yes":
        allowed = "a tick: an answer is given once and cannot be taken back"
        raise refuse(RefusalCode.FIELD_INVALID, field="sure", allowed=allowed)
    return visit.form


_ONE = "disputes/{dispute_id:int}"
ROUTES = (
    ConsoleRoute("GET", "disputes", show_list, Permission.MONEY_SEE),
    ConsoleRoute("GET", "disputes/export", export, Permission.PAYMENTS_EXPORT),
    ConsoleRoute("GET", _ONE, show, Permission.MONEY_SEE),
    form_of(add_evidence, f"{_ONE}/evidence", "disputes/{dispute_id}"),
    ConsoleRoute(
        "GET", f"{_ONE}/evidence/{{evidence_id:int}}", read_evidence, Permission.DISPUTES_ANSWER
    ),
    form_of(
        remove_evidence, f"{_ONE}/evidence/{{evidence_id:int}}/remove", "disputes/{dispute_id}"
    ),
    form_of(contest, f"{_ONE}/contest", "disputes/{dispute_id}", _contest_typed),
    form_of(accept, f"{_ONE}/accept", "disputes/{dispute_id}"),
)
