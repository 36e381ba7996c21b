"""The acquirer's interface for the gateway: signed, idempotent by reference, with faults."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import actions, card_payments, rates, replies, rules, signing
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.mandates import actions as mandates
from hundi_testbed.bank.messages import (
    AddressAnswer,
    AddressRequest,
    AuthenticateRequest,
    AuthenticationAnswer,
    AuthoriseAnswer,
    AuthoriseRequest,
    CardAnswer,
    ChallengeAnswer,
    CollectAnswer,
    CollectRequest,
    DeclinedAnswer,
    IdentifyAnswer,
    IdentifyRequest,
    InquireAnswer,
    InquireRequest,
    MotoRequest,
    reference_of,
)
from hundi_testbed.bank.rules import Status
from hundi_testbed.bank.states import BankPayment
from hundi_testbed.bank.store import Challenge
from hundi_testbed.bank.upi_links import read_vpa

_Question = TypeVar("_Question", bound=msgspec.Struct)


@post("/acquirer/upi/collect", status_code=200)
async def collect(request: Request) -> ASGIApp:
    """Ask a payer's app for an amount; the outcome comes by callback."""

    async def act(bank: BankContext, question: CollectRequest, now: datetime) -> CollectAnswer:
        payment = await actions.collect(bank, question, now)
        declined = payment.status is Status.DECLINED
        return CollectAnswer(
            "declined" if declined else "pending", payment.code, payment.message, payment.rrn
        )

    return await answer(request, await request.body(), CollectRequest, act)


@post("/acquirer/cards/authenticate", status_code=200)
async def authenticate(request: Request) -> ASGIApp:
    """Begin a card payment and return the address of the cardholder's challenge."""

    async def act(
        bank: BankContext, question: AuthenticateRequest, now: datetime
    ) -> ChallengeAnswer | DeclinedAnswer:
        await mandates.keep(bank, question.reference, question.mandate)
        await bank.payees.keep(question.reference, question.payee_name)
        return await card_payments.authenticate(bank, question, now)

    return await answer(request, await request.body(), AuthenticateRequest, act)


@get("/acquirer/cards/authentications/{authentication_id:str}")
async def authentication(request: Request, authentication_id: str) -> ASGIApp:
    """Return the state of a challenge; the request's signature is over path and query."""

    async def act(bank: BankContext, _question: None, now: datetime) -> AuthenticationAnswer:
        view = await card_payments.challenge(bank, authentication_id, now)
        if view is None:
            raise actions.CallRefusedError(404, "no such authentication")
        ended = view.challenge.trans_status
        if not ended:
            return AuthenticationAnswer("pending")
        cancelled = rules.challenge_cancel(view.payment.message)
        return AuthenticationAnswer(
            "done", ended, rules.eci(view.challenge.card.scheme, ended), cancelled
        )

    query = request.scope["query_string"]
    signed = request.scope["raw_path"] + (b"?" + query if query else b"")
    return await answer(request, signed, None, act)


@post("/acquirer/cards/authorise", status_code=200)
async def authorise(request: Request) -> ASGIApp:
    """Charge or hold an amount on an authenticated card."""

    async def act(bank: BankContext, question: AuthoriseRequest, now: datetime) -> AuthoriseAnswer:
        return _charged(*await card_payments.authorise(bank, question, now))

    return await answer(request, await request.body(), AuthoriseRequest, act)


@post("/acquirer/cards/charge", status_code=200)
async def charge(request: Request) -> ASGIApp:
    """Charge or hold an amount on a card by mail or telephone order (MOTO), without a challenge."""

    async def act(
        bank: BankContext, question: MotoRequest, now: datetime
    ) -> AuthoriseAnswer | DeclinedAnswer:
        charged = await card_payments.charge_moto(bank, question, now)
        return charged if isinstance(charged, DeclinedAnswer) else _charged(*charged)

    return await answer(request, await request.body(), MotoRequest, act)


