"""A demo's clock: the simulated bank, which shares it, moves it forward."""

import time
from datetime import timedelta

import msgspec

from hundi.acquirers.simulator import signature_holds
from hundi.api.context import GatewayContext
from hundi.api.inbound import Inbound, Reply
from hundi.infra.demo_clock import actions, rules
from hundi.infra.demo_clock.actions import MoveOutcome
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.payments.disputes import store as disputes
from hundi.payments.subscriptions import store as subscriptions

_BYTES_MAX = 1024
_SIGNATURE = "simbank-signature"
AHEAD_S_MAX = 30 * 366 * 86_400
AGAIN_WITHIN = timedelta(seconds=90)
"""Work that is due again this soon after a move waits for its bank.

Longer than a lease, or a look at a debit.
"""


class _Move(msgspec.Struct, frozen=True):
    """The clock's new lead over real time, in seconds.

    hasty: only retries fall due.
    """

    ahead_s: float
    hasty: bool = False


class ClockMove(msgspec.Struct, frozen=True):
    """The clock's position, the events of the move, and the next work.

    next_due_in_s: when something falls due that the clock may not pass, None for never. waiting:
    other work that is due again so soon that its bank must have left it without an answer.
    again_in_s: when the first of that is due.
    """

    now: str
    worked: int
    next_due_in_s: float | None
    waiting: int
    again_in_s: float | None


async def move(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Move the clock forward, never back, and answer when the due work is done.

    404: this is no demo. 401: the signature is wrong. 400: the message is.
    """
    settings = gateway.settings
    if not settings.demo:
        return Reply(status=404)
    body = await inbound.body(_BYTES_MAX)
    header = inbound.headers().get(_SIGNATURE, "")
    if body is None or not signature_holds(
        settings.acquirer_key.encode(), header, body, int(time.time())
    ):
        return Reply(status=401)
    try:
        asked = msgspec.json.decode(body, type=_Move)
    except (msgspec.MsgspecError, RecursionError):
        return Reply(status=400)
    if not 0 <= asked.ahead_s <= AHEAD_S_MAX:
        return Reply(status=400)
    patience = rules.HASTY if asked.hasty else rules.PATIENT
    outcome = await actions.move(gateway.db, timedelta(seconds=asked.ahead_s), patience)
    told = await _what_comes(gateway.db, outcome)
    return Reply(msgspec.json.encode(told), 200, [(b"content-type", b"application/json")])


async def _what_comes(db: Database, outcome: MoveOutcome) -> ClockMove:
    """Return what comes after the last look, also what has fallen due since."""
    now, seen_at = utc_now(), outcome.seen_at
    soon = await subscriptions.due_within(db, seen_at, seen_at + AGAIN_WITHIN)
    coming = (
        await subscriptions.next_due(db, seen_at + AGAIN_WITHIN),
        await disputes.next_due(db, seen_at),
    )
    next_in_s = min(
        ((each - now).total_seconds() for each in coming if each is not None), default=None
    )
    again_in_s = None if soon.first is None else (soon.first - now).total_seconds()
    return ClockMove(now.isoformat(), outcome.worked, next_in_s, soon.count, again_in_s)
