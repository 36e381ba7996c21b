"""The card programme's interface, for callers with the acquirer's key."""

from dataclasses import asdict, replace  # noqa: TID251 (no structs here)
from datetime import datetime
from typing import Literal

import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.cards import rules, seeds, store
from hundi_testbed.bank.cards.rules import BankProgrammeCard
from hundi_testbed.bank.database import BankDatabase
from hundi_testbed.bank.registers import RegisterAnswer


class CardsQuestion(msgspec.Struct, frozen=True):
    """A request for the cards of one customer in a programme."""

    programme: str
    entity_id: str


class CardOrder(msgspec.Struct, frozen=True):
    """A new card for a customer."""

    programme: str
    entity_id: str
    kind: Literal["PHYSICAL", "VIRTUAL"]


class CardMove(msgspec.Struct, frozen=True):
    """A change of a card's status. reason: a code, where the change needs one."""

    programme: str
    kit_no: str
    verb: str
    reason: str = ""


@post("/registers/cards/find", status_code=200)
async def find_cards(request: Request) -> ASGIApp:
    """List a customer's cards."""

    async def act(bank: BankContext, question: CardsQuestion, now: datetime) -> RegisterAnswer:
        cards = await store.cards_of(bank.db, question.programme, question.entity_id)
        return (
            RegisterAnswer("found", [_shown(each, now) for each in cards])
            if cards
            else RegisterAnswer("nobody")
        )

    return await answer(request, await request.body(), CardsQuestion, act)


@post("/registers/cards/issue", status_code=200)
async def issue_card(request: Request) -> ASGIApp:
    """Assign a new card to a customer."""

    async def act(bank: BankContext, question: CardOrder, now: datetime) -> RegisterAnswer:
        if not rules.is_entity(question.entity_id):
            return RegisterAnswer("forbidden", message=f"a customer's id is {rules.ENTITY_FORM}")
        serial = await store.next_kit(bank.db)
        card = rules.new_card(
            question.programme, question.entity_id, question.kind, serial, now.date()
        )
        await store.put_cards(bank.db, [asdict(card)])
        return RegisterAnswer("found", _shown(card, now))

    return await answer(request, await request.body(), CardOrder, act)


@post("/registers/cards/move", status_code=200)
async def move_card(request: Request) -> ASGIApp:
    """Change a card's state by one of the verbs, or replace it; the answer has the replacement."""

    async def act(bank: BankContext, question: CardMove, now: datetime) -> RegisterAnswer:
        card = await store.card_of_kit(bank.db, question.programme, question.kit_no)
        if card is None:
            return RegisterAnswer("nobody")
        status = rules.status_on(card, now.date())
        why_not = rules.refusal(status, question.verb, question.reason)
        if why_not:
            return RegisterAnswer("forbidden", message=why_not)
        card_after = replace(card, status=rules.MOVES[status][question.verb])
        fresh: BankProgrammeCard | None = None
        if question.verb == "replace":
            serial = await store.next_kit(bank.db)
            fresh = rules.new_card(card.programme, card.entity_id, card.kind, serial, now.date())
        if not await store.move_card(bank.db, card, card_after.status, question.reason, fresh):
            return RegisterAnswer("forbidden", message="the card has just been changed")
        return RegisterAnswer("found", _shown(fresh or card_after, now))

    return await answer(request, await request.body(), CardMove, act)


ROUTES = (find_cards, issue_card, move_card)


async def seed(db: BankDatabase, now: datetime) -> None:
    """Fill an empty programme."""
    if not await store.count_cards(db):
        await store.put_cards(db, seeds.seeded(now.date()))


def _shown(card: BankProgrammeCard, now: datetime) -> dict[str, str]:
    return asdict(replace(card, status=rules.status_on(card, now.date())))
