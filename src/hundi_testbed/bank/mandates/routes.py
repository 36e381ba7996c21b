"""The acquirer's calls about mandates: announce a debit, make it, end the mandate."""

from datetime import datetime

from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import actions, forms, replies, rules
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.mandates import actions as mandates
from hundi_testbed.bank.mandates import rules as mandate_rules
from hundi_testbed.bank.mandates import store
from hundi_testbed.bank.mandates.messages import (
    DebitAnswer,
    DebitRequest,
    MandateAnswer,
    NamedMandate,
    NoticeRequest,
)
from hundi_testbed.bank.mandates.store import Notice
from hundi_testbed.bank.messages import MadeDue
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.states import BankPayment

_SHOWN_MAX = 20


@post("/acquirer/mandates/notices", status_code=200)
async def notice(request: Request) -> ASGIApp:
    """Announce a debit to the customer."""
    return await answer(request, await request.body(), NoticeRequest, _notice)


@post("/acquirer/mandates/debits", status_code=200)
async def debit(request: Request) -> ASGIApp:
    """Debit the customer of a mandate, once for each reference and once for each period."""
    return await answer(request, await request.body(), DebitRequest, _debit)


@post("/acquirer/mandates/end", status_code=200)
async def end(request: Request) -> ASGIApp:
    """End a mandate."""
    return await answer(request, await request.body(), NamedMandate, _end)


@post("/acquirer/mandates/inquire", status_code=200)
async def inquire(request: Request) -> ASGIApp:
    """Say how a mandate stands."""
    return await answer(request, await request.body(), NamedMandate, _inquire)


@get("/mandates")
async def show(request: Request) -> ASGIApp:
    """Show approved mandates: at each customer's own bank, and here on one page."""
    return page("mandates.html", mandates=await store.standing(bank_of(request).db, _SHOWN_MAX))


@post("/mandates/{reference:str}", status_code=200)
async def act_as_customer(request: Request, reference: str) -> ASGIApp:
    """End, pause or resume a mandate as its customer does."""
    act = forms.typed(await forms.read(request), "act") or "end"
    if act not in store.ACTS:
        return replies.problem(400, f"act is one of {', '.join(store.ACTS)}")
    await mandates.act_as_customer(bank_of(request), reference, act, clock.now())
    return replies.see_other("/mandates")


@post("/control/registration", status_code=200)
async def make_registrations_due(request: Request) -> ASGIApp:
    """Make every bank that has a mandate to register do so now, or refuse it.

    With the customer `slow`, a test or an integrator chooses the time by this.
    """
    bank = bank_of(request)
    number = await store.make_registrations_due(bank.db, clock.now())
    bank.scheduler.wake_in(0)
    return replies.json(MadeDue(number))


ROUTES = (notice, debit, end, inquire, show, act_as_customer, make_registrations_due)


async def _notice(bank: BankContext, question: NoticeRequest, now: datetime) -> MandateAnswer:
    mandate = await store.find(bank.db, question.mandate)
    refused = mandate_rules.notice_refusal(mandate, question.amount_paise)
    if refused is not None:
        return MandateAnswer("declined", refused.code, refused.message)
    given = Notice(question.reference, question.amount_paise, question.debit_at, now)
    given_at = await store.keep_notice(bank.db, question.mandate, question.period_no, given)
    return MandateAnswer(
        "done",
        "00",
        "The customer was told",
        name=given.name,
        debit_from=given_at + mandate_rules.NOTICE_BEFORE,
    )


async def _debit(bank: BankContext, question: DebitRequest, now: datetime) -> DebitAnswer:
    mandate = await store.find(bank.db, question.mandate)
    payer, method = (mandate.payer, mandate.method) if mandate and mandate.approved else ("", "upi")
    payment = BankPayment(
        question.reference,
        method,
        question.amount_paise,
        question.currency,
        rules.Status.PENDING,
        now,
        payer_vpa=payer,
    )
    earlier = await actions.inquire(bank, question.reference, now)
    if earlier is not None:
        return _said(await actions.same_payment(bank, payment))
    announcement = await store.find_notice(bank.db, question.mandate, question.period_no)
    tries = await store.tries_before(
        bank.db, question.mandate, question.period_no, question.reference
    )
    attempt = mandate_rules.DebitTry(question.amount_paise, tries, now, question.notice)
    outcome = mandate_rules.outcome(mandate, announcement, attempt, bank.settings.timings)
    declined = outcome.status is rules.Status.DECLINED
    begun = await store.begin_debit(
        bank.db, question.reference, question.mandate, question.period_no, declined=declined
    )
    if not begun:
        raise CallRefusedError(409, "this period was debited under another reference")
    paid = await actions.debit_by_mandate(bank, payment, outcome, now)
    if outcome.silent:
        raise actions.SilenceError
    return _said(paid)


def _said(payment: BankPayment) -> DebitAnswer:
    p = payment
    return DebitAnswer(
        p.status, p.code, p.message, p.rrn, p.amount_paise, p.currency, p.payer_vpa, p.approval_code
    )


async def _inquire(bank: BankContext, question: NamedMandate, now: datetime) -> MandateAnswer:
    return mandate_rules.standing(await store.find(bank.db, question.mandate), now)


async def _end(bank: BankContext, question: NamedMandate, now: datetime) -> MandateAnswer:
    await store.end(bank.db, question.mandate, now)
    return MandateAnswer("done", "00", "The mandate is over")
