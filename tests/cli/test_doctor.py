"""The doctor on databases that no gateway uses yet, or that another version made."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from hundi.infra.migrations import versions
from hundi.infra.postgres.database import Database
from hundi.infra.postgres.migrate import with_database
from hundi.infra.postgres.roles import DatabaseRole
from tests.cli.conftest import Hundi
from tests.databases import drop_database
from tests.money.audit.copied import write_copied

WORKER = DatabaseRole.WORKER.value
Looked = Callable[[], Awaitable[dict[str, Any]]]


@pytest.fixture
def looked(hundi: Hundi) -> Looked:
    """Returns the findings by code; the status is that of the gravest."""

    async def look() -> dict[str, Any]:
        ended = await hundi("doctor", "--json")
        report = json.loads(ended.stdout)
        assert ended.exit_code == report["status"]
        return {each["code"]: each for each in report["findings"]}

    return look


@pytest.mark.parametrize(
    ("revision", "code"),
    [
        (versions()[0].revision, "schema_old"),
        (versions()[-1].revision + " without the statements after it", "schema_old"),
        ("9999", "schema_unknown"),
        (versions()[-1].revision, "schema_good"),
    ],
)
async def test_a_schema_of_another_version_is_named(
    looked: Looked, db: Database, revision: str, code: str
) -> None:
    await db.execute("UPDATE schema_version SET revision = $1", revision)
    found = await looked()
    assert code in found


async def test_a_database_without_a_schema_is_named(
    looked: Looked, db: Database, fresh_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"empty_{fresh_url.rpartition('_')[2]}"
    connection = await asyncpg.connect(fresh_url)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
        monkeypatch.setenv("HUNDI_DATABASE_URL", with_database(fresh_url, name))
        found = await looked()
        assert found["schema_missing"]["do"].startswith("Run `hundi migrate`")
        assert "the schema is missing" in found["not_looked_at"]["seen"]
        assert "probe_failed" not in found
        monkeypatch.setenv("HUNDI_DATABASE_URL", with_database(fresh_url, f"no_{name}"))
        found = await looked()
        assert "does not exist" in found["database_unreachable"]["seen"]
    finally:
        await drop_database(connection, name)
        await connection.close()


@pytest.mark.not_on_citus("a cluster of tests has one database")
async def test_a_database_with_another_encoding_is_named(
    looked: Looked, db: Database, fresh_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"latin_{fresh_url.rpartition('_')[2]}"
    connection = await asyncpg.connect(fresh_url)
    try:
        await connection.execute(
            f"CREATE DATABASE \"{name}\" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
        )
        monkeypatch.setenv("HUNDI_DATABASE_URL", with_database(fresh_url, name))
        found = await looked()
        assert found["database_encoding"]["seen"] == "it stores text as LATIN1"
    finally:
        await drop_database(connection, name)
        await connection.close()


async def test_a_server_without_our_roles_is_named(looked: Looked, db: Database) -> None:
    found = await looked()
    has_roles = await db.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", WORKER)
    assert ("roles_missing" in found) is not has_roles


async def test_a_hundred_servers_are_looked_at_and_the_others_counted(
    looked: Looked, hundi: Hundi, db: Database
) -> None:
    await hundi("merchant", "add", "One of many", "--json")
    await db.execute(
        "INSERT INTO merchants SELECT (jsonb_populate_record(m, jsonb_build_object("
        "'merchant_id', 20000000 + n, 'settings', m.settings || jsonb_build_object("
        "'notification_url', 'http://127.0.0.' || n || '/hook')))).*"
        " FROM merchants m, generate_series(1, 101) AS n"
    )
    found = await looked()
    assert found["endpoints_left_out"]["seen"] == "100 of 101 servers"


@pytest.mark.not_on_citus("there each node counts")
async def test_books_that_were_copied_as_sql_are_named(looked: Looked, db: Database) -> None:
    await write_copied(db)
    found = await looked()
    assert found["counter_behind"]["do"].startswith("Do what was seen says")
    assert "hundi database advance" in found["counter_behind"]["seen"]
    assert "schema_good" not in found


async def test_a_new_installation_has_no_key_yet(looked: Looked, tmp_path: Path) -> None:
    found = await looked()
    assert found["keys_new"]["about"] == str(tmp_path / "kek")
    assert found["acquirer_missing"]["level"] == "warning"
    assert found["address_in_clear"]["level"] == "warning"
    assert found["endpoints_missing"]["level"] == "note"
    assert found["disk_unseen"]["about"] == "database"
    assert not (tmp_path / "kek").exists()


async def test_a_server_that_may_lose_what_it_acknowledged_is_named(
    looked: Looked, db: Database
) -> None:
    found = await looked()
    switched_off = await db.fetchval("SELECT current_setting('fsync') = 'off'")
    assert ("database_not_durable" in found) is switched_off
