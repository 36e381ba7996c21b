"""The page of a payment's session, and everything it posts to. Every POST but `leave` answers 303."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from litestar import Request, Response

from hundi.acquirers.answers import Redirect
from hundi.api.context import GatewayContext
from hundi.api.endpoint import payer_of
from hundi.api.inbound import Inbound
from hundi.instruments import qr, upi_address
from hundi.instruments.card import CardNumber, TypedCard
from hundi.instruments.card import read as read_card
from hundi.instruments.methods import (
    BHARAT_QR,
    CARD_EMI,
    CARDS,
    EMI,
    LISTED,
    NET_BANKING,
    NETBANKING,
    UPI,
    UPI_QR,
    WALLET,
    WALLETS,
    Channel,
)
from hundi.kernel.clock import business_day, of_the_world, utc_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory.rules import Merchant
from hundi.page import forms, mandates, render, rules
from hundi.page.returns import origin_of, return_form
from hundi.page.rules import Drawn, Lists, PageContext, Typed
from hundi.page.screens import AnyScreen, Qr, Result, Screen
from hundi.page.texts import language_of, speaker
from hundi.payments.attempts import actions as attempts
from hundi.payments.attempts.actions import Choice
from hundi.payments.attempts.rules import scannable
from hundi.payments.availability import actions as banks
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.card.actions import BY_CARD
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders import actions as payments
from hundi.payments.orders.rules import Attempt, EmiTerms, Payment, PaymentView
from hundi.payments.risk.actions import Payer
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions.rules import Subscription

SESSION_PATH = "/pay/v4/s/"
QR_CACHE_S = 300
ID_DIGITS_MAX = 15
BHARAT = "b"
"""What the name of a Bharat QR's picture begins with."""
_WHERE_IT_STANDS = frozenset({RefusalCode.ORDER_ALREADY_PAID, RefusalCode.STATE_FORBIDS})
"""Refusals that need no words of their own: the session's page shows where the payment stands."""

AnyRequest = Request[Any, Any, Any]


class NoPaymentError(Exception):
    """The address names no payment of ours."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was found: its gateway, merchant and payment, read once for one request."""

    gateway: GatewayContext
    merchant: Merchant
    view: PaymentView
    path: str
    now: datetime
    payer: Payer
    subscription: Subscription | None = None

    @property
    def payment(self) -> Payment:
        """Return the payment."""
        return self.view.payment


async def _opened(request: AnyRequest) -> Opened:
    gateway: GatewayContext = request.app.state.gateway
    session: str = request.path_params["session"]
    named = gateway.sessions.open_(session)
    if named is None:
        raise NoPaymentError
    merchant = await gateway.directory.get(named[0])
    view = await payments.view(gateway.payments, *named)
    if merchant is None or view is None:
        raise NoPaymentError
    payer = payer_of(Inbound(request.scope, request.receive), gateway)
    registers = view.payment.kind is PaymentKind.SUBSCRIPTION
    known = await subscriptions.find(gateway.db, *named) if registers else None
    return Opened(gateway, merchant, view, SESSION_PATH + session, utc_now(), payer, known and known.subscription)


def _page_context(request: AnyRequest, opened: Opened, typed: Typed, *, choosing: bool = False) -> PageContext:
    headers = request.headers
    return PageContext(
        path=opened.path,
        client=upi_address.client_of(headers.get("user-agent", "")),
        now=opened.now,
        say=speaker(language_of(headers.get("accept-language", ""))),
        typed=typed,
        choosing=choosing,
        simulated=any(connector.simulated for connector in opened.gateway.connectors.all()),
    )


