"""Moves payments on to their decided state, and schedules what comes later."""

import secrets
from datetime import datetime

from hundi_testbed.bank import rules, states, store
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.rules import PaymentDecision
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.transfers import store as transfers


async def advance(bank: BankContext, payment: BankPayment, now: datetime) -> BankPayment:
    """Answer a due collect request, or let a due undecided payment succeed."""
    if payment.due == "settle":
        after = states.settled(payment, _approval_code(), now)
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
    return states.decided(payment, outcome, rrn, _approval_code(), now)


def _approval_code() -> str:
    return secrets.token_hex(3).upper()


def expect(bank: BankContext, payment: BankPayment, now: datetime) -> None:
    """Wake up when something is due on a payment."""
    if payment.due_at is not None:
        bank.scheduler.wake_in((payment.due_at - now).total_seconds())
