"""The command line on a test's own database, for an operator's terminal of 80 columns."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from hundi.cli import application
from hundi.infra.postgres.database import Database
from tests.command_output import read_json

COLUMNS = 80
Hundi = Callable[..., Awaitable[Result]]
Operate = Callable[..., Awaitable[Any]]


@pytest.fixture
def hundi(monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path, db: Database) -> Hundi:
    """Runs a command beside the test's own event loop and returns how it ended."""
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", str(COLUMNS))

    async def run(*arguments: str, text: str = "") -> Result:
        ended = await asyncio.to_thread(
            CliRunner().invoke, application(arguments[0]), arguments, input=text
        )
        assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
        return ended

    return run


@pytest.fixture
def operate(hundi: Hundi) -> Operate:
    """Carries a command out and returns the JSON it prints. text: what is typed at it."""

    async def run(*arguments: str, text: str = "") -> Any:
        ended = await hundi(*arguments, "--json", text=text)
        assert ended.exit_code == 0, ended.output
        return read_json(ended.stdout)

    return run


@pytest.fixture
def refused(hundi: Hundi) -> Operate:
    """Runs a command that cannot be carried out and returns what it says."""

    async def run(*arguments: str) -> str:
        ended = await hundi(*arguments)
        assert (ended.exit_code, ended.stdout) == (2, ""), ended.output
        return ended.stderr.strip()

    return run
