"""The page where a customer pauses, resumes or cancels a mandate.

Its signed address is the only proof of the right to do so.
"""

from litestar import Response

from hundi.api.addresses import MANDATE_PAGE
from hundi.api.context import GatewayContext
from hundi.kernel.clock import utc_now
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import Actor
from hundi.page import forms, mandates, render
from hundi.page.sessions import AnyRequest, NoPaymentError
from hundi.page.texts import LANGUAGES, language_at, speaker
from hundi.payments.subscriptions import actions

_ACT = {"pause": actions.pause, "resume": actions.resume, "cancel": actions.cancel}
_NAME_PARTS = 3
"""The address has merchant, mandate and tag, and perhaps a language."""


async def show(request: AnyRequest) -> Response[bytes]:
    """Show what was approved, the announced debits, and what can be done."""
    gateway, merchant_id, subscription_id = _named(request)
    wished, address = request.query_params.get("lang", ""), str(request.path_params["link"])
    if wished in LANGUAGES:
        # The address keeps the language, so that forms and their answers do.
        return render.see(f"{MANDATE_PAGE}{'.'.join(address.split('.')[:_NAME_PARTS])}.{wished}")
    merchant = await gateway.directory.get(merchant_id)
    view = await actions.find(gateway.db, merchant_id, subscription_id)
    if merchant is None or view is None:
        raise NoPaymentError
    language = language_at(request.url.path, request.headers.get("accept-language", ""))
    screen = mandates.screen(view, merchant, _path(request), speaker(language))
    return render.page("mandate.html", screen, language)


async def act(request: AnyRequest) -> Response[bytes]:
    """Pause, resume or cancel; an impossible act shows the present state."""
    forms.check_same_site(request.headers)
    gateway, merchant_id, subscription_id = _named(request)
    verb = _ACT.get(request.path_params["verb"])
    if verb is None:
        raise NoPaymentError
    try:
        await verb(gateway.db, merchant_id, subscription_id, Actor.CUSTOMER, utc_now())
    except Refused as refused:
        if refused.refusal.code is not RefusalCode.STATE_FORBIDS:
            raise NoPaymentError from None
    return render.see(_path(request))


def _named(request: AnyRequest) -> tuple[GatewayContext, int, int]:
    gateway: GatewayContext = request.app.state.gateway
    ids = gateway.mandate_links.open_(request.path_params["link"])
    if ids is None:
        raise NoPaymentError
    return gateway, *ids


def _path(request: AnyRequest) -> str:
    return MANDATE_PAGE + str(request.path_params["link"])
