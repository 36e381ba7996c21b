"""Captures and voids; the authorisation's reference is the idempotency key of both."""

from datetime import datetime

from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.completions import store
from hundi_testbed.bank.completions.messages import (
    BankCaptureRequest,
    BankVoidRequest,
    CompletionAnswer,
)
from hundi_testbed.bank.completions.rules import (
    VOID,
    HoldCompletion,
    answer_of,
    capture_of,
    completed,
    standing_answer,
)


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
    return await _end(bank, question.original, capture_of(question.amount_paise), now)


async def _void(bank: BankContext, question: BankVoidRequest, now: datetime) -> CompletionAnswer:
    return await _end(bank, question.original, VOID, now)


async def _end(
    bank: BankContext, original: str, completion: HoldCompletion, now: datetime
) -> CompletionAnswer:
    rrn = await bank.rrns.take(now)
    async with bank.db.transaction() as connection:
        # The payment's row is locked: of two concurrent completions, the second sees the first.
        payment = await store.lock(connection, original)
        if payment is None:
            raise CallRefusedError(404, "no such hold")
        standing = standing_answer(payment, completion)
        if standing is not None:
            return standing
        ended = completed(payment, completion, rrn, now)
        await store.end(connection, ended, completion)
    return answer_of(ended, completion)
