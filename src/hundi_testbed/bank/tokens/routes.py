"""The acquirer's calls about network tokens: pay with one, end one."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Request, post
from litestar.types import ASGIApp

from hundi_testbed.bank import card_payments
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext
from hundi_testbed.bank.messages import (
    Address,
    AmountPaise,
    ChallengeAnswer,
    DeclinedAnswer,
    Reference,
    Text,
)
from hundi_testbed.bank.rates import Currency
from hundi_testbed.bank.rules import CardPayment
from hundi_testbed.bank.tokens import store

_UNKNOWN = DeclinedAnswer("14", "The card was removed, or never kept")
Token = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class TokenPaymentRequest(msgspec.Struct, frozen=True):
    """Start a 3-D Secure challenge for the card behind a token."""

    reference: Reference
    amount_paise: AmountPaise
    currency: Currency
    token: Token
    return_url: Address
    payee_name: Text = ""


class EndTokenRequest(msgspec.Struct, frozen=True):
    """End a token."""

    token: Token


class EndTokenAnswer(msgspec.Struct, frozen=True):
    """status: done."""

    status: str = "done"


@post("/acquirer/cards/tokens/authenticate", status_code=200)
async def authenticate(request: Request) -> ASGIApp:
    """Begin a payment by a saved card and return the address of the cardholder's challenge."""

    async def act(
        bank: BankContext, question: TokenPaymentRequest, now: datetime
    ) -> ChallengeAnswer | DeclinedAnswer:
        await bank.payees.keep(question.reference, question.payee_name)
        card_payment = CardPayment(
            question.reference, question.amount_paise, question.currency, question.return_url
        )
        card = await store.find(bank.db, question.token, question.reference.partition("-")[0])
        card_read = (card.facts, card.issuer_decision) if card else None
        return await card_payments.open_challenge(
            bank, card_payment, card_read, None if card else _UNKNOWN, now
        )

    return await answer(request, await request.body(), TokenPaymentRequest, act)


@post("/acquirer/cards/tokens/end", status_code=200)
async def end(request: Request) -> ASGIApp:
    """End a token, so that it pays nothing more."""

    async def act(bank: BankContext, question: EndTokenRequest, now: datetime) -> EndTokenAnswer:
        await store.end(bank.db, question.token, now)
        return EndTokenAnswer()

    return await answer(request, await request.body(), EndTokenRequest, act)


ROUTES = (authenticate, end)