def _charged(payment: BankPayment, challenge: Challenge) -> AuthoriseAnswer:
    return AuthoriseAnswer(
        status=payment.status,
        code=payment.code,
        message=payment.message,
        rrn=payment.rrn,
        approval_code=payment.approval_code,
        amount_paise=payment.amount_paise,
        currency=payment.currency,
        card=CardAnswer.of(challenge.card),
        rate_micros=rates.rate_micros(payment.currency, payment.at),
    )


@post("/acquirer/cards/identify", status_code=200)
async def identify(request: Request) -> ASGIApp:
    """Return the facts about a card from the first digits of its number."""

    async def act(_bank: BankContext, question: IdentifyRequest, _now: datetime) -> IdentifyAnswer:
        card = rules.read_bin(question.bin)
        return IdentifyAnswer("done", CardAnswer.of(card)) if card else IdentifyAnswer("not_found")

    return await answer(request, await request.body(), IdentifyRequest, act)


@post("/acquirer/upi/addresses", status_code=200)
async def address(request: Request) -> ASGIApp:
    """Return the name registered for a UPI address."""

    async def act(_bank: BankContext, question: AddressRequest, _now: datetime) -> AddressAnswer:
        vpa = read_vpa(question.vpa)
        if not vpa:
            raise actions.CallRefusedError(400, "vpa is not a UPI address")
        name = rules.registered_name(vpa)
        return AddressAnswer("registered", name) if name else AddressAnswer("not_registered")

    return await answer(request, await request.body(), AddressRequest, act)


@post("/acquirer/inquire", status_code=200)
async def inquire(request: Request) -> ASGIApp:
    """Return the bank's record of a reference."""

    async def act(bank: BankContext, question: InquireRequest, now: datetime) -> InquireAnswer:
        record = await actions.inquire(bank, question.reference, now)
        if record is None:
            return InquireAnswer("not_found")
        payment, challenge = record
        return InquireAnswer.of(payment, challenge.card if challenge else None)

    return await answer(request, await request.body(), InquireRequest, act)


ROUTES = (collect, address, identify, authenticate, authentication, authorise, charge, inquire)


async def answer(
    request: Request,
    signed: bytes,
    question_type: type[_Question] | None,
    act: Callable[[BankContext, Any, datetime], Awaitable[msgspec.Struct]],
) -> ASGIApp:
    """Check the signature, inject the faults, decode the body, act, and answer with the result."""
    bank = bank_of(request)
    header = request.headers.get(signing.REQUEST_HEADER, "")
    if not signing.verify(bank.settings.acquirer_key, signed, header, now_s=int(time.time())):
        return replies.problem(
            401,
            f"{signing.REQUEST_HEADER} is missing, wrong, or more than {signing.WINDOW_S} s off",
        )
    faults = bank.faults.next_call()
    if faults.delay_s:
        await asyncio.sleep(faults.delay_s)
    odd = faults.odd_answer if request.url.path.startswith("/aggregator/") else ""
    if odd in replies.TURNED_AWAY:
        return replies.problem(replies.TURNED_AWAY[odd], "come back later")
    if faults.lose_request:
        return replies.broken_off
    reply = await _acted(request, bank, signed, question_type, act)
    return replies.broken_off if faults.lose_reply else replies.bent(reply, odd)


async def _acted(
    request: Request,
    bank: BankContext,
    body: bytes,
    question_type: type[_Question] | None,
    act: Callable[[BankContext, Any, datetime], Awaitable[msgspec.Struct]],
) -> ASGIApp:
    try:
        question = msgspec.json.decode(body, type=question_type) if question_type else None
        return replies.json(
            await act(bank, question, clock.now()), reference=reference_of(question)
        )
    except (msgspec.MsgspecError, RecursionError) as reason:
        return replies.problem(400, str(reason))
    except actions.CallRefusedError as refused:
        return replies.problem(refused.status, str(refused))
    except actions.SilenceError:
        await _hold(request, bank.settings.timings.hold_s)
        return replies.broken_off


async def _hold(request: Request, seconds: float) -> None:
    """Keep a call open without an answer until the caller gives up, at most `seconds`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while (await request.receive())["type"] != "http.disconnect":
                pass
