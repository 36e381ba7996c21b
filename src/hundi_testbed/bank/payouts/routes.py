"""The acquirer's interface to payouts and checks of accounts, and the bank's page for files."""

from datetime import datetime

import asyncpg
import msgspec
from litestar import Request, get, post, put
from litestar.types import ASGIApp

from hundi_testbed.bank import forms, replies
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError, SilenceError
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.payouts import actions, files, rules, store
from hundi_testbed.bank.payouts.messages import (
    BalanceAnswer,
    BalanceQuestion,
    CheckAnswer,
    CheckRequest,
    PayoutAnswer,
    PayoutQuestion,
    PayoutRequest,
    PurseRequest,
)
from hundi_testbed.bank.payouts.rules import PayoutInstruction, Receiver

_LATEST = 50


@post("/acquirer/accounts/check", status_code=200)
async def check(request: Request) -> ASGIApp:
    """Return an account's holder, paying one rupee into it at the gateway's own cost."""

    async def act(_bank: BankContext, question: CheckRequest, _now: datetime) -> CheckAnswer:
        receiver = rules.receiver_of(question.account)
        name = rules.registered_name(receiver, question.holder)
        if not name:
            return CheckAnswer("not_registered", code=rules.FAULTS[receiver])
        return CheckAnswer("registered", name, score=0 if name == rules.SOMEBODY_ELSE else 100)

    return await answer(request, await request.body(), CheckRequest, act)


@post("/acquirer/payouts", status_code=200)
async def pay_out(request: Request) -> ASGIApp:
    """Pay out, once for each reference."""

    async def act(bank: BankContext, q: PayoutRequest, now: datetime) -> PayoutAnswer:
        instruction = PayoutInstruction(
            q.reference, q.amount_paise, q.rail, q.account, q.ifsc, q.holder
        )
        try:
            row = await actions.pay_out(bank, instruction, now)
        except actions.BalanceShortError:
            short = rules.SHORT
            return PayoutAnswer(short.status, short.code, short.message)
        if rules.receiver_of(q.account) is Receiver.SILENT:
            raise SilenceError
        return _told(row)

    return await answer(request, await request.body(), PayoutRequest, act)


@post("/acquirer/payouts/inquire", status_code=200)
async def inquire(request: Request) -> ASGIApp:
    """Return the state of a payout."""

    async def act(bank: BankContext, question: PayoutQuestion, _now: datetime) -> PayoutAnswer:
        row = await store.find(bank.db, question.reference)
        return PayoutAnswer("not_found") if row is None else _told(row)

    return await answer(request, await request.body(), PayoutQuestion, act)


@post("/acquirer/payouts/balance", status_code=200)
async def balance(request: Request) -> ASGIApp:
    """Return the balance that payouts leave from."""

    async def act(bank: BankContext, _: BalanceQuestion, _now: datetime) -> BalanceAnswer:
        available = await store.available(bank.db)
        return BalanceAnswer("balance", rules.ENOUGH_PAISE if available is None else available)

    return await answer(request, await request.body(), BalanceQuestion, act)


@put("/control/purse", status_code=200)
async def set_purse(request: Request) -> ASGIApp:
    """Set that balance."""
    try:
        purse = msgspec.json.decode(await request.body(), type=PurseRequest)
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    await store.set_available(bank_of(request).db, purse.available_paise)
    return replies.json(purse)


def _told(row: asyncpg.Record) -> PayoutAnswer:
    return PayoutAnswer(
        row["status"], row["code"], row["message"], row["utr"], row["amount_paise"], "INR"
    )


@get("/payouts")
async def show(request: Request) -> ASGIApp:
    """Show the newest payouts, and the form for a file of them."""
    return await _page(request)


@post("/payouts/files", status_code=200, request_max_body_size=files.FILE_BYTES_MAX)
async def take_file(request: Request) -> ASGIApp:
    """Pay out a file's payouts: the body itself, or the field `file` of the page's form."""
    by_form = request.headers.get("content-type", "").startswith(
        "application/x-www-form-urlencoded"
    )
    body = (await forms.read(request)).get("file", "").encode() if by_form else await request.body()
    try:
        batch = await actions.take_file(bank_of(request), body, clock.now())
    except (files.FileRefusedError, CallRefusedError) as refused:
        if by_form:
            return await _page(request, f"Not taken: {refused}.")
        return replies.problem(422, str(refused))
    return replies.see_other("/payouts") if by_form else replies.json({"batch": batch})


@get("/payouts/report")
async def report(request: Request) -> ASGIApp:
    """Return the outcomes of a file's payouts, as CSV or as pain.002."""
    batch, form = request.query_params.get("batch", ""), request.query_params.get("format", "csv")
    rows = await store.of_batch(bank_of(request).db, batch) if batch else []
    if not rows:
        return replies.problem(404, "no such file")
    if form == "pain002":
        return replies.asset(files.report_pain_002(batch, rows, clock.now()), b"application/xml")
    return replies.asset(files.report_csv(batch, rows), b"text/csv; charset=utf-8")


async def _page(request: Request, problem: str = "") -> ASGIApp:
    rows = await store.latest(bank_of(request).db, _LATEST)
    status = 422 if problem else 200
    return page("payouts.html", status=status, rows=rows, triggers=rules.TRIGGERS, problem=problem)


ROUTES = (check, pay_out, inquire, balance, set_purse, show, take_file, report)
