"""A demo's clock waits for notices and debits, and never passes one that a worker just began."""

import asyncio
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from hundi.infra.background.due_rows import NOT_SENT_GAP
from hundi.infra.demo_clock import actions as demo_clock
from hundi.infra.demo_clock import store as demo_clock_rows
from hundi.infra.demo_clock.rules import DueCounts, DueSpan
from hundi.kernel import clock
from hundi.payments.subscriptions import jobs, store
from hundi.payments.subscriptions.debits import jobs as debit_jobs
from hundi.payments.subscriptions.jobs import LEASE
from tests.patience import PATIENCE_S
from tests.payments.subscriptions.conftest import Approve
from tests.payments.subscriptions.days import DEBIT_DAY, NOTICE_AT
from tests.shop import Shop

DAY = timedelta(days=1)
LOOKS_S = 0.3
"""As long as several looks of a move take."""


@pytest.fixture
def day_before() -> Iterator[None]:
    """Let this process live on the day before the first notice."""
    began_s = time.monotonic()

    def wall() -> datetime:
        return NOTICE_AT - DAY + timedelta(seconds=time.monotonic() - began_s)

    clock.run_by(wall)
    yield
    clock.run_by()


async def test_it_waits_for_what_is_claimed_and_not_for_what_was_put_back(
    shop: Shop, approve: Approve
) -> None:
    merchant_id, plan_id = (await approve()).key
    claimed_at = NOTICE_AT + timedelta(seconds=8)

    async def found() -> tuple[int, int]:
        span = DueSpan(NOTICE_AT - DAY, NOTICE_AT, claimed_at + timedelta(milliseconds=200))
        counts = await demo_clock_rows.count_due(shop.db, span)
        return counts.due, counts.claimed

    assert await found() == (1, 0), "due"
    (claimed,) = await store.claim(shop.db, merchant_id, [plan_id], claimed_at, claimed_at + LEASE)
    assert await found() == (0, 1), "a worker is at it, although late"
    await store.put_back(shop.db, claimed, claimed_at + NOT_SENT_GAP)
    assert await found() == (0, 0), "the bank was not reached"


@pytest.mark.usefixtures("day_before")
async def test_it_waits_for_a_notice_that_a_worker_made_due_after_the_move(
    shop: Shop, approve: Approve
) -> None:
    plan = await approve(debits_max=1)
    moving = asyncio.create_task(demo_clock.move(shop.db, DAY))
    while clock.utc_now() < NOTICE_AT:
        await asyncio.sleep(0.01)
    # The worker plans the debit, and then gets no time to announce it.
    assert await jobs.subscriptions(shop.context).once(clock.utc_now()) == 1
    (debit,) = await plan.debits()
    assert debit.noticed_at is None
    await asyncio.sleep(LOOKS_S)
    assert not moving.done(), "the clock could move on, and the bank would count its day from then"
    assert await debit_jobs.debits(shop.context).once(clock.utc_now()) == 1
    async with asyncio.timeout(PATIENCE_S):
        outcome = await moving
    (debit,) = await plan.debits()
    assert debit.noticed_at is not None
    assert debit.noticed_at <= outcome.seen_at
    assert debit.planned_at == DEBIT_DAY


@pytest.mark.usefixtures("day_before")
async def test_its_last_look_is_before_the_work_that_it_has_not_seen(shop: Shop) -> None:
    outcome = await demo_clock.move(shop.db, DAY)
    span = DueSpan(NOTICE_AT - DAY, NOTICE_AT, outcome.seen_at)
    assert await demo_clock_rows.count_due(shop.db, span) == DueCounts(0, 0, 0)
    assert NOTICE_AT <= outcome.seen_at <= clock.utc_now()
