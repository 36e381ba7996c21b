"""The pool, transactions and wake-ups, on a real server."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from hundi.infra.postgres.database import Database, DatabaseUnreachableError, open_database
from hundi.infra.postgres.wakeups import Listener
from tests.patience import PATIENCE_S

END_LISTENERS = (
    "select pg_terminate_backend(pid) from pg_stat_activity"
    " where application_name = 'hundi listener' and datname = current_database()"
)


async def test_statements_and_json(db: Database) -> None:
    row = await db.fetchrow(
        "select $1::jsonb as facts, $2::bigint as paise", {"name": "सीता", "n": [1, None]}, 149950
    )
    assert row is not None
    assert row["facts"] == {"name": "सीता", "n": [1, None]}
    assert row["paise"] == 149950
    assert await db.fetchval("select 1") == 1
    assert [r["n"] for r in await db.fetch("select generate_series(1, 3) as n")] == [1, 2, 3]


async def test_transaction_commits_or_rolls_back(db: Database) -> None:
    await db.execute("create table t (n int)")
    async with db.transaction() as connection:
        await connection.execute("insert into t values (1)")

    async def fails() -> None:
        async with db.transaction() as connection:
            await connection.execute("insert into t values (2)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fails()
    assert [row["n"] for row in await db.fetch("select n from t")] == [1]


class Heard(list[str]):
    """The payloads that a listener heard."""

    async def reaches(self, number: int) -> None:
        """Wait until there are so many."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self) < number:
                await asyncio.sleep(0.01)


async def test_wakeups_are_coalesced(fresh_url: str) -> None:
    heard = Heard()
    async with await open_database(fresh_url, pool_size=1) as db:
        await db.listen("hundi_test", heard.append)
        async with db.transaction() as connection:
            await connection.execute("select 1")
            # The first one waits for the only connection; all of the others go together after it.
            for _ in range(100):
                db.wake("hundi_test")
                await asyncio.sleep(0)
        await heard.reaches(2)
        db.wake("hundi_test", "a")
        db.wake("hundi_test", "b")
        await heard.reaches(4)
    assert heard[:2] == ["", ""]
    assert sorted(heard[2:]) == ["a", "b"]


async def test_the_listener_comes_back(db: Database) -> None:
    heard = asyncio.Event()
    await db.listen("hundi_test", lambda _: heard.set())
    await db.execute(END_LISTENERS)
    await asyncio.wait_for(heard.wait(), PATIENCE_S)
    heard.clear()
    db.wake("hundi_test")
    await asyncio.wait_for(heard.wait(), PATIENCE_S)


async def test_the_pool_comes_back_after_its_connections_are_lost(db: Database) -> None:
    await db.fetchval("select 1")
    with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.AdminShutdownError)):
        await db.fetchval("select pg_terminate_backend(pg_backend_pid())")
    assert await db.fetchval("select 1") == 1


