"""The addresses of the payment page, and the pages for their errors."""

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import structlog
from litestar import Request, Response, Router, get, post
from litestar.exceptions import HTTPException, NotFoundException

from hundi.api import strays
from hundi.api.addresses import CONSENT_PAGE, LINK_PAGE, MANDATE_PAGE, RETURN_PAGE, WHERE_PAGE
from hundi.api.context import GatewayContext
from hundi.api.endpoint import retried_after
from hundi.api.inbound import Inbound, Reply
from hundi.kernel.ids import request_reference
from hundi.kernel.records import replace
from hundi.kernel.refusals import Refusal
from hundi.merchants.directory.logos import actions as logos
from hundi.page import (
    back,
    checkout,
    consents,
    forms,
    initiate,
    link,
    messages,
    offer,
    old_address,
    pay,
    receipt,
    render,
    self_service,
    sessions,
    where,
)
from hundi.page.assets import STATIC_PATH
from hundi.page.brand import LOGO_PATH
from hundi.page.screens import MessageScreen
from hundi.page.texts import Say, language_at, speaker

_MANDATE = MANDATE_PAGE + "{link:str}"
_CONSENT = CONSENT_PAGE + "{link:str}"
_SESSION = sessions.SESSION_PATH + "{session:str}"
SHOPS_SCRIPT = "/pay/v4/hundi.js"
_SITE_LENGTH_MAX = 100
_LOGO = re.compile(r"([1-9][0-9]{0,11})\.([0-9a-f]{16})\.png\Z")
_OF_PICTURES = {
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
}
"""Headers of a logo: mails show it, too, and nothing in it runs."""
_GET = "GET"
_log = structlog.get_logger(__name__)

AnyRequest = Request[Any, Any, Any]


async def static_file(request: AnyRequest) -> Response[bytes]:
    """Return a stylesheet, script or icon by the name of its content."""
    file = render.static(request.path_params["name"], request.headers.get("accept-encoding", ""))
    if file is None:
        raise NotFoundException
    return file


async def logo(request: AnyRequest) -> Response[bytes]:
    """Return a merchant's logo by its mark: another picture has another address."""
    match = _LOGO.match(request.path_params["name"])
    gateway: GatewayContext = request.app.state.gateway
    merchant = await gateway.directory.get(int(match[1])) if match else None
    if match is None or merchant is None or not merchant.settings.logo.startswith(match[2]):
        raise NotFoundException
    picture = await logos.picture(gateway.db, merchant)
    if picture is None:
        raise NotFoundException
    return Response(picture, media_type="image/png", headers=_OF_PICTURES)


async def shops_script(request: AnyRequest) -> Response[bytes]:  # noqa: ARG001 (it is the same for everybody)
    """Return the script that opens the payment page over a shop's own page."""
    return render.shops_script()


def _message(request: AnyRequest, screen: MessageScreen, status_code: int) -> Response[bytes]:
    message = replace(screen, again=request.method == _GET)
    return render.page("message.html", message, _language(request), status_code=status_code)


def _language(request: AnyRequest) -> str:
    accepted, wished = (
        request.headers.get("accept-language", ""),
        request.query_params.get("lang", ""),
    )
    return language_at(request.url.path, accepted, wished)


def _say(request: AnyRequest) -> Say:
    return speaker(_language(request))


def _language_in_front(inbound: Inbound) -> str:
    """Return the language of a message that is sent without the framework."""
    wished = inbound.query_fields().get("lang", "")
    return language_at(inbound.path, inbound.header(b"accept-language"), wished)


def _unknown(request: AnyRequest, _problem: Exception) -> Response[bytes]:
    return _message(request, messages.unknown(_say(request)), 404)


def stray(request: AnyRequest, problem: HTTPException) -> Response[bytes]:
    """Return a page to a browser, JSON to a program, for an unknown address or method."""
    if not strays.wants_page(request.headers.get("accept", "")):
        return strays.stray(request, problem)
    answer = _message(request, messages.stray(_say(request)), problem.status_code)
    answer.headers["x-request-id"] = request_reference()
    return answer


