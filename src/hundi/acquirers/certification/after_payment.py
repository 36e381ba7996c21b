"""Steps after a payment: refunds, webhooks, settlement reports; and those that need no payment."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hundi.acquirers.certification.steps import (
    Act,
    CertificationStep,
    MovedAmount,
    PersonTask,
    StepFailedError,
    StepOpenError,
    StepOutcome,
    StepRun,
    StepUnavailableError,
    WebhookProof,
    demand,
    demand_kind,
    told,
)
from hundi.acquirers.port.answers import (
    Accepted,
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
)
from hundi.acquirers.port.payments import RefundOrder
from hundi.acquirers.port.settlement_reports import ReportedKind, ReportPage
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, rupees

REFUNDS, TRIGGERS, REPORTS = "Refunds", "SendsTriggers", "ReportsSettlements"
PART, TWICE, MORE, WHOLE = "refund-part", "refund-twice", "refund-too-much", "refund-whole"
PAGES_MAX = 50
"""The most pages of a report that a step reads."""
REFUSED_S_MAX = 20.0
"""Seconds in which a refund that has to be refused is asked about."""
_END = Approved | Declined


async def _refund(run: StepRun, order: RefundOrder) -> StepOutcome:
    """Refund an amount, wait for its end, and demand that it went back."""
    connector: Any = run.connector
    first = await connector.refund(order)
    demand(not isinstance(first, Declined), f"the refund is taken, not {told(first)}")
    answer = await run.until(
        lambda: connector.inquire_refund(order.reference),
        lambda found: isinstance(found, _END),
        PersonTask(Act.WAIT, "The refund is asked about.", order.reference),
    )
    if not isinstance(answer, _END):
        message = f"the acquirer has not ended the refund: {told(answer)}. Run the step again later"
        raise StepOpenError(message)
    back = demand_kind(answer, Approved, f"the refund went back, not {told(answer)}")
    demand(
        back.amount == order.amount,
        f"{rupees(order.amount.paise)} went back, and the answer says another amount",
    )
    moved = MovedAmount(order.reference, order.amount, run.now())
    return StepOutcome(f"{rupees(order.amount.paise)} went back", moved)


async def _part(run: StepRun, paid: Sequence[str]) -> StepOutcome:
    payment = run.earlier(*paid)
    half = Money(max(payment.amount.paise // 2, 1))
    return await _refund(run, RefundOrder(run.refund, payment.reference, half))


async def _twice(run: StepRun, paid: Sequence[str]) -> StepOutcome:
    """Send the part again, then the rest: only if the part moved once is the rest still there."""
    connector: Any = run.connector
    part, payment = run.earlier(PART), run.earlier(*paid)
    again = await connector.refund(RefundOrder(part.reference, payment.reference, part.amount))
    demand(
        not isinstance(again, Approved) or again.amount == part.amount,
        f"the same reference again is the same refund, not {told(again)}",
    )
    found = await connector.inquire_refund(part.reference)
    demand(
        isinstance(found, Approved) and found.amount == part.amount,
        f"the refund that was sent again is as it was, not {told(found)}",
    )
    rest = Money(payment.amount.paise - part.amount.paise)
    try:
        outcome = await _refund(run, RefundOrder(run.refund, payment.reference, rest))
    except StepFailedError as error:
        message = f"the rest is not there any more: did the part move twice? {error}"
        raise StepFailedError(message) from error
    return StepOutcome(f"the part moved once; of the rest {outcome.words}", outcome.moved)


async def _too_much(run: StepRun, paid: Sequence[str]) -> StepOutcome:
    connector: Any = run.connector
    payment = run.earlier(*paid)
    run.earlier(TWICE)
    answer = await connector.refund(RefundOrder(run.refund, payment.reference, payment.amount))
    if not isinstance(answer, _END):
        answer = await run.until(
            lambda: connector.inquire_refund(run.refund),
            lambda found: isinstance(found, Approved | Declined | NothingThere),
            PersonTask(Act.WAIT, "The refund has to be refused.", run.refund),
            REFUSED_S_MAX,
        )
    demand(not isinstance(answer, Approved), "more went back than was paid")
    return StepOutcome(f"nothing more went back: {told(answer)}")


async def _whole(run: StepRun, paid: Sequence[str]) -> StepOutcome:
    """Refund the last payment, which the other steps have not touched."""
    payment = run.earlier(*reversed(paid))
    if payment == run.earlier(*paid):
        message = "a second payment has to pass first"
        raise StepUnavailableError(message)
    return await _refund(run, RefundOrder(run.refund, payment.reference, payment.amount))


def refund_steps(paid: Sequence[str]) -> tuple[CertificationStep, ...]:
    """Return the steps of refunds. paid: the steps that pay, two or more."""
    first, last = tuple(paid), tuple(reversed(paid))
    return (
        CertificationStep(
            PART, REFUNDS, "a part goes back", partial(_part, paid=first), after=first
        ),
        CertificationStep(
            TWICE,
            REFUNDS,
            "sent again under one reference the part goes back once, and the rest is still there",
            partial(_twice, paid=first),
            after=(PART,),
        ),
        CertificationStep(
            MORE,
            REFUNDS,
            "of a payment that was given back nothing more goes",
            partial(_too_much, paid=first),
            after=(TWICE,),
        ),
        CertificationStep(
            WHOLE, REFUNDS, "all of it goes back", partial(_whole, paid=first), after=last
        ),
    )


async def _proof(run: StepRun, sources: Sequence[str]) -> WebhookProof:
    moved = run.earlier(*sources)
    task = PersonTask(
        Act.WAIT,
        "The webhook has to come in. The gateway has to run, and its address to be known there.",
        moved.reference,
    )
    proof = await run.until(
        lambda: run.webhook(moved.reference), lambda found: found is not None, task
    )
    promise = "no webhook with a right proof came in about the reference"
    return demand_kind(proof, WebhookProof, promise)


async def _verified(run: StepRun, sources: Sequence[str]) -> StepOutcome:
    await _proof(run, sources)
    return StepOutcome("a webhook about the reference came in, and its proof is right")


async def _forged(run: StepRun, sources: Sequence[str]) -> StepOutcome:
    proof = await _proof(run, sources)
    demand(proof.refused, "the same webhook, changed and without its proof, is believed")
    covers = "its proof is of the body" if proof.covers else "its proof is not of the body"
    return StepOutcome(f"changed and without its proof it is refused; {covers}")


def webhook_steps(sources: Sequence[str], subject: str) -> tuple[CertificationStep, ...]:
    """Return the steps of webhooks. sources: the steps that cause one."""
    return (
        CertificationStep(
            "webhook",
            subject,
            "a webhook comes in, and its proof is right",
            partial(_verified, sources=sources),
            after=tuple(sources),
        ),
        CertificationStep(
            "webhook-forged",
            subject,
            "the same webhook, changed and without its proof, is refused",
            partial(_forged, sources=sources),
            after=tuple(sources),
        ),
    )


async def _report(run: StepRun) -> StepOutcome:
    """Read a day's report, and compare its lines about us with what was moved."""
    connector: Any = run.connector
    moved = {each.reference: each for each in run.moved.values()}
    days = sorted({business_day(each.at) for each in moved.values()} | {business_day(run.now())})
    lines, ours, unread = 0, 0, ""
    for day in days[-2:]:
        cursor = ""
        for _ in range(PAGES_MAX):
            page = await connector.settlement_lines(day, cursor)
            demand(isinstance(page, ReportPage), f"{day} is reported, not {told(page)}")
            lines += len(page.lines)
            for line in page.lines:
                known = moved.get(line.reference)
                if known is None or line.kind not in {ReportedKind.PAYMENT, ReportedKind.REFUND}:
                    continue
                ours += 1
                demand(
                    line.gross_paise == known.amount.paise,
                    f"{rupees(known.amount.paise)} moved under {line.reference}, and the report"
                    f" says {rupees(line.gross_paise)}",
                )
            cursor = page.next
            if not cursor:
                break
        else:
            unread = f"; {day} goes on after {PAGES_MAX} pages, which were not read"
    words = f"{lines} lines, {ours} of them about this certification, all of those agree"
    return StepOutcome(f"{words}{unread}")


