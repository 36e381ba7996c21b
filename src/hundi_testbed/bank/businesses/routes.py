"""The register of businesses, for holders of the acquirer's key: find, list and change entries."""

from datetime import datetime
from typing import Any

import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank import wording
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.businesses import rules, seeds, store
from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.registers import LISTED_MAX, ListQuestion, RegisterAnswer

LISTED_FIELDS = ("gstin", "legal_name", "trade_name", "constitution", "status")


class BusinessQuestion(msgspec.Struct, frozen=True):
    """A request for one business."""

    gstin: str


class BusinessChange(msgspec.Struct, frozen=True):
    """A change of a registered business: new values by field name."""

    gstin: str
    fields: dict[str, str]


@post("/registers/businesses/find", status_code=200)
async def find_business(request: Request) -> ASGIApp:
    """Return the business registered under a GSTIN."""

    async def act(bank: BankContext, question: BusinessQuestion, _now: datetime) -> RegisterAnswer:
        entry = await store.find_business(bank.db, question.gstin)
        return RegisterAnswer("found", entry) if entry else RegisterAnswer("nobody")

    return await answer(request, await request.body(), BusinessQuestion, act)


@post("/registers/businesses/list", status_code=200)
async def list_businesses(request: Request) -> ASGIApp:
    """List businesses."""

    async def act(bank: BankContext, question: ListQuestion, _now: datetime) -> RegisterAnswer:
        entries = await store.list_businesses(
            bank.db, question.words, min(question.limit, LISTED_MAX)
        )
        return RegisterAnswer(
            "found", [{name: each[name] for name in LISTED_FIELDS} for each in entries]
        )

    return await answer(request, await request.body(), ListQuestion, act)


@post("/registers/businesses/change", status_code=200)
async def change_business(request: Request) -> ASGIApp:
    """Change text fields of a business."""

    async def act(bank: BankContext, question: BusinessChange, now: datetime) -> RegisterAnswer:
        def change(entry: dict[str, Any]) -> dict[str, Any] | str:
            return rules.changed(entry, question.fields, wording.indian_day(now))

        outcome = await store.change_business(bank.db, question.gstin, change)
        if isinstance(outcome, str):
            return RegisterAnswer("forbidden", message=outcome)
        return RegisterAnswer("found", outcome) if outcome else RegisterAnswer("nobody")

    return await answer(request, await request.body(), BusinessChange, act)


ROUTES = (find_business, list_businesses, change_business)


async def seed(db: BankDatabase) -> None:
    """Fill empty registers; changed entries stay."""
    if not await store.count_businesses(db):
        await store.put_businesses(db, seeds.seeded())
