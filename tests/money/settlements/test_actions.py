"""Collecting and settling on PostgreSQL.

What a day takes, what it leaves, and that a rerun gives the same bytes.
"""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import asyncpg
import pytest

from hundi.infra.postgres.database import Database
from hundi.kernel.refusals import Refused
from hundi.money.calendar.rules import NeverOpenError
from hundi.money.settlements import actions, store
from hundi.money.settlements.actions import DayOutcome
from hundi.money.settlements.collecting import actions as collecting
from hundi.money.settlements.rules import SettlementTerms
from hundi.money.settlements.terms import actions as terms
from hundi.money.settlements.writing import store as writing
from tests.money.settlements.books import (
    MERCHANT,
    MONDAY,
    NOON,
    TUESDAY,
    balance,
    open_merchant,
    pay,
    post,
    refund,
    rows,
    share,
)
from tests.money.settlements.days import DAY, forget, last, run, shares
from tests.moves import move
from tests.recording import BY


@pytest.fixture(autouse=True)
async def _merchant(db: Database) -> None:
    await open_merchant(db)


async def test_a_payment_is_settled_on_the_next_working_day(db: Database) -> None:
    await pay(db, 1, 50_000)
    assert [each.outcome for each in await run(db, NOON)] == [DayOutcome.NOTHING]
    (done,) = await run(db)
    assert (done.outcome, done.day) == (DayOutcome.SETTLED, MONDAY + DAY)
    settled = await last(db)
    assert (settled["settlement_no"], settled["items"], settled["gross_paise"]) == (1, 1, 50_000)
    assert settled["at"] == datetime(2026, 11, 16, 19, tzinfo=UTC), (
        "as the day began, half an hour later"
    )
    assert await shares(db) == [("primary", 50_000)]
    assert (await balance(db, "payable"), await balance(db, "settlement_due")) == (0, 50_000)


async def test_again_changes_nothing(db: Database) -> None:
    await pay(db, 1, 50_000)
    await run(db)
    before = await rows(db)
    (done,) = await run(db, TUESDAY + timedelta(hours=3))
    assert (done.outcome, done.settlement_id) == (
        DayOutcome.ALREADY,
        (await last(db))["settlement_id"],
    )
    assert await rows(db) == before


async def test_refunds_and_disputes_are_netted_and_a_debt_is_carried_and_recovered(
    db: Database,
) -> None:
    await pay(db, 1, 50_000)
    await run(db)
    await refund(db, 2, 1, 30_000, TUESDAY)
    await post(db, 3, "dispute_held", 20_000, TUESDAY)
    await run(db, TUESDAY + DAY)
    settled = await last(db)
    assert (settled["refunds_paise"], settled["other_paise"]) == (30_000, -20_000)
    assert (settled["carried_paise"], settled["net_paise"]) == (-50_000, 0)
    await pay(db, 4, 60_000, TUESDAY + DAY)
    await run(db, TUESDAY + 2 * DAY)
    settled = await last(db)
    assert (settled["carried_in_paise"], settled["net_paise"], settled["carried_paise"]) == (
        -50_000,
        10_000,
        0,
    )


async def test_a_late_success_that_goes_back_bears_no_fee_and_comes_to_nothing(
    db: Database,
) -> None:
    await pay(db, 1, 50_000)
    await post(db, 1, "late_refund_due", 50_000)
    await run(db)
    await run(db, TUESDAY + DAY)
    found = await db.fetch(
        "SELECT kind, gross_paise, fee_paise, rule FROM settlement_items ORDER BY kind"
    )
    assert [tuple(row) for row in found] == [
        ("late_refund_due", -50_000, 0, "none"),
        ("payment", 50_000, 0, "none"),
    ]
    assert await shares(db) == []


