"""The page of a payment's session: its screens, its status, and the way back to the merchant."""

from urllib.parse import urlsplit

import msgspec
from litestar import Response

from hundi.acquirers.port.answers import Redirect
from hundi.api.addresses import LINK_PAGE
from hundi.api.inbound import Inbound, Reply
from hundi.infra.look.files import SVG, takes_packed
from hundi.instruments import qr
from hundi.instruments.methods import (
    BHARAT_QR,
    CASH_VOUCHER,
    TO_ACCOUNTS,
    UPI,
    UPI_LINK,
    UPI_QR,
)
from hundi.instruments.upi_address import client_of, on_phone
from hundi.kernel.clock import world_now
from hundi.kernel.ids import request_reference
from hundi.kernel.money import rupees
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState
from hundi.page import consents, endings, forms, mandates, methods, render, rules
from hundi.page.assets import page_headers
from hundi.page.facts import Drawn, PageContext, Typed
from hundi.page.method_rows import TransferRow, VoucherRow
from hundi.page.methods import VOUCHER
from hundi.page.returns import return_form
from hundi.page.screens import AnyScreen, Qr, ResultScreen, ReturnForm, Screen
from hundi.page.sessions import (
    AnyRequest,
    NoPaymentError,
    Opened,
    SessionVisit,
    chosen_language,
    in_chosen_language,
    lists_of,
    opened_at,
    opened_by,
    page_context,
    visit_of,
)
from hundi.page.texts import language_at, speaker
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.rules import scannable
from hundi.payments.links import actions as linking
from hundi.payments.links import rules as links
from hundi.payments.methods.transfer import actions as transfers
from hundi.payments.methods.upi import actions as upi
from hundi.payments.methods.upi.links import actions as upi_links
from hundi.payments.orders import actions as payments
from hundi.payments.orders.rules import Attempt
from hundi.payments.refunds import actions as refunds
from hundi.payments.subscriptions.approvals import actions as approvals

QR_CACHE_S = 300
ID_DIGITS_MAX = 15
BHARAT = "b"
"""The prefix of a Bharat QR's picture name."""
KINDS_OF_PICTURE = {UPI_QR.name: {"", BHARAT}, UPI_LINK.name: {""}, CASH_VOUCHER.name: {VOUCHER}}
"""The prefixes of an attempt's picture names, by its method."""
ANYWHERE = {"https": ("https:",), "http": ("http:", "https:")}
"""Where a form that another site takes may lead, by its scheme.

Browsers hold the redirects that answer a form to the same list, and only an acquirer knows at which
hosts it and its banks go on, or a shop at which its customers do.
"""


class Shown(msgspec.Struct, frozen=True):
    """The screen of a session's page. targets: where its forms lead, besides us."""

    template: str
    screen: AnyScreen
    targets: tuple[str, ...] = ()


async def show(request: AnyRequest) -> Response[bytes]:
    """Show the state of the payment, through the framework."""
    visit = visit_of(request)
    elsewhere = await in_chosen_language(visit)
    return render.see(elsewhere) if elsewhere else _page(visit.inbound, await _shown(visit))


async def show_in_front(visit: SessionVisit) -> Reply:
    """Show the state of the payment, without the framework. Raises NoPaymentError."""
    elsewhere = await in_chosen_language(visit)
    if elsewhere:
        return render.reply(render.see(elsewhere), request_reference())
    screen = await _shown(visit)
    language = language_at(visit.inbound.path, visit.inbound.header(b"accept-language"))
    reply = render.page_reply(screen.template, screen.screen, language, screen.targets)
    answer = Reply(
        reply.body, headers=(*reply.headers, (b"x-request-id", request_reference().encode()))
    )
    # On a phone bytes cost more than our time; a desktop gets the whole page in the first packets
    # anyway.
    phone = on_phone(client_of(visit.inbound.header(b"user-agent")))
    return (
        render.packed(answer)
        if phone and takes_packed(visit.inbound.header(b"accept-encoding"))
        else answer
    )