async def show(request: AnyRequest) -> Response[bytes]:
    """Show where the payment stands: the methods, the wait, the outcome, or the end of the session."""
    opened = await _opened(request)
    query = request.query_params
    choosing = "choose" in query
    typed = forms.sent_back(opened.gateway.vault, opened.path, query.get("f", ""), int(opened.now.timestamp()))
    page = _page_context(request, opened, typed, choosing=choosing)
    match rules.screen_of(opened.view, opened.now, choosing=choosing):
        case Screen.CHOOSE:
            return await _choose(request, opened, page)
        case Screen.WAITING:
            return _page(request, "waiting.html", rules.waiting(opened.view, opened.merchant, page))
        case Screen.RESULT:
            return _ending(request, opened, rules.result(opened.view, opened.merchant, page), at_once=True)
        case Screen.OVER:
            return _ending(request, opened, rules.over(opened.view, opened.merchant, page), at_once=False)


async def _choose(request: AnyRequest, opened: Opened, page: PageContext) -> Response[bytes]:
    screen = rules.choose(opened.view, opened.merchant, page, _drawn(opened, page), await _lists(opened))
    screen = replace(screen, mandate=mandates.terms(opened.subscription, page.say))
    # Forms are answered with a redirect to the bank, and browsers hold redirects of forms to this policy too.
    return _page(request, "choose.html", screen, opened.gateway.connectors.browser_origins)


def _drawn(opened: Opened, page: PageContext) -> Drawn:
    attempt = scannable(opened.view, opened.now)
    if attempt is None:
        return rules.NOTHING_DRAWN
    app = opened.gateway.connectors.simulated_app(attempt.connector)

    def drawn(link: str, kind: str) -> Qr:
        return rules.qr(attempt, page, link, app.app_link(link) if app else "", kind)

    channels = opened.payment.channels
    return Drawn(
        drawn(upi_link(opened, attempt), "") if UPI.code in channels else None,
        drawn(bharat_qr(opened, attempt), BHARAT) if BHARAT_QR.code in channels else None,
    )


async def _lists(opened: Opened) -> Lists:
    """Return what the order's channels can be chosen from; most orders need none of it."""
    context, payment = opened.gateway.payments, opened.payment
    if not LISTED & set(payment.channels):
        return rules.NO_LISTS
    # Side by side: a slow bank is waited for once.
    netbanking, wallets, emi_plans = await asyncio.gather(
        banks.entries(context, NETBANKING.name),
        banks.entries(context, WALLET.name),
        banks.emi_plans(context, payment.amount, payment.emi_months),
    )
    shown = payment.channels
    return Lists(
        netbanking if NET_BANKING.code in shown else (),
        wallets if WALLETS.code in shown else (),
        emi_plans if EMI.code in shown else (),
    )


def _ending(request: AnyRequest, opened: Opened, ending: Result, *, at_once: bool) -> Response[bytes]:
    form = return_form(opened.view, opened.merchant, of_the_world(opened.now))
    shown = rules.with_form(ending, form, at_once=at_once)
    targets = (origin_of(form.action), *opened.merchant.settings.domains) if form else ()
    return _page(request, "result.html", shown, targets)


def _page(request: AnyRequest, template: str, screen: AnyScreen, targets: tuple[str, ...] = ()) -> Response[bytes]:
    language = language_of(request.headers.get("accept-language", ""))
    return render.page(template, screen, language, form_targets=dict.fromkeys(targets))


def upi_link(opened: Opened, attempt: Attempt) -> str:
    """Return the `upi://` link of an attempt on offer."""
    context, merchant = opened.gateway.payments, opened.merchant
    if opened.subscription is None:
        link = upi.pay_link(context, merchant, opened.payment.order_id, attempt)
    else:
        link = subscriptions.approval_link(context, merchant, opened.subscription, attempt)
    if link is None:
        raise NoPaymentError
    return link


def bharat_qr(opened: Opened, attempt: Attempt) -> str:
    """Return what the Bharat QR of an attempt on offer holds."""
    text = upi.bharat_qr(opened.gateway.payments, opened.merchant, opened.payment.order_id, attempt)
    if text is None:
        raise NoPaymentError
    return text


async def status(request: AnyRequest) -> dict[str, object]:
    """Say where the payment stands, for an open page that waits: {screen, state, done, revision}."""
    opened = await _opened(request)
    at = rules.poll(opened.view, opened.now, choosing="choose" in request.query_params)
    return {"screen": at.screen, "state": opened.payment.state, "done": at.done, "revision": at.revision}


