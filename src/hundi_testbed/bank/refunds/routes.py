"""Refunds: idempotent by the refund's reference, and never more than the payment."""

from datetime import datetime

from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.refunds import actions, store
from hundi_testbed.bank.refunds.messages import (
    BankRefundAnswer,
    BankRefundRequest,
    RefundQuestion,
)
from hundi_testbed.bank.refunds.rules import RefundInstruction


@post("/acquirer/refund", status_code=200)
async def refund(request: Request) -> ASGIApp:
    """Refund an amount."""
    return await answer(request, await request.body(), BankRefundRequest, _refund)


@post("/acquirer/refund/inquire", status_code=200)
async def inquire(request: Request) -> ASGIApp:
    """Return the status of a refund."""
    return await answer(request, await request.body(), RefundQuestion, _inquire)


ROUTES = (refund, inquire)


async def _inquire(bank: BankContext, question: RefundQuestion, now: datetime) -> BankRefundAnswer:
    earlier = await store.find(bank.db, question.reference)
    return BankRefundAnswer("not_found") if earlier is None else BankRefundAnswer.of(earlier, now)


async def _refund(
    bank: BankContext, question: BankRefundRequest, now: datetime
) -> BankRefundAnswer:
    instruction = RefundInstruction(
        question.reference,
        question.original,
        question.amount_paise,
        question.currency,
        question.settled_paise or question.amount_paise,
    )
    return BankRefundAnswer.of(await actions.refund(bank, instruction, now), now)
