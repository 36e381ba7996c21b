"""`hundi merchant` as an operator uses it."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hundi.cli import application
from hundi.infra.postgres.database import Database
from hundi.wire.cipher import encryption_key


@pytest.fixture(autouse=True)
def _where(monkeypatch: pytest.MonkeyPatch, fresh_url: str, tmp_path: Path, db: Database) -> None:
    assert db
    monkeypatch.setenv("HUNDI_DATABASE_URL", fresh_url)
    monkeypatch.setenv("HUNDI_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")


async def merchant(*arguments: str) -> str:
    """Run the command beside the test's own event loop and return what it printed."""
    ended = await asyncio.to_thread(
        CliRunner().invoke, application("merchant"), ["merchant", *arguments]
    )
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


async def test_every_secret_has_a_name_of_its_own_and_the_derived_key_is_one_of_them() -> None:
    printed = await merchant("add", "Chandni Books")
    for label in ("API secret", "OAuth client secret", "Encryption key", "Webhook signing key"):
        assert printed.count(label) == 1, label


async def test_a_secret_is_printed_in_one_piece_on_a_narrow_terminal() -> None:
    added = json.loads(await merchant("add", "Chandni Books", "--json"))
    printed = await merchant("rotate", added["merchant_id"], "webhook_key")
    shown = json.loads(await merchant("rotate", added["merchant_id"], "password", "--json"))
    for name in ("username", "secret", "client_id", "client_secret"):
        assert added[name] in printed, name
    assert all(key in printed for key in shown["webhook_keys"])
    assert shown["encryption_key"] == encryption_key(shown["username"], shown["password"]).decode()
