"""The data of every release reaches the newest schema, with books that hold.

While payments go on: `tests/system/test_upgrade.py`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from hundi.infra.postgres.migrate import is_current, migrate, with_database
from hundi.infra.postgres.roles import DATABASE
from tests.released.folders import KEYS, RELEASES, facts_of, releases, restore
from tools import write_schema

_AUDIT_S_MAX = 120
_PAGE_VERSION = 18
"""Of the PostgreSQL whose `pg_dump` wrote the page; older servers name constraints otherwise."""


def _bare(schema: str) -> str:
    """Return a schema without parentheses, of which a restored condition has more."""
    return schema.replace("(", "").replace(")", "")


async def _made(url: str) -> None:
    connection = await asyncpg.connect(with_database(url, "postgres"))
    await connection.execute(f"create database {urlsplit(url).path.removeprefix('/')}")
    await connection.close()


def _audit(url: str, release: str, folder: Path) -> dict[str, object]:
    """Return the report about a database, without the bank's own books."""
    folder.mkdir()
    for key in KEYS:
        shutil.copy(RELEASES / release / key, folder / key)
        (folder / key).chmod(0o600)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")}
    command = ["audit", "--without-acquirer", "sandbox", "--data-dir", str(folder), "--json"]
    ended = subprocess.run(
        [sys.executable, "-m", "hundi.cli", *command],
        env={**ours, "HUNDI_DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=_AUDIT_S_MAX,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("release", releases())
async def test_a_release_reaches_the_newest_schema(
    empty_url: str, release: str, tmp_path: Path
) -> None:
    await _made(empty_url)
    await restore(empty_url, release, DATABASE)
    await migrate(empty_url)
    assert await is_current(empty_url)
    report = _audit(empty_url, release, tmp_path / "data")
    assert report["holds"], report
    connection = await asyncpg.connect(empty_url)
    orders = await connection.fetch("SELECT order_id::text FROM payments")
    major = int(str(await connection.fetchval("SHOW server_version_num"))) // 10_000
    await connection.close()
    assert set(facts_of(release)["orders"].values()) <= {row["order_id"] for row in orders}
    if major >= _PAGE_VERSION:
        page = write_schema.PAGE.read_text("utf-8")
        assert _bare(write_schema.schema_of(empty_url)) == _bare(page), "unlike a new database"
