"""Refunds at an aggregator, each with an id to ask about, decided later."""

import secrets
from datetime import datetime

import asyncpg
import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.aggregator import store
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.messages import AmountPaise, Reference
from hundi_testbed.bank.outbox.store import Callback
from hundi_testbed.bank.refunds import actions
from hundi_testbed.bank.refunds.rules import CAME_BACK, BankRefund, RefundInstruction

DECIDED_AFTER_S = 0.5
"""Seconds for which a refund stays created."""


class AggregatorRefundRequest(msgspec.Struct, frozen=True):
    """Refund an amount.

    receipt: the gateway's reference of the refund; order: the receipt of the paid order.
    """

    receipt: Reference
    order: Reference
    amount_paise: AmountPaise
    currency: str


class AggregatorRefundAnswer(msgspec.Struct, frozen=True):
    """A refund.

    status: created, processed or failed; a returned one is failed, whatever its status before.
    """

    id: str
    receipt: str
    order: str
    status: str
    amount_paise: int
    currency: str
    code: str = ""
    message: str = ""
    rrn: str = ""


class RefundList(msgspec.Struct, frozen=True):
    """The refunds of an order."""

    items: list[AggregatorRefundAnswer]


class RefundNews(msgspec.Struct, frozen=True):
    """A webhook about a refund: it tells that something happened; the gateway then asks."""

    event_id: str
    reference: str
    refund_id: str
    kind: str


@post("/aggregator/refunds", status_code=200)
async def make(request: Request) -> ASGIApp:
    """Make a refund; the same receipt again is the same refund."""
    return await answer(request, await request.body(), AggregatorRefundRequest, _make)


@get("/aggregator/refunds/{refund_id:str}")
async def show(request: Request, refund_id: str) -> ASGIApp:
    """Return the state of a refund, by the aggregator's id; 404 for an unknown one."""

    async def act(bank: BankContext, _question: None, now: datetime) -> AggregatorRefundAnswer:
        row = await store.find_refund(bank.db, refund_id)
        if row is None:
            raise CallRefusedError(404, "no such refund")
        return _said(row, now)

    return await answer(request, request.scope["raw_path"], None, act)


@get("/aggregator/orders/{receipt:str}/refunds")
async def listed(request: Request, receipt: str) -> ASGIApp:
    """Return the refunds of an order, by its receipt."""

    async def act(bank: BankContext, _question: None, now: datetime) -> RefundList:
        return RefundList([_said(each, now) for each in await store.refunds_of(bank.db, receipt)])

    return await answer(request, request.scope["raw_path"], None, act)


ROUTES = (make, show, listed)


async def _make(
    bank: BankContext, question: AggregatorRefundRequest, now: datetime
) -> AggregatorRefundAnswer:
    refund_id = "rfnd_" + secrets.token_hex(9)
    instruction = RefundInstruction(
        question.receipt,
        question.order,
        question.amount_paise,
        question.currency,
        question.amount_paise,
        told_after_s=DECIDED_AFTER_S,
    )
    created: list[Callback] = []

    async def beside(connection: asyncpg.Connection, refund: BankRefund) -> None:
        await store.insert_refund(connection, refund_id, question.receipt)
        created.append(_news(bank, refund_id, question.receipt, "refund.created", now))
        ended = "refund.processed" if refund.status == "done" else "refund.failed"
        later = _news(bank, refund_id, question.receipt, ended, now)
        await store.queue(connection, created[0], created[0].due_at)
        assert refund.told_from is not None
        await store.queue(connection, later, refund.told_from)

    await actions.refund(bank, instruction, now, beside)
    for each in created:
        bank.callback_sender.send_soon(each)
    earlier = await store.refund_of(bank.db, question.receipt)
    assert earlier is not None
    return _said(earlier, now)


def _news(bank: BankContext, refund_id: str, receipt: str, kind: str, now: datetime) -> Callback:
    event_id = "evt_" + secrets.token_hex(12)
    return bank.callback_sender.callback_with(
        event_id, receipt, RefundNews(event_id, receipt, refund_id, kind), now
    )


def _said(row: asyncpg.Record, now: datetime) -> AggregatorRefundAnswer:
    names = (row["refund_id"], row["reference"], row["original"])
    amount = (row["amount_paise"], row["currency"])
    if now < row["told_from"]:
        return AggregatorRefundAnswer(*names, "created", *amount)
    if row["status"] == "done":
        return AggregatorRefundAnswer(*names, "processed", *amount, rrn=row["rrn"])
    _, code, message = (
        CAME_BACK if row["status"] == "reversed" else ("", row["code"], row["message"])
    )
    return AggregatorRefundAnswer(*names, "failed", *amount, code, message)
