"""Holders of identity numbers, for callers with the acquirer's key; their phones are open."""

from datetime import datetime

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import replies, wording
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.people import rules, seeds, store
from hundi_testbed.bank.registers import LISTED_MAX, ListQuestion, RegisterAnswer

_SHOWN_MAX = 30
_HOLDER_NUMBERS = range(1, 2**31)
"""The range of the database column."""


class PersonQuestion(msgspec.Struct, frozen=True):
    """A request for one holder, by a keyed hash of the identity number, as hex."""

    reference: str


class PersonChange(msgspec.Struct, frozen=True):
    """A change of a holder: new values by field name."""

    holder_no: int
    fields: dict[str, str]


class PhoneText(msgspec.Struct, frozen=True):
    """A text to the phone of a holder."""

    reference: str
    words: str


class Arrived(msgspec.Struct, frozen=True):
    """A text message that arrived. at: UTC."""

    mobile: str
    at: datetime
    words: str


@post("/registers/people/find", status_code=200)
async def find_person(request: Request) -> ASGIApp:
    """Return the holder of an identity number."""

    async def act(bank: BankContext, question: PersonQuestion, _now: datetime) -> RegisterAnswer:
        entry = await store.find(bank.db, question.reference)
        if entry is None:
            return RegisterAnswer("nobody")
        return RegisterAnswer("found", entry | {"photo": entry["photo"] or seeds.portrait()})

    return await answer(request, await request.body(), PersonQuestion, act)


@post("/registers/people/list", status_code=200)
async def list_people(request: Request) -> ASGIApp:
    """List holders."""

    async def act(bank: BankContext, question: ListQuestion, _now: datetime) -> RegisterAnswer:
        rows = await store.listed(bank.db, question.words, min(question.limit, LISTED_MAX))
        return RegisterAnswer("found", [dict(row) for row in rows])

    return await answer(request, await request.body(), ListQuestion, act)


@post("/registers/people/change", status_code=200)
async def change_person(request: Request) -> ASGIApp:
    """Change fields of a holder."""

    async def act(bank: BankContext, question: PersonChange, now: datetime) -> RegisterAnswer:
        if question.holder_no not in _HOLDER_NUMBERS:
            return RegisterAnswer("nobody")
        why_not = rules.refusal(question.fields, wording.indian_day(now))
        if why_not:
            return RegisterAnswer("forbidden", message=why_not)
        changed = await store.change(bank.db, question.holder_no, question.fields)
        return RegisterAnswer("found", changed) if changed else RegisterAnswer("nobody")

    return await answer(request, await request.body(), PersonChange, act)


@post("/phones/send", status_code=200)
async def send(request: Request) -> ASGIApp:
    """Deliver a text message to the phone of a holder."""

    async def act(bank: BankContext, message: PhoneText, now: datetime) -> RegisterAnswer:
        entry = await store.find(bank.db, message.reference)
        if entry is None or not entry["mobile"]:
            return RegisterAnswer("nobody")
        await store.write_message(bank.db, entry["mobile"], message.words, now)
        return RegisterAnswer("found", {"mobile_last4": entry["mobile"][-4:]})

    return await answer(request, await request.body(), PhoneText, act)


@get("/phones")
async def show_phones(request: Request) -> ASGIApp:
    """Show the messages that arrived on people's phones lately."""
    mobile = request.query_params.get("mobile", "").strip()
    rows = await store.messages(bank_of(request).db, _digits(mobile), _SHOWN_MAX)
    return page("phones.html", messages=rows, mobile=mobile, now=clock.now())


@get("/phones/messages")
async def list_messages(request: Request) -> ASGIApp:
    """List the same for scripts."""
    mobile = _digits(request.query_params.get("mobile", ""))
    rows = await store.messages(bank_of(request).db, mobile, _SHOWN_MAX)
    return replies.json([Arrived(row["mobile"], row["at"], row["words"]) for row in rows])


ROUTES = (find_person, list_people, change_person, send, show_phones, list_messages)


async def seed(db: BankDatabase, key: bytes) -> None:
    """Fill an empty register, or make the register of another key findable with this key."""
    if await store.first_reference(db) != seeds.reference(key, seeds.number(1)).hex():
        await store.put(db, seeds.seeded(key))


def _digits(text: str) -> str:
    return "".join(character for character in text if character in "0123456789")[:15]
