"""The simulated terminal of a shop; every sale is sent to the gateway as a callback."""

import secrets
from collections.abc import Mapping

from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import forms
from hundi_testbed.bank.bank import bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.terminals import rules, store


@get("/terminal")
async def show(request: Request) -> ASGIApp:
    """Show the terminal's keys."""
    return _keys({name: request.query_params.get(name, "") for name in rules.FIELDS})


@post("/terminal", status_code=200)
async def sell(request: Request) -> ASGIApp:
    """Write a sale and send its callback, or show which fields are wrong."""
    form = await forms.read(request)
    values = {name: forms.typed(form, name) for name in rules.FIELDS}
    problems = rules.problems(values)
    if problems:
        return _keys(values, problems)
    bank, now = bank_of(request), clock.now()
    event_id = "pos_" + secrets.token_hex(8)
    sale = rules.SaleBody(
        event_id=event_id,
        merchant_id=int(values["merchant_id"]),
        terminal_id=values["terminal_id"],
        txn_type=values["txn_type"],
        amount_paise=rules.paise(values["amount"]),
        edited_paise=rules.paise(values["edited"]),
        table_no=values["table_no"],
        mobile=values["mobile"],
    )
    callback = bank.callback_sender.callback_with(event_id, event_id, sale, now)
    await store.write(bank.db, callback, sale)
    bank.callback_sender.send_soon(callback)
    terminal = {name: values[name] for name in ("merchant_id", "terminal_id")}
    return _keys(dict.fromkeys(rules.FIELDS, "") | terminal, notice=event_id)


@get("/terminal/sales/{event_id:str}")
async def show_sale(request: Request, event_id: str) -> ASGIApp:
    """Show a sale and its delivery to the gateway."""
    sale = await store.find(bank_of(request).db, event_id)
    if sale is None:
        message = "Nothing was sold under this number, or it was more than a week ago."
        title, words = "No such sale", "Open the terminal"
        return page(
            "message.html",
            status=404,
            title=title,
            message=message,
            way="/terminal",
            way_words=words,
        )
    standing = rules.standing(sale["answer"], sale["again_at"], taken=sale["taken"])
    return page("terminal_sale.html", sale=sale, standing=standing)


ROUTES = (show, sell, show_sale)


def _keys(
    values: Mapping[str, str], problems: Mapping[str, str] | None = None, notice: str = ""
) -> ASGIApp:
    texts = {**values, "txn_type": values["txn_type"] or rules.TYPES[0]}
    status = 422 if problems else 200
    return page(
        "terminal.html",
        status=status,
        values=texts,
        types=rules.TYPES,
        problems=problems or {},
        told=notice,
    )
