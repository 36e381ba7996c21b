"""While a demo's past is made, two workers share its deliveries.

One has the past, the other the present.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from hundi.infra.background.due import DueLoop, WorkSpan
from hundi.infra.postgres.database import Database
from hundi.kernel.events import Kind
from hundi.notifications import actions
from hundi.notifications.rules import Delivery, DeliveryKey
from tests.notifications.shop_server import AT, Listener, key

NewRun = Callable[[], DueLoop[Delivery]]


async def announce(db: Database, which: DeliveryKey, at: datetime) -> None:
    async with db.transaction() as conn:
        await actions.announce(conn, which, Kind.PAID, {}, at)


async def test_of_two_spans_each_worker_has_its_own(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    """The last round of a demo's history gave what was paid meanwhile to its made-up servers.

    Nobody heard of it.
    """
    past, present = key(1, 1), key(1, 2)
    await announce(db, past, AT - timedelta(minutes=1))
    await announce(db, present, AT)
    for span, has in ((WorkSpan(before=AT), past), (WorkSpan(since=AT), present)):
        run = new_run()
        run.keep_to(span)
        assert await run.once(AT + timedelta(minutes=1)) == 1
        assert listener.accepted[-1] == (1, f"ipn_1_{has.payment_id}_1")
        assert await run.once(AT + timedelta(minutes=1)) == 0


async def test_a_probe_keeps_to_its_span(db: Database, new_run: NewRun, listener: Listener) -> None:
    listener.always[1] = "500"
    await announce(db, key(1, 1), AT - timedelta(minutes=1))
    await new_run().once(AT)
    await announce(db, key(1, 2), AT)
    listener.always.clear()
    run = new_run()
    run.keep_to(WorkSpan(since=AT))
    later = AT + timedelta(hours=2)
    assert await run.once(later) == 1
    assert listener.accepted == [(1, "ipn_1_2_1")]
