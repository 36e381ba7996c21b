"""Endpoints that fail are probed until they answer."""

from datetime import timedelta

from hundi.infra.postgres.database import Database
from hundi.notifications.rules import DeliveryState
from hundi.notifications.status import store as status_store
from tests.notifications.shop_server import AT, Listener, key
from tests.notifications.test_jobs import NewRun, announce, status


async def test_an_endpoint_that_ran_out_of_its_schedule_is_probed_until_it_answers(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    listener.always[1] = "500"
    await announce(db, key(1))
    run, now = new_run(), AT
    while (found := await status(db, key(1))).state is DeliveryState.WAITING:
        now = found.due_at
        await run.once(now)
    assert found.state is DeliveryState.EXHAUSTED
    assert timedelta(hours=66) < now - AT <= timedelta(hours=72)
    (failing,) = await status_store.failing_endpoints(db)
    assert (failing.merchant_id, failing.since, failing.problem) == (1, now, "answered 500")

    await announce(db, key(1, 2), key(1, 3), at=now)
    heard = len(listener.heard)
    assert await run.once(now) == 0, "only probes are sent"
    assert await run.once(failing.probe_at) == 1
    assert await run.once(failing.probe_at) == 0
    assert len(listener.heard) == heard + 1

    listener.always[1] = "200"
    (failing,) = await status_store.failing_endpoints(db)
    assert await run.once(failing.probe_at) == 1, "the probe is answered"
    assert await status_store.failing_endpoints(db) == ()
    assert await run.once(failing.probe_at + timedelta(minutes=3)) == 1, "what waits may go again"
    assert {webhook for _, webhook in listener.accepted} == {"ipn_1_2_1", "ipn_1_3_1"}
    assert (await status(db, key(1))).state is DeliveryState.EXHAUSTED, (
        "given up, and replayed by hand"
    )


async def test_the_probe_of_an_endpoint_with_nothing_new_is_what_was_given_up(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    long_ago = AT - timedelta(days=4)
    await announce(db, key(1), at=long_ago)
    listener.always[1] = "500"
    await new_run().once(AT)
    assert (await status(db, key(1))).state is DeliveryState.EXHAUSTED
    listener.always[1] = "200"
    await new_run().once(AT + timedelta(hours=1))
    assert (await status(db, key(1))).state is DeliveryState.DELIVERED
    assert await status_store.failing_endpoints(db) == ()


async def test_one_message_a_server_never_takes_does_not_make_its_endpoint_failing(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    run = new_run()
    await announce(db, key(1, 9), at=AT)
    await announce(db, key(1), at=AT - timedelta(days=4))
    listener.words["ipn_1_1_1"] = ["400", "400"]
    await db.execute(
        "UPDATE deliveries SET due_at = $1 WHERE payment_id = 1", AT + timedelta(seconds=5)
    )
    await run.once(AT)
    await run.once(AT + timedelta(seconds=5))
    assert (await status(db, key(1))).state is DeliveryState.EXHAUSTED
    assert await status_store.failing_endpoints(db) == ()