@contextlib.asynccontextmanager
async def recovering(url: str, refusals: int) -> AsyncIterator[tuple[str, list[int]]]:
    """Stand before a server, report recovery so many times, then hand connections on."""
    to, asked = urlsplit(url), []
    folder = parse_qs(to.query).get("host", [""])[0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(1)
        if len(asked) > refusals:
            if folder:
                far_reader, far_writer = await asyncio.open_unix_connection(
                    f"{folder}/.s.PGSQL.{to.port or 5432}"
                )
            else:
                far_reader, far_writer = await asyncio.open_connection(to.hostname, to.port)
            await asyncio.gather(
                _passed(reader, far_writer), _passed(far_reader, writer), return_exceptions=True
            )
            return
        (length,) = struct.unpack("!I", await reader.readexactly(4))
        if (await reader.readexactly(length - 4))[:4] == struct.pack(
            "!I", 80877103
        ):  # whether we speak TLS
            writer.write(b"N")
            (length,) = struct.unpack("!I", await reader.readexactly(4))
            await reader.readexactly(length - 4)
        fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is in recovery mode\0\0"
        writer.write(b"E" + struct.pack("!I", len(fields) + 4) + fields)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Who gives up while it connects leaves in the middle of a message.
        with (
            contextlib.closing(writer),
            contextlib.suppress(asyncio.IncompleteReadError, ConnectionError),
        ):
            await serve(reader, writer)

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    user, at, _ = to.netloc.rpartition("@")
    try:
        yield to._replace(netloc=f"{user}{at}127.0.0.1:{port}", query="").geturl(), asked
    finally:
        server.close()


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.closing(writer):
        while piece := await reader.read(65_536):
            writer.write(piece)


async def test_a_server_that_recovers_is_waited_for(fresh_url: str) -> None:
    async with recovering(fresh_url, refusals=3) as (url, asked):
        async with await open_database(url, pool_size=1, starting_s_max=PATIENCE_S) as db:
            assert await db.fetchval("select 1") == 1
        assert len(asked) >= 4


async def test_a_server_that_recovers_too_long_is_named(fresh_url: str) -> None:
    async with recovering(fresh_url, refusals=1_000) as (url, _):
        with pytest.raises(DatabaseUnreachableError, match="recovery mode"):
            await open_database(url, pool_size=1, starting_s_max=0.5)


async def test_who_could_not_listen_at_first_hears_once(fresh_url: str, db: Database) -> None:
    heard = Heard()
    async with recovering(fresh_url, refusals=1) as (url, _):
        listener = Listener(url)
        with pytest.raises(asyncpg.CannotConnectNowError):
            await listener.listen("hundi_test", heard.append)
        await listener.listen("hundi_test", heard.append)
        await db.execute("select pg_notify('hundi_test', 'once')")
        await listener.catch_up()
        await listener.close()
    assert heard == ["once"]


async def test_who_was_refused_is_refused_again_and_never_left_deaf(db: Database) -> None:
    heard = Heard()
    await db.listen("hundi_test", heard.append)
    for _ in range(2):
        with pytest.raises(asyncpg.PostgresError):
            await db.listen("", heard.append)
    db.wake("hundi_test", "still there")
    await heard.reaches(1)


async def test_many_may_begin_to_listen_at_once(db: Database) -> None:
    heard = Heard()
    await asyncio.gather(*(db.listen(f"hundi_test_{number}", heard.append) for number in range(8)))
    for number in range(8):
        db.wake(f"hundi_test_{number}", str(number))
    await heard.reaches(8)
    assert sorted(heard) == [str(number) for number in range(8)]


async def test_who_has_caught_up_has_heard_all_that_was_sent_before(db: Database) -> None:
    heard = Heard()
    await db.listen("hundi_test", heard.append)
    for number in range(50):
        await db.execute("select pg_notify('hundi_test', $1)", str(number))
        await db.catch_up()
        assert heard[-1] == str(number)


async def test_thousands_who_catch_up_at_once_share_a_question_and_all_have_heard(
    db: Database,
) -> None:
    heard = Heard()
    await db.listen("hundi_test", heard.append)
    asked = [asyncio.create_task(db.catch_up()) for _ in range(2_000)]
    await asyncio.sleep(0)
    await db.execute("select pg_notify('hundi_test', 'late')")
    # Whoever calls now must not share the question that went before the wake-up.
    await asyncio.gather(*asked, *(db.catch_up() for _ in range(2_000)))
    assert heard == ["late"]


async def test_a_listener_ends_in_the_moment_in_which_its_connection_is_lost(
    fresh_url: str,
) -> None:
    other = await asyncpg.connect(fresh_url)
    for turns in range(60):
        listener = Listener(fresh_url)
        await listener.listen("hundi_test", lambda _: None)
        await other.execute(END_LISTENERS)
        # The loss arrives some turns of the event loop later; one of these is it.
        for _ in range(turns % 12):
            await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await listener.close()
    await other.close()