def too_many(inbound: Inbound, refusal: Refusal) -> Reply:
    """Return a page to a browser, and an envelope to a program, that asks too often."""
    if not strays.wants_page(inbound.header(b"accept")):
        return retried_after(strays.too_many(inbound.path, refusal), refusal)
    say = speaker(language := _language_in_front(inbound))
    screen = replace(messages.busy(refusal.retry_after_s, say), again=inbound.method == _GET)
    answer = render.page("message.html", screen, language, status_code=HTTPStatus.TOO_MANY_REQUESTS)
    return retried_after(render.reply(answer, request_reference()), refusal)


async def old_page(request: AnyRequest) -> Response[bytes]:
    """Explain what a shop must change that posts payments to an address of version 3."""
    reference = request_reference()
    answer = old_address.explained(
        request.url.path,
        request.headers.get("accept", ""),
        request.headers.get("accept-language", ""),
        request.query_params.get("lang", ""),
        reference,
        again=True,
    )
    answer.headers["x-request-id"] = reference
    return answer


def _foreign(request: AnyRequest, problem: Exception) -> Response[bytes]:
    _log.warning("form_of_another_site", site=str(problem)[:_SITE_LENGTH_MAX])
    return _message(request, messages.foreign(_say(request)), 403)


def _refused_by_framework(request: AnyRequest, problem: HTTPException) -> Response[bytes]:
    return _message(request, messages.unknown(_say(request)), problem.status_code)


def _fault(request: AnyRequest, problem: Exception) -> Response[bytes]:
    reference = request_reference()
    _log.error("page_failed", request_id=reference, exc_info=problem)
    return _message(request, messages.fault(reference, _say(request)), 500)


EXPECTED = sessions.NoPaymentError, forms.ForeignError
"""Errors of the caller that have their own page, and are no fault of ours."""
_ON_PROBLEM: Any = {
    sessions.NoPaymentError: _unknown,
    forms.ForeignError: _foreign,
    HTTPException: _refused_by_framework,
    Exception: _fault,
}


