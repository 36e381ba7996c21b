"""Where shops send their customers: the form POST that starts a payment, and a word for those who open it alone."""

from http import HTTPStatus
from typing import Any

from litestar import Request, Response

from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant import payment, pipeline
from hundi.page import messages, render
from hundi.page.checkout import SESSION_PATH
from hundi.page.texts import language_of, speaker


async def initiate(gateway: Gateway, inbound: Inbound) -> Reply:
    """Open a payment (interface: Initiate simple transaction) and send the browser to its clean address.

    The token is in the query of this request only; the redirect takes it out of the address bar and of history.
    """
    exchange = pipeline.begin(gateway, inbound, payment.PAYMENT)
    answer = await _answer(exchange, inbound)
    answer.set_header("x-request-id", exchange.request_id)
    return _reply(answer)


async def _answer(exchange: pipeline.Exchange, inbound: Inbound) -> Response[bytes]:
    try:
        view = await payment.initiate(exchange, inbound)
    except Exception as problem:  # noqa: BLE001 (every problem becomes a page with its reason; ours is logged with its trace)
        refusal = await pipeline.refusal_of(exchange, problem)
        language = language_of(inbound.header(b"accept-language"))
        # The merchant's own stored address, so an unproven sender sends nobody anywhere new.
        back = exchange.merchant.settings.failure_url if exchange.merchant else ""
        screen = messages.refused(refusal, exchange.request_id, back, speaker(language))
        return render.page("message.html", screen, language)
    gateway = exchange.gateway
    session = gateway.sessions.seal(view.payment.merchant_id, view.payment.payment_id)
    return render.see(SESSION_PATH + session)


def _reply(answer: Response[bytes]) -> Reply:
    """Return a page as it is sent in front of the framework."""
    headers = dict(answer.headers)
    if answer.content:
        headers["content-type"] = f"{answer.media_type}; charset={answer.encoding}"
    sent = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    return Reply(answer.content, answer.status_code or HTTPStatus.OK, sent)


async def explain(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Say what this address is for."""
    language = language_of(request.headers.get("accept-language", ""))
    return render.page("message.html", messages.started_here(speaker(language)), language)
