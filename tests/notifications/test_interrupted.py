"""A notification arrives whichever answer of the database is lost, always with the same id."""

from datetime import timedelta
from itertools import count

from hundi.infra.http.client import OutboundClient
from hundi.infra.postgres.database import Database
from hundi.notifications.jobs import deliveries
from hundi.notifications.rules import DeliveryState
from tests.notifications.shop_server import AT, Listener, Merchants, key
from tests.notifications.test_jobs import announce, status
from tests.payments.interrupted import Interruption, Start, whichever_call_is_interrupted

TIMES = (timedelta(), timedelta(seconds=31), timedelta(minutes=2))
"""When a worker looks: now, and when the lease of another is over."""


async def test_a_delivery(
    db: Database, merchants: Merchants, http: OutboundClient, listener: Listener
) -> None:
    numbers = count(1)

    async def begin() -> Start:
        delivery = key(1, next(numbers))
        listener.heard.clear()
        await announce(db, delivery)

        async def works(process: Database) -> None:
            for after in TIMES:
                await deliveries(process, merchants, http).once(AT + after)

        async def end() -> object:
            assert listener.heard, "at least once"
            return (await status(db, delivery)).state, set(listener.heard) == {
                (1, delivery.webhook_id)
            }

        return [works], end

    kinds = (Interruption.UNHEARD, Interruption.SENT_AGAIN)
    ended = await whichever_call_is_interrupted(db, begin, kinds)
    assert ended == (DeliveryState.DELIVERED, True)
