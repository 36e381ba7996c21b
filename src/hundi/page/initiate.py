"""The form POST that starts a payment, and an explanation for people who open its address."""

from typing import Any

import msgspec
from litestar import Request, Response

from hundi.api import replies, strays
from hundi.api.context import GatewayContext
from hundi.api.endpoint import EndpointPolicy, serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant import kits, payment
from hundi.api.merchant.endpoint import MerchantRequest
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal
from hundi.page import messages, old_address, render
from hundi.page.sessions import SESSION_PATH
from hundi.page.texts import language_at, language_of, speaker
from hundi.payments.orders.telling import actions as telling


def _refused(context: MerchantRequest, refusal: Refusal, _: Exception) -> Response[bytes]:
    if strays.wants_json(context.inbound.header(b"accept")):
        body = msgspec.json.encode(replies.refused(refusal, context.request_id))
        return Response(body, media_type="application/json", headers={"cache-control": "no-store"})
    language = language_of(context.inbound.header(b"accept-language"))
    # The merchant's own stored address, so an unproven sender cannot redirect customers elsewhere.
    back = context.claimed.settings.failure_url if context.claimed else ""
    return render.page(
        "message.html",
        messages.refused(refusal, context.request_id, back, speaker(language)),
        language,
    )


def _reply(context: MerchantRequest, answer: Response[bytes]) -> Reply:
    return render.reply(answer, context.request_id)


PAYMENT = EndpointPolicy("payment", payment.AUTHENTICATION, _refused, _reply, from_browsers=True)


async def initiate(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Open a payment (Initiate simple transaction) and send the browser to its clean address.

    Only this request has the token in its query; the redirect removes it from the address bar and
    the history.
    """
    return await serve(gateway, inbound, PAYMENT, _initiate)


def _kit_refused(context: MerchantRequest, refusal: Refusal, problem: Exception) -> Response[bytes]:
    """Return the page of a refused form; without the setting, what the shop has to change."""
    if kits.is_served(context):
        return _refused(context, refusal, problem)
    inbound = context.inbound
    return old_address.explained(
        inbound.path,
        inbound.header(b"accept"),
        inbound.header(b"accept-language"),
        inbound.query_fields().get("lang", ""),
        context.request_id,
        again=False,
    )


OF_KITS = EndpointPolicy(
    kits.AUTHENTICATION.kit.name, kits.AUTHENTICATION, _kit_refused, _reply, from_browsers=True
)


async def initiate_by_kit(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Open a payment that an old kit posts, and send the browser to its clean address."""
    return await serve(gateway, inbound, OF_KITS, _initiate)


async def _initiate(context: MerchantRequest) -> Response[bytes]:
    view = await payment.initiate(context)
    payment_id, gateway = view.payment.payment_id, context.gateway
    language = language_of(context.inbound.header(b"accept-language"))
    await telling.note_language(gateway.db, context.sender, payment_id, language, context.now)
    session = gateway.sessions.seal(view.payment.merchant_id, payment_id)
    return render.see(SESSION_PATH + session)


async def explain(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Explain this address."""
    wished = request.query_params.get("lang", "")
    language = language_at("", request.headers.get("accept-language", ""), wished)
    screen = replace(messages.started_here(speaker(language)), again=True)
    return render.page("message.html", screen, language)
