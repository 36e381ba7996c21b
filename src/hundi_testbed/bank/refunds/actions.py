"""The actions of refunds: refund once for each reference, and return refunds of closed accounts."""

import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime

import asyncpg

from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.refunds import rules, store
from hundi_testbed.bank.refunds.messages import BankRefundAnswer, refund_news
from hundi_testbed.bank.refunds.rules import CAME_BACK, BankRefund, RefundInstruction

Beside = Callable[[asyncpg.Connection, BankRefund], Awaitable[None]]
"""Writes further rows with a refund, in its transaction; it gets the refund."""


async def refund(
    bank: BankContext, instruction: RefundInstruction, now: datetime, beside: Beside | None = None
) -> BankRefund:
    """Refund an amount, or return the refund of this reference. Raises CallRefusedError."""
    if instruction.amount_paise <= 0 or not instruction.reference:
        raise CallRefusedError(422, "a refund has a reference and an amount above zero")
    rrn = await bank.rrns.take(now)
    async with bank.db.transaction() as connection:
        # The payment's row is locked, so refunds of one payment are decided one after the other.
        original = await store.lock_original(connection, instruction.original)
        if original is None:
            raise CallRefusedError(404, "no such debit")
        earlier = await store.find_locked(connection, instruction.reference)
        if earlier is not None:
            if (earlier.original, earlier.amount_paise) != (
                instruction.original,
                instruction.amount_paise,
            ):
                raise CallRefusedError(409, "this reference gave another amount back")
            return earlier
        debit = await store.debit_of(connection, original)
        refund = rules.decided(instruction, debit, rrn, now, bank.settings.timings.pending_s)
        await store.write(connection, refund, original["method"], now)
        if beside is not None:
            await beside(connection, refund)
    for at in (refund.told_from, refund.comes_back_at):
        if at is not None:
            bank.scheduler.wake_in((at - now).total_seconds())
    return refund


async def take_back(bank: BankContext, now: datetime, limit: int) -> None:
    """Take back the refunds that customers' banks return, and tell the gateway."""
    for row in await store.coming_back(bank.db, now, limit):
        callback = _news(bank, row, now)
        if await store.take_back(bank.db, row["reference"], now, callback):
            bank.callback_sender.send_soon(callback)


def _news(bank: BankContext, row: asyncpg.Record, now: datetime) -> Callback:
    """Return the callback about a returned refund."""
    event_id = "evt_" + secrets.token_hex(12)
    answer = BankRefundAnswer(*CAME_BACK, row["rrn"], row["amount_paise"], row["currency"])
    body = refund_news(event_id, row["reference"], row["method"], answer, now)
    return bank.callback_sender.callback_with(event_id, row["reference"], body, now)
