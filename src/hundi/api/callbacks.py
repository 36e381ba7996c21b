"""What acquirers tell us on their own: believed with a right signature only, else worth one question."""

import structlog

from hundi.api.addresses import CALLBACK
from hundi.api.gateway import Gateway
from hundi.api.inbound import Inbound, Reply
from hundi.attempts import actions as attempts
from hundi.kernel.clock import utc_now
from hundi.kernel.ids import parse_refund_reference
from hundi.refunds import actions as refunds

CALLBACK_BYTES_MAX = 16 * 1024
_log = structlog.get_logger(__name__)


async def bank_callback(gateway: Gateway, inbound: Inbound) -> Reply:
    """Take a connector's callback: 204 when it was taken in, 401 when it proves nothing, 413 and 404 for the rest."""
    connector = gateway.connectors.speaking(inbound.path.removeprefix(CALLBACK).rstrip("/"))
    if connector is None:
        return Reply(status=404)
    body = await inbound.body(CALLBACK_BYTES_MAX)
    if body is None:
        return Reply(status=413)
    now = utc_now()
    word = connector.read_callback(inbound.headers(), body, now_s=int(now.timestamp()))
    if word is None:
        _log.warning("callback_refused", connector=inbound.path, bytes=len(body))
        await attempts.ask_soon(gateway.payments, connector.claimed_reference(body), now)
        return Reply(status=401)
    if parse_refund_reference(word.reference):
        await refunds.hear(gateway.payments, word, now)
    else:
        await attempts.hear(gateway.payments, word, now)
    return Reply(status=204)