async def _shown(visit: SessionVisit) -> Shown:
    """Return the screen: the methods, the wait, the outcome, or the end of the session."""
    opened, query = await opened_by(visit), visit.inbound.query_fields()
    choosing = "choose" in query
    typed = forms.sent_back(
        opened.gateway.vault, opened.path, query.get("f", ""), int(opened.now.timestamp())
    )
    page = page_context(visit.inbound, opened, typed, choosing=choosing)
    match rules.screen_of(opened.view, opened.now, choosing=choosing):
        case Screen.CHOOSE:
            return await _choose(opened, page)
        case Screen.WAITING:
            bank = authentication.page_again(opened.gateway.payments, opened.view)
            return Shown("waiting.html", rules.waiting(opened.view, opened.merchant, page, bank))
        case Screen.RESULT:
            return await _ending(opened, await _result(opened, page), page, at_once=True)
        case Screen.OVER:
            return await _ending(
                opened, endings.over(opened.view, opened.merchant, page), page, at_once=False
            )


async def _result(opened: Opened, page: PageContext) -> ResultScreen:
    view = opened.view
    # Few payments have refunds, so few results read them.
    some = view.payment.refunds or any(
        each.state is AttemptState.OVERPAID for each in view.attempts
    )
    given_back = await refunds.of_payment(opened.gateway.payments, view.payment) if some else ()
    ending = endings.result(view, opened.merchant, page, given_back)
    return replace(ending, whatsapp=await consents.box(opened))


async def _choose(opened: Opened, page: PageContext) -> Shown:
    screen = rules.choose(
        opened.view, opened.merchant, page, await _drawn(opened, page), await lists_of(opened)
    )
    if opened.subscription is not None:
        screen = replace(screen, mandate=mandates.terms(opened.subscription, page.say))
    return Shown("choose.html", screen)


async def _drawn(opened: Opened, page: PageContext) -> Drawn:
    accounts, voucher = _accounts(opened, page), _voucher(opened, page)
    attempt = scannable(opened.view, opened.now)
    if attempt is None:
        return Drawn(accounts=accounts, voucher=voucher)
    app = opened.gateway.connectors.simulated_app(attempt.connector)
    if attempt.method == UPI_LINK.name:
        link_url = await upi_links.link_of(opened.gateway.payments, attempt)
        if link_url is None or link_url.expires_at <= opened.now:
            return Drawn(accounts=accounts, voucher=voucher)
        attempt = replace(attempt, expires_at=min(attempt.expires_at, link_url.expires_at))
        link = app.app_link(link_url.url) if app else ""
        return Drawn(
            rules.qr(attempt, page, link_url.url, link), accounts=accounts, voucher=voucher
        )

    def drawn(link: str, kind: str) -> Qr:
        return rules.qr(attempt, page, link, app.app_link(link) if app else "", kind)

    channels = opened.payment.channels
    return Drawn(
        drawn(await upi_link(opened, attempt), "") if UPI.code in channels else None,
        drawn(bharat_qr(opened, attempt), BHARAT) if BHARAT_QR.code in channels else None,
        accounts,
        voucher,
    )


def _voucher(opened: Opened, page: PageContext) -> VoucherRow | None:
    attempt = opened.view.awaiting(CASH_VOUCHER.name)
    if attempt is None:
        return None
    return methods.voucher(
        attempt, page.path, transfers.counter_link(opened.gateway.payments, attempt), page.say
    )


def _accounts(opened: Opened, page: PageContext) -> dict[str, TransferRow]:
    rows: dict[str, TransferRow] = {}
    for channel in TO_ACCOUNTS:
        attempt = opened.view.awaiting(channel.method.name)
        account = transfers.account_of(opened.gateway.payments, attempt) if attempt else None
        if attempt is not None and account is not None:
            rows[channel.code] = methods.account(attempt, account, page.say)
    return rows


async def onward(inbound: Inbound, opened: Opened, to: Redirect) -> Response[bytes]:
    """Return the page that names the customer's next site and leads there (decision 64).

    A script goes on by itself; without scripts a refresh or a press does. The site may learn that
    customers come from our site, as some acquirers demand, but never from which page.
    """
    payment = opened.payment
    view = await payments.view(opened.gateway.payments, payment.merchant_id, payment.payment_id)
    page = page_context(inbound, opened, Typed())
    screen = rules.onward(view or opened.view, opened.merchant, page, ReturnForm(to.url, to.fields))
    targets = ANYWHERE[urlsplit(to.url).scheme] if to.fields else ()
    return render.page(
        "onward.html", screen, opened.language, form_targets=targets, referrer="strict-origin"
    )


async def _ending(
    opened: Opened, ending: ResultScreen, page: PageContext, *, at_once: bool
) -> Shown:
    link_id = links.link_of(opened.payment)
    if link_id is not None:
        return Shown("result.html", await _under_link(opened, ending, link_id, page))
    form = return_form(opened.view, opened.merchant, world_now())
    screen = endings.with_form(ending, form, at_once=at_once)
    return Shown("result.html", screen, ANYWHERE[urlsplit(form.action).scheme] if form else ())


