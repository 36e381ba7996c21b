"""The actions of notifications: announce an event, call a server, and replay deliveries."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from hundi.infra.http.addresses import AddressRefusedError, PrivateAddressError
from hundi.infra.http.client import HttpAnswer, NoAnswerError
from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.kernel.masking import masked
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.notifications import store
from hundi.notifications.rules import DeliveryKey, DeliveryOutcome, DeliveryState
from hundi.notifications.status import store as status_store
from hundi.notifications.store import GIVEN_UP, DeliverySpan

CHANNEL = "hundi_deliveries"
"""NOTIFY channel (`db.wake`) that wakes the deliveries once an announcement is committed.

The payload is the merchant id, so that a worker looks only at that merchant; without one it looks
at all.
"""


REPLAYED_MAX = 10_000
"""Deliveries that one call sends again; more need several spans."""
SEND_S_MAX = 10.0
"""How long a merchant's server may take, from the look-up of its name to the end of its answer."""
__all__ = [
    "CHANNEL",
    "GIVEN_UP",
    "REPLAYED_MAX",
    "SEND_S_MAX",
    "CalledServer",
    "DeliverySpan",
    "Posts",
    "announce",
    "call",
    "count_given_up",
    "replay",
    "replay_all",
    "replay_given_up",
]


class Posts(Protocol):
    """The outbound client."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float
    ) -> HttpAnswer:
        """Send one POST. Raises AddressRefusedError, NoAnswerError."""
        ...


@dataclass(frozen=True, slots=True)
class CalledServer:
    """What became of one call of a recipient's server. headers: of its answer."""

    outcome: DeliveryOutcome
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


async def call(
    http: Posts, url: str, body: bytes, headers: Mapping[str, str], *, redirect_delivers: bool
) -> CalledServer:
    """Send one signed notification, and judge the answer."""
    try:
        answer = await http.post(url, body, headers, timeout_s=SEND_S_MAX)
    except AddressRefusedError as refused:
        forbidden = isinstance(refused, PrivateAddressError)
        return CalledServer(
            DeliveryOutcome(
                url, None, 0, problem=f"address refused: {refused}", forbidden_here=forbidden
            )
        )
    except NoAnswerError as error:
        return CalledServer(
            DeliveryOutcome(url, None, error.latency_ms, problem=f"no answer: {error.reason}")
        )
    outcome = DeliveryOutcome(
        url,
        answer.status,
        answer.latency_ms,
        # PostgreSQL's text has no NUL.
        answer=masked(
            answer.body.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        ),
        retry_after=answer.headers.get("retry-after", ""),
        redirect_delivers=redirect_delivers,
    )
    if not outcome.delivered:
        outcome = replace(outcome, problem=f"answered {answer.status}")
    return CalledServer(outcome, answer.headers)


async def announce(
    conn: Connection, key: DeliveryKey, kind: StrEnum, facts: object, now: datetime
) -> None:
    """Queue the notification of one event in the transaction of its cause.

    After the commit the caller wakes `CHANNEL`. key: the recipient, and the revision of the payment
    (or lead) that the event made. facts: what is true now, anything msgspec turns into a JSON
    object.
    """
    await store.insert(conn, key, kind, facts, now)


async def replay(
    db: Database, key: DeliveryKey, now: datetime, beside: Beside | None = None
) -> None:
    """Replay one delivery in any state, with the same webhook id and a new round of retries.

    An older event may then arrive after a newer one of its payment. beside: also written in the
    transaction. Raises Refused: NO_RECORDS for a missing delivery, STATE_FORBIDS while it is being
    sent or if later news made it untrue.
    """
    async with db.transaction() as conn:
        if not await store.replay(conn, key, now):
            status = await status_store.status_of(conn, key)
            code = RefusalCode.NO_RECORDS if status is None else RefusalCode.STATE_FORBIDS
            raise refuse(code, field="webhook_id", received=key.webhook_id)
        await store.probe_now(conn, key.merchant_id, now)
        if beside is not None:
            await beside(conn, key.event_no)
    db.wake(CHANNEL, str(key.merchant_id))


async def replay_all(
    db: Database,
    merchant_id: int,
    state: DeliveryState,
    now: datetime,
    beside: Beside | None = None,
) -> int:
    """Replay a merchant's deliveries in a state (exhausted, no_endpoint); return their number.

    beside: also written in the transaction, if there are deliveries.
    """
    async with db.transaction() as conn:
        count = await store.replay_state(conn, merchant_id, state, now)
        await store.probe_now(conn, merchant_id, now)
        if count and beside is not None:
            await beside(conn, count)
    db.wake(CHANNEL, str(merchant_id))
    return count


async def count_given_up(db: Database, merchant_id: int, span: DeliverySpan) -> int:
    """Return how many of a merchant's deliveries in a span were given up."""
    return await store.count_given_up(db, merchant_id, span)


async def replay_given_up(
    db: Database,
    merchant_id: int,
    span: DeliverySpan,
    number: int,
    now: datetime,
    beside: Beside,
) -> None:
    """Replay the deliveries of a span that were given up, if their number is the one shown.

    beside: also written in the transaction. Raises Refused (STATE_FORBIDS) for another number, or a
    too large one; then nothing is replayed.
    """
    async with db.transaction() as conn:
        count = await store.replay_given_up(conn, merchant_id, span, now)
        if count != number or count > REPLAYED_MAX:
            allowed = str(min(count, REPLAYED_MAX))
            raise refuse(
                RefusalCode.STATE_FORBIDS, field="number", received=str(number), allowed=allowed
            )
        await beside(conn, count)
        await store.probe_now(conn, merchant_id, now)
    db.wake(CHANNEL, str(merchant_id))
