"""A demo's clock: the simulated bank, which has the same one, moves it on."""

import time
from datetime import timedelta

import msgspec

from hundi.acquirers.simulator import signature_holds
from hundi.api.context import GatewayContext
from hundi.api.inbound import Inbound, Reply
from hundi.infra.demo_clock import actions
from hundi.kernel.clock import utc_now
from hundi.payments.disputes import store as disputes
from hundi.payments.disputes.actions import DUE_CHANNEL as DISPUTES_DUE
from hundi.payments.subscriptions import store as subscriptions
from hundi.payments.subscriptions.actions import DUE_CHANNEL

_BYTES_MAX = 1024
_SIGNATURE = "simbank-signature"
AHEAD_S_MAX = 30 * 366 * 86_400


class _Move(msgspec.Struct, frozen=True):
    """How far the clock is to be ahead of the world's, in seconds."""

    ahead_s: float


class Moved(msgspec.Struct, frozen=True):
    """Where the clock is, how many events the move made, and in how many seconds something falls due next."""

    now: str
    worked: int
    next_due_in_s: float | None


async def move(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Move the clock on, never back, and answer when what became due is done.

    404: this is no demo. 401: the signature is wrong. 400: the message is.
    """
    settings = gateway.settings
    if not settings.demo:
        return Reply(status=404)
    body = await inbound.body(_BYTES_MAX)
    header = inbound.headers().get(_SIGNATURE, "")
    if body is None or not signature_holds(settings.acquirer_key.encode(), header, body, int(time.time())):
        return Reply(status=401)
    try:
        asked = msgspec.json.decode(body, type=_Move)
    except (msgspec.MsgspecError, RecursionError):
        return Reply(status=400)
    if not 0 <= asked.ahead_s <= AHEAD_S_MAX:
        return Reply(status=400)
    woken = (DUE_CHANNEL, DISPUTES_DUE)
    worked = await actions.move(gateway.db, timedelta(seconds=asked.ahead_s), woken)
    now = utc_now()
    found = (await subscriptions.next_due(gateway.db, now), await disputes.next_due(gateway.db, now))
    due = min((each for each in found if each is not None), default=None)
    told = Moved(now.isoformat(), worked, None if due is None else (due - now).total_seconds())
    return Reply(msgspec.json.encode(told), 200, [(b"content-type", b"application/json")])
