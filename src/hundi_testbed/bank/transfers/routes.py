"""The interface to transfers, and the pages of the customer's bank and of a branch."""

from collections.abc import Mapping
from datetime import datetime

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import forms
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.messages import InquireRequest
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.rules import Status
from hundi_testbed.bank.transfers import actions, rules, store


class TransferAnswer(msgspec.Struct, frozen=True):
    """One transfer to an account. utr: its number in the banks' network."""

    utr: str
    amount_paise: int
    currency: str
    mode: str


class TransfersAnswer(msgspec.Struct, frozen=True):
    """Every transfer to the account of a reference."""

    transfers: list[TransferAnswer]


@post("/acquirer/transfers", status_code=200)
async def listed(request: Request) -> ASGIApp:
    """Return every transfer to the account of a reference."""

    async def act(bank: BankContext, question: InquireRequest, _now: datetime) -> TransfersAnswer:
        rows = await store.of_account(bank.db, question.reference)
        return TransfersAnswer([TransferAnswer(**dict(each)) for each in rows])

    return await answer(request, await request.body(), InquireRequest, act)


@get("/transfers")
async def show(request: Request) -> ASGIApp:
    """Show the form of the customer's bank, filled in from the link."""
    values = {name: request.query_params.get(name, "") for name in rules.FIELDS}
    values["mode"] = values["mode"] or rules.MODES[0]
    values["remitter"] = values["remitter"] or "50100012345678"
    return _form(values)


@post("/transfers", status_code=200)
async def send(request: Request) -> ASGIApp:
    """Send a transfer, or show which fields are wrong."""
    form = await forms.read(request)
    values = {name: forms.typed(form, name) for name in rules.FIELDS}
    problems = rules.problems(values)
    if problems:
        return _form(values, problems)
    try:
        payment = await actions.send(bank_of(request), values, clock.now())
    except CallRefusedError as refused:
        return _form(
            values, {"utr": f"Not sent: {refused}. No money has moved."}, status=refused.status
        )
    if payment.status is Status.DECLINED:
        words = f"UTR {payment.reference}. {payment.message}."
        return page("message.html", title="Transfer turned back", message=words)
    message = f"UTR {payment.reference}. The shop hears of it from its bank."
    return page("message.html", title="Transfer sent", message=message)


@get("/branch")
async def show_slip(request: Request) -> ASGIApp:
    """Show the form of a bank's branch, filled in from the link."""
    values = {name: request.query_params.get(name, "") for name in rules.BRANCH_FIELDS}
    values["mode"] = values["mode"] or rules.BRANCH_MODES[0]
    values["remitter"] = values["remitter"] or "401233"
    return _slip(values)


@post("/branch", status_code=200)
async def pay_in(request: Request) -> ASGIApp:
    """Pay a slip in, or show which fields are wrong."""
    form = await forms.read(request)
    values = {name: forms.typed(form, name) for name in rules.BRANCH_FIELDS}
    problems = rules.problems_of_slip(values)
    if problems:
        return _slip(values, problems)
    payment = await actions.pay_in(bank_of(request), values, clock.now())
    if payment.status is Status.DECLINED:
        words = f"Number {payment.reference}. {payment.message}."
        return page("message.html", title="Slip returned", message=words)
    message = (
        f"Number {payment.reference}. The money is credited after clearing; the shop hears of it"
        " then."
    )
    return page("message.html", title="Slip taken", message=message)


ROUTES = (listed, show, send, show_slip, pay_in)


def _slip(values: Mapping[str, str], problems: Mapping[str, str] | None = None) -> ASGIApp:
    return page(
        "branch.html",
        status=422 if problems else 200,
        values=values,
        problems=problems or {},
        returned=rules.RETURNED_CHEQUE,
    )


def _form(
    values: Mapping[str, str], problems: Mapping[str, str] | None = None, status: int = 422
) -> ASGIApp:
    return page(
        "transfer.html",
        status=status if problems else 200,
        values=values,
        modes=rules.MODES,
        problems=problems or {},
        blocked=rules.BLOCKED_REMITTER,
    )
