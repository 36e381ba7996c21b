"""No command but `migrate` changes the schema of a database.

What meets another schema says so in a sentence.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from hundi.cli import _COMMANDS, application
from hundi.infra import plugins
from hundi.infra.errors import OperatorError
from hundi.infra.postgres.migrate import newest, with_database
from tests.conftest import Databases

OLD = f"{int(newest()) - 1:04}"
TOLD_MIN = 100
SAYS = "run `hundi migrate` first"
WITHOUT = {
    "serve": "migrates when it starts",
    "migrate": "is what migrates",
    "backup": "copies the embedded server",
    "restore": "makes a data directory of its own",
    "simulate": "makes a server of its own",
    "database": "is about servers and not about what is in them",
    "api": "is a process of its own, as are the next two",
    "worker": "see below",
    "metrics": "opens it as the worker does",
    "simbank": "has a database of its own",
}
"""Commands that are not walked, and why."""


def _value(parameter: Any, file: Path) -> str:
    """Return a word that a required parameter takes."""
    kind = parameter.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return str(next(iter(kind)).value)
    known = {int: "10001", Path: str(file), datetime: "2026-11-01", date: "2026-11-01", float: "1"}
    return known.get(kind, "x")


def _words(parameters: list[Any], file: Path) -> Iterator[str]:
    for parameter in parameters:
        if parameter.required:
            yield from [parameter.opts[0]] if parameter.opts[0].startswith("-") else []
            yield _value(parameter, file)


def _calls(file: Path) -> Iterator[list[str]]:
    """Yield each verb of each command, with what it demands."""
    for noun in (*_COMMANDS, *plugins.commands()):
        if noun in WITHOUT:
            continue
        command = get_command(application(noun)).commands[noun]
        verbs = getattr(command, "commands", None)
        for name, verb in verbs.items() if verbs else [("", command)]:
            yield [noun, *([name] if name else []), *_words(verb.params, file)]


async def _ask(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


@pytest.fixture(params=["empty", "old"])
def url(request: pytest.FixtureRequest, databases: Databases, fresh_url: str) -> Iterator[str]:
    """Address of a database without a schema, or of one whose schema is of the version before."""
    if request.param == "old":
        asyncio.run(_ask(fresh_url, f"UPDATE schema_version SET revision = '{OLD}'"))
        yield fresh_url
        return
    name = f"{urlsplit(fresh_url).path.removeprefix('/')}_empty"
    databases.run(f'create database "{name}"')
    yield with_database(fresh_url, name)
    databases.drop(name)


def _state(url: str) -> Any:
    tables = asyncio.run(
        _ask(url, "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
    )
    return tables, asyncio.run(_ask(url, "SELECT revision FROM schema_version")) if tables else None


def test_no_command_changes_the_schema_on_its_way(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUNDI_DATABASE_URL", url)
    monkeypatch.setenv("HUNDI_OWNER_DATABASE_URL", url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path / "data"))
    file = tmp_path / "file"
    file.write_text("{}")
    before, faults, told = _state(url), [], 0
    for call in _calls(file):
        ended = CliRunner().invoke(application(call[0]), call)
        known = ended.exception is None or isinstance(ended.exception, SystemExit | OperatorError)
        faults += [] if known else [f"{' '.join(call)}: {ended.exception!r}"]
        told += SAYS in f"{ended.exception}{ended.output}"
        if _state(url) != before:
            faults.append(f"{' '.join(call)}: changed the schema")
            before = _state(url)
    assert faults == []
    # The others are refused for their words before the database is opened, or need none.
    assert told >= TOLD_MIN


def _hundi(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HUNDI_")
    } | settings
    return subprocess.run(
        [sys.executable, "-m", "hundi.cli", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_worker_says_in_a_sentence_that_the_schema_is_missing_or_old(
    url: str, tmp_path: Path
) -> None:
    ended = _hundi("worker", HUNDI_DATABASE_URL=url, HUNDI_DATA_DIR=str(tmp_path))
    assert (ended.returncode, SAYS in ended.stderr, "Traceback" in ended.stderr) == (
        2,
        True,
        False,
    ), ended.stderr


def test_migrate_says_from_where_to_where(databases: Databases, fresh_url: str) -> None:
    name = f"{urlsplit(fresh_url).path.removeprefix('/')}_made"
    url = with_database(fresh_url, name)
    try:
        assert (
            _hundi("migrate", HUNDI_DATABASE_URL=url).stdout
            == f"migrated: from nothing to {newest()}\n"
        )
        assert _hundi("migrate", HUNDI_DATABASE_URL=url).stdout == f"nothing to do, at {newest()}\n"
    finally:
        databases.drop(name)


def test_two_addresses_of_two_databases_are_refused(url: str) -> None:
    before = _state(url)
    elsewhere = with_database(url, "postgres")
    ended = _hundi("migrate", HUNDI_OWNER_DATABASE_URL=url, HUNDI_DATABASE_URL=elsewhere)
    assert (ended.returncode, ended.stdout, _state(url)) == (2, "", before)
    assert ended.stderr.count("\n") == 1
    for part in ("HUNDI_OWNER_DATABASE_URL", "HUNDI_DATABASE_URL", "two different databases"):
        assert part in ended.stderr
    absent = with_database(url, "hundi_is_not_there")
    assert (
        _hundi("migrate", HUNDI_OWNER_DATABASE_URL=absent, HUNDI_DATABASE_URL=url).returncode == 2
    )
    made = "SELECT count(*) FROM pg_database WHERE datname = 'hundi_is_not_there'"
    assert asyncio.run(_ask(url, made)) == 0


def test_two_addresses_of_one_database_are_not(fresh_url: str) -> None:
    other = f"{fresh_url}{'&' if '?' in fresh_url else '?'}application_name=other"
    ended = _hundi("migrate", HUNDI_OWNER_DATABASE_URL=fresh_url, HUNDI_DATABASE_URL=other)
    assert (ended.returncode, ended.stdout) == (0, f"nothing to do, at {newest()}\n"), ended.stderr
