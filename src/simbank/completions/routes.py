"""The ends of a hold: each hold ends once, so its own reference is the key of both calls."""

from dataclasses import dataclass
from datetime import datetime

import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from simbank.acquirer import answer
from simbank.actions import CallRefusedError
from simbank.bank import Bank
from simbank.completions import store
from simbank.completions.store import Hold
from simbank.messages import AmountPaise, Reference
from simbank.rules import Status


class CaptureRequest(msgspec.Struct, frozen=True):
    """What to collect of a hold. original: the reference that was authorised; amount in paise."""

    original: Reference
    amount_paise: AmountPaise
    currency: str


class VoidRequest(msgspec.Struct, frozen=True):
    """Which hold to give back."""

    original: Reference


class CompletionAnswer(msgspec.Struct, frozen=True):
    """How the hold ended. status: paid, voided or declined; amount_paise: what was collected."""

    status: str
    code: str
    message: str
    rrn: str = ""
    amount_paise: int = 0
    currency: str = "INR"


@dataclass(frozen=True, slots=True)
class _Ending:
    """What is asked of a hold. paise: 0 of a void."""

    status: Status
    kind: str
    paise: int
    message: str


@post("/acquirer/captures", status_code=200)
async def capture(request: Request) -> ASGIApp:
    """Collect a held amount or a part of it; what is left is released."""
    return await answer(request, await request.body(), CaptureRequest, _capture)


@post("/acquirer/voids", status_code=200)
async def void(request: Request) -> ASGIApp:
    """Give a whole hold back."""
    return await answer(request, await request.body(), VoidRequest, _void)


ROUTES = (capture, void)


async def _capture(bank: Bank, question: CaptureRequest, now: datetime) -> CompletionAnswer:
    ending = _Ending(Status.PAID, "capture", question.amount_paise, "Captured")
    return await _end(bank, question.original, ending, now)


async def _void(bank: Bank, question: VoidRequest, now: datetime) -> CompletionAnswer:
    return await _end(bank, question.original, _Ending(Status.VOIDED, "void", 0, "Given back"), now)


async def _end(bank: Bank, original: str, ending: _Ending, now: datetime) -> CompletionAnswer:
    rrn = await bank.rrns.take(now)
    async with bank.db.transaction() as connection:
        # The hold's row is locked: of two endings that meet, the second finds what the first did.
        hold = await store.lock(connection, original)
        if hold is None:
            raise CallRefusedError(404, "no such hold")
        if hold.ended_as == ending.kind and ending.paise in {0, hold.captured_paise}:
            return _said(ending, hold.ended_rrn, hold)
        if hold.status is not Status.AUTHORISED:
            return CompletionAnswer("declined", "12", f"This hold is {hold.ended_as or hold.status} already")
        if ending.paise > hold.amount_paise:
            return CompletionAnswer("declined", "61", "More than was authorised")
        amount = ending.paise or hold.amount_paise
        await store.end(connection, original, ending.status, ending.paise or None, ending.kind, rrn, amount, now)
    return _said(ending, rrn, hold)


def _said(ending: _Ending, rrn: str, hold: Hold) -> CompletionAnswer:
    return CompletionAnswer(ending.status, "00", ending.message, rrn, ending.paise, hold.currency)