async def test_below_the_minimum_is_carried_until_it_is_enough(db: Database) -> None:
    await terms.set_terms(db, MERCHANT, SettlementTerms(minimum_paise=10_000), BY, NOON - DAY)
    await pay(db, 1, 6_000)
    await run(db)
    assert ((await last(db))["carried_paise"], await shares(db)) == (6_000, [])
    await pay(db, 2, 6_000, TUESDAY)
    await run(db, TUESDAY + DAY)
    assert await shares(db) == [("primary", 12_000)]


async def test_a_reserve_is_withheld_and_released_when_its_days_are_over(db: Database) -> None:
    await terms.set_terms(
        db, MERCHANT, SettlementTerms(reserve_bps=1_000, reserve_days=3), BY, NOON - DAY
    )
    await pay(db, 1, 50_005)
    await run(db)
    settled = await last(db)
    assert (settled["reserve_held_paise"], settled["reserve_until"]) == (5_001, MONDAY + 4 * DAY)
    assert await balance(db, "reserve") == 5_001
    for later in range(1, 4):
        await run(db, TUESDAY + later * DAY)
    settled = await last(db)
    assert (settled["day"], settled["reserve_released_paise"], settled["items"]) == (
        MONDAY + 4 * DAY,
        5_001,
        0,
    )
    assert await shares(db) == [("primary", 45_004), ("primary", 5_001)]
    assert (await balance(db, "reserve"), await balance(db, "payable")) == (0, 0)


async def test_linked_accounts_get_their_shares_after_refunds_and_the_primary_the_rest(
    db: Database,
) -> None:
    await pay(db, 1, 10_000)
    await share(db, 1, 10_000, {"V1": 3_333, "V2": 3_333})
    await refund(db, 2, 1, 5_000)
    await run(db)
    assert await shares(db) == [("primary", 1_668), ("V1", 1_666), ("V2", 1_666)]
    assert await balance(db, "payable_linked") == 3_332


async def test_where_refunds_ate_the_money_linked_accounts_share_what_there_is(
    db: Database,
) -> None:
    await pay(db, 1, 10_000)
    await run(db)
    await refund(db, 2, 1, 10_000, TUESDAY)
    await pay(db, 3, 14_000, TUESDAY)
    await share(db, 3, 14_000, {"V1": 6_000, "V2": 3_001})
    await run(db, TUESDAY + DAY)
    assert (await shares(db))[1:] == [("V1", 2_666), ("V2", 1_334)], "largest remainder"
    assert (await last(db))["linked_carried"] == {"V1": 3_334, "V2": 1_667}
    await pay(db, 4, 6_000, TUESDAY + DAY)
    await run(db, TUESDAY + 2 * DAY)
    assert (await shares(db))[3:] == [("primary", 999), ("V1", 3_334), ("V2", 1_667)]
    assert (await last(db))["linked_carried"] == {}


async def test_a_suspended_or_held_merchant_waits_and_is_named(db: Database) -> None:
    await pay(db, 1, 50_000)
    await db.execute("UPDATE merchants SET state = 'suspended'")
    assert [(each.outcome, each.waiting) for each in await run(db)] == [(DayOutcome.SUSPENDED, 1)]
    await db.execute("UPDATE merchants SET state = 'active'")
    await terms.set_terms(db, MERCHANT, SettlementTerms(held=True), BY, NOON)
    assert [(each.outcome, each.waiting) for each in await run(db)] == [(DayOutcome.HELD, 1)]
    await terms.set_terms(db, MERCHANT, SettlementTerms(), BY, NOON)
    assert [each.outcome for each in await run(db)] == [DayOutcome.SETTLED]


async def test_settled_at_once_at_a_price_and_only_once_a_day(db: Database) -> None:
    await pay(db, 1, 50_000)
    with pytest.raises(Refused):
        await actions.settle_now(db, MERCHANT, NOON)
    await terms.set_terms(db, MERCHANT, SettlementTerms(instant_bps=50), BY, NOON - DAY)
    done = await actions.settle_now(db, MERCHANT, NOON)
    assert done.outcome is DayOutcome.SETTLED
    settled = await last(db)
    assert (settled["price_paise"], settled["price_tax_paise"], settled["net_paise"]) == (
        250,
        45,
        49_705,
    )
    assert (await balance(db, "fee_income"), await balance(db, "tax_payable")) == (250, 45)
    await pay(db, 2, 1_000)
    assert (await actions.settle_now(db, MERCHANT, NOON)).outcome is DayOutcome.ALREADY
    await run(db)
    assert await shares(db) == [("primary", 49_705), ("primary", 1_000)]


