"""Events at endpoints: at least once, in order per payment, whatever servers and workers do."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from itertools import count, pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hundi.infra.background.due import ALWAYS, DueLoop
from hundi.infra.http.client import OutboundClient, client_for_others
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.events import Kind
from hundi.notifications.endpoints import jobs, store
from hundi.notifications.endpoints.jobs import endpoint_deliveries
from hundi.notifications.endpoints.rules import EndpointDelivery, EndpointState
from hundi.notifications.endpoints.store import ClaimLimits
from hundi.notifications.rules import SCHEDULE_S_MAX
from tests.notifications.endpoints.addresses import MERCHANT, Endpoints, add, state, tell
from tests.notifications.shop_server import AT, Listener
from tests.payments.interrupted import Interruption, Start, whichever_call_is_interrupted

NewEndpointRun = Callable[[], DueLoop[EndpointDelivery]]
WHEN_DUE = """
SELECT min(due_at) FROM endpoint_deliveries WHERE state IN ('waiting', 'sending')
"""

FAILING = "SELECT failing_since IS NOT NULL FROM webhook_endpoints WHERE endpoint_no = 1"


@pytest.fixture
def endpoints(listener: Listener) -> Endpoints:
    return Endpoints(listener.url)


@pytest.fixture
def run_of(db: Database, endpoints: Endpoints, http: OutboundClient) -> NewEndpointRun:
    """Return a maker of workers; each is as fresh as after a restart."""
    return lambda: endpoint_deliveries(db, endpoints, http)


async def test_each_endpoint_has_its_own_row_id_and_tries(
    db: Database, run_of: NewEndpointRun, listener: Listener
) -> None:
    await add(db, 1, 2)
    first, second = await tell(db, 1, 5), await tell(db, 2, 5)
    listener.words[second] = ["500"]
    assert await run_of().once(AT) == 2
    assert listener.accepted == [(1, first)]
    assert (await state(db, 1, 5), await state(db, 2, 5)) == ("delivered", "waiting")
    (seen,) = await store.deliveries(db, (MERCHANT, 2), None, 10)
    assert seen.last
    assert (seen.last.outcome.status, seen.last.outcome.problem) == (500, "answered 500")
    assert await run_of().once(seen.due_at - timedelta(seconds=1)) == 0
    assert await run_of().once(seen.due_at) == 1
    assert listener.accepted == [(1, first), (2, second)]
    counted = await store.counts(db, MERCHANT, AT)
    assert counted == {1: {"delivered": 1}, 2: {"delivered": 1}}


async def test_two_workers_send_a_row_once(
    db: Database, run_of: NewEndpointRun, listener: Listener
) -> None:
    await add(db, 1)
    for payment in range(1, 30):
        await tell(db, 1, payment)
    workers = [run_of() for _ in range(4)]
    for _ in range(30):
        await asyncio.gather(*(each.once(AT) for each in workers))
    assert len(listener.heard) == len(set(listener.heard)) == 29


async def test_an_untrue_event_is_not_sent_and_order_is_kept(
    db: Database, run_of: NewEndpointRun, listener: Listener
) -> None:
    await add(db, 1)
    await tell(db, 1, 5, 1, Kind.FAILED)
    paid = await tell(db, 1, 5, 2, Kind.PAID)
    refunded = await tell(db, 1, 5, 3, Kind.REFUND_FAILED)
    listener.words[paid] = ["500"]
    run = run_of()
    await run.once(AT)
    assert [webhook for _, webhook in listener.heard] == [paid], "the refund waits behind it"
    assert await state(db, 1, 5, 1) == "superseded"
    for after_s in (40, 80, 120):
        await run.once(AT + timedelta(seconds=after_s))
    assert [webhook for _, webhook in listener.accepted] == [paid, refunded]


async def test_a_dead_endpoint_is_probed_and_flows_again(
    db: Database, run_of: NewEndpointRun, listener: Listener
) -> None:
    await add(db, 1, 2)
    listener.always[1] = "500"
    await tell(db, 1, 1)
    run, now = run_of(), AT
    while await state(db, 1, 1) != "exhausted":
        now = await db.fetchval(WHEN_DUE)
        await run.once(now)
    assert timedelta(seconds=SCHEDULE_S_MAX - 4 * 3600) < now - AT
    assert await db.fetchval(FAILING)
    for payment in range(2, 12):
        await tell(db, 1, payment, at=now)
    await tell(db, 2, 2, at=now)
    listener.heard.clear()
    assert await run.once(now) == 1, "only the other endpoint; the failing one has to wait"
    later = now + timedelta(minutes=12)
    assert await run.once(later) == 1, "one probe"
    del listener.always[1]
    assert await run.once(later + timedelta(minutes=12)) == 1
    while await db.fetchval(WHEN_DUE):
        await run.once(later + timedelta(minutes=30))
    assert {await state(db, 1, payment) for payment in range(2, 12)} == {"delivered"}
    assert await db.fetchval("SELECT bool_and(probe_at IS NULL) FROM webhook_endpoints")


async def test_a_disabled_endpoint_keeps_what_waits_and_a_removed_one_gets_nothing(
    db: Database, run_of: NewEndpointRun, endpoints: Endpoints, listener: Listener
) -> None:
    await add(db, 1, 2)
    endpoints.states |= {1: EndpointState.DISABLED, 2: EndpointState.REMOVED}
    await tell(db, 1, 1)
    await tell(db, 2, 1)
    await run_of().once(AT)
    assert not listener.heard
    assert (await state(db, 1, 1), await state(db, 2, 1)) == ("waiting", "unwanted")
    await db.execute("UPDATE webhook_endpoints SET state = 'disabled' WHERE endpoint_no = 1")
    assert await run_of().once(AT + timedelta(hours=1)) == 0
    await db.execute("UPDATE webhook_endpoints SET state = 'enabled' WHERE endpoint_no = 1")
    endpoints.states.clear()
    assert await run_of().once(AT + timedelta(hours=1)) == 1
    assert await state(db, 1, 1) == "delivered"


async def test_an_address_we_do_not_call_is_never_called(
    db: Database, endpoints: Endpoints, listener: Listener
) -> None:
    await add(db, 1)
    await tell(db, 1, 1)
    async with client_for_others(allow_private=False) as strict:
        await endpoint_deliveries(db, endpoints, strict).once(AT)
    (seen,) = await store.deliveries(db, (MERCHANT, 1), None, 10)
    assert seen.last
    assert seen.last.outcome.problem.startswith("address refused")
    assert not listener.heard


async def test_a_silent_endpoint_delays_no_other(
    db: Database, run_of: NewEndpointRun, listener: Listener
) -> None:
    await add(db, 1, 2)
    listener.always[1] = "hang"
    for payment in range(1, 40):
        await tell(db, 1, payment, at=utc_now())
    stop = asyncio.Event()
    running = asyncio.create_task(run_of().forever(stop))
    for payment in range(1, 6):
        webhook = await tell(db, 2, payment, at=utc_now())
        db.wake("hundi_deliveries", str(MERCHANT))
        began = asyncio.get_running_loop().time()
        while (2, webhook) not in listener.accepted:
            await asyncio.sleep(0.01)
            assert asyncio.get_running_loop().time() - began < 5
    assert listener.under_way_max[1] <= jobs.ENDPOINT_IN_FLIGHT_MAX
    listener.release.set()
    stop.set()
    await asyncio.wait_for(running, 15)


async def test_it_arrives_whichever_answer_of_the_database_is_lost(
    db: Database, endpoints: Endpoints, http: OutboundClient, listener: Listener
) -> None:
    await add(db, 1)
    numbers = count(1)

    async def begin() -> Start:
        payment = next(numbers)
        listener.heard.clear()
        webhook = await tell(db, 1, payment)

        async def works(process: Database) -> None:
            for after in (timedelta(), timedelta(seconds=61), timedelta(minutes=3)):
                await endpoint_deliveries(process, endpoints, http).once(AT + after)

        async def end() -> object:
            assert listener.heard, "at least once"
            return await state(db, 1, payment), set(listener.heard) == {(1, webhook)}

        return [works], end

    kinds = (Interruption.UNHEARD, Interruption.SENT_AGAIN)
    ended = await whichever_call_is_interrupted(db, begin, kinds)
    assert ended == ("delivered", True)


troubles = st.sampled_from(["500", "503", "later", "disconnect", "redirect", "huge", "404"])
plans_of_payments = st.lists(
    st.lists(st.lists(troubles, max_size=3), min_size=1, max_size=3), min_size=1, max_size=3
)


@given(plans=plans_of_payments, died_after=st.sets(st.integers(0, 12), max_size=4))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_whatever_servers_do_and_workers_suffer_everything_arrives_in_order(
    db: Database,
    run_of: NewEndpointRun,
    listener: Listener,
    plans: list[list[list[str]]],
    died_after: set[int],
) -> None:
    """Plans: for each payment, for each of its events, how the first tries end.

    died_after: rounds after which a worker claims what is due and is killed.
    """
    number = 1 + await db.fetchval("SELECT coalesce(max(endpoint_no), 0) FROM webhook_endpoints")
    await add(db, number)
    webhooks: dict[str, int] = {}
    for payment, events in enumerate(plans, 1):
        for event, words in enumerate(events, 1):
            webhook = await tell(db, number, payment, event)
            webhooks[webhook] = payment
            listener.words[webhook] = list(words)
    run = run_of()
    for round_no in range(400):
        now = await db.fetchval(WHEN_DUE)
        if now is None:
            break
        if round_no in died_after:
            limits = ClaimLimits(5, now + jobs.LEASE, ALWAYS, None)
            await store.claim(db, (MERCHANT, number), now, limits)
            run = run_of()
            continue
        await run.once(now)
    heard = [webhook for owner, webhook in listener.heard if owner == number]
    accepted = {webhook for owner, webhook in listener.accepted if owner == number}
    assert accepted == set(webhooks), "at least once"
    for payment in range(1, len(plans) + 1):
        own = [int(each.split("_")[3]) for each in heard if webhooks[each] == payment]
        assert all(earlier <= later for earlier, later in pairwise(own)), "in order"
    gaps = await db.fetchval(
        "SELECT count(*) FROM endpoint_deliveries d WHERE d.endpoint_no = $1 AND d.tries <>"
        " (SELECT count(*) FROM endpoint_tries t WHERE t.endpoint_no = $1"
        " AND t.payment_id = d.payment_id AND t.event_no = d.event_no)",
        number,
    )
    assert gaps == 0, "every try is kept"


def test_the_lease_outlives_the_longest_call() -> None:
    assert timedelta(seconds=2 * jobs.SEND_S_MAX) < jobs.LEASE
