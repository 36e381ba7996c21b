"""Delivering to servers that misbehave.

At least once, in order per payment, and nobody waits for another's server.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hundi.infra.background.due import DueLoop
from hundi.infra.http.client import OutboundClient, client_for_others
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.events import Kind
from hundi.kernel.records import replace
from hundi.notifications import actions, jobs, rules, store
from hundi.notifications.jobs import deliveries
from hundi.notifications.rules import Delivery, DeliveryKey, DeliveryState, DeliveryStatus, Rendered
from hundi.notifications.status import store as status_store
from tests.databases import END_CLIENTS
from tests.notifications.shop_server import AT, Listener, Merchants, key, render

NewRun = Callable[[], DueLoop[Delivery]]


async def announce(db: Database, *keys: DeliveryKey, at: datetime = AT) -> None:
    async with db.transaction() as conn:
        for each in keys:
            await actions.announce(conn, each, Kind.PAID, {"at": str(at)}, at)


async def status(db: Database, which: DeliveryKey) -> DeliveryStatus:
    found = await status_store.status_of(db, which)
    assert found is not None
    return found


async def test_a_delivery_arrives_signed_and_its_try_is_kept(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    await announce(db, key(1))
    assert await new_run().once(AT) == 1
    assert listener.accepted == [(1, "ipn_1_1_1")]
    found = await status(db, key(1))
    assert (found.state, found.delivered_at, found.tries, found.last_status) == (
        DeliveryState.DELIVERED,
        AT,
        1,
        200,
    )
    (only,) = await status_store.tries_of(db, key(1))
    assert (only.at, only.outcome.status, only.outcome.answer, only.outcome.problem) == (
        AT,
        200,
        "seen",
        "",
    )
    assert await new_run().once(AT) == 0


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("500", (500, "answered 500")),
        ("404", (404, "answered 404")),
        ("redirect", (302, "answered 302")),
        ("huge", (500, "answered 500")),
        ("disconnect", (None, "no answer: broken")),
        ("later", (503, "answered 503")),
    ],
)
async def test_every_try_that_fails_is_kept_and_repeated_with_the_same_id(
    db: Database, new_run: NewRun, listener: Listener, word: str, kept: tuple[int | None, str]
) -> None:
    listener.words["ipn_1_1_1"] = [word]
    await announce(db, key(1))
    await new_run().once(AT)
    found = await status(db, key(1))
    least = 120 if word == "later" else 30
    assert found.state is DeliveryState.WAITING
    assert timedelta(seconds=least) <= found.due_at - AT <= timedelta(seconds=least * 1.1 + 1)
    assert await new_run().once(found.due_at - timedelta(seconds=1)) == 0
    assert await new_run().once(found.due_at) == 1
    assert listener.heard == [(1, "ipn_1_1_1")] * 2, "a redirect is not followed"
    first, second = await status_store.tries_of(db, key(1))
    assert (first.outcome.status, first.outcome.problem) == kept
    assert len(first.outcome.answer) <= 2_048
    assert second.outcome.status == 200


async def test_an_address_we_do_not_call_is_never_called(
    db: Database, merchants: Merchants
) -> None:
    await announce(db, key(1))
    async with client_for_others(allow_private=False) as strict:
        await deliveries(db, merchants, strict).once(AT)
    (only,) = await status_store.tries_of(db, key(1))
    assert only.outcome.status is None
    assert only.outcome.problem.startswith("address refused")


async def test_without_an_endpoint_the_delivery_is_kept_for_a_replay(
    db: Database, new_run: NewRun, merchants: Merchants, listener: Listener
) -> None:
    merchants.others[1] = ""
    await announce(db, key(1), key(1, 2))
    await new_run().once(AT)
    assert (await status(db, key(1))).state is DeliveryState.NO_ENDPOINT
    del merchants.others[1]
    assert await actions.replay_all(db, 1, DeliveryState.NO_ENDPOINT, AT) == 2
    await new_run().once(AT)
    assert sorted(listener.accepted) == [(1, "ipn_1_1_1"), (1, "ipn_1_2_1")]


async def test_a_replay_has_the_same_id_and_a_fresh_schedule(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    await announce(db, key(1))
    await new_run().once(AT)
    later = AT + timedelta(days=30)
    await actions.replay(db, key(1), later)
    listener.words["ipn_1_1_1"] = ["500"]
    await new_run().once(later)
    found = await status(db, key(1))
    assert found.state is DeliveryState.WAITING
    assert found.due_at - later < timedelta(seconds=40)
    await new_run().once(found.due_at)
    assert listener.heard == [(1, "ipn_1_1_1")] * 3
    assert [each.attempt_no for each in await status_store.tries_of(db, key(1))] == [1, 2, 3]


async def test_a_notification_that_cannot_be_made_does_not_stop_the_others(
    db: Database, http: OutboundClient, merchants: Merchants, listener: Listener
) -> None:
    def broken_for_one(delivery: Delivery) -> Rendered:
        if delivery.key.merchant_id == 1:
            raise KeyError("amount")
        return render(delivery)

    await announce(db, key(1), key(2))
    await deliveries(db, replace(merchants, render=broken_for_one), http).once(AT)
    assert listener.accepted == [(2, "ipn_2_1_1")]
    assert (await status(db, key(1))).last_problem.startswith("our fault")


async def test_a_worker_that_died_in_the_middle_loses_nothing(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    await announce(db, key(1))
    (lost,) = await store.claim(db, 1, AT, AT + jobs.LEASE, 1)
    assert await new_run().once(AT + jobs.LEASE - timedelta(seconds=1)) == 0
    assert await new_run().once(AT + jobs.LEASE) == 1
    assert listener.accepted == [(1, "ipn_1_1_1")]
    tries = await status_store.tries_of(db, key(1))
    assert [(each.attempt_no, each.outcome.status) for each in tries] == [(1, None), (2, 200)]
    assert "worker ended" in tries[0].outcome.problem
    # It was not dead but slow: what it brings is kept, and does not undo the delivery.
    failed = rules.DeliveryOutcome("http://x", 500, 31_000, problem="answered 500")
    late = store.EndedTry(
        lost, AT, failed, rules.DeliveryVerdict(DeliveryState.WAITING, AT + timedelta(hours=1))
    )
    await store.record(db, 1, [late])
    assert (await status(db, key(1))).state is DeliveryState.DELIVERED
    assert [each.outcome.status for each in await status_store.tries_of(db, key(1))] == [500, 200]


async def test_two_workers_share_the_work_and_send_nothing_twice(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    await announce(
        db, *(key(merchant, payment) for merchant in range(1, 6) for payment in range(1, 9))
    )
    counts = await asyncio.gather(*(new_run().once(AT) for _ in range(4)))
    assert sum(counts) == 40
    assert len(listener.heard) == len(set(listener.heard)) == 40


async def test_a_later_event_waits_for_the_earlier_one_and_follows_soon(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    listener.words["ipn_1_1_2"] = ["500"]
    await announce(db, key(1, 1, 2), key(1, 1, 5), key(1, 1, 7), key(1, 2, 1))
    run = new_run()
    assert await run.once(AT) == 2
    assert await run.once(AT + timedelta(seconds=2)) == 0
    retry_at = (await status(db, key(1, 1, 2))).due_at
    assert (await status(db, key(1, 1, 7))).due_at >= retry_at - timedelta(seconds=1), (
        "it does not fill the front of the queue"
    )
    now = retry_at
    for _ in range(4):
        await run.once(now)
        now += timedelta(seconds=1.1)
    assert [webhook for _, webhook in listener.accepted] == [
        "ipn_1_2_1",
        "ipn_1_1_2",
        "ipn_1_1_5",
        "ipn_1_1_7",
    ]


async def test_a_backlog_of_one_merchant_delays_nobody(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    """100,000 rows wait for a server that hangs.

    Another merchant's payment is announced and delivered in one round.
    """
    await db.execute(
        """
        INSERT INTO deliveries (merchant_id, payment_id, event_no, kind, facts, state, created_at,
            due_at, scheduled_from)
        SELECT 1, n, 1, 'paid', '{}', 'waiting', $1, $1::timestamptz - n * interval '1 ms', $1
        FROM generate_series(1, 100000) AS n
        """,
        AT,
    )
    await db.execute("ANALYZE deliveries")
    listener.always[1] = "500"
    await announce(db, key(2), key(3))
    run = new_run()
    began = asyncio.get_running_loop().time()
    assert await run.once(AT) == jobs.MERCHANT_IN_FLIGHT_MAX + 2
    assert asyncio.get_running_loop().time() - began < 1.0
    assert set(listener.accepted) == {(2, "ipn_2_1_1"), (3, "ipn_3_1_1")}
    assert await run.once(AT) == 1, "a server that fails is asked one at a time"


async def test_pages_find_everybody_with_something_due_longest_waiting_first(db: Database) -> None:
    now = AT + timedelta(minutes=1)
    for merchant, due in ((1, 7), (2, 1), (3, 3), (4, 5), (5, 2)):
        at = AT + timedelta(seconds=10 - merchant)
        await announce(db, *(key(merchant, payment) for payment in range(1, due + 1)), at=at)
    await announce(db, key(6), at=now + timedelta(seconds=1))
    await store.claim(db, 2, now, now + jobs.LEASE, 1)
    for page in (1, 2, 3, 4, 100):
        found, later = await store.outstanding(db, now, page=page)
        assert [each.merchant_id for each in found] == [5, 4, 3, 1], (
            "neither what is claimed nor what is for later"
        )
        assert {each.merchant_id: each.due for each in found if each.due is not None}.items() <= {
            (1, 7),
            (3, 3),
            (4, 5),
            (5, 2),
        }
        assert later == now + timedelta(seconds=1), (
            "what falls due next is the one for later, not the one that is leased"
        )
    assert [each.due for each in (await store.outstanding(db, now))[0]] == [2, 5, 3, 7]


async def test_of_several_workers_one_claims_each_delivery(db: Database) -> None:
    await announce(db, *(key(1, payment) for payment in range(1, 21)))
    claims = await asyncio.gather(*(store.claim(db, 1, AT, AT + jobs.LEASE, 20) for _ in range(4)))
    assert sorted(each.key.payment_id for claimed in claims for each in claimed) == list(
        range(1, 21)
    )


async def test_a_lost_database_keeps_nobody_from_being_recorded_later(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    now = utc_now()
    stop = asyncio.Event()
    running = asyncio.create_task(new_run().forever(stop))
    for payment in range(1, 4):
        await announce(db, key(1, payment), at=now)
        db.wake(actions.CHANNEL, "1")
        await db.execute(END_CLIENTS)
    async with asyncio.timeout(60):
        while await db.fetchval("SELECT count(*) FROM deliveries WHERE state = 'delivered'") != 3:
            await asyncio.sleep(0.02)
    stop.set()
    await asyncio.wait_for(running, 15)
    assert {payment for _, payment in listener.accepted} == {"ipn_1_1_1", "ipn_1_2_1", "ipn_1_3_1"}


async def test_nobody_waits_for_a_server_that_hangs(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    listener.always[1] = "hang"
    now = utc_now()
    await announce(db, *(key(1, payment) for payment in range(1, 60)), at=now)
    stop = asyncio.Event()
    running = asyncio.create_task(new_run().forever(stop))
    for payment in range(1, 30):
        await announce(db, key(2, payment), at=utc_now())
        db.wake(actions.CHANNEL, "2")
        sent_at = asyncio.get_running_loop().time()
        while (2, key(2, payment).webhook_id) not in listener.accepted:
            await asyncio.sleep(0.002)
            assert asyncio.get_running_loop().time() - sent_at < 0.9, "without the poll's help"
    assert listener.under_way_max[1] <= jobs.MERCHANT_IN_FLIGHT_MAX
    listener.release.set()
    stop.set()
    await asyncio.wait_for(running, 5)
    assert await db.fetchval("SELECT count(*) FROM deliveries WHERE state = 'sending'") == 0, (
        "a worker told to stop leaves nothing open"
    )


async def test_a_backlog_flows_without_waiting_for_the_poll(
    db: Database, new_run: NewRun, listener: Listener
) -> None:
    rounds = 6
    backlog = [key(1, payment) for payment in range(1, rounds * jobs.MERCHANT_IN_FLIGHT_MAX + 1)]
    await announce(db, *backlog, at=utc_now())
    stop = asyncio.Event()
    running = asyncio.create_task(new_run().forever(stop))
    began = asyncio.get_running_loop().time()
    while len(listener.accepted) < len(backlog):
        await asyncio.sleep(0.01)
        assert asyncio.get_running_loop().time() - began < (rounds - 2) * jobs.POLL_S
    stop.set()
    await asyncio.wait_for(running, 5)
    assert len(listener.heard) == len(backlog)


troubles = st.sampled_from(["500", "503", "later", "disconnect", "redirect", "huge", "404"])
payment_plans = st.lists(
    st.lists(st.lists(troubles, max_size=4), min_size=1, max_size=4), min_size=1, max_size=4
)


@given(plans=payment_plans, died_after=st.sets(st.integers(0, 12), max_size=4))
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_whatever_servers_do_and_workers_suffer_everything_arrives_in_order(
    db: Database,
    new_run: NewRun,
    listener: Listener,
    plans: list[list[list[str]]],
    died_after: set[int],
) -> None:
    """Plans: for each payment, for each of its events, how the first tries end.

    died_after: rounds after which a worker claims what is due and is killed.
    """
    merchant_id = 1 + await db.fetchval("SELECT coalesce(max(merchant_id), 0) FROM deliveries")
    keys = [
        key(merchant_id, payment, event)
        for payment, events in enumerate(plans, 1)
        for event in range(1, len(events) + 1)
    ]
    for each in keys:
        listener.words[each.webhook_id] = list(plans[each.payment_id - 1][each.event_no - 1])
    await announce(db, *keys)
    run, now = new_run(), AT
    for round_no in range(400):
        now = await db.fetchval(
            (
                "SELECT min(due_at) FROM deliveries WHERE merchant_id = $1 AND state IN"
                " ('waiting', 'sending')"
            ),
            merchant_id,
        )
        if now is None:
            break
        if round_no in died_after:
            await store.claim(db, merchant_id, now, now + jobs.LEASE, 5)
            run = new_run()
            continue
        await run.once(now)
    heard = [
        rules.parse_webhook_id(webhook) for owner, webhook in listener.heard if owner == merchant_id
    ]
    accepted = [
        rules.parse_webhook_id(webhook)
        for owner, webhook in listener.accepted
        if owner == merchant_id
    ]
    assert set(accepted) == set(keys), "at least once"
    for payment in range(1, len(plans) + 1):
        sequence = [each.event_no for each in heard if each and each.payment_id == payment]
        assert all(earlier <= later for earlier, later in pairwise(sequence)), (
            "in order, retries included"
        )
    for each in keys:
        tries = await status_store.tries_of(db, each)
        assert [one.attempt_no for one in tries] == list(range(1, len(tries) + 1)), (
            "every try is kept"
        )
        assert tries[-1].outcome.delivered


def test_the_lease_outlives_the_longest_call() -> None:
    assert timedelta(seconds=2 * jobs.SEND_S_MAX) < jobs.LEASE
    assert AT.tzinfo is UTC
