"""A year of subscriptions at the acquirers' stand-ins, lived from one due time to the next."""

from collections.abc import AsyncIterator
from datetime import date, datetime, timedelta

import pytest

from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import business_day, ist
from hundi.kernel.records import replace
from hundi.kernel.states import Actor, SubscriptionState
from hundi.kernel.states import DebitState as D
from hundi.merchants.directory.rules import MerchantSettings
from hundi.money.audit import actions as audit
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.subscriptions import actions
from tests.acquirers.between import Mishap
from tests.payments.subscriptions.faces import FACES, RazorpayFace
from tests.payments.subscriptions.world import TWELVE, World
from tests.shop import NOW, open_shop

YEAR, DAY = timedelta(days=366), timedelta(days=1)
CHANGES_MAX = 12
"""More calls than a mandate needs from its link to its end."""


@pytest.fixture(params=FACES)
async def world(request: pytest.FixtureRequest, db: Database) -> AsyncIterator[World]:
    shop = await open_shop(db, MerchantSettings(channels=("upi", "pg", "enach")))
    async with FACES[request.param](KeptWords(db)) as face:
        context = replace(shop.context, connectors=Registry([face.connector]))
        face.at(NOW)
        yield World(replace(shop, context=context), face)


async def test_a_year_of_debits_is_lived_and_the_books_hold(world: World) -> None:
    monthly = await world.subscribe("MONTHLY")
    await world.live(NOW + YEAR)
    assert await monthly.states() == [D.DONE] * 12
    assert await world.state(monthly) is SubscriptionState.COMPLETED
    assert world.face.moved() == [49_900] * 12
    debits = await monthly.debits()
    days = [business_day(each.planned_at) for each in debits]
    assert len({(day.year, day.month) for day in days}) == 12
    for debit in debits:
        assert debit.noticed_at is not None
        assert debit.planned_at - debit.noticed_at >= DAY
    orders = [await monthly.order(each) for each in range(1, 13)]
    assert all(len(order.attempts) == 1 and order.success for order in orders)
    assert (await audit.audit(world.shop.db, [], world.now)).holds


async def test_what_customers_do_at_the_bank_is_followed(world: World) -> None:
    ended, paused, broke = [await world.subscribe(each) for each in ("ENDED", "PAUSED", "BROKE")]
    world.face.broke.add(await world.mandate(broke))
    first_notice = datetime(2026, 11, 23, 12, 0, tzinfo=NOW.tzinfo)
    await world.live(first_notice)
    assert await ended.states() == [D.ANNOUNCED]
    world.face.customer(await world.mandate(ended), "end")
    world.face.customer(await world.mandate(paused), "pause")
    await world.live(first_notice + timedelta(days=20))
    assert await world.state(ended) is SubscriptionState.CANCELLED
    standing = (await paused.view()).subscription
    assert (standing.state, standing.paused_at_bank) == (SubscriptionState.PAUSED, True)
    assert await broke.states() == [D.FAILED]
    assert world.face.moved() == []
    world.face.customer(await world.mandate(paused), "resume")
    world.face.broke.clear()
    await world.live(first_notice + timedelta(days=45))
    assert (await paused.states())[-1] is D.DONE
    assert (await broke.states())[-1] is D.DONE
    assert world.face.moved() == [49_900] * 2
    assert (await audit.audit(world.shop.db, [], world.now)).holds


@pytest.mark.parametrize("world", ["razorpay"], indirect=True)
async def test_a_mandate_whose_first_payment_reads_failed_is_ended(world: World) -> None:
    assert isinstance(world.face, RazorpayFace)
    plan = await world.order("DUMMY")
    mandate = await world.link_of(plan)
    world.face.approve(mandate, dummy=True)
    await world.live(NOW + 5 * DAY)
    assert await world.state(plan) is SubscriptionState.FAILED
    assert world.face.is_over(mandate)
    assert (await audit.audit(world.shop.db, [], world.now)).holds


@pytest.mark.parametrize("mishap", Mishap)
async def test_each_call_may_go_wrong_and_money_moves_once(world: World, mishap: Mishap) -> None:
    for number in range(1, CHANGES_MAX):
        world.face.wire.begin({number: mishap})
        before = len(world.face.moved())
        first_day: date = ist(world.now + 2 * DAY).date()
        plan = await world.subscribe(f"TRY-{number}", replace(TWELVE, starts_on=first_day))
        await world.live(world.now + world.face.period)
        states = await plan.states()
        assert len(world.face.moved()) - before == states.count(D.DONE)
        assert states in ([D.DONE], [D.FAILED])
        assert states == [D.DONE] or mishap is Mishap.LOST_BEFORE
        await actions.cancel(world.shop.db, *plan.key, Actor.MERCHANT, world.now)
        await world.live(world.now + DAY / 12)
        assert world.face.is_over(await world.mandate(plan))
        if world.face.wire.changes < number:
            break
    else:
        message = "a mandate has more calls than this test lets go wrong"
        raise AssertionError(message)
    assert (await audit.audit(world.shop.db, [], world.now)).holds