def report_step() -> CertificationStep:
    """Return the step of settlement reports."""
    return CertificationStep(
        "report", REPORTS, "a day's lines, with the amounts that were paid", _report
    )


async def _echo(run: StepRun) -> StepOutcome:
    connector: Any = run.connector
    answer = await connector.echo()
    demand(isinstance(answer, Accepted), f"the line answers, not {told(answer)}")
    return StepOutcome("signed on, and the echo came back")


def echo_step() -> CertificationStep:
    """Return the step of a line."""
    return CertificationStep("echo", "AnswersEcho", "the echo comes back", _echo)


async def _address(run: StepRun, *, is_good: bool) -> StepOutcome:
    connector: Any = run.connector
    vpa = run.sandbox.good_vpa if is_good else run.sandbox.nobody_vpa
    if not vpa:
        message = "no UPI address is known for it"
        raise StepUnavailableError(message)
    answer = await connector.check_address(vpa)
    wanted = RegisteredName if is_good else NotRegistered
    demand(isinstance(answer, wanted), f"{wanted.__name__} comes back, not {told(answer)}")
    return StepOutcome(told(answer))


def address_steps() -> tuple[CertificationStep, ...]:
    """Return the steps of UPI addresses."""
    subject = "ChecksAddresses"
    return (
        CertificationStep(
            "address-good", subject, "its holder's name", partial(_address, is_good=True)
        ),
        CertificationStep("address-nobody", subject, "nobody", partial(_address, is_good=False)),
    )
