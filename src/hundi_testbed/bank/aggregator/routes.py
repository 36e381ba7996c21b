"""The aggregator's interface for the gateway, and its pages for customers."""

from datetime import datetime

import msgspec
from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import forms, replies, rules
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.actions import CallRefusedError
from hundi_testbed.bank.aggregator import actions, store
from hundi_testbed.bank.aggregator import rules as aggregator
from hundi_testbed.bank.aggregator.messages import AggregatorOrderRequest, OrderAnswer
from hundi_testbed.bank.aggregator.rules import AggregatorOrder, CardTry
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.messages import CardInput
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.settings import origin

_EXPIRY_PARTS = 2
_CENTURY = 2000


@post("/aggregator/orders", status_code=200)
async def make(request: Request) -> ASGIApp:
    """Make an order; try a card from the gateway's page at once."""
    return await answer(request, await request.body(), AggregatorOrderRequest, actions.make)


@get("/aggregator/orders/{receipt:str}")
async def told(request: Request, receipt: str) -> ASGIApp:
    """Return the state of an order, by its receipt or its own id; 404 for an unknown one."""

    async def act(bank: BankContext, _question: None, now: datetime) -> OrderAnswer:
        order = await store.find(bank.db, "order_id", receipt)
        standing = await actions.told(bank, order.reference if order else receipt, now)
        if standing is None:
            raise CallRefusedError(404, "no such order")
        return standing

    query = request.scope["query_string"]
    return await answer(
        request, request.scope["raw_path"] + (b"?" + query if query else b""), None, act
    )


@post("/aggregator/checkout", status_code=200)
async def arrive(request: Request) -> ASGIApp:
    """Read the form that brings a customer here, and show the page of their order."""
    form = await forms.read(request)
    order = await store.find(bank_of(request).db, "page", forms.typed(form, "page"))
    if order is None or order.order_id != forms.typed(form, "order_id"):
        return _nothing()
    return replies.see_other(f"/aggregator/checkout/{order.page}")


@get("/aggregator/checkout/{secret:str}")
async def show(request: Request, secret: str) -> ASGIApp:
    """Show the page of an order, with the form for a card."""
    bank = bank_of(request)
    order = await store.find(bank.db, "page", secret)
    return await _checkout(bank, order)


@post("/aggregator/checkout/{secret:str}", status_code=200)
async def act_on(request: Request, secret: str) -> ASGIApp:
    """Try the typed card, or let the customer go back to the shop."""
    bank, form, now = bank_of(request), await forms.read(request), clock.now()
    order = await store.find(bank.db, "page", secret)
    if order is None or await actions.is_over(bank, order, now):
        return await _checkout(bank, order)
    if form.get("act") == "cancel":
        await actions.close(bank, order, aggregator.LEFT_CODE, aggregator.CANCELLED, now)
        return replies.see_other(actions.way_back(order))
    card = _card(form)
    if card is None:
        return await _checkout(
            bank, order, problem="This is no card. Look at its number, expiry and security code."
        )
    tried = await actions.try_card(bank, order, card, now)
    if tried.step != "otp":
        return await _checkout(
            bank, order, problem=f"{tried.words}. No money has moved. Try another card."
        )
    return replies.see_other(f"/aggregator/3ds/{tried.try_id}")


def _card(form: dict[str, str]) -> CardInput | None:
    expiry = forms.typed(form, "expiry").replace(" ", "").split("/")
    if len(expiry) != _EXPIRY_PARTS:
        return None
    typed = {
        "number": forms.typed(form, "number").replace(" ", ""),
        "expiry_month": expiry[0],
        "expiry_year": expiry[1],
        "cvv": forms.typed(form, "cvv"),
        "holder": forms.typed(form, "holder")[:100],
    }
    try:
        typed["expiry_year"] = str(int(typed["expiry_year"]) % 100 + _CENTURY)
        return msgspec.convert(typed, CardInput, strict=False)
    except ValueError:
        return None


@get("/aggregator/3ds/{try_id:str}")
async def show_challenge(request: Request, try_id: str) -> ASGIApp:
    """Ask the holder of a card for the one-time password."""
    bank = bank_of(request)
    tried = await store.find_try(bank.db, try_id)
    return await _challenge(bank, tried)


@post("/aggregator/3ds/{try_id:str}", status_code=200)
async def answer_challenge(request: Request, try_id: str) -> ASGIApp:
    """Check the one-time password or the cancel button.

    After the try, redirect to where it came from.
    """
    bank, form, now = bank_of(request), await forms.read(request), clock.now()
    tried = await store.find_try(bank.db, try_id)
    order = await store.find(bank.db, "order_id", tried.order_id) if tried else None
    if tried is None or order is None:
        return _nothing()
    if tried.step == "otp" and not await actions.is_over(bank, order, now):
        if form.get("act") == "cancel":
            await actions.cancel_try(bank, order, tried, now)
        elif not await actions.enter_otp(bank, order, tried, forms.typed(form, "otp"), now):
            return await _challenge(bank, await store.find_try(bank.db, try_id), wrong=True)
    return replies.see_other(await _onward(bank, order, now))


async def _onward(bank: BankContext, order: AggregatorOrder, now: datetime) -> str:
    """Return the browser's address after a try: the shop, or the order's page for another try."""
    over = order.once or await actions.is_over(bank, order, now)
    return actions.way_back(order) if over else f"/aggregator/checkout/{order.page}"


def _nothing() -> ASGIApp:
    message = (
        "This address belongs to no payment. Nothing was paid. Go back to the shop and start again."
    )
    return page("message.html", status=404, title="No such payment", message=message)


async def _checkout(bank: BankContext, order: AggregatorOrder | None, problem: str = "") -> ASGIApp:
    if order is None or order.way != "card_page":
        return _nothing()
    now = clock.now()
    last = await store.last_try(bank.db, order.order_id)
    return page(
        "aggregator.html",
        form_origins=(origin(order.return_url),),
        status=422 if problem else 200,
        order=order,
        over=await actions.is_over(bank, order, now),
        way_back=actions.way_back(order),
        problem=problem or _words(last),
        cards=rules.CARD_TRIGGERS,
    )


def _words(last: CardTry | None) -> str:
    return (
        f"{last.words}. No money has moved. Try again, or another card."
        if last and last.code
        else ""
    )


async def _challenge(bank: BankContext, tried: CardTry | None, *, wrong: bool = False) -> ASGIApp:
    order = await store.find(bank.db, "order_id", tried.order_id) if tried else None
    if tried is None or order is None:
        return _nothing()
    now = clock.now()
    if tried.step != "otp" or await actions.is_over(bank, order, now):
        return page("aggregator_over.html", tried=tried, way_on=await _onward(bank, order, now))
    return page(
        "aggregator_challenge.html",
        form_origins=(origin(order.return_url),),
        status=422 if wrong else 200,
        order=order,
        tried=tried,
        wrong=wrong,
        tries_left=rules.OTP_TRIES_MAX - tried.otps,
        otps=rules.OTP_TRIGGERS,
    )


ROUTES = (make, told, arrive, show, act_on, show_challenge, answer_challenge)
