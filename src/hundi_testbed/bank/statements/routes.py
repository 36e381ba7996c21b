"""Open routes for statements of the acquirer and of the gateway's account, and for mistakes."""

from datetime import date, datetime, time, timedelta, timezone
from typing import Annotated, Literal

import msgspec
from litestar import Request, get, put
from litestar.params import Parameter
from litestar.types import ASGIApp

from hundi_testbed.bank import rates, replies
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.statements import files, store
from hundi_testbed.bank.statements.rules import (
    Mistake,
    Statement,
    StatementMovement,
    movement,
    with_mistakes,
)
from hundi_testbed.bank.wording import indian_day

_IST = timezone(timedelta(hours=5, minutes=30))
_TYPES = {
    "camt053": b"application/xml",
    "csv": b"text/csv; charset=utf-8",
    "mt940": b"text/plain; charset=us-ascii",
}
_OPENING_PAISE = 1_000_000
"""The balance of the gateway's bank account at the start of every day; earlier days do not count.
"""

Day = Annotated[date, Parameter(query="date")]


@get("/statement")
async def statement(
    request: Request,
    day: Day,
    format: Literal["camt053", "csv"] = "camt053",  # noqa: A002 (the query's name)
) -> ASGIApp:
    """Return the acquirer's statement of a day that has ended, with fees and the hand-over."""
    bank = bank_of(request)
    if day >= indian_day(clock.now()):
        return replies.problem(404, "a statement is made when its day has ended")
    day_statement, _ = await _statement(bank, day)
    text = (
        files.acquirer_csv(day_statement)
        if format == "csv"
        else files.acquirer_camt053(day_statement)
    )
    return _file(text, format)


@get("/account-statement")
async def account_statement(
    request: Request,
    day: Day,
    format: Literal["camt053", "mt940"] = "camt053",  # noqa: A002 (the query's name)
) -> ASGIApp:
    """Return the statement of the gateway's own account: the hand-over as one line, and payouts."""
    bank = bank_of(request)
    if day >= indian_day(clock.now()):
        return replies.problem(404, "a statement is made when its day has ended")
    day_statement, payouts = await _statement(bank, day)
    lines = files.account_lines(day_statement, payouts)
    text = (files.account_mt940 if format == "mt940" else files.account_camt053)(
        day, lines, _OPENING_PAISE
    )
    return _file(text, format)


class MistakeRequest(msgspec.Struct, frozen=True):
    """Make the statement of a day wrong about a reference; `extra` names one that nobody paid."""

    date: date
    reference: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{4,35}$")]
    mistake: Mistake


@put("/control/statement")
async def make_mistake(request: Request) -> ASGIApp:
    """Make a mistake in a statement on purpose."""
    try:
        mistake = msgspec.json.decode(await request.body(), type=MistakeRequest)
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    await store.make_mistake(bank_of(request).db, mistake.date, mistake.reference, mistake.mistake)
    return replies.json(mistake)


def _file(text: str, form: str) -> ASGIApp:
    return replies.BankReply(200, text.encode(), ((b"content-type", _TYPES[form]),))


async def _statement(bank: BankContext, day: date) -> tuple[Statement, list[StatementMovement]]:
    """Return a day's statement, and the payouts of the day."""
    before = day - timedelta(days=1)
    today, yesterday = [await _movements(bank, each) for each in (day, before)]
    mistakes = await store.mistakes(bank.db, before, day)
    day_statement = with_mistakes(
        day,
        [each for each in today if each.kind != "PAYOUT"],
        [each for each in yesterday if each.kind != "PAYOUT"],
        mistakes,
    )
    return day_statement, [each for each in today if each.kind == "PAYOUT"]


async def _movements(bank: BankContext, day: date) -> list[StatementMovement]:
    since = datetime.combine(day, time(), _IST)
    movements: list[StatementMovement] = []
    for row in await store.movements(bank.db, since, since + timedelta(days=1)):
        rate = rates.rate_micros(row["currency"], row["charged_at"])
        gross = row["settled_paise"] or rates.settled_paise(row["amount_paise"], rate)
        movements.append(movement(row["kind"], row["method"], row["reference"], row["rrn"], gross))
    return movements


ROUTES = (statement, account_statement, make_mistake)
