"""Calls that come together share a transaction, and none of them can harm another."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from hundi.infra.postgres.batches import CALLS_MAX, Batches
from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.pool import Pool, Record
from tests.infra.postgres.locks import until_waiting
from tests.loop_clock import LoopClock
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.not_on_citus("each call goes alone")
WRITE = "SELECT written($1, $2, $3)"
TAKE = "SELECT $1::bigint, id, pg_current_xact_id()::text::bigint FROM generate_series(1, $2) AS id"
_MADE = """
CREATE TABLE rows_written (merchant_id bigint, id bigint, xact xid8 NOT NULL,
    PRIMARY KEY (merchant_id, id));
CREATE FUNCTION written(owner bigint, id bigint, what text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF what = 'slow' THEN PERFORM pg_sleep(0.02); END IF;
    INSERT INTO rows_written VALUES (owner, id, pg_current_xact_id());
    IF what = 'bad' THEN RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation'; END IF;
    IF what = 'dead' THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
    RETURN id;
END $$;
"""


@pytest.fixture
async def clock() -> LoopClock:
    """The loop's clock, which has to stand while calls wait for one under way.

    They wait for 30 ms only.
    """
    return LoopClock()


@pytest.fixture
async def database(fresh_url: str, clock: LoopClock) -> AsyncIterator[Database]:
    limit_ms = round(PATIENCE_S * 1000)
    async with await open_database(
        fresh_url, pool_size=4, statement_timeout_ms=limit_ms, lock_timeout_ms=limit_ms
    ) as opened:
        await opened.execute(_MADE)
        yield opened


async def _write(database: Database, clock: LoopClock, *ids: int, **words: str) -> list[object]:
    """Send one call alone, and the others while it is under way; return their answers.

    words: by `n` and id.
    """
    calls = [database.shared.fetchval(WRITE, 1, each, words.get(f"n{each}", "")) for each in ids]
    with clock.standing():
        first = asyncio.create_task(database.shared.fetchval(WRITE, 1, 0, "slow"))
        await asyncio.sleep(0)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert await first == 0
    return answers


async def _transactions(database: Database) -> dict[int, int]:
    rows = await database.fetch("SELECT id, xact::text::bigint FROM rows_written")
    return {row[0]: row[1] for row in rows}


async def test_calls_that_come_while_one_is_under_way_share_a_transaction(
    database: Database, clock: LoopClock
) -> None:
    assert await _write(database, clock, 3, 1, 2) == [3, 1, 2]
    xact = await _transactions(database)
    assert xact[1] == xact[2] == xact[3] != xact[0]


async def test_each_call_has_the_rows_of_its_own_merchant(
    database: Database, clock: LoopClock
) -> None:
    """The first goes alone; of two calls of a merchant the later waits for the next batch."""
    wanted = [(9, 1), (1, 2), (2, 0), (3, 3), (1, 1)]
    with clock.standing():
        answers = await asyncio.gather(
            *(database.shared.fetch(TAKE, merchant, count) for merchant, count in wanted)
        )
    for (merchant, count), rows in zip(wanted, answers, strict=True):
        assert [tuple(row)[:2] for row in rows] == [
            (merchant, number) for number in range(1, count + 1)
        ]
    xact = [rows[0][2] if rows else None for rows in answers]
    assert xact[1] == xact[3]
    assert len({xact[0], xact[1], xact[4]}) == 3


async def test_calls_of_one_merchant_share_a_transaction_where_more_tells_their_rows_apart(
    database: Database, clock: LoopClock
) -> None:
    query = (
        "SELECT $1::bigint, $2::text, pg_current_xact_id()::text::bigint FROM generate_series(1, 2)"
    )
    orders = ["first", "b", "a", "b"]
    with clock.standing():
        answers = await asyncio.gather(
            *(database.shared.fetch(query, 1, order, named=(0, 1)) for order in orders)
        )
    assert [[row[1] for row in rows] for rows in answers] == [[order] * 2 for order in orders]
    xact = [rows[0][2] for rows in answers]
    assert xact[1] == xact[2]
    assert len(set(xact)) == 3


async def test_no_transaction_has_more_calls_than_allowed(
    database: Database, clock: LoopClock
) -> None:
    ids = list(range(1, 2 * CALLS_MAX + 2))
    assert await _write(database, clock, *ids) == ids
    assert len(set((await _transactions(database)).values())) == 4


async def test_a_refused_call_is_its_own_callers_alone(
    database: Database, clock: LoopClock
) -> None:
    answers = await _write(database, clock, 1, 2, 3, n2="bad")
    assert [answers[0], answers[2]] == [1, 3]
    assert isinstance(answers[1], asyncpg.CheckViolationError)
    assert sorted(await _transactions(database)) == [0, 1, 3]


@pytest.mark.parametrize("place", [1, 2, 3])
async def test_what_cannot_be_sent_is_its_own_callers_alone(
    database: Database, clock: LoopClock, place: int
) -> None:
    def calls(first: int) -> list[object]:
        return [
            database.shared.fetchval(WRITE, 1, first + each, object() if each == place else "")
            for each in (1, 2, 3)
        ]

    for first in (10, 20):  # the second time over the connection of the first
        with clock.standing():
            under_way = asyncio.create_task(database.shared.fetchval(WRITE, 1, first, "slow"))
            await asyncio.sleep(0)
            answers = await asyncio.gather(*calls(first), return_exceptions=True)
            await under_way
        assert isinstance(answers.pop(place - 1), asyncpg.DataError)
        assert answers == [first + each for each in (1, 2, 3) if each != place]


async def test_who_waits_for_a_lock_delays_nobody_else_for_long(
    database: Database, fresh_url: str
) -> None:
    watcher = await asyncpg.connect(fresh_url)
    ended: list[int] = []

    async def write(number: int, word: str = "") -> None:
        await database.shared.fetchval(WRITE, 1, number, word)
        ended.append(number)

    async with asyncio.TaskGroup() as tasks, database.transaction() as conn:
        await conn.execute("INSERT INTO rows_written VALUES (1, 2, '0')")
        tasks.create_task(write(0, "slow"))
        await asyncio.sleep(0)
        blocked = tasks.create_task(write(2))
        beside = [tasks.create_task(write(number)) for number in (1, 3)]
        await until_waiting(watcher)  # for row 2, of which those three are told together
        later = [tasks.create_task(write(number)) for number in (4, 5)]
        await asyncio.wait([*later, *beside])
        assert not blocked.done()
        await conn.execute("DELETE FROM rows_written WHERE id = 2")
    assert sorted(ended) == [0, 1, 2, 3, 4, 5]
    assert ended[-1] == 2
    await watcher.close()


async def test_a_call_that_was_cancelled_while_it_waited_is_not_sent(
    database: Database, clock: LoopClock
) -> None:
    with clock.standing():
        first = asyncio.create_task(database.shared.fetchval(WRITE, 1, 0, "slow"))
        await asyncio.sleep(0)
        given_up, other = (
            asyncio.create_task(database.shared.fetchval(WRITE, 1, each, "")) for each in (1, 2)
        )
        await asyncio.sleep(0)
        given_up.cancel()
        assert [await first, await other] == [0, 2]
    assert sorted(await _transactions(database)) == [0, 2]


async def test_a_call_that_is_cancelled_under_way_lets_the_next_ones_go(database: Database) -> None:
    first = asyncio.create_task(
        database.shared.fetchval("SELECT pg_sleep(5), $1::bigint, $2::bigint", 1, 0)
    )
    await asyncio.sleep(0.01)
    query = "SELECT pg_sleep(5), $1::bigint, $2::bigint"
    others = [asyncio.create_task(database.shared.fetchval(query, 1, each)) for each in (1, 2)]
    await asyncio.sleep(0)
    for task in (first, *others):
        task.cancel()
    assert await database.shared.fetchval(WRITE, 1, 1, "") == 1


async def test_where_it_is_unknown_what_became_of_a_transaction_nothing_is_sent_again(
    database: Database, clock: LoopClock
) -> None:
    answers = await _write(database, clock, 1, 2, 3, n2="dead")
    assert all(isinstance(each, (asyncpg.PostgresError, OSError)) for each in answers), answers
    assert sorted(await _transactions(database)) == [0]
    assert await database.shared.fetchval(WRITE, 1, 9, "") == 9


class _Panicking(Pool):
    """Writes and commits, and then says like a server that its log is full and it stops."""

    def __init__(self, database: Database) -> None:
        """Write to this database."""
        self._database = database

    async def fetchmany(self, query: str, calls: list[tuple[object, ...]]) -> list[Record]:
        """Commit all calls, and fail."""
        async with self._database.transaction() as conn:
            await conn.fetchmany(query, calls)
        raise asyncpg.PostgresError.new(
            {"S": "PANIC", "V": "PANIC", "C": "53100", "M": "could not write to file"}
        )


async def test_a_server_that_stops_in_a_commit_has_refused_nothing(
    database: Database, clock: LoopClock
) -> None:
    batches = Batches(database, _Panicking(database))
    with clock.standing():
        first = asyncio.create_task(batches.fetchval(WRITE, 1, 0, "slow"))
        await asyncio.sleep(0)
        calls = [batches.fetchval(WRITE, 1, each, "") for each in (1, 2, 3)]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert await first == 0
    assert [type(each) for each in answers] == [asyncpg.DiskFullError] * 3
    assert sorted(await _transactions(database)) == [0, 1, 2, 3]


async def test_closing_waits_for_what_is_under_way(database: Database) -> None:
    tasks = [
        asyncio.create_task(database.shared.fetchval(WRITE, 1, each, "slow")) for each in range(4)
    ]
    await asyncio.sleep(0)
    await database.close()
    assert await asyncio.gather(*tasks) == [0, 1, 2, 3]