async def session_page(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Show a session's page, the most requested one, without the framework (decision 0012)."""
    language = _language_in_front(inbound)
    try:
        return await checkout.show_in_front(
            sessions.SessionVisit(
                gateway, inbound, inbound.path.removeprefix(sessions.SESSION_PATH)
            )
        )
    except sessions.NoPaymentError:
        nothing = replace(messages.unknown(speaker(language)), again=inbound.method == _GET)
        return render.page_reply("message.html", nothing, language, status_code=404)
    except Exception as problem:  # noqa: BLE001 (a fault of ours is logged with its trace, and answered with a page)
        reference = request_reference()
        _log.error("page_failed", request_id=reference, exc_info=problem)
        screen = replace(messages.fault(reference, speaker(language)), again=inbound.method == _GET)
        return render.page_reply("message.html", screen, language, status_code=500)


async def _named(answer: Response[Any]) -> Response[Any]:
    """Give an answer its request id, unless the operation behind it has done so."""
    answer.headers.setdefault("x-request-id", request_reference())
    return answer


def routes(start_paths: Sequence[str], old_paths: Sequence[str]) -> Router:
    """Return the payment page's routes.

    start_paths: where payments are posted to; `initiate` alone answers them. old_paths: before
    version 4; posts there are answered by it, too.
    """
    start = list(start_paths)
    limit = forms.BODY_BYTES_MAX
    return Router(
        "/",
        exception_handlers=_ON_PROBLEM,
        after_request=_named,
        route_handlers=[
            # A person who opens the bare host, the printed address of the gateway, gets an
            # explanation.
            get(["/", *start])(initiate.explain),
            get(list(old_paths))(old_page),
            get(offer.PATHS)(offer.show),
            post(offer.PATHS, status_code=200)(offer.show),
            get(_SESSION)(checkout.show),
            get(f"{_SESSION}/status")(checkout.status),
            get(f"{_SESSION}/receipt.pdf")(receipt.download),
            get(f"{_SESSION}/qr/{{name:str}}")(checkout.qr_image),
            post(f"{_SESSION}/return", status_code=200, request_max_body_size=limit)(
                checkout.leave
            ),
            post(f"{_SESSION}/more", status_code=303, request_max_body_size=limit)(pay.more_time),
            post(f"{_SESSION}/qr", status_code=303, request_max_body_size=limit)(pay.renew_qr),
            post(f"{_SESSION}/vpa", status_code=303, request_max_body_size=limit)(pay.ask_vpa),
            post(f"{_SESSION}/card", status_code=303, request_max_body_size=limit)(pay.pay_card),
            post(f"{_SESSION}/saved", status_code=303, request_max_body_size=limit)(pay.pay_saved),
            post(f"{_SESSION}/emi", status_code=303, request_max_body_size=limit)(pay.pay_emi),
            post(f"{_SESSION}/bank", status_code=303, request_max_body_size=limit)(pay.go_to_bank),
            post(f"{_SESSION}/wallet", status_code=303, request_max_body_size=limit)(
                pay.go_to_wallet
            ),
            post(f"{_SESSION}/later", status_code=303, request_max_body_size=limit)(
                pay.go_to_lender
            ),
            post(f"{_SESSION}/mandate", status_code=303, request_max_body_size=limit)(
                pay.go_to_approve
            ),
            post(f"{_SESSION}/account", status_code=303, request_max_body_size=limit)(
                pay.get_account
            ),
            post(f"{_SESSION}/rtgs", status_code=303, request_max_body_size=limit)(
                pay.get_rtgs_account
            ),
            post(f"{_SESSION}/slip", status_code=303, request_max_body_size=limit)(pay.get_slip),
            post(f"{_SESSION}/voucher", status_code=303, request_max_body_size=limit)(
                pay.get_voucher
            ),
            # Banks send the browser back by either method; the body is not read, because the
            # network is asked.
            get(f"{_SESSION}/3ds/{{attempt_id:int}}", status_code=303)(pay.back_from_bank),
            get(f"{_SESSION}/bank/{{attempt_id:int}}", status_code=303)(pay.back_from_redirect),
            post(f"{_SESSION}/bank/{{attempt_id:int}}", status_code=303)(pay.back_from_redirect),
            post(f"{_SESSION}/3ds/{{attempt_id:int}}", status_code=303)(pay.back_from_bank),
            post(
                f"{RETURN_PAGE}{{acquirer:str}}",
                status_code=303,
                request_max_body_size=back.BODY_BYTES_MAX,
            )(back.from_acquirer),
            post(f"{_SESSION}/whatsapp", status_code=303, request_max_body_size=limit)(
                consents.agree
            ),
            get(_CONSENT)(consents.show),
            post(f"{_CONSENT}/{consents.STOP}", status_code=303, request_max_body_size=limit)(
                consents.stop
            ),
            get(_MANDATE)(self_service.show),
            post(f"{_MANDATE}/{{verb:str}}", status_code=303)(self_service.act),
            get(SHOPS_SCRIPT)(shops_script),
            get(f"{LOGO_PATH}{{name:str}}")(logo),
            get(f"{LINK_PAGE}{{address:str}}")(link.show),
            post(f"{LINK_PAGE}{{address:str}}", status_code=303, request_max_body_size=limit)(
                link.pay
            ),
            get(WHERE_PAGE)(where.show),
            post(WHERE_PAGE, status_code=303, request_max_body_size=limit)(where.ask),
            get(where.CODE_PAGE)(where.show_code),
            post(where.CODE_PAGE, status_code=303, request_max_body_size=limit)(where.prove),
            get(where.MONEY_PAGE)(where.show_money),
            get(where.RECEIPT)(where.download_receipt),
            post(where.COMPLAINT, status_code=303, request_max_body_size=limit)(where.complain),
            post(where.SOLVED, status_code=303, request_max_body_size=limit)(where.solve),
            post(where.LEAVE, status_code=303, request_max_body_size=limit)(where.leave),
            get(f"{STATIC_PATH}/{{name:str}}")(static_file),
        ],
    )
