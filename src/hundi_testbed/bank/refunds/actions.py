"""The actions of refunds: refund once for each reference, and return refunds of closed accounts."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import asyncpg

from hundi_testbed.bank import rates
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.cash.rules import NO_REFUND_MOBILE
from hundi_testbed.bank.messages import CallbackBody
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.refunds import store

TAKES_NOTHING = frozenset({"norefund@hundi", "norefund", NO_REFUND_MOBILE})
TELLS_LATE = frozenset({"laterefund@hundi", "laterefund"})
SENDS_BACK = frozenset({"closedrefund@hundi", "closedrefund"})
"""The payer's UPI address, user id or mobile number decides the outcome of a refund."""
CAME_BACK = ("declined", "M3", "The account is closed: the refund came back")


@dataclass(frozen=True, slots=True)
class RefundInstruction:
    """A requested refund. reference: of the refund; original: of the payment.

    settled_paise: the amount in rupees. told_after_s: for how long the decision stays unknown.
    """

    reference: str
    original: str
    amount_paise: int
    currency: str
    settled_paise: int
    told_after_s: float = 0.0


Beside = Callable[[asyncpg.Connection, asyncpg.Record], Awaitable[None]]
"""Writes further rows with a refund, in its transaction; it gets the refund."""


async def refund(
    bank: BankContext, instruction: RefundInstruction, now: datetime, beside: Beside | None = None
) -> asyncpg.Record:
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
            if (earlier["original"], earlier["amount_paise"]) != (
                instruction.original,
                instruction.amount_paise,
            ):
                raise CallRefusedError(409, "this reference gave another amount back")
            return earlier
        status, code, message = await _decided(connection, instruction, original)
        pending_s = bank.settings.timings.pending_s
        late = status == "done" and original["payer"] in TELLS_LATE
        told_after_s = pending_s if late else instruction.told_after_s
        told_from = now + timedelta(seconds=told_after_s) if told_after_s else None
        comes_back = status == "done" and original["payer"] in SENDS_BACK
        back_at = (told_from or now) + timedelta(seconds=pending_s) if comes_back else None
        await store.write(
            connection,
            *(
                instruction.reference,
                instruction.original,
                instruction.amount_paise,
                instruction.currency,
                status,
                code,
                message,
                rrn,
                now,
            ),
            *(original["method"], told_from, instruction.settled_paise, back_at),
        )
        row = await store.find_locked(connection, instruction.reference)
        assert row is not None
        if beside is not None:
            await beside(connection, row)
    for at in (told_from, back_at):
        if at is not None:
            bank.scheduler.wake_in((at - now).total_seconds())
    return row


async def _decided(
    connection: asyncpg.Connection, instruction: RefundInstruction, original: asyncpg.Record
) -> tuple[str, str, str]:
    """Return status, DE39 code and words."""
    if original["status"] != "paid" or original["currency"] != instruction.currency:
        return "declined", "12", "There is no debit to give back"
    refunded_before, settled_before = await store.given_back(connection, instruction.original)
    after = refunded_before + instruction.amount_paise
    if after > original["amount_paise"]:
        return "declined", "61", "More than was debited"
    if after + await store.disputed(connection, instruction.original) > original["amount_paise"]:
        return "declined", "61", "More than is left beside a dispute"
    rate = rates.rate_micros(original["currency"], original["at"])
    received = rates.settled_paise(original["amount_paise"], rate)
    settled = settled_before + instruction.settled_paise
    if settled > received or (after == original["amount_paise"] and settled != received):
        return "declined", "12", "The rupees do not fit the rate of the charge"
    if original["payer"] in TAKES_NOTHING:
        return "declined", "57", "The account takes nothing back"
    return "done", "00", "Given back"


async def take_back(bank: BankContext, now: datetime, limit: int) -> None:
    """Take back the refunds that customers' banks return, and tell the gateway."""
    for row in await store.coming_back(bank.db, now, limit):
        callback = _news(bank, row, now)
        if await store.take_back(bank.db, row["reference"], now, callback):
            bank.callback_sender.send_soon(callback)


def _news(bank: BankContext, row: asyncpg.Record, now: datetime) -> Callback:
    """Return the callback about a returned refund."""
    event_id = "evt_" + secrets.token_hex(12)
    status, code, message = CAME_BACK
    body = CallbackBody(
        event_id=event_id,
        reference=row["reference"],
        method=row["method"],
        kind="refund",
        status=status,
        code=code,
        message=message,
        rrn=row["rrn"],
        amount_paise=row["amount_paise"],
        currency=row["currency"],
        payer_vpa="",
        trans_status="",
        at=now.isoformat(timespec="milliseconds"),
    )
    return bank.callback_sender.callback_with(event_id, row["reference"], body, now)
