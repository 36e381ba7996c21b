"""Finds the payment of a session's address, and the choices its page can offer."""

import asyncio
from datetime import datetime
from typing import Any

import msgspec
from litestar import Request

from hundi.acquirers.port.mandates import MandateRequest
from hundi.api.addresses import SESSION_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import payer_of
from hundi.api.inbound import Inbound
from hundi.instruments import upi_address, upi_apps
from hundi.instruments.methods import CARD, CARD_PAGE, CARDS, LISTED, REDIRECTED, UPI, UPI_LINK
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.kernel.states import PaymentKind
from hundi.merchants.directory.rules import Merchant
from hundi.page.facts import Lists, PageContext, Typed
from hundi.page.texts import LANGUAGES, language_at, speaker
from hundi.payments.availability import actions as banks
from hundi.payments.availability.use.rules import FOLDED_MIN, SHOWN_MIN
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentCase
from hundi.payments.orders.rules import Payment, PaymentView
from hundi.payments.orders.telling import actions as telling
from hundi.payments.risk.actions import PayerTrace
from hundi.payments.saved_cards import actions as saved_cards
from hundi.payments.saved_cards import rules as saved_rules
from hundi.payments.subscriptions import actions as subscriptions
from hundi.payments.subscriptions.approvals import actions as approvals
from hundi.payments.subscriptions.rules import Subscription

SESSION_PATH = SESSION_PAGE
_NAME_PARTS = 3
"""The address has merchant, payment and tag of the session, and perhaps a language."""

AnyRequest = Request[Any, Any, Any]


class NoPaymentError(Exception):
    """The address has no payment of ours."""


class Opened(msgspec.Struct, frozen=True):
    """A found session: its gateway, merchant and payment, read once for one request."""

    gateway: GatewayContext
    merchant: Merchant
    view: PaymentView
    path: str
    now: datetime
    payer: PayerTrace
    language: str
    subscription: Subscription | None = None

    @property
    def payment(self) -> Payment:
        """Return the payment."""
        return self.view.payment

    @property
    def mandate(self) -> MandateRequest | None:
        """Return the mandate that the customer approves with the payment, or None."""
        return (
            approvals.mandate_request(self.merchant, self.subscription)
            if self.subscription
            else None
        )


class SessionVisit(msgspec.Struct, frozen=True):
    """A request at a session's address, whether the framework read it or not.

    session: the part of the address that names it.
    """

    gateway: GatewayContext
    inbound: Inbound
    session: str


def visit_of(request: AnyRequest) -> SessionVisit:
    """Return the visit of a request that the framework read."""
    inbound = Inbound(request.scope, request.receive)
    return SessionVisit(request.app.state.gateway, inbound, request.path_params["session"])


async def in_chosen_language(visit: SessionVisit) -> str | None:
    """Return the page's address in the language that the switch asks for, or None.

    The address keeps the choice: forms, redirects and the returns from banks are made from it.
    Letters about the order follow it.
    """
    language = visit.inbound.query_fields().get("lang")
    if language is None or language not in LANGUAGES:
        return None
    gateway = visit.gateway
    ids = gateway.sessions.open_(visit.session)
    merchant = await gateway.directory.get(ids[0]) if ids else None
    if ids is None or merchant is None:
        return None
    await telling.note_language(gateway.db, merchant, ids[1], language, utc_now(), chosen=True)
    name = ".".join(visit.session.split(".")[:_NAME_PARTS])
    return f"{SESSION_PATH}{name}.{language}"


def chosen_language(path: str) -> tuple[str, ...]:
    """Return the language at the end of a session's address, () for none."""
    return tuple(path.removeprefix(SESSION_PATH).split(".")[_NAME_PARTS:])


async def opened_at(request: AnyRequest) -> Opened:
    """Return the session of a request's address. Raises NoPaymentError."""
    return await opened_by(visit_of(request))


async def opened_by(visit: SessionVisit) -> Opened:
    """Return the session of a visit's address. Raises NoPaymentError."""
    gateway, session = visit.gateway, visit.session
    ids = gateway.sessions.open_(session)
    if ids is None:
        raise NoPaymentError
    merchant = await gateway.directory.get(ids[0])
    just_opened = gateway.payments.recent.for_page(*ids) if visit.inbound.method == "GET" else None
    view = just_opened or await payments.view(gateway.payments, *ids)
    if merchant is None or view is None:
        raise NoPaymentError
    payer = payer_of(visit.inbound, gateway)
    registers = view.payment.kind is PaymentKind.SUBSCRIPTION
    subscription = await subscriptions.find(gateway.db, *ids) if registers else None
    path = SESSION_PATH + session
    language = language_at(path, visit.inbound.header(b"accept-language"))
    return Opened(
        gateway,
        merchant,
        view,
        path,
        utc_now(),
        payer,
        language,
        subscription and subscription.subscription,
    )


def page_context(
    inbound: Inbound, opened: Opened, typed: Typed, *, choosing: bool = False
) -> PageContext:
    """Return the view of a session's page, as its screens need it."""
    return PageContext(
        path=opened.path,
        client=upi_address.client_of(user_agent := inbound.header(b"user-agent")),
        session=opened.gateway.payments.session,
        platform=upi_apps.platform_of(user_agent),
        now=opened.now,
        say=speaker(opened.language),
        typed=typed,
        choosing=choosing,
        simulated=opened.gateway.connectors.simulated,
    )


async def lists_of(opened: Opened) -> Lists:
    """Return the choices of the order's channels; most orders need none."""
    context, payment = opened.gateway.payments, opened.payment
    case = PaymentCase(context, opened.merchant, opened.view, opened.now, opened.payer)
    cards = (await payments.route(case, CARDS.first_steps)).first
    upi = (await payments.route(case, UPI.first_steps)).first
    connector = cards.connector if cards and cards.method is CARD else None
    may_save = saved_rules.may_save(payment, opened.merchant, connector)
    saved = (
        await saved_cards.cards_of(context.db, opened.merchant.merchant_id, payment.buyer.customer)
        if may_save
        else ()
    )
    lists = Lists(
        saved=saved,
        may_save=may_save,
        asks_for_link=upi is not None and upi.method is UPI_LINK,
        cards_elsewhere=cards is not None
        and cards.method is CARD_PAGE
        and payment.kind is not PaymentKind.MOTO,
        uses=await opened.gateway.channel_use.of(context.db, payment.merchant_id, opened.now)
        if len(payment.channels) >= SHOWN_MIN + FOLDED_MIN
        else {},
    )
    if not LISTED & set(payment.channels):
        return lists
    # Side by side, so that a slow bank is waited for only once.
    channels = [each for each in REDIRECTED if each.code in payment.channels]
    emi, entries = await asyncio.gather(
        banks.emi_choice(context, payment),
        asyncio.gather(
            *(banks.entries(context, each.method, payment.merchant_id) for each in channels)
        ),
    )
    codes = [each.code for each in channels]
    troubles = await opened.gateway.bank_health.troubles(opened.now) if channels else {}
    return replace(
        lists, entries=dict(zip(codes, entries, strict=True)), emi=emi, troubles=troubles
    )
