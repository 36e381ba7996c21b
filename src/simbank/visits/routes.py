"""The acquirer's interface to banks, wallets and instalments, and the pages a customer sees there."""

from dataclasses import asdict
from datetime import UTC, datetime

from litestar import Request, get, post
from litestar.types import ASGIApp

from simbank import replies
from simbank import store as books
from simbank.acquirer import answer
from simbank.bank import Bank, bank_of
from simbank.instalments import PLANS
from simbank.messages import DeclinedAnswer
from simbank.pages import page, typed
from simbank.settings import origin
from simbank.visits import actions, store
from simbank.visits.messages import (
    HouseAnswer,
    HousesAnswer,
    PlanAnswer,
    PlansAnswer,
    VisitAnswer,
    VisitRequest,
)
from simbank.visits.rules import HOUSES, TRIGGERS, WALLET, WALLET_BALANCE_PAISE, Step
from simbank.visits.store import Visit

_NO_SUCH_BANK = DeclinedAnswer("91", "This bank takes no payments")


@get("/acquirer/banks")
async def houses(request: Request) -> ASGIApp:
    """List every bank and wallet."""

    async def act(_bank: Bank, _question: None, _now: datetime) -> HousesAnswer:
        return HousesAnswer([HouseAnswer(each.method, each.code, each.name) for each in HOUSES])

    return await answer(request, request.scope["raw_path"], None, act)


@get("/acquirer/instalments")
async def plans(request: Request) -> ASGIApp:
    """List every plan of instalments."""

    async def act(_bank: Bank, _question: None, _now: datetime) -> PlansAnswer:
        return PlansAnswer([PlanAnswer(**asdict(each)) for each in PLANS])

    return await answer(request, request.scope["raw_path"], None, act)


@post("/acquirer/visits", status_code=200)
async def begin(request: Request) -> ASGIApp:
    """Open a visit and say where the customer has to go."""

    async def act(bank: Bank, question: VisitRequest, now: datetime) -> VisitAnswer | DeclinedAnswer:
        visit = await actions.begin(bank, question, now)
        if visit is None:
            return _NO_SUCH_BANK
        return VisitAnswer(visit.visit_id, f"{bank.settings.public_url}/visits/{visit.visit_id}")

    return await answer(request, await request.body(), VisitRequest, act)


@get("/visits/{visit_id:str}")
async def show(request: Request, visit_id: str) -> ASGIApp:
    """Show the customer where their visit stands."""
    return await _shown(bank_of(request), await store.find(bank_of(request).db, visit_id))


@post("/visits/{visit_id:str}", status_code=200)
async def act_on(request: Request, visit_id: str) -> ASGIApp:
    """Take what the customer typed or pressed; an ended visit sends the browser back to the shop."""
    bank, form, now = bank_of(request), await request.form(), datetime.now(UTC)
    visit = await store.find(bank.db, visit_id)
    if visit is None:
        return await _shown(bank, None)
    pressed, customer = typed(form, "act"), typed(form, "customer")
    if pressed == "cancel" or visit.expires_at <= now:
        await actions.leave(bank, visit, now)
    elif visit.step in _NAMED and not visit.customer and not 1 <= len(customer) <= actions.CUSTOMER_LENGTH_MAX:
        return await _shown(bank, visit, wrong=True)
    elif pressed == "log_in":
        await actions.log_in(bank, visit, customer)
    elif pressed == "pay":
        await actions.confirm(bank, visit, customer, now)
    fresh = await store.find(bank.db, visit_id) or visit
    if fresh.step is Step.ENDED:
        return replies.see_other(actions.way_back(fresh))
    return replies.see_other(f"/visits/{visit_id}")


_NAMED = frozenset({Step.LOGIN, Step.CONFIRM})


async def _shown(bank: Bank, visit: Visit | None, *, wrong: bool = False) -> ASGIApp:
    payment = await books.find_payment(bank.db, visit.reference) if visit else None
    if visit is None or payment is None:
        message = "This address belongs to no payment. Nothing was paid. Go back to the shop and start again."
        return page("message.html", status=404, title="No such payment", message=message)
    if visit.step is Step.ENDED:
        return page("visit_over.html", visit=visit, way_back=actions.way_back(visit))
    return page(
        "visit.html",
        form_origins=(origin(visit.return_url),),
        status=422 if wrong else 200,
        visit=visit,
        payment=payment,
        wallet=visit.house.method == WALLET,
        balance_paise=WALLET_BALANCE_PAISE,
        steps=Step,
        triggers=TRIGGERS,
        wrong=wrong,
    )


ROUTES = (houses, plans, begin, show, act_on)
