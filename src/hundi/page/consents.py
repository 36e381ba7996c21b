"""WhatsApp messages: offered after a paid order, and ended on a page of their own.

Both pages name one order, whose customer's number counts: no form has a number of its own.
"""

from litestar import Response

from hundi.api.addresses import CONSENT_PAGE
from hundi.api.context import GatewayContext
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.letters.mobile import actions as mobile
from hundi.letters.mobile.rules import mobile_number
from hundi.letters.rules import LetterChannel, masked_address
from hundi.merchants.directory.rules import Merchant
from hundi.page import endings, forms, render
from hundi.page.screens import ConsentBox, MandateScreen, Tone, Verb
from hundi.page.sessions import AnyRequest, NoPaymentError, Opened, chosen_language, opened_at
from hundi.page.texts import LANGUAGES, Say, language_at, speaker
from hundi.payments.orders import actions as payments
from hundi.payments.orders.telling import actions as telling
from hundi.payments.orders.telling.rules import number_by_whatsapp

STOP = "stop"
_NAME_PARTS = 3
"""The address has merchant, payment and tag, and perhaps a language."""


async def box(opened: Opened) -> ConsentBox | None:
    """Return what the result of an order offers, None where WhatsApp is no choice."""
    number, payment, gateway = _number_to_ask(opened), opened.payment, opened.gateway
    if not number:
        return None
    say, names = speaker(opened.language), _names(opened.merchant, number)
    whose = payment.merchant_id, LetterChannel.WHATSAPP, number
    if await mobile.has_agreed(gateway.db, whose):
        link = gateway.consent_links.seal(payment.merchant_id, payment.payment_id)
        path = ".".join((CONSENT_PAGE + link, *chosen_language(opened.path)))
        return ConsentBox(say("whatsapp_on", **names), say("whatsapp_stop"), link=path)
    words = say("whatsapp_offer", **names)
    return ConsentBox(words, say("whatsapp_agree"), action=f"{opened.path}/whatsapp")


async def agree(request: AnyRequest) -> Response[bytes]:
    """Keep that the customer of a paid order agrees, in the words of its page."""
    forms.check_same_site(request.headers)
    opened = await opened_at(request)
    offer = await box(opened)
    if offer is not None and offer.action:
        words = f"{offer.words} [{offer.button}]"
        await telling.agree(
            opened.gateway.db,
            opened.payment,
            _number_to_ask(opened),
            (words, opened.language),
            opened.now,
        )
    return render.see(opened.path)


def _number_to_ask(opened: Opened) -> str:
    """Return the number that a paid order's customer may be asked about, "" for none."""
    if not endings.has_receipt(opened.view) or not opened.gateway.settings.whatsapp_provider:
        return ""
    return number_by_whatsapp(opened.payment, opened.merchant.settings)


def _names(merchant: Merchant, number: str) -> dict[str, str]:
    """Return what the texts name."""
    return {"merchant": merchant.name, "number": masked_address(number)}


async def show(request: AnyRequest) -> Response[bytes]:
    """Show whether WhatsApp messages come, and how to end them."""
    gateway, merchant, number = await _named(request)
    wished, address = request.query_params.get("lang", ""), str(request.path_params["link"])
    if wished in LANGUAGES:
        return render.see(f"{CONSENT_PAGE}{'.'.join(address.split('.')[:_NAME_PARTS])}.{wished}")
    whose = merchant.merchant_id, LetterChannel.WHATSAPP, number
    agreed = await mobile.has_agreed(gateway.db, whose)
    language = language_at(request.url.path, request.headers.get("accept-language", ""))
    screen = _screen(merchant, number, _path(request), speaker(language), agreed=agreed)
    return render.page("mandate.html", screen, language)


async def stop(request: AnyRequest) -> Response[bytes]:
    """Take the consent back; without one, the page shows that there is none."""
    forms.check_same_site(request.headers)
    gateway, merchant, number = await _named(request)
    whose = merchant.merchant_id, LetterChannel.WHATSAPP, number
    try:
        await mobile.withdraw(gateway.db, whose, utc_now())
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.NO_RECORDS:
            raise
    return render.see(_path(request))


def _screen(merchant: Merchant, number: str, path: str, say: Say, *, agreed: bool) -> MandateScreen:
    support, names = merchant.settings.support, _names(merchant, number)
    return MandateScreen(
        path=path,
        tone=Tone.INFO,
        title=say("whatsapp_on_title") if agreed else say("whatsapp_off_title"),
        merchant=merchant.name,
        lines=(say("whatsapp_on", **names) if agreed else say("whatsapp_off", **names),),
        verbs=(Verb(STOP, say("whatsapp_stop"), say("whatsapp_stop_what")),) if agreed else (),
        upcoming=(),
        references=(),
        support=say("help", support=support) if support else "",
    )


async def _named(request: AnyRequest) -> tuple[GatewayContext, Merchant, str]:
    """Return the merchant and the number of an address's order. Raises NoPaymentError."""
    gateway: GatewayContext = request.app.state.gateway
    ids = gateway.consent_links.open_(request.path_params["link"])
    merchant = await gateway.directory.get(ids[0]) if ids else None
    view = await payments.view(gateway.payments, *ids) if ids else None
    number = mobile_number(view.payment.buyer.phone) if view else ""
    if merchant is None or not number:
        raise NoPaymentError
    return gateway, merchant, number


def _path(request: AnyRequest) -> str:
    return CONSENT_PAGE + str(request.path_params["link"])
