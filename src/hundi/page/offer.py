"""The offers page: an affiliate's coupons for a customer, fetched once and then stored."""

from litestar import Response

from hundi.api.addresses import OFFER_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import caller_address
from hundi.api.inbound import Inbound
from hundi.kernel.clock import utc_now
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.merchants.access.rules import network_of
from hundi.page import messages, render
from hundi.page.screens import Coupon, MessageScreen, OfferScreen
from hundi.page.sessions import AnyRequest
from hundi.page.texts import Say, language_at, speaker
from hundi.partners.directory.rules import Partner
from hundi.partners.offers.rules import CouponOffer
from hundi.wire.partner.offers import is_unique_id

PATH = OFFER_PAGE
PATHS = [PATH, PATH + "{affiliate:str}", PATH + "{affiliate:str}/{unique:path}"]
"""Shortened addresses lead here as well, for an explanation."""
RETRY_AFTER_S = 10
_INTERFACE = "offers"


async def show(request: AnyRequest) -> Response[bytes]:
    """Show an offer, or explain why there is none."""
    gateway: GatewayContext = request.app.state.gateway
    # Ids are the affiliate's own and may have dots, so the language is in the query and not in the
    # path.
    language = language_at(
        "", request.headers.get("accept-language", ""), request.query_params.get("lang", "")
    )
    say, now = speaker(language), utc_now()
    # The whole rest of the path, decoded by the server: a base64 id may have slashes.
    affiliate, _, unique_id = str(request.scope["path"]).removeprefix(PATH).partition("/")
    partner = await _partner(gateway, affiliate)
    if partner is None or not is_unique_id(unique_id):
        return _message(request, messages.no_offer(say), language, 404)
    try:
        visitor = network_of(caller_address(Inbound(request.scope, request.receive), gateway))
        offer = await gateway.partners.openings.open(partner, unique_id, visitor, now)
    except Refused as refused:
        if refused.refusal.code not in {RefusalCode.PROVIDER_SILENT, RefusalCode.TOO_MANY_REQUESTS}:
            raise
        later = _message(request, messages.offer_later(say), language, 503)
        later.headers["retry-after"] = str(refused.refusal.retry_after_s or RETRY_AFTER_S)
        return later
    if offer is None:
        return _message(request, messages.no_offer(say), language, 404)
    if offer.is_closed(now):
        return _message(request, messages.offer_closed(partner.name, say), language, 410)
    return render.page(
        "offer.html", _screen(offer, partner, say, expired=offer.is_expired(now)), language
    )


def _message(
    request: AnyRequest, screen: MessageScreen, language: str, status_code: int
) -> Response[bytes]:
    message = replace(screen, again=request.method == "GET")
    return render.page("message.html", message, language, status_code=status_code)


async def _partner(gateway: GatewayContext, affiliate: str) -> Partner | None:
    partner = await gateway.partners.directory.get(affiliate)
    if partner is None or partner.suspended:
        return None
    offers_here = _INTERFACE in partner.settings.interfaces and partner.settings.offers_callback
    return partner if offers_here else None


def _screen(offer: CouponOffer, partner: Partner, say: Say, *, expired: bool) -> OfferScreen:
    count, until = len(offer.coupons), offer.expires_at
    what = say("offer_coupon" if count == 1 else "offer_coupons", count=count)
    key = "offer_title_over" if expired else "offer_title"
    return OfferScreen(
        title=say(key, customer=offer.customer, what=what)
        if offer.customer
        else say(f"{key}_nobody", what=what),
        granted_by=say("offer_from", partner=partner.name),
        coupons=tuple(Coupon(number, code) for number, code in enumerate(offer.coupons, 1)),
        until=say("offer_over" if expired else "offer_until", until=until),
        again=say("offer_again_over" if expired else "offer_again", until=offer.closes_at),
        expired=expired,
    )
