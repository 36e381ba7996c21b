"""Migrations run once from empty on every PostgreSQL found, whoever tries with us."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from hundi.infra.errors import OperatorError
from hundi.infra.migrations import versions
from hundi.infra.postgres.database import open_database
from hundi.infra.postgres.migrate import (
    ADVISORY_LOCK,
    check_current,
    check_not_older,
    is_current,
    migrate,
    newest,
    upgrade,
    with_database,
)
from tools import write_schema

_ASKS_FOR_ITS_TURN = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
    AND query LIKE '%pg_try_advisory_lock%' AND pid <> pg_backend_pid())
"""
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'tea_kind'::regclass"


async def _made(url: str) -> asyncpg.Connection:
    """Make a database without a schema and return a connection to it."""
    name = urlsplit(url).path.removeprefix("/")
    connection = await asyncpg.connect(with_database(url, "postgres"))
    await connection.execute(f"create database {name}")
    await connection.close()
    return await asyncpg.connect(url)


async def test_from_nothing(empty_url: str) -> None:
    assert not await is_current(empty_url)
    await migrate(empty_url)
    assert await is_current(empty_url)
    async with await open_database(empty_url) as database:
        assert await database.fetchval("select revision from schema_version") == newest()
        assert await database.fetchval("select count(*) from payments where merchant_id = 1") == 0
        with pytest.raises(asyncpg.CheckViolationError):
            await database.execute(
                "insert into merchants values (-1, 'live', 'active', 'x', ''::bytea, '{}', now(),"
                " now())"
            )


async def test_many_at_once_and_again(empty_url: str) -> None:
    await asyncio.gather(*(migrate(empty_url) for _ in range(5)))
    assert await is_current(empty_url)
    await migrate(empty_url)


async def test_a_schema_of_another_version_is_refused_in_words(empty_url: str) -> None:
    await migrate(empty_url)
    connection = await asyncpg.connect(empty_url)
    await connection.execute("update schema_version set revision = '9999'")
    await connection.close()
    with pytest.raises(
        OperatorError, match=r"schema 9999, which this Hundi does not know.*another database"
    ):
        await migrate(empty_url)


async def test_a_database_from_before_the_first_release_is_refused_in_words(empty_url: str) -> None:
    connection = await _made(empty_url)
    await connection.execute("create table alembic_version as select '0040' as version_num")
    refused = r"made by a Hundi from before 0\.1\.0.*Nothing was changed.*another --data-dir"
    for ask in (migrate, is_current, check_current):
        with pytest.raises(OperatorError, match=refused):
            await ask(empty_url)
    async with await open_database(empty_url) as database:
        with pytest.raises(OperatorError, match=refused):
            await check_not_older(database)
    tables = "select count(*) from pg_tables where schemaname = 'public'"
    assert await connection.fetchval(tables) == 1
    await connection.close()


async def test_a_role_that_may_not_make_tables_is_told_so(empty_url: str) -> None:
    elsewhere = urlsplit(empty_url)._replace(path="/postgres").geturl()
    with pytest.raises(
        OperatorError, match=r"role hundi_owner .* may not bring it up to date.*owner's address"
    ):
        await migrate(elsewhere)


async def test_lost_grants_come_back(empty_url: str) -> None:
    await migrate(empty_url)
    may = "select has_table_privilege('hundi_gateway', 'payments', 'update')"
    async with await open_database(empty_url) as database:
        assert await database.fetchval(may)
        await database.execute("revoke all on payments from hundi_gateway")
        await database.execute("grant truncate on payments to hundi_audit")
        await database.execute("comment on table schema_version is 'grants of another version'")
        await migrate(empty_url)
        assert await database.fetchval(may)
        assert not await database.fetchval(
            "select has_table_privilege('hundi_audit', 'payments', 'truncate')"
        )


def test_the_schema_on_one_page_is_what_the_migrations_make() -> None:
    assert write_schema.PAGE.read_text("utf-8") == write_schema.schema(), "run: make schema"


async def test_a_failed_migration_leaves_nothing(empty_url: str) -> None:
    connection = await _made(empty_url)
    # The first script stumbles half way over a table that is there already.
    await connection.execute("create table schedules (n int)")
    with pytest.raises(Exception, match="schedules"):
        await migrate(empty_url)
    assert await connection.fetchval("select to_regclass('signing_keys')") is None
    assert not await is_current(empty_url)
    await connection.execute("drop table schedules")
    await connection.close()
    await migrate(empty_url)
    assert await is_current(empty_url)


async def test_what_was_interrupted_after_a_transaction_goes_on_there(
    empty_url: str, tmp_path: Path
) -> None:
    files = {
        "0001_tea.sql": "CREATE TABLE tea AS SELECT 'assam' AS kind UNION ALL SELECT 'assam'",
        "0001_tea.after.sql": "DROP INDEX CONCURRENTLY IF EXISTS tea_kind;\n"
        "CREATE UNIQUE INDEX CONCURRENTLY tea_kind ON tea (kind);",
        "0002_cups.sql": "CREATE TABLE cups (n int)",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    connection = await _made(empty_url)
    with pytest.raises(asyncpg.UniqueViolationError):
        await upgrade(connection, versions(tmp_path))
    assert not await connection.fetchval(_IS_VALID), "a half-made index is there"
    async with await open_database(empty_url) as database:
        with pytest.raises(OperatorError, match=r"0001 without the statements after it.*migrate"):
            await check_not_older(database)
    await connection.execute("DELETE FROM tea WHERE ctid = (SELECT min(ctid) FROM tea)")
    await upgrade(connection, versions(tmp_path))
    assert await connection.fetchval(_IS_VALID)
    assert await connection.fetchval("SELECT to_regclass('cups') IS NOT NULL")
    assert await connection.fetchval("SELECT revision FROM schema_version") == "0002"
    await connection.close()


async def test_the_state_is_looked_at_again_after_the_wait(empty_url: str) -> None:
    """Who waited for a newer version's process does not give its tables the rights of an older."""
    await migrate(empty_url)
    connection = await asyncpg.connect(empty_url)
    await connection.execute("COMMENT ON TABLE schema_version IS 'grants of another version'")
    await connection.execute("SELECT pg_advisory_lock($1)", ADVISORY_LOCK)
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(_refused(empty_url))
        while not await connection.fetchval(_ASKS_FOR_ITS_TURN):
            await asyncio.sleep(0.02)
        await connection.execute("UPDATE schema_version SET revision = '9999'")
        await connection.execute("SELECT pg_advisory_unlock($1)", ADVISORY_LOCK)
    assert "schema 9999, which this Hundi does not know" in waiting.result()
    comment = "SELECT obj_description('schema_version'::regclass, 'pg_class')"
    assert await connection.fetchval(comment) == "grants of another version"
    await connection.close()


async def _refused(url: str) -> str:
    with pytest.raises(OperatorError) as refused:
        await migrate(url)
    return str(refused.value)


async def test_a_table_that_stays_locked_is_told_in_words(empty_url: str) -> None:
    connection = await _made(empty_url)
    await upgrade(connection, versions()[:2])
    async with connection.transaction():
        await connection.execute("LOCK TABLE merchants")
        assert "stayed locked for 5s" in await _refused(empty_url)
    await migrate(empty_url)
    assert await is_current(empty_url)
    await connection.close()
