"""The interface to banks, wallets and instalments, and the customer's pages there."""

from dataclasses import asdict
from datetime import datetime
from urllib.parse import urlsplit

from litestar import Request, get, post
from litestar.types import ASGIApp

from hundi_testbed.bank import forms, replies
from hundi_testbed.bank import store as books
from hundi_testbed.bank.acquirer import answer
from hundi_testbed.bank.bank import BankContext, bank_of
from hundi_testbed.bank.clock import actions as clock
from hundi_testbed.bank.instalments import PLANS
from hundi_testbed.bank.mandates import clearing
from hundi_testbed.bank.mandates import store as mandates
from hundi_testbed.bank.messages import DeclinedAnswer
from hundi_testbed.bank.pages import page
from hundi_testbed.bank.redirects import actions, store
from hundi_testbed.bank.redirects.messages import (
    BankListAnswer,
    ListedBankAnswer,
    PlanAnswer,
    PlansAnswer,
    RedirectAnswer,
    RedirectRequest,
)
from hundi_testbed.bank.redirects.rules import (
    CREDIT_LIMIT_PAISE,
    ENACH,
    LISTED_BANKS,
    PAY_LATER,
    WALLET,
    WALLET_BALANCE_PAISE,
    PageStep,
    triggers,
)
from hundi_testbed.bank.redirects.store import RedirectVisit
from hundi_testbed.bank.settings import origin

_NO_SUCH_BANK = DeclinedAnswer("91", "This bank takes no payments")


@get("/acquirer/banks")
async def banks(request: Request) -> ASGIApp:
    """List every bank and wallet."""

    async def act(_bank: BankContext, _question: None, _now: datetime) -> BankListAnswer:
        return BankListAnswer(
            [ListedBankAnswer(each.method, each.code, each.name) for each in LISTED_BANKS]
        )

    return await answer(request, request.scope["raw_path"], None, act)


@get("/acquirer/instalments")
async def plans(request: Request) -> ASGIApp:
    """List every plan of instalments."""

    async def act(_bank: BankContext, _question: None, _now: datetime) -> PlansAnswer:
        return PlansAnswer([PlanAnswer(**asdict(each)) for each in PLANS])

    return await answer(request, request.scope["raw_path"], None, act)


@post("/acquirer/visits", status_code=200)
async def begin(request: Request) -> ASGIApp:
    """Begin a redirect and return the address to send the customer to."""

    async def act(
        bank: BankContext, question: RedirectRequest, now: datetime
    ) -> RedirectAnswer | DeclinedAnswer:
        await bank.payees.keep(question.reference, question.payee_name)
        redirect = await actions.begin(bank, question, now)
        if redirect is None:
            return _NO_SUCH_BANK
        return RedirectAnswer(
            redirect.redirect_id, f"{bank.settings.public_url}/visits/{redirect.redirect_id}"
        )

    return await answer(request, await request.body(), RedirectRequest, act)


@get("/visits/{redirect_id:str}")
async def show(request: Request, redirect_id: str) -> ASGIApp:
    """Show the customer the current step of their redirect."""
    return await _shown(bank_of(request), await store.find(bank_of(request).db, redirect_id))


@post("/visits/{redirect_id:str}", status_code=200)
async def act_on(request: Request, redirect_id: str) -> ASGIApp:
    """Do the step of the customer's form.

    An ended redirect sends the browser back to the shop.
    """
    bank, form, now = bank_of(request), await forms.read(request), clock.now()
    redirect = await store.find(bank.db, redirect_id)
    if redirect is None:
        return await _shown(bank, None)
    pressed, customer = forms.typed(form, "act"), forms.typed(form, "customer")
    if pressed == "cancel" or redirect.expires_at <= now:
        await actions.leave(bank, redirect, now)
    elif (
        redirect.step in _NAMED
        and not redirect.customer
        and not 1 <= len(customer) <= actions.CUSTOMER_LENGTH_MAX
    ):
        return await _shown(bank, redirect, wrong=True)
    elif pressed == "log_in":
        await actions.log_in(bank, redirect, customer, forms.typed(form, "proof"))
    elif pressed == "pay":
        await actions.confirm(bank, redirect, customer, now)
    fresh = await store.find(bank.db, redirect_id) or redirect
    if fresh.step is PageStep.ENDED:
        return replies.see_other(actions.way_back(fresh))
    return replies.see_other(f"/visits/{redirect_id}")


_NAMED = frozenset({PageStep.LOGIN, PageStep.CONFIRM})


async def _shown(
    bank: BankContext, redirect: RedirectVisit | None, *, wrong: bool = False
) -> ASGIApp:
    payment = await books.find_payment(bank.db, redirect.reference) if redirect else None
    if redirect is None or payment is None:
        message = (
            "This address belongs to no payment. Nothing was paid. Go back to the shop and start"
            " again."
        )
        return page("message.html", status=404, title="No such payment", message=message)
    if redirect.step is PageStep.ENDED:
        return page("redirect_over.html", redirect=redirect, way_back=actions.way_back(redirect))
    return page(
        "redirect.html",
        form_origins=(origin(redirect.return_url),),
        status=422 if wrong else 200,
        redirect=redirect,
        payment=payment,
        wallet=redirect.bank.method == WALLET,
        balance_paise=WALLET_BALANCE_PAISE,
        steps=PageStep,
        lender=redirect.bank.method == PAY_LATER,
        mandate=await mandates.find(bank.db, redirect.reference)
        if redirect.bank.method == ENACH
        else None,
        proofs=clearing.PROOFS,
        credit_paise=CREDIT_LIMIT_PAISE,
        triggers=triggers(redirect.bank),
        wrong=wrong,
        payee=await bank.payees.name_of(redirect.reference) or urlsplit(redirect.return_url).netloc,
    )


ROUTES = (banks, plans, begin, show, act_on)