async def qr_image(request: AnyRequest) -> Response[bytes]:
    """Draw the QR of an attempt; only ever of this session's own."""
    opened = await _opened(request)
    name: str = request.path_params["name"].removesuffix(".svg")
    attempt_id = name.removeprefix(BHARAT)
    known = (
        len(attempt_id) <= ID_DIGITS_MAX
        and attempt_id.isascii()
        and attempt_id.isdigit()
        and opened.view.attempt(int(attempt_id))
    )
    if not known or known.method != UPI_QR.name:
        raise NoPaymentError
    headers = render.page_headers(()) | {"cache-control": f"private, max-age={QR_CACHE_S}"}
    text = upi_link(opened, known) if name == attempt_id else bharat_qr(opened, known)
    return Response(qr.svg(text), media_type="image/svg+xml", headers=headers)


async def renew_qr(request: AnyRequest) -> Response[bytes]:
    """Offer a new QR after the last one expired or failed."""
    forms.check_same_site(request.headers)
    opened = await _opened(request)
    return await _begun(
        opened,
        Typed(),
        lambda: upi.offer_qr(
            opened.gateway.payments, opened.merchant, opened.payment.payment_id, opened.now, opened.payer
        ),
    )


async def ask_vpa(request: AnyRequest) -> Response[bytes]:
    """Send a collect request to the UPI ID that was typed, where the rules still allow it."""
    forms.check_same_site(request.headers)
    opened = await _opened(request)
    typed = Typed("vpa", vpa=(await forms.read(request)).get("vpa", ""))
    payer = upi_address.read(typed.vpa)
    choice = rules.choose(opened.view, opened.merchant, _page_context(request, opened, typed))
    if choice.upi is None or not choice.upi.collect:
        return render.see(opened.path)
    if payer is None:
        return _sent_back(opened, typed)
    gateway, payment_id = opened.gateway, opened.payment.payment_id
    return await _begun(
        opened,
        typed,
        lambda: upi.collect(gateway.payments, opened.merchant, payment_id, payer, opened.now, opened.payer),
    )


async def pay_card(request: AnyRequest) -> Response[bytes]:
    """Take a card: redirect to the form with its errors, to the bank's challenge, or to the session.

    A second press while an attempt is under way shows where that one stands; nothing is charged twice.
    """
    opened, form = await _at_choice(request)
    return render.see(opened.path) if form is None else await _take_card(opened, form, CARDS.form, BY_CARD)


async def pay_emi(request: AnyRequest) -> Response[bytes]:
    """Take a card that pays in the instalments that were chosen."""
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    emi_plans = (await _lists(opened)).emi_plans
    chosen = next((each for each in emi_plans if each.key == form.get("plan", "")), None)
    if chosen is None:
        return _sent_back(opened, Typed(EMI.code, expiry=form.get("expiry", ""), holder=form.get("holder", "")))
    plan, discount = chosen.plan, chosen.instalments.discount_paise
    terms = EmiTerms(plan.months, plan.annual_rate_bps, discount)
    return await _take_card(opened, form, EMI.code, Choice(CARD_EMI.name, bank=plan.bank_code, emi=terms))


async def _at_choice(request: AnyRequest) -> tuple[Opened, dict[str, str] | None]:
    """Return a session and the form that was sent, None when it is not at the methods (any more)."""
    forms.check_same_site(request.headers)
    opened = await _opened(request)
    at = rules.screen_of(opened.view, opened.now, choosing="choose" in request.query_params)
    return opened, await forms.read(request) if at is Screen.CHOOSE else None


