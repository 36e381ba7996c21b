"""What acquirers tell us on their own: believed with a right signature only, else worth one question."""

from typing import TYPE_CHECKING, Any

import structlog
from litestar import Request, Response

from hundi.attempts import actions as attempts
from hundi.connectors.port import SpeaksBack
from hundi.connectors.registry import UnknownConnectorError
from hundi.kernel.clock import utc_now

if TYPE_CHECKING:
    from hundi.api.gateway import Gateway

CALLBACK_BYTES_MAX = 16 * 1024
_log = structlog.get_logger(__name__)


async def bank_callback(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Take a connector's callback: 204 when it was taken in, 401 when it proves nothing, 413 and 404 for the rest."""
    gateway: Gateway = request.app.state.gateway
    try:
        connector = gateway.connectors.get(request.path_params["connector"])
    except UnknownConnectorError:
        return Response(b"", status_code=404)
    if not isinstance(connector, SpeaksBack):
        return Response(b"", status_code=404)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > CALLBACK_BYTES_MAX:
            return Response(b"", status_code=413)
    now = utc_now()
    word = connector.read_callback(dict(request.headers), body, now_s=int(now.timestamp()))
    if word is None:
        _log.warning("callback_refused", connector=connector.name, bytes=len(body))
        await attempts.ask_soon(gateway.payments, connector.claimed_reference(body), now)
        return Response(b"", status_code=401)
    await attempts.hear(gateway.payments, word, now)
    return Response(b"", status_code=204)
