"""The simulated terminal of a shop: what is sold at it is told to the gateway as a callback."""

import re
import secrets
from datetime import UTC, datetime

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi.simbank import store
from hundi.simbank.bank import bank_of
from hundi.simbank.pages import page, typed

TYPES = ("SALE", "VOID", "REFUND")
_AMOUNT = re.compile(r"([0-9]{1,8})(?:\.([0-9]{1,2}))?\Z")
_FORMS = {
    "merchant_id": (re.compile(r"[0-9]{1,12}\Z"), "the merchant's number"),
    "terminal_id": (re.compile(r"[A-Za-z0-9]{1,16}\Z"), "1 to 16 letters and digits"),
    "amount": (_AMOUNT, "rupees, as in 149.50"),
    "edited": (re.compile(r"(?:[0-9]{1,8}(?:\.[0-9]{1,2})?)?\Z"), "rupees, or nothing"),
    "table_no": (re.compile(r".{0,20}\Z"), "at most 20 characters"),
    "mobile": (re.compile(r"(?:[0-9]{10})?\Z"), "10 digits, or nothing"),
    "txn_type": (re.compile(r"(?:SALE|VOID|REFUND)\Z"), "SALE, VOID or REFUND"),
}


class SaleBody(msgspec.Struct, frozen=True, tag_field="kind", tag="pos_sale"):
    """What the gateway is told of a sale; amounts in paise."""

    event_id: str
    merchant_id: int
    terminal_id: str
    txn_type: str
    amount_paise: int
    edited_paise: int
    table_no: str
    mobile: str


@get("/terminal")
async def show(request: Request) -> ASGIApp:
    """Show the terminal's keys."""
    values = {name: request.query_params.get(name, "") for name in _FORMS} | {"txn_type": "SALE"}
    return page("terminal.html", values=values, types=TYPES, problems={}, told="")


@post("/terminal", status_code=200)
async def sell(request: Request) -> ASGIApp:
    """Take a sale, or say what cannot be read; the gateway hears of it by callback."""
    form = await request.form()
    values = {name: typed(form, name) for name in _FORMS}
    problems = {name: words for name, (right, words) in _FORMS.items() if not right.match(values[name])}
    if not problems and not _paise(values["amount"]):
        problems = {"amount": "more than nothing"}
    if problems:
        return page("terminal.html", status=422, values=values, types=TYPES, problems=problems, told="")
    bank, now = bank_of(request), datetime.now(UTC)
    event_id = "pos_" + secrets.token_hex(12)
    body = SaleBody(
        event_id=event_id,
        merchant_id=int(values["merchant_id"]),
        terminal_id=values["terminal_id"],
        txn_type=values["txn_type"],
        amount_paise=_paise(values["amount"]),
        edited_paise=_paise(values["edited"]),
        table_no=values["table_no"],
        mobile=values["mobile"],
    )
    letter = bank.courier.sealed(event_id, event_id, body, now)
    await store.write_letter(bank.db, letter)
    bank.courier.send_soon(letter)
    kept = {name: values[name] for name in ("merchant_id", "terminal_id")}
    empty = dict.fromkeys(_FORMS, "") | {"txn_type": "SALE"}
    return page("terminal.html", values=empty | kept, types=TYPES, problems={}, told=event_id)


ROUTES = (show, sell)


def _paise(text: str) -> int:
    match = _AMOUNT.match(text)
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0")) if match else 0
