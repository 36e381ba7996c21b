"""Redirects to the pages of banks and wallets: begin, go through the steps, decide once."""

import secrets
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

from hundi_testbed.bank import actions, rules
from hundi_testbed.bank import store as books
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.mandates import actions as mandates
from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.mandates import store as mandate_store
from hundi_testbed.bank.redirects import store
from hundi_testbed.bank.redirects.messages import RedirectRequest
from hundi_testbed.bank.redirects.rules import BY_CODE, ENACH, LEFT, PageStep, first_step, outcome
from hundi_testbed.bank.redirects.store import RedirectVisit
from hundi_testbed.bank.rules import PaymentDecision, Status
from hundi_testbed.bank.states import BankPayment

CUSTOMER_LENGTH_MAX = 50


async def begin(bank: BankContext, request: RedirectRequest, now: datetime) -> RedirectVisit | None:
    """Write a redirect, or return the one of this reference; None for an unknown bank.

    Raises CallRefusedError.
    """
    if not bank.may_return_to(request.return_url):
        raise CallRefusedError(400, "return_url is not an address at the gateway's own origin")
    if (request.mandate is not None) is not (request.method == ENACH):
        raise CallRefusedError(
            400, "mandate is approved at pages of the method enach, and only there"
        )
    listed = BY_CODE.get((request.method, request.bank_code))
    if listed is None:
        return None
    await mandates.keep(bank, request.reference, request.mandate)
    payment = BankPayment(
        request.reference,
        listed.method,
        request.amount_paise,
        request.currency,
        Status.CHALLENGE,
        now,
    )
    life_s = bank.settings.timings.challenge_s
    redirect = RedirectVisit(
        redirect_id="visit_" + secrets.token_urlsafe(18),
        reference=request.reference,
        bank=listed,
        return_url=request.return_url,
        step=first_step(listed),
        expires_at=now + timedelta(seconds=life_s),
    )
    if await store.open_redirect(bank.db, payment, redirect):
        bank.scheduler.wake_in(life_s)
        return redirect
    await actions.same_payment(bank, payment)
    earlier = await store.find_by_reference(bank.db, request.reference)
    if earlier is None or (earlier.bank, earlier.return_url) != (listed, request.return_url):
        raise CallRefusedError(409, "this reference was used with another bank or return_url")
    return earlier


async def log_in(bank: BankContext, redirect: RedirectVisit, customer: str, proof: str) -> None:
    """Store the customer's user id and go on to the confirmation.

    proof: how the customer of a mandate signs in.
    """
    if redirect.step is PageStep.LOGIN:
        if redirect.bank.method == ENACH:
            proof_used = proof if proof in clearing.PROOFS else clearing.PROOFS[0]
            await mandate_store.note_proof(bank.db, redirect.reference, proof_used)
        await store.move(bank.db, redirect, PageStep.CONFIRM, customer)


async def confirm(bank: BankContext, redirect: RedirectVisit, customer: str, now: datetime) -> None:
    """Pay; a company's payment waits for the approval of a second person."""
    if redirect.step is PageStep.CONFIRM and redirect.bank.corporate:
        await store.move(bank.db, redirect, PageStep.CHECKER, redirect.customer)
    elif redirect.step in {PageStep.CONFIRM, PageStep.CHECKER}:
        who = redirect.customer or customer
        payment = await books.find_payment(bank.db, redirect.reference)
        if payment is not None:
            decision = outcome(redirect.bank, who, payment.amount_paise, bank.settings.timings)
            decision = rules.with_late_success(decision, bank.faults.settings.late_success_s)
            await _end(bank, redirect, payment, decision, now, who)


async def leave(bank: BankContext, redirect: RedirectVisit, now: datetime) -> None:
    """End a redirect without a payment: the customer cancelled or the time is over."""
    payment = await books.find_payment(bank.db, redirect.reference)
    if redirect.step is not PageStep.ENDED and payment is not None:
        await _end(bank, redirect, payment, LEFT, now, redirect.customer)


async def _end(
    bank: BankContext,
    redirect: RedirectVisit,
    payment: BankPayment,
    what: PaymentDecision,
    now: datetime,
    customer: str,
) -> None:
    """Write the bank's decision once, then end the redirect.

    After a crash in between, the next request ends it.
    """
    # After concurrent requests or a crash, the payment may be decided while its redirect is open.
    if payment.status is Status.CHALLENGE:
        rrn = "" if what.final else await bank.rrns.take(now)
        booked = not what.final and what.judged_after_s is None
        await actions.settle_redirect(bank, payment, what, rrn, now, booked=booked)
    await store.move(bank.db, redirect, PageStep.ENDED, customer)


def way_back(redirect: RedirectVisit) -> str:
    """Return the browser's address after the redirect."""
    address = urlsplit(redirect.return_url)
    added = urlencode({"visit_id": redirect.redirect_id})
    return address._replace(
        query=f"{address.query}&{added}" if address.query else added, fragment=""
    ).geturl()
