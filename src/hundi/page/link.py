"""The page of a payment link: the amount asked and paid, and the way to the payment page."""

from datetime import datetime
from http import HTTPStatus

from litestar import Response

from hundi.api.addresses import LINK_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import payer_of
from hundi.api.inbound import Inbound
from hundi.infra.http.rates import Rates
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import request_reference
from hundi.kernel.money import in_figures, paise_typed, rupees
from hundi.kernel.refusals import Refusal, RefusalCode, Refused
from hundi.merchants.access.rules import network_of
from hundi.merchants.directory.rules import Merchant
from hundi.page import forms, messages, render
from hundi.page.brand import logo_of
from hundi.page.screens import LinkLine, LinkScreen, Tone
from hundi.page.sessions import SESSION_PATH, AnyRequest, NoPaymentError
from hundi.page.texts import LANGUAGES, Say, language_at, speaker
from hundi.payments.links import actions, rules
from hundi.payments.links.actions import LinkView
from hundi.payments.links.rules import Link, LinkState
from hundi.payments.orders.telling import actions as telling

ENDED = {
    LinkState.PAID: (Tone.PAID, "link_paid"),
    LinkState.EXPIRED: (Tone.INFO, "link_expired"),
    LinkState.CANCELLED: (Tone.INFO, "link_cancelled"),
}
"""The message of an ended link: its tone, and its texts by key."""
OPENED_A_MINUTE = 20
"""Orders that one network may begin under links a minute, in one process."""
_opened = Rates()
_NAME_PARTS = 2
"""The address has merchant and code of the link, and perhaps a language."""


async def show(request: AnyRequest) -> Response[bytes]:
    """Show the current state of a link."""
    gateway, merchant, view = await _named(request)
    language, address = request.query_params.get("lang", ""), str(request.path_params["address"])
    if language in LANGUAGES:
        return render.see(f"{LINK_PAGE}{'.'.join(address.split('.')[:_NAME_PARTS])}.{language}")
    return _page(request, _screen(gateway, merchant, view, _path(request), _say(request)))


async def pay(request: AnyRequest) -> Response[bytes]:
    """Begin an order under a link and go to its payment page; if refused, show the link again."""
    forms.check_same_site(request.headers)
    gateway, merchant, link_view = await _named(request)
    form, say, language = await forms.read(request), _say(request), _language(request)
    typed = form.get("amount", "").strip()
    payer, paise = payer_of(Inbound(request.scope, request.receive), gateway), paise_typed(typed)
    now = utc_now()
    network = network_of(payer.ip_address)
    if not _opened.has_room(
        f"{link_view.link.link_id} {network}", "orders", OPENED_A_MINUTE, now.timestamp()
    ):
        screen = messages.refused(_too_often(), request_reference(), _path(request), say)
        return render.page(
            "message.html", screen, language, status_code=HTTPStatus.TOO_MANY_REQUESTS
        )
    if typed and paise is None:
        return _again(request, gateway, merchant, link_view, typed)
    try:
        view = await actions.begin(gateway.payments, merchant, link_view.link, paise, now, payer)
    except Refused as refused:
        if refused.refusal.code in {RefusalCode.FIELD_INVALID, RefusalCode.STATE_FORBIDS}:
            # The open amount has changed since the page was shown, or the amount was never allowed.
            return _again(request, *await _named(request), typed)
        screen = messages.refused(refused.refusal, request_reference(), _path(request), say)
        return render.page("message.html", screen, language, status_code=HTTPStatus.CONFLICT)
    payment_id = view.payment.payment_id
    await telling.note_language(gateway.db, merchant, payment_id, language, now)
    session = gateway.sessions.seal(merchant.merchant_id, payment_id)
    path_language = str(request.path_params["address"]).split(".")[_NAME_PARTS:]
    return render.see(SESSION_PATH + ".".join((session, *path_language)))


def _too_often() -> Refusal:
    return Refusal(RefusalCode.TOO_MANY_REQUESTS, "link", "", f"{OPENED_A_MINUTE} orders a minute")


def _again(
    request: AnyRequest, gateway: GatewayContext, merchant: Merchant, view: LinkView, typed: str
) -> Response[bytes]:
    screen = _screen(gateway, merchant, view, _path(request), _say(request), typed)
    return _page(request, screen, HTTPStatus.UNPROCESSABLE_ENTITY)


def _page(
    request: AnyRequest, screen: LinkScreen, status_code: int = HTTPStatus.OK
) -> Response[bytes]:
    return render.page("link.html", screen, _language(request), status_code=status_code)


async def _named(request: AnyRequest) -> tuple[GatewayContext, Merchant, LinkView]:
    """Return the link in an address. Raises NoPaymentError."""
    gateway: GatewayContext = request.app.state.gateway
    ids = rules.parse_address(str(request.path_params["address"]))
    merchant = await gateway.directory.get(ids[0]) if ids else None
    view = await actions.at_address(gateway.payments, *ids, utc_now()) if ids and merchant else None
    if merchant is None or merchant.suspended or view is None:
        raise NoPaymentError
    return gateway, merchant, view


def _screen(
    gateway: GatewayContext,
    merchant: Merchant,
    view: LinkView,
    path: str,
    say: Say,
    refused: str = "",
) -> LinkScreen:
    """Return the screen of a link. refused: a typed amount that cannot be paid."""
    link, now = view.link, utc_now()
    state = rules.state_of(link, now)
    payable = state in rules.PAYABLE
    tone, name = ENDED.get(state, (Tone.INFO, ""))
    least, most = min(link.minimum_paise, link.left_paise), link.left_paise
    parts = payable and bool(link.minimum_paise) and least < most
    message = (
        say("link_amount_wrong", least=rupees(least), most=rupees(most))
        if parts and refused
        else ""
    )
    return LinkScreen(
        path=path,
        tone=tone,
        title=say(f"{name}_title")
        if name
        else say("title", amount=rupees(most), merchant=merchant.name),
        merchant=merchant.name,
        monogram=merchant.name.strip()[:1].upper(),
        description=link.description,
        lines=_lines(link, merchant, name, say, now),
        payable=payable,
        parts=parts,
        hint=say("link_least", least=rupees(least), most=rupees(most)) if parts else "",
        typed=refused or in_figures(most).removesuffix(".00"),
        error=message,
        support=say("help", support=merchant.settings.support) if merchant.settings.support else "",
        accent=merchant.settings.accent.lstrip("#").lower(),
        simulated=gateway.connectors.simulated,
        logo=logo_of(merchant),
        items=tuple(
            LinkLine(
                item.description,
                say("link_quantity", quantity=str(item.quantity)) if item.quantity > 1 else "",
                rupees(item.amount_paise),
            )
            for item in link.items
        ),
        total=rupees(link.amount_paise),
    )


def _lines(link: Link, merchant: Merchant, name: str, say: Say, now: datetime) -> tuple[str, ...]:
    paid, total = rupees(min(link.paid_paise, link.amount_paise)), rupees(link.amount_paise)
    until = link.expires_at
    lines = [say(name, total=total, until=until, merchant=merchant.name)] if name else []
    if link.paid_paise and not link.left_paise <= 0:
        lines.append(say("link_part", paid=paid, total=total))
    if rules.state_of(link, now) in rules.PAYABLE:
        lines.append(say("link_until", until=until))
    return tuple(lines)


def _path(request: AnyRequest) -> str:
    return LINK_PAGE + str(request.path_params["address"])


def _language(request: AnyRequest) -> str:
    return language_at(request.url.path, request.headers.get("accept-language", ""))


def _say(request: AnyRequest) -> Say:
    return speaker(_language(request))