async def test_at_once_costs_nothing_where_nothing_is_paid_out(db: Database) -> None:
    await pay(db, 1, 5_000)
    await terms.set_terms(
        db, MERCHANT, SettlementTerms(instant_bps=50, minimum_paise=10_000), BY, NOON - DAY
    )
    done = await actions.settle_now(db, MERCHANT, NOON)
    assert done.outcome is DayOutcome.NOTHING
    assert await balance(db, "fee_income") == 0
    await pay(db, 2, 50_000)
    assert (await actions.settle_now(db, MERCHANT, NOON)).outcome is DayOutcome.SETTLED


async def test_one_merchant_that_cannot_be_settled_stops_nobody_else(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_merchant(db, MERCHANT + 1)
    await pay(db, 1, 50_000)
    await pay(db, 2, 50_000, merchant_id=MERCHANT + 1)
    collect = collecting.collect

    async def broken(db: Database, merchant_id: int, calendar: collecting.CalendarOf) -> int:
        if merchant_id == MERCHANT:
            message = "no working day"
            raise NeverOpenError(message)
        return await collect(db, merchant_id, calendar)

    monkeypatch.setattr(actions, "collect", broken)
    with pytest.raises(ExceptionGroup) as raised:
        await actions.run(db, TUESDAY, at_once=1)
    assert [type(each) for each in raised.value.exceptions] == [NeverOpenError]
    assert (await last(db))["merchant_id"] == MERCHANT + 1


async def test_a_day_that_nobody_settled_is_settled_on_the_weekend_after_it(db: Database) -> None:
    await pay(db, 1, 50_000)
    (done,) = await run(db, TUESDAY + 5 * DAY)
    assert (done.outcome, done.day) == (DayOutcome.SETTLED, MONDAY + 5 * DAY), (
        "on Sunday, for Saturday"
    )


async def test_a_day_before_a_settled_one_is_not_settled_any_more(db: Database) -> None:
    await pay(db, 1, 50_000)
    await run(db, TUESDAY + DAY)
    await pay(db, 2, 50_000, NOON)
    (done,) = await run(db, TUESDAY + DAY, MONDAY + DAY)
    assert (done.outcome, done.waiting) == (DayOutcome.PASSED, 1)
    assert [each.outcome for each in await run(db, TUESDAY, MONDAY + 5 * DAY)] == [
        DayOutcome.NOT_DUE
    ]


async def test_a_posting_that_is_committed_late_is_settled_with_the_next_day(db: Database) -> None:
    await pay(db, 1, 50_000)
    async with db.transaction() as late:
        await late.execute(
            "INSERT INTO ledger_postings (merchant_id, cause_id, kind, debit, credit,"
            " amount_paise, currency, at)"
            " VALUES ($1, 9, 'dispute_won', 'disputed', 'payable', 700, 'INR', $2)",
            MERCHANT,
            NOON,
        )
        await pay(db, 2, 100)
        await run(db)
    await run(db, TUESDAY + DAY)
    found = await db.fetch("SELECT cause_id, settlement_id FROM settlement_items ORDER BY cause_id")
    assert [row["cause_id"] for row in found] == [1, 2, 9]
    assert all(row["settlement_id"] for row in found)
    assert sum(paise for _, paise in await shares(db)) == 50_800


async def test_two_workers_at_once_settle_once(db: Database) -> None:
    for number in range(1, 40):
        await pay(db, number, 100 * number)
    await asyncio.gather(*(actions.run(db, TUESDAY) for _ in range(4)))
    assert await db.fetchval("SELECT count(*) FROM settlements") == 1
    assert await shares(db) == [("primary", 78_000)]


async def test_after_a_restore_into_another_cluster_nothing_is_collected_twice(
    db: Database,
) -> None:
    await pay(db, 1, 50_000)
    await run(db)
    await db.execute("UPDATE settlement_marks SET cluster = 'another', upto_xact = '99999999'")
    await pay(db, 2, 60_000, TUESDAY)
    await run(db, TUESDAY + DAY)
    assert await shares(db) == [("primary", 50_000), ("primary", 60_000)]
    assert await db.fetchval("SELECT is_home(cluster, tableoid) FROM settlement_marks")


async def test_what_was_paid_on_another_node_is_settled_when_the_merchant_is_back(
    db: Database,
) -> None:
    await pay(db, 1, 50_000)
    await run(db)
    # There nothing was settled; the numbers of its transactions are far below the mark of this one.
    await pay(db, 2, 60_000, TUESDAY)
    await db.execute("ALTER TABLE ledger_postings DISABLE TRIGGER USER")
    await db.execute("UPDATE ledger_postings SET xact = '4' WHERE cause_id = 2")
    await move(db, "settlement_marks")
    await pay(db, 3, 700, TUESDAY)
    for days in (1, 2):
        await run(db, TUESDAY + days * DAY)
    assert await shares(db) == [("primary", 50_000), ("primary", 60_700)]


async def test_in_chunks_it_is_the_same(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 120):
        await pay(db, number, 100 * number)
        await post(db, number, "late_refund_due", 100 * number) if number % 3 == 0 else None
    monkeypatch.setattr(collecting, "CHUNK", 7)
    await run(db)
    assert await db.fetchval("SELECT count(*) FROM settlement_items") == 119 + 39
    await db.execute("UPDATE settlement_marks SET cluster = 'another'")
    await run(db)
    assert await db.fetchval("SELECT count(*) FROM settlement_items") == 119 + 39


STOPS = (store.insert_items, store.move_mark, store.ready, writing.write)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("place", range(len(STOPS)))
async def test_a_run_that_dies_anywhere_and_is_run_again_gives_the_same_bytes(
    db: Database, monkeypatch: pytest.MonkeyPatch, place: int, *, after: bool
) -> None:
    await terms.set_terms(
        db, MERCHANT, SettlementTerms(reserve_bps=500, reserve_days=30), BY, NOON - DAY
    )
    for number in range(1, 9):
        await pay(db, number, 1_000 * number)
    await share(db, 3, 3_000, {"V1": 1_000})
    await refund(db, 20, 4, 900)
    await run(db)
    whole = await rows(db)
    await forget(db)

    stopped = STOPS[place]

    async def die(*args: object, **kwargs: object) -> None:
        if after:
            await stopped(*args, **kwargs)  # type: ignore[arg-type]
        message = "the process is gone"
        raise ConnectionAbortedError(message)

    with monkeypatch.context() as patched:
        patched.setattr(sys.modules[stopped.__module__], stopped.__name__, die)
        with pytest.raises(ExceptionGroup):
            await run(db)
    await run(db, TUESDAY + timedelta(hours=5))
    assert await rows(db) == whole


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM settlement_items",
        "UPDATE settlement_items SET settlement_id = 7",
        "UPDATE settlement_items SET settlement_id = NULL",
        "UPDATE settlements SET net_paise = net_paise + 1, carried_paise = carried_paise - 1",
        "DELETE FROM settlements",
        "UPDATE settlement_shares SET amount_paise = 1",
        "DELETE FROM settlement_shares",
    ],
)
async def test_the_database_refuses_to_change_what_is_settled(db: Database, statement: str) -> None:
    await pay(db, 1, 50_000)
    await run(db)
    with pytest.raises(asyncpg.RestrictViolationError):
        await db.execute(statement)
