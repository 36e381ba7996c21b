"""News waits for older news only where that is still true and about the order's state."""

from datetime import timedelta

import pytest

from hundi.infra.background.due import DueLoop
from hundi.infra.postgres.database import Database
from hundi.kernel.events import Kind
from hundi.kernel.refusals import Refused
from hundi.money.audit.deliveries.store import CHECKS
from hundi.money.audit.rules import Violation
from hundi.notifications import actions, jobs, store
from hundi.notifications.rules import Delivery, DeliveryState
from hundi.notifications.status import store as status_store
from tests.notifications.shop_server import AT, Listener, key

SOON = AT + timedelta(seconds=2)
S = DeliveryState


async def announce(db: Database, event_no: int, kind: Kind, **facts: int) -> None:
    async with db.transaction() as conn:
        await actions.announce(conn, key(1, 1, event_no), kind, facts, AT)


async def states(db: Database) -> list[DeliveryState]:
    found = await status_store.newest(db, 1, state=None, payment_id=None, limit=9)
    return [each.state for each in sorted(found, key=lambda each: each.key.event_no)]


@pytest.mark.parametrize(
    ("older", "later"),
    [
        (Kind.FAILED, Kind.PAID),
        (Kind.FAILED, Kind.LATE_SUCCESS),
        (Kind.FAILED, Kind.MANDATE_APPROVED),
        (Kind.EXPIRED, Kind.AUTHORISED),
        (Kind.UNDER_REVIEW, Kind.PAID),
        (Kind.UNDER_REVIEW, Kind.FAILED),
        (Kind.AUTHORISED, Kind.CAPTURED),
        (Kind.AUTHORISED, Kind.VOIDED),
    ],
)
async def test_an_untaken_event_is_overtaken_by_what_makes_it_untrue(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener, older: Kind, later: Kind
) -> None:
    listener.words["ipn_1_1_1"] = ["500"]
    await announce(db, 1, older)
    run = new_run()
    await run.once(AT)
    await announce(db, 2, later)
    await run.once(SOON)
    assert [webhook for _, webhook in listener.accepted] == ["ipn_1_1_2"]
    assert await states(db) == [S.SUPERSEDED, S.DELIVERED]
    with pytest.raises(Refused):
        await actions.replay(db, key(1), SOON)


async def test_of_two_events_that_are_due_together_only_the_true_one_is_sent(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener
) -> None:
    await announce(db, 1, Kind.FAILED)
    await announce(db, 2, Kind.PAID)
    await new_run().once(AT)
    assert [webhook for _, webhook in listener.accepted] == ["ipn_1_1_2"]
    assert await states(db) == [S.SUPERSEDED, S.DELIVERED]


@pytest.mark.parametrize(("refunded", "sent"), [(700, ["ipn_1_1_2"]), (100, [])])
async def test_a_refund_overtakes_the_success_only_when_all_is_given_back(
    db: Database,
    new_run: type[DueLoop[Delivery]],
    listener: Listener,
    refunded: int,
    sent: list[str],
) -> None:
    listener.words["ipn_1_1_1"] = ["500"]
    await announce(db, 1, Kind.PAID, captured_paise=700, refunded_paise=0)
    run = new_run()
    await run.once(AT)
    await announce(db, 2, Kind.REFUND_DONE, captured_paise=700, refunded_paise=refunded)
    await run.once(SOON)
    assert [webhook for _, webhook in listener.accepted] == sent


@pytest.mark.parametrize("aside", [Kind.ATTEMPT_FAILED, Kind.EXCESS_PAYMENT])
@pytest.mark.parametrize("later", [Kind.FAILED, Kind.REFUND_DONE])
async def test_what_says_nothing_of_the_order_holds_nothing_back(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener, aside: Kind, later: Kind
) -> None:
    listener.words["ipn_1_1_1"] = ["500"]
    await announce(db, 1, aside)
    run = new_run()
    await run.once(AT)
    await announce(db, 2, later)
    await run.once(SOON)
    assert [webhook for _, webhook in listener.accepted] == ["ipn_1_1_2"]
    assert await states(db) == [S.WAITING, S.DELIVERED]


async def test_an_old_event_that_was_delivered_is_not_replayed_after_what_made_it_untrue(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener
) -> None:
    run = new_run()
    await announce(db, 1, Kind.FAILED)
    await run.once(AT)
    await announce(db, 2, Kind.PAID)
    await run.once(SOON)
    with pytest.raises(Refused):
        await actions.replay(db, key(1), SOON)
    assert await states(db) == [S.DELIVERED, S.DELIVERED]
    await actions.replay(db, key(1, 1, 2), SOON)
    await run.once(SOON)
    assert [webhook for _, webhook in listener.accepted] == ["ipn_1_1_1", "ipn_1_1_2", "ipn_1_1_2"]


async def test_a_probe_of_a_failing_endpoint_is_never_untrue_news(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener
) -> None:
    listener.words["ipn_1_1_1"] = ["500"] * 99
    await announce(db, 1, Kind.FAILED)
    run, now = new_run(), AT
    for _ in range(40):
        await run.once(now)
        now += timedelta(hours=3)
        if await status_store.failing_endpoints(db):
            break
    assert await status_store.failing_endpoints(db)
    await announce(db, 2, Kind.PAID)
    await run.once(now + timedelta(hours=1))
    assert [webhook for _, webhook in listener.accepted] == ["ipn_1_1_2"]


async def unproven(db: Database) -> list[str]:
    """Return the deliveries whose tries the audit does not find."""
    return [row["found"] for row in await db.fetch(CHECKS[Violation.DELIVERY_UNPROVEN])]


async def test_the_try_of_a_killed_worker_is_kept_when_later_news_made_its_event_untrue(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener
) -> None:
    await announce(db, 1, Kind.FAILED)
    await store.claim(db, 1, AT, AT + jobs.LEASE, 1)
    await announce(db, 2, Kind.PAID)
    run = new_run()
    for moment in (AT + jobs.LEASE, AT + jobs.LEASE + timedelta(seconds=5)):
        await run.once(moment)
    assert await states(db) == [S.SUPERSEDED, S.DELIVERED]
    assert [webhook for _, webhook in listener.accepted] == ["ipn_1_1_2"]
    (lost,) = await status_store.tries_of(db, key(1))
    assert "worker ended" in lost.outcome.problem
    assert await unproven(db) == []


async def test_the_probe_of_a_killed_worker_is_kept_when_another_one_probes(
    db: Database, new_run: type[DueLoop[Delivery]], listener: Listener
) -> None:
    await announce(db, 1, Kind.PAID)
    listener.always[1] = "500"
    run, now = new_run(), AT
    while (await states(db)) == [S.WAITING]:
        (waits,) = await status_store.newest(db, 1, state=None, payment_id=None, limit=9)
        now = waits.due_at
        await run.once(now)
    await announce(db, 2, Kind.REFUND_DONE)
    for hours in (6, 12):
        probed = now + timedelta(hours=hours)
        claimed = await store.claim_probe(
            db, 1, probed, probed + jobs.LEASE, probed + timedelta(hours=1)
        )
        assert [each.key.event_no for each in claimed] == [2]
        assert await unproven(db) == []
    assert len(await status_store.tries_of(db, key(1, 1, 2))) == 1
