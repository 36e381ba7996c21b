"""A worker whose own setting forbids a merchant's address.

It takes no tries from one that may call it.
"""

from datetime import timedelta

from hundi.infra.background.due_rows import NOT_SENT_GAP
from hundi.infra.http.client import client_for_others
from hundi.infra.postgres.database import Database
from hundi.notifications import jobs, rules
from hundi.notifications.jobs import deliveries
from hundi.notifications.rules import DeliveryState
from hundi.notifications.status import store as status_store
from tests.notifications.shop_server import AT, Listener, Merchants, key
from tests.notifications.test_jobs import NewRun, announce, status


async def test_a_worker_whose_setting_forbids_an_address_leaves_it_to_another_and_takes_no_try(
    db: Database, new_run: NewRun, merchants: Merchants, listener: Listener
) -> None:
    await announce(db, key(1))
    async with client_for_others(allow_private=False) as strict:
        unable = deliveries(db, merchants, strict)
        turns = [await unable.once(AT + timedelta(seconds=each)) for each in range(0, 600, 5)]
        assert sum(turns) == 1, "it does not try again and again"
        assert await unable.once(AT + jobs.REFUSED_GAP) == 1
    refused = await status(db, key(1))
    assert (refused.state, "HUNDI_ALLOW_PRIVATE_CALLBACKS" in refused.last_problem) == (
        DeliveryState.WAITING,
        True,
    )
    later = AT + jobs.REFUSED_GAP + NOT_SENT_GAP
    listener.words["ipn_1_1_1"] = ["500"]
    assert await new_run().once(later) == 1
    failed = await status(db, key(1))
    assert failed.due_at - later <= timedelta(seconds=rules.RETRY_GAPS_S[0] * 1.1 + 1), (
        "it is the schedule's first try"
    )
    assert await new_run().once(failed.due_at) == 1
    assert listener.accepted == [(1, "ipn_1_1_1")]


async def test_a_setting_that_forbids_an_address_for_days_uses_up_no_schedule(
    db: Database, new_run: NewRun, merchants: Merchants, listener: Listener
) -> None:
    await announce(db, key(1))
    days = timedelta(days=4)
    async with client_for_others(allow_private=False) as strict:
        unable, now = deliveries(db, merchants, strict), AT
        while now < AT + days:
            await unable.once(now)
            now += jobs.REFUSED_GAP
    assert await status_store.failing_endpoints(db) == ()
    assert len(await status_store.tries_of(db, key(1))) == 1, (
        "the first shows why, the others leave no row"
    )
    await new_run().once(now)
    assert listener.accepted == [(1, "ipn_1_1_1")]


async def test_an_address_that_no_worker_may_call_fails_in_the_end(
    db: Database, merchants: Merchants, listener: Listener
) -> None:
    await announce(db, key(1))
    async with client_for_others(allow_private=False) as strict:
        unable, now = deliveries(db, merchants, strict), AT
        while (await status(db, key(1))).state is DeliveryState.WAITING:
            assert now < AT + timedelta(days=60), "it waits for ever"
            await unable.once(now)
            now += timedelta(hours=1)
    assert (await status(db, key(1))).state is DeliveryState.EXHAUSTED
    assert now - AT > jobs.FORBIDDEN_WITHIN
    assert [each.problem for each in await status_store.failing_endpoints(db)]
    assert listener.accepted == []