async def _under_link(
    opened: Opened, ending: ResultScreen, link_id: int, page: PageContext
) -> ResultScreen:
    """Return the ending of an order under a payment link, which leads to the link's page."""
    context, owner = opened.gateway.payments, opened.merchant.merchant_id
    link_view = await linking.find(context, owner, opened.now, link_id=link_id)
    if link_view is None:
        return ending
    order = next(
        (each for each in link_view.orders if each.order_id == opened.payment.order_id), None
    )
    lines = ending.lines
    if order is not None and order.back_paise:
        lines += (
            page.say(
                "link_surplus", amount=rupees(order.back_paise), date=rules.returns_by(opened.now)
            ),
        )
    return replace(
        ending,
        lines=lines,
        link=".".join((LINK_PAGE + link_view.link.address, *chosen_language(opened.path))),
    )


def _page(inbound: Inbound, screen: Shown) -> Response[bytes]:
    language = language_at(inbound.path, inbound.header(b"accept-language"))
    return render.page(screen.template, screen.screen, language, form_targets=screen.targets)


async def upi_link(opened: Opened, attempt: Attempt) -> str:
    """Return the `upi://` link of an open attempt."""
    context, merchant = opened.gateway.payments, opened.merchant
    if opened.subscription is None or attempt.method == UPI_LINK.name:
        link = await upi.pay_link(context, merchant, opened.payment.order_id, attempt)
    else:
        link = approvals.approval_link(context, merchant, opened.subscription, attempt)
    if link is None:
        raise NoPaymentError
    return link


def bharat_qr(opened: Opened, attempt: Attempt) -> str:
    """Return the content of the Bharat QR of an open attempt."""
    text = upi.bharat_qr(opened.gateway.payments, opened.merchant, opened.payment.order_id, attempt)
    if text is None:
        raise NoPaymentError
    return text


async def status(request: AnyRequest) -> dict[str, object]:
    """Return the state of the payment for an open page that waits.

    {screen, state, done, revision, left_s, until}.
    """
    opened = await opened_at(request)
    at = rules.poll(opened.view, opened.now, choosing="choose" in request.query_params)
    left_s = max(0, int((opened.payment.expires_at - opened.now).total_seconds()))
    state = opened.payment.state
    return {
        "screen": at.screen,
        "state": state,
        "done": at.done,
        "revision": at.revision,
        "left_s": left_s,
        "until": rules.open_until(opened.view, opened.now, speaker(opened.language)),
    }


async def qr_image(request: AnyRequest) -> Response[bytes]:
    """Draw the QR of an attempt, or of a voucher, of this session only."""
    opened = await opened_at(request)
    name: str = request.path_params["name"].removesuffix(".svg")
    attempt_id = name.lstrip(BHARAT + VOUCHER)
    kind = name.removesuffix(attempt_id)
    known = (
        len(attempt_id) <= ID_DIGITS_MAX
        and attempt_id.isascii()
        and attempt_id.isdigit()
        and opened.view.attempt(int(attempt_id))
    )
    if (
        not known
        or kind not in KINDS_OF_PICTURE.get(known.method, ())
        or (kind == VOUCHER and not known.voucher)
    ):
        raise NoPaymentError
    headers = page_headers(()) | {"cache-control": f"private, max-age={QR_CACHE_S}"}
    text = known.voucher or (
        bharat_qr(opened, known) if kind == BHARAT else await upi_link(opened, known)
    )
    return Response(qr.svg(text), media_type=SVG, headers=headers)


async def leave(request: AnyRequest) -> Response[bytes]:
    """Take the customer back to the merchant; after a declined attempt this ends the payment."""
    forms.check_same_site(request.headers)
    visit = visit_of(request)
    session = await opened_by(visit)
    view = await payments.leave(
        session.gateway.payments, session.merchant, session.view, session.now
    )
    opened = replace(session, view=view)
    page = page_context(visit.inbound, opened, Typed())
    match rules.screen_of(opened.view, opened.now):
        case Screen.RESULT:
            ending = await _result(opened, page)
        case Screen.OVER:
            ending = endings.over(opened.view, opened.merchant, page)
        case _:
            ending = endings.leaving(opened.view, opened.merchant, page)
    return _page(visit.inbound, await _ending(opened, ending, page, at_once=True))
