"""Balances that payouts leave from: what is beyond them waits, and goes when they are filled."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from hundi.acquirers.port.answers import SentBack, Unknown
from hundi.acquirers.port.payouts import PayoutBalance
from hundi.acquirers.registry import Registry
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.money.payouts import actions as payout_actions
from hundi.money.payouts.balances import actions, store
from hundi.money.payouts.balances.rules import FRESH_FOR
from hundi.money.payouts.rules import Gaps, PayoutState
from tests.acquirer import ScriptedAcquirer
from tests.money.payouts.till import CHECKER, LATER, MAKER, PAISE, Till
from tests.shop import NOW

P = PayoutState


@dataclass
class FilledAcquirer(ScriptedAcquirer):
    """A provider with a balance."""

    name: str = "filled"
    told: list[PayoutBalance | Unknown] = field(default_factory=list)

    async def payout_balance(self) -> PayoutBalance | Unknown:
        return self.told[-1]


def told(paise: int, after: timedelta = timedelta()) -> PayoutBalance:
    """Return a balance as it is told a time after now."""
    return PayoutBalance(Money(paise), NOW + after)


@pytest.fixture
def bank(till: Till) -> FilledAcquirer:
    """Let the till pay out by a provider with a balance alone."""
    provider = FilledAcquirer()
    till.context = replace(till.context, connectors=Registry([provider]))
    return provider


async def read(till: Till, after: timedelta = timedelta()) -> None:
    """Read the balances, as the worker does."""
    await actions.read(till.db, till.context.connectors, NOW + after)


async def test_what_is_beyond_the_balance_waits_and_goes_when_it_is_filled(
    till: Till, bank: FilledAcquirer
) -> None:
    payouts = [await till.approved(PAISE) for _ in range(3)]
    bank.told.append(told(2 * PAISE + 1))
    await read(till)
    await till.work(NOW)
    states = [(await till.again(each)).state for each in payouts]
    assert sorted(states) == sorted([P.DONE, P.DONE, P.AWAITING_BALANCE])
    assert len(bank.paid_out) == 2
    assert await store.waiting(till.db) == (1, PAISE)
    assert await till.broken(LATER) == set()
    await read(till, timedelta(seconds=30))
    await till.work(NOW + timedelta(seconds=30))
    assert len(bank.paid_out) == 2, "what was sent since the balance was counted is taken off"
    bank.told.append(told(PAISE, timedelta(minutes=1)))
    await read(till, timedelta(minutes=1))
    await till.work(NOW + timedelta(minutes=1))
    assert {(await till.again(each)).state for each in payouts} == {P.DONE}
    (balance,) = await store.select_all(till.db)
    assert balance.left_paise == 0
    assert await till.broken(LATER) == set()


async def test_the_balance_of_an_account_that_is_gone_or_disabled_is_forgotten(
    till: Till, bank: FilledAcquirer
) -> None:
    bank.told.append(told(PAISE))
    await read(till)
    assert [each.connector for each in await store.select_all(till.db)] == ["filled"]
    (member,) = till.context.connectors.members
    till.context.connectors.take([replace(member, takes_new=False)])
    await read(till)
    assert await store.select_all(till.db) == []
    till.context.connectors.take([member])
    await read(till)
    till.context.connectors.take([])
    await read(till)
    assert await store.select_all(till.db) == []


async def test_workers_side_by_side_take_no_paisa_twice(till: Till, bank: FilledAcquirer) -> None:
    for _ in range(8):
        await till.approved(PAISE)
    bank.told.append(told(3 * PAISE))
    await read(till)
    await asyncio.gather(*(till.work(NOW) for _ in range(4)))
    assert len(bank.paid_out) == 3


async def test_a_balance_that_is_old_or_unknown_stops_nothing(
    till: Till, bank: FilledAcquirer
) -> None:
    bank.told.append(told(0))
    await read(till)
    bank.told.append(Unknown("down"))
    await read(till, timedelta(minutes=5))
    await till.approved(PAISE)
    await till.work(NOW + FRESH_FOR)
    assert bank.paid_out == []
    await till.work(NOW + FRESH_FOR + timedelta(minutes=5))
    assert len(bank.paid_out) == 1


async def test_a_balance_that_its_provider_counted_long_ago_stops_nothing(
    till: Till, bank: FilledAcquirer
) -> None:
    bank.told.append(told(0))
    await read(till, FRESH_FOR + timedelta(minutes=1))
    (balance,) = await store.select_all(till.db)
    assert not balance.is_fresh(balance.read_at)
    await till.approved(PAISE)
    await till.work(NOW + FRESH_FOR + timedelta(minutes=1))
    assert len(bank.paid_out) == 1


async def test_what_came_back_takes_nothing_from_a_balance(
    till: Till, bank: FilledAcquirer
) -> None:
    payout = await till.approved(PAISE)
    bank.told.append(told(2 * PAISE))
    await read(till)
    await till.work(NOW)
    await read(till, timedelta(seconds=30))
    (balance,) = await store.select_all(till.db)
    assert balance.left_paise == PAISE
    there = await till.again(payout)
    await payout_actions.settle(till.db, there, SentBack("AC06"), Gaps(), LATER)
    assert (await till.again(payout)).state == P.REVERSED
    await read(till, timedelta(minutes=1))
    (balance,) = await store.select_all(till.db)
    assert balance.left_paise == 2 * PAISE


async def test_another_provider_whose_balance_suffices_pays(
    till: Till, bank: FilledAcquirer
) -> None:
    second = ScriptedAcquirer("second")
    till.context = replace(till.context, connectors=Registry([bank, second]))
    bank.told.append(told(PAISE - 1))
    await read(till)
    payout = await till.approved(PAISE)
    await till.work(NOW)
    assert (await till.again(payout)).sent_by == "second"


async def test_a_changed_account_holds_back_what_waits_for_a_balance(
    till: Till, bank: FilledAcquirer
) -> None:
    bank.told.append(told(0))
    await read(till)
    payout = await till.prepared(PAISE)
    await till.approve(payout, MAKER)
    await till.approve(payout, CHECKER)
    await till.work(NOW)
    assert await till.states(payout) == ["prepared", "proposed", "approved", "awaiting_balance"]
    await till.add_account("60200054321111", now=NOW + timedelta(minutes=1))
    assert (await till.again(payout)).state is P.HELD_BACK
    assert await till.broken(LATER) == set()
