"""Refunds: idempotent by the refund's reference, and never more than the payment."""

from datetime import datetime

import asyncpg
import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.refunds import actions, store
from hundi_testbed.bank.refunds.actions import CAME_BACK, RefundInstruction


class BankRefundRequest(msgspec.Struct, frozen=True):
    """Refund an amount. reference: of the refund; original: of the payment; amount in paise.

    settled_paise: the amount in rupees at the rate of the charge; 0 for an amount in rupees.
    """

    reference: str
    original: str
    amount_paise: int
    currency: str
    settled_paise: int = 0


class RefundQuestion(msgspec.Struct, frozen=True):
    """Ask for the status of a refund."""

    reference: str


class BankRefundAnswer(msgspec.Struct, frozen=True):
    """The bank's answer about a refund.

    status: done, declined, pending (not decided yet) or not_found.
    """

    status: str
    code: str = ""
    message: str = ""
    rrn: str = ""
    amount_paise: int = 0
    currency: str = ""


_WORKED_ON = BankRefundAnswer("pending", "RP", "The refund is being worked on")


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
    row = await store.find(bank.db, question.reference)
    return BankRefundAnswer("not_found") if row is None else _answer(row, now)


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
    return _answer(await actions.refund(bank, instruction, now), now)


def _answer(row: asyncpg.Record, now: datetime) -> BankRefundAnswer:
    if row["told_from"] is not None and now < row["told_from"]:
        return _WORKED_ON
    amount = (row["rrn"], row["amount_paise"], row["currency"])
    if row["status"] == "reversed":
        return BankRefundAnswer(*CAME_BACK, *amount)
    return BankRefundAnswer(row["status"], row["code"], row["message"], *amount)
