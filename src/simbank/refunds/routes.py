"""Refunds: idempotent by the refund's reference, and never more than the payment."""

from datetime import datetime, timedelta

import asyncpg
import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from simbank import rates
from simbank.acquirer import answer
from simbank.actions import CallRefusedError
from simbank.bank import Bank
from simbank.cash.rules import NO_REFUND_MOBILE
from simbank.refunds import store


class RefundRequest(msgspec.Struct, frozen=True):
    """Refund an amount. reference: of the refund; original: of the payment; amount in paise.

    settled_paise: what it comes to in rupees at the rate of the charge; 0 for an amount in rupees.
    """

    reference: str
    original: str
    amount_paise: int
    currency: str
    settled_paise: int = 0


class RefundQuestion(msgspec.Struct, frozen=True):
    """Ask for the status of a refund."""

    reference: str


class RefundAnswer(msgspec.Struct, frozen=True):
    """The bank's answer about a refund. status: done, declined, pending (not decided yet) or not_found."""

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int = 0
    currency: str = ""


_WORKED_ON = RefundAnswer("pending", "RP", "The refund is being worked on")


@post("/acquirer/refund", status_code=200)
async def refund(request: Request) -> ASGIApp:
    """Refund an amount."""
    return await answer(request, await request.body(), RefundRequest, _refund)


@post("/acquirer/refund/inquire", status_code=200)
async def inquire(request: Request) -> ASGIApp:
    """Return the status of a refund."""
    return await answer(request, await request.body(), RefundQuestion, _inquire)


ROUTES = (refund, inquire)
TAKES_NOTHING = frozenset({"norefund@hundi", "norefund", NO_REFUND_MOBILE})
TELLS_LATE = frozenset({"laterefund@hundi", "laterefund"})
"""The payer's UPI address, user id or mobile number decides the outcome of a refund."""


async def _inquire(bank: Bank, question: RefundQuestion, now: datetime) -> RefundAnswer:
    known = await store.find(bank.db, question.reference)
    return RefundAnswer("not_found") if known is None else _answer(known, now)


async def _refund(bank: Bank, question: RefundRequest, now: datetime) -> RefundAnswer:
    if question.amount_paise <= 0 or not question.reference:
        raise CallRefusedError(422, "a refund has a reference and an amount above zero")
    rrn = await bank.rrns.take(now)
    async with bank.db.transaction() as connection:
        # The payment's row is locked, so refunds of one payment are decided one after the other.
        original = await store.lock_original(connection, question.original)
        if original is None:
            raise CallRefusedError(404, "no such debit")
        known = await store.find_locked(connection, question.reference)
        if known is not None:
            if (known["original"], known["amount_paise"]) != (question.original, question.amount_paise):
                raise CallRefusedError(409, "this reference gave another amount back")
            return _answer(known, now)
        settled = question.settled_paise or question.amount_paise
        status, code, message = await _decided(connection, question, original, settled)
        late = status == "done" and original["payer"] in TELLS_LATE
        told_from = now + timedelta(seconds=bank.settings.timings.pending_s) if late else None
        await store.write(
            connection,
            question.reference,
            question.original,
            question.amount_paise,
            question.currency,
            status,
            code,
            message,
            rrn,
            now,
            original["method"],
            told_from,
            settled,
        )
    if told_from is not None:
        return _WORKED_ON
    return RefundAnswer(status, code, message, rrn, question.amount_paise, question.currency)


async def _decided(
    connection: asyncpg.Connection, question: RefundRequest, original: asyncpg.Record, settled: int
) -> tuple[str, str, str]:
    """Return status, DE39 code and words."""
    if original["status"] != "paid" or original["currency"] != question.currency:
        return "declined", "12", "There is no debit to give back"
    given, settled_before = await store.given_back(connection, question.original)
    if given + question.amount_paise > original["amount_paise"]:
        return "declined", "61", "More than was debited"
    if given + question.amount_paise + await store.disputed(connection, question.original) > original["amount_paise"]:
        return "declined", "61", "More than is left beside a dispute"
    rate = rates.rate_micros(original["currency"], original["at"])
    received = rates.settled_paise(original["amount_paise"], rate)
    is_all = given + question.amount_paise == original["amount_paise"]
    if settled_before + settled > received or (is_all and settled_before + settled != received):
        return "declined", "12", "The rupees do not fit the rate of the charge"
    if original["payer"] in TAKES_NOTHING:
        return "declined", "57", "The account takes nothing back"
    return "done", "00", "Given back"


def _answer(known: asyncpg.Record, now: datetime) -> RefundAnswer:
    if known["told_from"] is not None and now < known["told_from"]:
        return _WORKED_ON
    return RefundAnswer(
        known["status"], known["code"], known["message"], known["rrn"], known["amount_paise"], known["currency"]
    )
