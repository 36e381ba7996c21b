"""A payment's session: the page a customer pays on, and everything it posts to. Every POST answers 303."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from litestar import Request, Response

from hundi.api.gateway import Gateway
from hundi.attempts import actions as attempts
from hundi.attempts.rules import scannable
from hundi.channels import cards, qr, vpa
from hundi.channels.cards import TypedCard
from hundi.connectors.port import CardNumber, Redirect
from hundi.kernel.clock import business_day, utc_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.rules import Merchant
from hundi.page import forms, render, rules
from hundi.page.returns import origin_of, return_form
from hundi.page.rules import Typed, Visit
from hundi.page.screens import AnyScreen, Result, Screen
from hundi.page.texts import language_of, speaker
from hundi.payments import actions as payments
from hundi.payments.rules import Attempt, Payment, PaymentView
from hundi.upi import actions as upi

SESSION_PATH = "/pay/v4/s/"
QR_CACHE_S = 300
_WHERE_IT_STANDS = frozenset({RefusalCode.ORDER_ALREADY_PAID, RefusalCode.STATE_FORBIDS})
"""Refusals that need no words of their own: the session's page shows where the payment stands."""

AnyRequest = Request[Any, Any, Any]


class NoPaymentError(Exception):
    """The address names no payment of ours."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was found: its gateway, merchant and payment, read once for one request."""

    gateway: Gateway
    merchant: Merchant
    view: PaymentView
    path: str
    now: datetime

    @property
    def payment(self) -> Payment:
        """Return the payment."""
        return self.view.payment


async def _opened(request: AnyRequest) -> Opened:
    gateway: Gateway = request.app.state.gateway
    session: str = request.path_params["session"]
    named = gateway.sessions.open_(session)
    if named is None:
        raise NoPaymentError
    merchant = await gateway.directory.get(named[0])
    view = await payments.view(gateway.payments, *named)
    if merchant is None or view is None:
        raise NoPaymentError
    return Opened(gateway, merchant, view, SESSION_PATH + session, utc_now())


