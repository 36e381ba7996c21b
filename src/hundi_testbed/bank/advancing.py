"""Moves payments on to their decided state, and schedules what comes later."""

import secrets
from dataclasses import replace  # noqa: TID251 (no structs here)
from datetime import datetime, timedelta

from hundi_testbed.bank import rules, store
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.rules import PaymentDecision, Status
from hundi_testbed.bank.store import BankPayment
from hundi_testbed.bank.transfers import store as transfers

_SETTLED_MESSAGE = "Approved late"


async def advance(bank: BankContext, payment: BankPayment, now: datetime) -> BankPayment:
    """Answer a due collect request, or let a due undecided payment succeed."""
    if payment.due == "settle":
        approval_code = _approval_code() if payment.method == "card" else ""
        after = replace(
            payment, status=payment.settles_to, code="00", message=_SETTLED_MESSAGE, at=now
        )
        after = replace(after, due=None, due_at=None, approval_code=approval_code)
        challenge = (
            await store.challenge_of(bank.db, payment.reference)
            if payment.method == "card"
            else None
        )
        card = challenge.card if challenge else None
        account = (
            await transfers.account_of(bank.db, payment.reference)
            if payment.method in rules.TRANSFERRED
            else ""
        )
        callback = (
            None
            if payment.quiet
            else bank.callback_sender.callback_for(after, card=card, account=account)
        )
        happened = await store.settle(bank.db, payment, after, callback)
    else:
        outcome = (
            await clearing.answer(bank.db, payment.reference, now)
            if payment.method == clearing.ENACH
            else None
        )
        if outcome is None:
            outcome = rules.upi_outcome(payment.payer_vpa, bank.settings.timings)
        if payment.expires_at and payment.expires_at <= now:
            outcome = rules.COLLECT_EXPIRED
        outcome = rules.with_late_success(outcome, bank.faults.settings.late_success_s)
        after = as_decided(payment, outcome, payment.rrn, now)
        callback = None if outcome.silent else bank.callback_sender.callback_for(after)
        happened = await store.decide(bank.db, payment, after, callback, booked=not outcome.final)
    if not happened:
        return await store.find_payment(bank.db, payment.reference) or payment
    bank.callback_sender.send_soon(callback)
    expect(bank, after, now)
    return after


def as_decided(
    payment: BankPayment, outcome: PaymentDecision, rrn: str, now: datetime
) -> BankPayment:
    """Return a payment with its bank's decision."""
    waits_s = outcome.judged_after_s if outcome.settles_after_s is None else outcome.settles_after_s
    due = "answer" if outcome.settles_after_s is None else "settle"
    approved = outcome.status in {Status.PAID, Status.AUTHORISED}
    return replace(
        payment,
        status=outcome.status,
        code=outcome.code,
        message=outcome.message,
        rrn=rrn,
        approval_code=_approval_code()
        if approved and payment.method == "card"
        else outcome.approval_code,
        at=now,
        due=None if waits_s is None else due,
        due_at=None if waits_s is None else now + timedelta(seconds=waits_s),
        quiet=outcome.quiet,
    )


def _approval_code() -> str:
    return secrets.token_hex(3).upper()


def expect(bank: BankContext, payment: BankPayment, now: datetime) -> None:
    """Wake up when something is due on a payment."""
    if payment.due_at is not None:
        bank.scheduler.wake_in((payment.due_at - now).total_seconds())
