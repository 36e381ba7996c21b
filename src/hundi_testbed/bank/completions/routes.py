"""Captures and voids; the authorisation's reference is the idempotency key of both."""

from dataclasses import dataclass
from datetime import datetime

import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.completions import store
from hundi_testbed.bank.completions.store import Hold
from hundi_testbed.bank.messages import AmountPaise, Reference
from hundi_testbed.bank.rules import Status


class BankCaptureRequest(msgspec.Struct, frozen=True):
    """Capture an authorised amount or a part of it. original: the authorised reference."""

    original: Reference
    amount_paise: AmountPaise
    currency: str


class BankVoidRequest(msgspec.Struct, frozen=True):
    """Void an authorisation. original: the authorised reference."""

    original: Reference


class CompletionAnswer(msgspec.Struct, frozen=True):
    """The result of a capture or void.

    status: paid, voided or declined. amount_paise: the captured amount.
    """

    status: str
    code: str
    message: str
    rrn: str = ""
    amount_paise: int = 0
    currency: str = "INR"


@dataclass(frozen=True, slots=True)
class _Ending:
    """A requested completion. paise: the amount to capture, 0 for a void."""

    status: Status
    kind: str
    paise: int
    message: str


@post("/acquirer/captures", status_code=200)
async def capture(request: Request) -> ASGIApp:
    """Capture an authorised amount or a part of it; the rest is released."""
    return await answer(request, await request.body(), BankCaptureRequest, _capture)


@post("/acquirer/voids", status_code=200)
async def void(request: Request) -> ASGIApp:
    """Void an authorisation."""
    return await answer(request, await request.body(), BankVoidRequest, _void)


ROUTES = (capture, void)


async def _capture(
    bank: BankContext, question: BankCaptureRequest, now: datetime
) -> CompletionAnswer:
    ending = _Ending(Status.PAID, "capture", question.amount_paise, "Captured")
    return await _end(bank, question.original, ending, now)


async def _void(bank: BankContext, question: BankVoidRequest, now: datetime) -> CompletionAnswer:
    return await _end(bank, question.original, _Ending(Status.VOIDED, "void", 0, "Given back"), now)


async def _end(
    bank: BankContext, original: str, ending: _Ending, now: datetime
) -> CompletionAnswer:
    rrn = await bank.rrns.take(now)
    async with bank.db.transaction() as connection:
        # The payment's row is locked: of two concurrent completions, the second sees the first.
        hold = await store.lock(connection, original)
        if hold is None:
            raise CallRefusedError(404, "no such hold")
        if hold.ended_as == ending.kind and ending.paise in {0, hold.captured_paise}:
            return _said(ending, hold.ended_rrn, hold)
        if hold.status is not Status.AUTHORISED:
            return CompletionAnswer(
                "declined", "12", f"This hold is {hold.ended_as or hold.status} already"
            )
        if ending.paise > hold.amount_paise:
            return CompletionAnswer("declined", "61", "More than was authorised")
        amount = ending.paise or hold.amount_paise
        await store.end(
            connection, original, ending.status, ending.paise or None, ending.kind, rrn, amount, now
        )
    return _said(ending, rrn, hold)


def _said(ending: _Ending, rrn: str, hold: Hold) -> CompletionAnswer:
    return CompletionAnswer(ending.status, "00", ending.message, rrn, ending.paise, hold.currency)
