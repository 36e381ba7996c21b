"""Pays out once for each reference, advances due payouts, and reads a file of payouts."""

from datetime import datetime
from uuid import uuid4

import asyncpg
import msgspec

from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.payouts import files, rules, store
from hundi_testbed.bank.payouts.messages import PayoutEvent
from hundi_testbed.bank.payouts.rules import PayoutInstruction, Receiver
from hundi_testbed.bank.transfers.rules import utr_of


class BalanceShortError(Exception):
    """The account that payouts leave from has less than a payout's amount."""


async def pay_out(
    bank: BankContext, instruction: PayoutInstruction, now: datetime
) -> asyncpg.Record:
    """Pay out, or return the payout of the same reference.

    Raises CallRefusedError for another payout, BalanceShortError.
    """
    rrn = await bank.rrns.take(now)
    receiver = rules.receiver_of(instruction.account)
    decision = rules.decide(instruction, receiver, now, bank.settings.timings.pending_s)
    paid_late = receiver is Receiver.PAID_LATE
    utr = utr_of(instruction.rail.upper(), rrn, now)
    if decision.status == "declined" and not paid_late:
        utr = ""
    elif await store.find(bank.db, instruction.reference) is None and not await store.take(
        bank.db, instruction.amount_paise
    ):
        raise BalanceShortError
    await store.open_payout(bank.db, instruction, decision, (utr, rrn), now)
    if decision.due_at is not None:
        bank.scheduler.wake_in((decision.due_at - now).total_seconds())
    row = await store.find(bank.db, instruction.reference)
    columns = ("amount_paise", "rail", "account", "ifsc")
    if row is None or any(row[name] != getattr(instruction, name) for name in columns):
        raise CallRefusedError(409, "this reference paid out something else")
    return row


async def advance(bank: BankContext, now: datetime, limit: int) -> None:
    """Advance the due payouts."""
    pending_s = bank.settings.timings.pending_s
    for row in await store.due(bank.db, now, limit):
        receiver = rules.receiver_of(row["account"])
        decision = rules.go_on(row["status"], receiver, now, pending_s)
        event = PayoutEvent(str(uuid4()), row["reference"])
        body = msgspec.json.encode(event).decode()
        await store.go_on(bank.db, row, decision, (event.event_id, body), now)


async def take_file(bank: BankContext, body: bytes, now: datetime) -> str:
    """Pay out a file's payouts and return the file's batch.

    The same file again pays nothing twice.

    Raises files.FileRefusedError, and CallRefusedError where a reference has another payout.
    """
    payout_file = files.read(body)
    for instruction in payout_file.payouts:
        await pay_out(bank, instruction, now)
    return payout_file.batch