async def _take_card(opened: Opened, form: dict[str, str], name: str, choice: Choice) -> Response[bytes]:
    typed = TypedCard(form.get("number", ""), form.get("expiry", ""), form.get("cvv", ""), form.get("holder", ""))
    card = read_card(typed, business_day(opened.now))
    shown = Typed(name, expiry=typed.expiry, holder=typed.holder, plan=form.get("plan", ""))
    if not isinstance(card, CardNumber):
        return _sent_back(opened, rules.with_problems(shown, card))
    context, payment_id = opened.gateway.payments, opened.payment.payment_id
    back = _back(opened, "3ds")
    return await _begun(
        opened,
        shown,
        lambda: cards.pay(
            context, opened.merchant, payment_id, card, back, opened.now, replace(choice, payer=opened.payer)
        ),
    )


def _back(opened: Opened, word: str) -> Callable[[int], str]:
    """Return where a bank sends the browser back, for an attempt's id."""
    return lambda attempt_id: f"{opened.gateway.settings.payment_page_url}{opened.path}/{word}/{attempt_id}"


async def go_to_bank(request: AnyRequest) -> Response[bytes]:
    """Send the customer to the pages of the bank they chose."""
    return await _go(request, NET_BANKING)


async def go_to_wallet(request: AnyRequest) -> Response[bytes]:
    """Send the customer to the pages of the wallet they chose."""
    return await _go(request, WALLETS)


async def _go(request: AnyRequest, channel: Channel) -> Response[bytes]:
    opened, form = await _at_choice(request)
    if form is None:
        return render.see(opened.path)
    bank = form.get("bank", "")
    if not bank:
        return _sent_back(opened, Typed(channel.code))
    context, payment_id = opened.gateway.payments, opened.payment.payment_id
    return await _begun(
        opened,
        Typed(channel.code, bank=bank),
        lambda: redirects.start(
            context,
            opened.merchant,
            payment_id,
            channel.method.name,
            bank,
            _back(opened, "bank"),
            opened.now,
            opened.payer,
        ),
    )


async def back_from_redirect(request: AnyRequest) -> Response[bytes]:
    """Take the customer back from a bank's own page; the bank is asked, the browser is not believed."""
    opened = await _opened(request)
    attempt = opened.view.attempt(request.path_params["attempt_id"])
    if attempt is None:
        raise NoPaymentError
    await attempts.ask_soon(opened.gateway.payments, attempt.reference, opened.now)
    return render.see(opened.path)


async def _begun(opened: Opened, typed: Typed, begin: Callable[[], Awaitable[Attempt | Redirect]]) -> Response[bytes]:
    """Begin an attempt and answer 303: to the bank's page, or to the session's, which shows what came of it."""
    try:
        begun = await begin()
    except Refused as refused:
        if refused.refusal.code in _WHERE_IT_STANDS:
            return render.see(opened.path)
        return _sent_back(opened, rules.with_refusal(typed, refused.refusal.code))
    return render.see(begun.url if isinstance(begun, Redirect) else opened.path)


def _sent_back(opened: Opened, typed: Typed) -> Response[bytes]:
    return render.see(forms.send_back(opened.gateway.vault, opened.path, typed, int(time.time())))


async def back_from_bank(request: AnyRequest) -> Response[bytes]:
    """Take the customer back from the challenge; the network is asked, the browser is not believed."""
    opened = await _opened(request)
    attempt_id: int = request.path_params["attempt_id"]
    if opened.view.attempt(attempt_id) is None:
        raise NoPaymentError
    await attempts.finish_card(opened.gateway.payments, opened.merchant, attempt_id, opened.now)
    return render.see(opened.path)


async def leave(request: AnyRequest) -> Response[bytes]:
    """Take the customer back to the merchant; after a declined attempt this ends the payment."""
    forms.check_same_site(request.headers)
    found = await _opened(request)
    view = await payments.leave(found.gateway.payments, found.merchant, found.view, found.now)
    opened = replace(found, view=view)
    page = _page_context(request, opened, Typed())
    shown = {Screen.RESULT: rules.result, Screen.OVER: rules.over}
    ending = shown.get(rules.screen_of(opened.view, opened.now), rules.leaving)
    return _ending(request, opened, ending(opened.view, opened.merchant, page), at_once=True)