def _visit(request: AnyRequest, opened: Opened, typed: Typed, *, choosing: bool = False) -> Visit:
    headers = request.headers
    return Visit(
        path=opened.path,
        client=vpa.client_of(headers.get("user-agent", "")),
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
    visit = _visit(request, opened, typed, choosing=choosing)
    match rules.screen_of(opened.view, opened.now, choosing=choosing):
        case Screen.CHOOSE:
            return _choose(request, opened, visit)
        case Screen.WAITING:
            return _page(request, "waiting.html", rules.waiting(opened.view, opened.merchant, visit))
        case Screen.RESULT:
            return _ending(request, opened, rules.result(opened.view, opened.merchant, visit), at_once=True)
        case Screen.OVER:
            return _ending(request, opened, rules.over(opened.view, opened.merchant, visit), at_once=False)


def _choose(request: AnyRequest, opened: Opened, visit: Visit) -> Response[bytes]:
    attempt = scannable(opened.view, opened.now)
    drawn = None
    if attempt is not None:
        link = upi_link(opened, attempt)
        app = opened.gateway.connectors.simulated_app(attempt.connector)
        drawn = rules.qr(attempt, visit, link, app.app_link(link) if app else "")
    screen = rules.choose(opened.view, opened.merchant, visit, drawn)
    # The card form is answered with a redirect to the bank, and browsers hold redirects of forms to this policy too.
    return _page(request, "choose.html", screen, opened.gateway.connectors.browser_origins)


def _ending(request: AnyRequest, opened: Opened, ending: Result, *, at_once: bool) -> Response[bytes]:
    form = return_form(opened.view, opened.merchant, opened.now)
    shown = rules.with_form(ending, form, at_once=at_once)
    targets = (origin_of(form.action), *opened.merchant.settings.domains) if form else ()
    return _page(request, "result.html", shown, targets)


def _page(request: AnyRequest, template: str, screen: AnyScreen, targets: tuple[str, ...] = ()) -> Response[bytes]:
    language = language_of(request.headers.get("accept-language", ""))
    return render.page(template, screen, language, form_targets=dict.fromkeys(targets))


def upi_link(opened: Opened, attempt: Attempt) -> str:
    """Return the `upi://` link of an attempt on offer."""
    link = upi.pay_link(opened.gateway.payments, opened.merchant, opened.payment.order_id, attempt)
    if link is None:
        raise NoPaymentError
    return link


async def status(request: AnyRequest) -> dict[str, object]:
    """Say where the payment stands, for an open page that waits: {screen, state, done, revision}."""
    opened = await _opened(request)
    at = rules.poll(opened.view, opened.now, choosing="choose" in request.query_params)
    return {"screen": at.screen, "state": opened.payment.state, "done": at.done, "revision": at.revision}


async def qr_image(request: AnyRequest) -> Response[bytes]:
    """Draw the QR of an attempt; only ever of this session's own."""
    opened = await _opened(request)
    attempt_id: str = request.path_params["name"].removesuffix(".svg")
    known = attempt_id.isascii() and attempt_id.isdigit() and opened.view.attempt(int(attempt_id))
    if not known or known.method != "upi_qr":
        raise NoPaymentError
    headers = render.page_headers(()) | {"cache-control": f"private, max-age={QR_CACHE_S}"}
    return Response(qr.svg(upi_link(opened, known)), media_type="image/svg+xml", headers=headers)


async def renew_qr(request: AnyRequest) -> Response[bytes]:
    """Offer a new QR after the last one expired or failed."""
    forms.check_same_site(request.headers)
    opened = await _opened(request)
    return await _begun(
        opened,
        Typed(),
        lambda: attempts.offer_qr(opened.gateway.payments, opened.merchant, opened.payment.payment_id, opened.now),
    )


async def ask_vpa(request: AnyRequest) -> Response[bytes]:
    """Send a collect request to the UPI ID that was typed, where the rules still allow it."""
    forms.check_same_site(request.headers)
    opened = await _opened(request)
    typed = Typed("vpa", vpa=(await forms.read(request)).get("vpa", ""))
    payer = vpa.read(typed.vpa)
    choice = rules.choose(opened.view, opened.merchant, _visit(request, opened, typed), None)
    if choice.upi is None or not choice.upi.collect:
        return render.see(opened.path)
    if payer is None:
        return _sent_back(opened, typed)
    gateway, payment_id = opened.gateway, opened.payment.payment_id
    return await _begun(
        opened, typed, lambda: attempts.collect(gateway.payments, opened.merchant, payment_id, payer, opened.now)
    )


async def pay_card(request: AnyRequest) -> Response[bytes]:
    """Take a card: back with what is wrong, on to the bank's challenge, or to the session's page when it is decided.

    A second press while an attempt is under way shows where that one stands; nothing is charged twice.
    """
    forms.check_same_site(request.headers)
    opened = await _opened(request)
    if rules.screen_of(opened.view, opened.now, choosing="choose" in request.query_params) is not Screen.CHOOSE:
        return render.see(opened.path)
    form = await forms.read(request)
    typed = TypedCard(form.get("number", ""), form.get("expiry", ""), form.get("cvv", ""), form.get("holder", ""))
    card = cards.read(typed, business_day(opened.now))
    shown = Typed("card", expiry=typed.expiry, holder=typed.holder)
    if not isinstance(card, CardNumber):
        return _sent_back(opened, rules.with_problems(shown, card))
    back = f"{opened.gateway.settings.payment_page_url}{opened.path}/3ds/"
    return await _begun(
        opened,
        shown,
        lambda: attempts.pay_by_card(
            opened.gateway.payments,
            opened.merchant,
            opened.payment.payment_id,
            card,
            lambda each: f"{back}{each}",
            opened.now,
        ),
    )


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
    """Take the customer back from the challenge. What the browser says counts for nothing: the network is asked."""
    opened = await _opened(request)
    attempt_id: int = request.path_params["attempt_id"]
    if opened.view.attempt(attempt_id) is None:
        raise NoPaymentError
    await attempts.finish_card(opened.gateway.payments, opened.merchant, attempt_id, opened.now)
    return render.see(opened.path)


async def leave(request: AnyRequest) -> Response[bytes]:
    """Take the customer back to the merchant with the payment as it stands."""
    opened = await _opened(request)
    visit = _visit(request, opened, Typed())
    screen = rules.screen_of(opened.view, opened.now)
    if screen is Screen.RESULT:
        ending = rules.result(opened.view, opened.merchant, visit)
    elif screen is Screen.OVER:
        ending = rules.over(opened.view, opened.merchant, visit)
    else:
        ending = rules.leaving(opened.view, opened.merchant, visit)
    return _ending(request, opened, ending, at_once=True)
