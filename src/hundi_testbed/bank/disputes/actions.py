"""The actions of disputes: raise a phase, record an answer and documents, end due phases."""

import secrets
from datetime import datetime

from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.disputes import rules, store
from hundi_testbed.bank.disputes.messages import DisputeBody
from hundi_testbed.bank.disputes.rules import BankDispute, DisputeClaim, Phase, PhaseStanding
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.transfers import store as transfers


async def raise_phase(
    bank: BankContext, reference: str, amount_paise: int, reason: str, phase: Phase, now: datetime
) -> BankDispute:
    """Raise a dispute of a payment, or its next phase; 0 paise: the whole rest.

    Raises CallRefusedError.
    """
    async with bank.db.transaction() as connection:
        payment = await store.lock_payment(connection, reference)
        if payment is None or payment["status"] != "paid":
            raise CallRefusedError(404, "no such debit")
        before = await store.latest(connection, payment["reference"])
        if before is not None and before.standing not in rules.ENDED:
            raise CallRefusedError(
                409, f"the {before.phase} of {before.case_no} is {before.standing}"
            )
        left = payment["amount_paise"] - payment["refunded_paise"] - payment["disputed_paise"]
        amount = amount_paise or left
        if not 0 < amount <= left:
            raise CallRefusedError(422, f"{left} paise of this payment can be disputed")
        claim = DisputeClaim(phase, payment["reference"], amount, payment["currency"], reason)
        case_no = "DSP" + secrets.token_hex(6).upper()
        raised = rules.raised(claim, before, case_no, now, rules.respond_by(phase, now))
        callback = await _callback(bank, raised, now)
        await store.insert(connection, raised, callback)
    bank.callback_sender.send_soon(callback)
    return raised


async def answer(
    bank: BankContext,
    dispute: BankDispute,
    reference: str,
    accepted_paise: int,
    note: str,
    now: datetime,
) -> BankDispute:
    """Record an answer; the same one again changes nothing. Raises CallRefusedError."""
    if dispute.answer:
        if (dispute.answer, dispute.accepted_paise) != (reference, accepted_paise):
            raise CallRefusedError(409, "this phase has another answer")
        return dispute
    if dispute.standing is not PhaseStanding.OPEN:
        return dispute
    if not 0 <= accepted_paise <= dispute.amount_paise:
        raise CallRefusedError(422, "more is accepted than is disputed")
    verdict, review_s = rules.verdict_of(note), bank.settings.timings.pending_s
    after = rules.answered(dispute, reference, accepted_paise, verdict, now, review_s)
    await store.answer(bank.db, after)
    if after.due_at is None:
        return await _now(bank, dispute)
    bank.scheduler.wake_in((after.due_at - now).total_seconds())
    if accepted_paise == dispute.amount_paise:
        await end(bank, await _now(bank, dispute), now)
    return await _now(bank, dispute)


async def end(bank: BankContext, dispute: BankDispute, now: datetime) -> None:
    """End a due phase, take the lost amount, and tell the gateway."""
    ended = rules.ended(dispute, await bank.rrns.take(now), now)
    callback = await _callback(bank, ended, now)
    if await store.end(bank.db, dispute.standing, ended, callback):
        bank.callback_sender.send_soon(callback)


async def end_due(bank: BankContext, now: datetime, limit: int) -> None:
    """End every due phase: unanswered in time, or answered and decided."""
    for dispute in await store.due(bank.db, now, limit):
        await end(bank, dispute, now)


async def reference_of(bank: BankContext, dispute: BankDispute) -> str:
    """Return the gateway's reference of the disputed payment.

    For a transfer or cash it is that of the account or voucher.
    """
    return await transfers.account_of(bank.db, dispute.original) or dispute.original


async def _now(bank: BankContext, dispute: BankDispute) -> BankDispute:
    return await store.find(bank.db, dispute.case_no, dispute.phase) or dispute


async def _callback(bank: BankContext, dispute: BankDispute, now: datetime) -> Callback:
    reference = await reference_of(bank, dispute)
    event_id = "dispute_" + secrets.token_hex(8)
    body = DisputeBody.of(event_id, dispute, reference)
    return bank.callback_sender.callback_with(event_id, reference, body, now)
