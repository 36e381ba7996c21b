"""The acquirer's interface to vouchers, and the page of a shop's counter."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import forms
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.cash import actions, rules, store
from hundi_testbed.bank.cash.rules import CashVoucher
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.messages import AmountPaise, DeclinedAnswer, InquireRequest, Reference, Text
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.wording import rupees


class VoucherRequest(msgspec.Struct, frozen=True):
    """Issue a voucher, payable until a time."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Literal["INR"]
    expires_at: Annotated[datetime, msgspec.Meta(tz=True)]
    payee_name: Text = ""


class VoucherAnswer(msgspec.Struct, frozen=True):
    """The voucher of a reference."""

    voucher: str
    status: str = "done"


class EndAnswer(msgspec.Struct, frozen=True):
    """The voucher is withdrawn."""

    status: str = "done"


_PAID = DeclinedAnswer("12", "The voucher is paid")
_OVER_CEILING = DeclinedAnswer("61", "More than a counter takes for one voucher")


@post("/acquirer/cash/vouchers", status_code=200)
async def issue(request: Request) -> ASGIApp:
    """Issue a voucher."""

    async def act(
        bank: BankContext, question: VoucherRequest, now: datetime
    ) -> VoucherAnswer | DeclinedAnswer:
        if question.amount_paise > rules.CEILING_PAISE:
            return _OVER_CEILING
        voucher = CashVoucher("", *(getattr(question, name) for name in _ASKED))
        return VoucherAnswer((await actions.issue(bank, voucher, now)).number)

    return await answer(request, await request.body(), VoucherRequest, act)


@post("/acquirer/cash/vouchers/end", status_code=200)
async def end(request: Request) -> ASGIApp:
    """Withdraw an unpaid voucher."""

    async def act(
        bank: BankContext, question: InquireRequest, now: datetime
    ) -> EndAnswer | DeclinedAnswer:
        return EndAnswer() if await actions.withdraw(bank, question.reference, now) else _PAID

    return await answer(request, await request.body(), InquireRequest, act)


_ASKED = ("reference", "payee_name", "amount_paise", "currency", "expires_at")


@get("/counter")
async def show(request: Request) -> ASGIApp:
    """Show the form of a shop's counter, filled in from the link."""
    values = {name: request.query_params.get(name, "") for name in rules.FIELDS}
    values["counter"] = values["counter"] or rules.COUNTERS[0].code
    values["mobile"] = values["mobile"] or "9876543210"
    return _form(values)


@post("/counter", status_code=200)
async def take(request: Request) -> ASGIApp:
    """Take cash for a voucher, or show why not."""
    bank, form, now = bank_of(request), await forms.read(request), clock.now()
    values = {name: forms.typed(form, name) for name in rules.FIELDS}
    voucher = await store.find(bank.db, values["number"])
    problems = rules.problems(values, voucher, now)
    if problems or voucher is None:
        return _form(values, problems)
    if not await actions.pay(bank, voucher, values, now):
        why = "was withdrawn" if await actions.is_withdrawn(bank, voucher) else "is paid already"
        return _form(values, {"number": f"This voucher {why}. Take no cash."}, status=409)
    paid = f"{rupees(voucher.amount_paise)} for {voucher.payee_name or 'the shop'}"
    message = (
        f"Receipt {voucher.receipt}. {paid}. It hears of the cash when this counter's head office"
        " does."
    )
    return page(
        "message.html",
        title="Cash taken",
        message=message,
        way="/counter",
        way_words="Next customer",
    )


ROUTES = (issue, end, show, take)


def _form(
    values: Mapping[str, str], problems: Mapping[str, str] | None = None, status: int = 422
) -> ASGIApp:
    return page(
        "counter.html",
        status=status if problems else 200,
        values=values,
        counters=rules.COUNTERS,
        problems=problems or {},
        no_refund=rules.NO_REFUND_MOBILE,
    )
