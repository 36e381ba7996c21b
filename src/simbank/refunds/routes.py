"""Refunds: idempotent by the refund's reference, and never more than the payment."""

from datetime import datetime

import asyncpg
import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from simbank.acquirer import answer
from simbank.bank import Bank
from simbank.refunds import actions, store
from simbank.refunds.actions import CAME_BACK, Asked


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
    """The bank's answer about a refund.

    status: done, declined, pending (not decided yet) or not_found.
    """

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


async def _inquire(bank: Bank, question: RefundQuestion, now: datetime) -> RefundAnswer:
    known = await store.find(bank.db, question.reference)
    return RefundAnswer("not_found") if known is None else _answer(known, now)


async def _refund(bank: Bank, question: RefundRequest, now: datetime) -> RefundAnswer:
    asked = Asked(
        question.reference,
        question.original,
        question.amount_paise,
        question.currency,
        question.settled_paise or question.amount_paise,
    )
    return _answer(await actions.refund(bank, asked, now), now)


def _answer(known: asyncpg.Record, now: datetime) -> RefundAnswer:
    if known["told_from"] is not None and now < known["told_from"]:
        return _WORKED_ON
    told = (known["rrn"], known["amount_paise"], known["currency"])
    if known["status"] == "reversed":
        return RefundAnswer(*CAME_BACK, *told)
    return RefundAnswer(known["status"], known["code"], known["message"], *told)
