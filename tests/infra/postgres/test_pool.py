"""The pool hands out sound connections only, and never more than it may."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from hundi.infra.postgres.database import Database, open_database
from hundi.infra.postgres.pool import Pool
from tests.infra.postgres.locks import until_waiting
from tests.patience import PATIENCE_S


@pytest.fixture
async def small(fresh_url: str):
    limit_ms = round(PATIENCE_S * 1000)
    async with await open_database(
        fresh_url, pool_size=2, statement_timeout_ms=limit_ms, lock_timeout_ms=limit_ms
    ) as database:
        yield database


_WAITS = "select pg_advisory_lock(1)"


async def _let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def _pid(database: Database) -> int:
    return await database.fetchval("select pg_backend_pid()")


async def test_the_connection_used_last_is_used_next(small: Database) -> None:
    first = await _pid(small)
    assert {await _pid(small) for _ in range(5)} == {first}


async def test_callers_wait_for_their_turn_when_all_are_taken(small: Database) -> None:
    query = "select pg_backend_pid() from pg_sleep(0.02)"
    pids = await asyncio.gather(*(small.fetchval(query) for _ in range(12)))
    assert len(pids) == 12
    assert len(set(pids)) == 2


async def test_a_refused_statement_keeps_its_connection(small: Database) -> None:
    before = await _pid(small)
    with pytest.raises(asyncpg.DivisionByZeroError):
        await small.fetchval("select 1 / $1::int", 0)
    assert await _pid(small) == before


async def test_a_statement_that_took_too_long_keeps_its_connection(small: Database) -> None:
    before = await small.fetchval(
        "select pg_backend_pid() from set_config('statement_timeout', '100', false)"
    )
    with pytest.raises(asyncpg.QueryCanceledError):
        await small.fetch("select pg_sleep(200)")
    assert (
        await small.fetchval(
            "select pg_backend_pid() from set_config('statement_timeout', '0', false)"
        )
        == before
    )


@pytest.mark.parametrize("code", ["57P01", "57P02", "57P03", "57P05", "08006"])
async def test_a_session_that_is_about_to_end_is_not_used_again(small: Database, code: str) -> None:
    # Raised by a function, so that the server's word comes while the connection is still open.
    before = await _pid(small)
    with pytest.raises(asyncpg.PostgresError) as refused:
        await small.execute(
            f"do $$ begin raise exception 'ending' using errcode = '{code}'; end $$"
        )
    assert refused.value.sqlstate == code
    assert await _pid(small) != before


@pytest.fixture
async def watcher(fresh_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection that holds the lock which `_WAITS` waits for."""
    connection = await asyncpg.connect(fresh_url)
    await connection.execute("select pg_advisory_lock(1)")
    yield connection
    await connection.close()


async def test_a_cancelled_call_takes_its_connection_along(
    small: Database, watcher: asyncpg.Connection
) -> None:
    before = await _pid(small)
    call = asyncio.create_task(small.fetch(_WAITS))
    await until_waiting(watcher)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await _pid(small) != before
    assert await small.fetchval("select 41 + 1") == 42


async def test_a_cancelled_transaction_leaves_nothing(small: Database) -> None:
    await small.execute("create table t (n int)")

    wrote = asyncio.Event()

    async def never_ends() -> None:
        async with small.transaction() as connection:
            await connection.execute("insert into t values (1)")
            wrote.set()
            await asyncio.Event().wait()

    for _ in range(4):
        wrote.clear()
        task = asyncio.create_task(never_ends())
        await wrote.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await small.fetchval("select count(*) from t") == 0
    assert (
        await small.fetchval(
            "select count(*) from pg_locks where relation = 't'::regclass and mode like 'Row%'"
        )
        == 0
    )


async def test_a_waiter_that_gives_up_costs_nobody_a_connection(small: Database) -> None:
    held, over = asyncio.Semaphore(0), asyncio.Event()

    async def hold() -> None:
        async with small.transaction() as connection:
            await connection.execute("select 1")
            held.release()
            await over.wait()

    holding = [asyncio.create_task(hold()) for _ in range(2)]
    for _ in holding:
        await held.acquire()
    impatient = [asyncio.create_task(small.fetchval("select 1")) for _ in range(5)]
    await _let_others_run()
    for task in impatient:
        task.cancel()
    over.set()
    await asyncio.gather(*holding, *impatient, return_exceptions=True)
    assert await asyncio.gather(*(small.fetchval("select 7") for _ in range(6))) == [7] * 6


async def test_a_waiter_that_is_served_as_it_gives_up_passes_its_connection_on(
    fresh_url: str,
) -> None:
    pool = Pool(lambda: asyncpg.connect(fresh_url), 1)
    connection = await pool.take()
    waiting = asyncio.create_task(pool.take())
    await _let_others_run()
    pool.release(connection)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await pool.take() is connection
    pool.release(connection)
    await pool.close()


async def test_connections_that_broke_while_idle_are_replaced(
    small: Database, fresh_url: str
) -> None:
    lost = asyncio.Semaphore(0)
    async with small.transaction() as one, small.transaction() as two:
        for each in (one, two):
            await each.execute("select 1")
            each.add_termination_listener(lambda _: lost.release())
    other = await asyncpg.connect(fresh_url)
    await other.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hundi'"
    )
    await other.close()
    for _ in range(2):
        await lost.acquire()
    assert (
        await asyncio.gather(*(small.fetchval("select 1 from pg_sleep(0.01)") for _ in range(4)))
        == [1] * 4
    )


async def test_a_statement_outlives_a_change_of_the_schema(small: Database) -> None:
    await small.execute("create table t (n int)")
    await small.execute("insert into t values ($1)", 5)
    assert [tuple(row) for row in await small.fetch("select * from t")] == [(5,)]
    await small.execute("alter table t add m text default 'x'")
    assert [tuple(row) for row in await small.fetch("select * from t")] == [(5, "x")]


async def test_who_comes_after_the_end_is_refused(fresh_url: str) -> None:
    database = await open_database(fresh_url)
    await database.close()
    with pytest.raises(asyncpg.InterfaceError):
        await database.fetchval("select 1")


async def test_the_end_waits_for_who_is_still_at_work(
    small: Database, watcher: asyncpg.Connection
) -> None:
    working = asyncio.create_task(small.fetchval(f"select 9 from ({_WAITS}) as waited"))
    await until_waiting(watcher)
    ending = asyncio.create_task(small.close())
    await _let_others_run()
    assert not ending.done()
    await watcher.execute("select pg_advisory_unlock(1)")
    await ending
    assert await working == 9


class _Stubborn(asyncpg.Connection):
    """A connection whose transport has died under it: it refuses even to be ended."""

    def terminate(self) -> None:
        super().terminate()
        message = "the handler is closed"
        raise RuntimeError(message)


async def test_a_connection_that_cannot_even_be_ended_gives_its_place_back(fresh_url: str) -> None:
    limits_s = iter((0.05, 0.05, 0.05, PATIENCE_S))
    pool = Pool(
        lambda: asyncpg.connect(
            fresh_url, connection_class=_Stubborn, command_timeout=next(limits_s)
        ),
        1,
    )
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await pool.fetch("select pg_sleep(200)")
    assert await pool.fetchval("select 1") == 1
    await pool.close()
